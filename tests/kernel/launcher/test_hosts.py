"""The hosts of docs/hosts, as a person runs them and as a program imports them, on real kernels.

Both do the same, so every test is for both. At its end nothing of a host may be left: no process, no file of a session.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

import processes
import pytest
from host import DEADLINE, ROOT, environment

HOSTS = ROOT / "docs/hosts"
NODE = shutil.which("node")
COMMANDS = {"python": [sys.executable], "node": [NODE]}
#: A conversation and how many cells it has.
PROMPT = re.compile(r"[a-z]+ \d+> ")
FILES = {"python": HOSTS / "host.py", "node": HOSTS / "host.mjs"}


class World:
    """Folders of its own, in which hosts are started one after the other."""

    def __init__(self, language: str) -> None:
        self.command = [*COMMANDS[language], str(FILES[language]), "conversations"]
        self.language = language
        # Short, since addresses of sockets are; `mkdtemp` makes it 0700.
        self.runtime = Path(tempfile.mkdtemp(prefix="hs-", dir="/tmp"))
        self.home = Path(tempfile.mkdtemp(prefix="hs-home-", dir="/tmp"))
        self.cache = self.home / "cache"
        self.mark = uuid.uuid4().hex
        scripts = Path(sys.executable).parent
        own = {
            "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(self.cache),
        }
        self.env = environment(self.runtime, self.home, self.mark, own)
        self.started: list[Running] = []

    def start(self) -> Running:
        """A host, at its first prompt."""
        running = Running(self)
        self.started.append(running)
        running.prompt()
        return running

    def cells(self, name: str = "main") -> list[dict]:
        """The history of a conversation, as it is on the disk."""
        text = (self.home / "conversations" / f"{name}.jsonl").read_text("utf-8")
        return [json.loads(line) for line in text.split("\n")[:-1]]

    def saved(self, name: str = "main") -> None:
        """Waits until the last cell's checkpoint is on the disk."""
        last = self.cells(name)[-1]["checkpoint"]
        until((self.cache / "headstart/checkpoints/manifests" / last).exists)

    def nothing_left(self) -> None:
        """All processes of the hosts have ended, and no session has a file."""
        processes.Watch(processes.marked(self.mark)).ended(5)
        assert processes.marked(self.mark) == set()
        shared = ("headstart", "headstart/sessions")
        found = (str(p.relative_to(self.runtime)) for p in self.runtime.rglob("*"))
        assert [name for name in found if name not in shared] == []

    def clean(self) -> None:
        for running in self.started:
            running.kill()
        for pid in processes.marked(self.mark):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        shutil.rmtree(self.runtime, ignore_errors=True)
        shutil.rmtree(self.home, ignore_errors=True)


class Running:
    """A host that a person runs."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.process = subprocess.Popen(
            world.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=world.env,
            cwd=world.home,
        )
        self.seen = {"stdout": "", "stderr": ""}
        self.place = {"stdout": 0, "stderr": 0}
        self.changed = threading.Condition()
        #: Cleared, nobody reads what it prints.
        self.reads = threading.Event()
        self.reads.set()
        self.threads = [
            threading.Thread(target=self._read, args=(name,), daemon=True)
            for name in self.seen
        ]
        for thread in self.threads:
            thread.start()

    def _read(self, name: str) -> None:
        source = getattr(self.process, name).fileno()
        rest = b""
        while self.reads.wait() and (piece := os.read(source, 1 << 16)):
            *whole, rest = (rest + piece).rpartition(b"\n")
            text = b"".join(whole)
            # A prompt has no line end.
            if rest.endswith(b"> "):
                text, rest = text + rest, b""
            with self.changed:
                self.seen[name] += text.decode()
                self.changed.notify_all()

    def until(self, text: str | re.Pattern[str], name: str = "stdout") -> str:
        """What it printed since the last wait, up to the text."""
        wanted = re.compile(re.escape(text)) if isinstance(text, str) else text
        end = time.monotonic() + DEADLINE
        with self.changed:
            while not (hit := wanted.search(self.seen[name], self.place[name])):
                left = end - time.monotonic()
                last = {kind: said[-2000:] for kind, said in self.seen.items()}
                assert left > 0, f"no {text!r}: {last}"
                self.changed.wait(left)
            found = self.seen[name][self.place[name] : hit.end()]
            self.place[name] = hit.end()
        return found

    def prompt(self) -> str:
        """What it printed since the last wait, up to the next prompt, without its last line end."""
        return PROMPT.split(self.until(PROMPT))[0].removesuffix("\n")

    def write(self, line: str) -> None:
        """Types a line."""
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def cell(self, line: str) -> str:
        """Types a line and gives what is shown before the next prompt."""
        self.write(line)
        return self.prompt()

    def interrupt(self) -> None:
        """Presses Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Presses Ctrl-D; gives the exit code."""
        self.process.stdin.close()
        return self.process.wait(DEADLINE)

    def kill(self) -> None:
        """SIGKILL; gives nothing a chance."""
        self.process.kill()
        self.process.wait()
        self.reads.set()
        for thread in self.threads:
            thread.join(10)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                continue

    @property
    def guard(self) -> int:
        """Its launcher."""
        (pid,) = processes.children(self.process.pid)
        return pid


def until(true) -> None:
    """Waits for what another process does to the disk."""
    end = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < end, true
        time.sleep(0.01)


@pytest.fixture(params=["python", "node"])
def world(request):
    """A world, and nothing of it afterwards."""
    if request.param == "node" and NODE is None:
        pytest.skip("node is not on PATH")
    made = World(request.param)
    yield made
    try:
        for running in made.started:
            if running.process.poll() is None:
                assert running.end() == 0, running.seen
        made.nothing_left()
    finally:
        made.clean()


def test_cells_are_run_and_stopped(world):
    host = world.start()
    assert host.cell("x = 41") == ""
    assert host.cell("print('a'); x + 1") == "a\n42"
    assert "ZeroDivisionError: division by zero" in host.cell("1 / 0")
    host.write("x = 7; import time; print('on', flush=True); time.sleep(1000)")
    host.until("on\n")
    host.interrupt()
    assert "KeyboardInterrupt" in host.until("main 4> ")
    assert host.cell("x") == "7"
    assert [cell["status"] for cell in world.cells()] == [
        *("ok", "ok", "error", "error", "ok")
    ]
    assert host.end() == 0
    world.nothing_left()


def test_a_fork_and_its_origin_hold_their_own(world):
    host = world.start()
    host.cell("a = [1]; b = {'k': a}; f = lambda: a + ['f']")
    host.cell("a.append(2); only_main = True")
    host.write("/fork other 1")
    host.until("other 1> ")
    assert host.cell("a, b['k'] is a, 'only_main' in globals()") == (
        "([1], True, False)"
    )
    assert "back to cell 1" in host.until("back to cell 1", "stderr")
    host.cell("a.append('other'); only_other = True")
    assert host.cell("f()") == "[1, 'other', 'f']"
    host.write("/go main")
    host.until("main 2> ")
    assert host.cell("f(), b['k'] is a, 'only_other' in globals()") == (
        "([1, 2, 'f'], True, False)"
    )
    # The name is taken; and one that is none makes no file.
    host.cell("/fork other")
    host.until("expected a new name, found a conversation other", "stderr")
    host.cell("/go ../other")
    host.until("bad_request: session: expected a name", "stderr")
    assert [cell["code"] for cell in world.cells("other")][:2] == [
        "a = [1]; b = {'k': a}; f = lambda: a + ['f']",
        "a, b['k'] is a, 'only_main' in globals()",
    ]
    assert sorted(p.name for p in (world.home / "conversations").iterdir()) == [
        "main.jsonl",
        "other.jsonl",
    ]
    assert not (world.home / "other.jsonl").exists()


def test_a_host_that_was_killed_goes_on_from_its_last_cell(world):
    host = world.start()
    host.cell("x = [1]; f = lambda: x")
    host.write("/fork other")
    host.until("other 1> ")
    host.cell("x.append('other')")
    world.saved("other")
    host.write("/go main")
    host.until("main 1> ")
    host.cell("x.append(2)")
    world.saved()
    host.write(
        "x.append(3); y = 1; import time; print('on', flush=True); time.sleep(99)"
    )
    host.until("on\n")
    host.kill()
    world.nothing_left()
    # What it wrote last may be half a line.
    with (world.home / "conversations/main.jsonl").open("a") as file:
        file.write('{"code": "x.appe')
    host = world.start()
    assert host.cell("f(), 'y' in globals()") == "([1, 2], False)"
    assert "back to cell 2 (`x.append(2)`)" in host.until("restored", "stderr")
    host.write("/go other")
    host.until("other 2> ")
    assert host.cell("f()") == "[1, 'other']"
    assert [cell["code"] for cell in world.cells()] == [
        *("x = [1]; f = lambda: x", "x.append(2)", "f(), 'y' in globals()")
    ]


def test_a_host_that_ends_has_all_of_its_cells(world):
    """Whoever leaves waits for checkpoints: nobody has to look whether they are on the disk."""
    host = world.start()
    for number in range(3):
        host.cell(f"x{number} = bytes({number}) * 5_000_000")
    assert host.end() == 0
    host = world.start()
    assert host.cell("len(x0), len(x1), len(x2)") == "(0, 5000000, 10000000)"


def test_a_kernel_that_dies_is_told_and_followed(world):
    host = world.start()
    host.cell("x = 41")
    world.saved()
    host.cell("x = 0; import os; os._exit(3)")
    assert "lost: the kernel's process ended with exit code 3" in host.until(
        "\nlost: the kernel's process ended with exit code 3", "stderr"
    )
    assert host.cell("x + 1") == "42"
    assert [cell["code"] for cell in world.cells()] == ["x = 41", "x + 1"]


def test_a_launcher_that_dies_is_told_and_ends_the_host(world):
    host = world.start()
    host.cell("x = 41")
    world.saved()
    host.write("x = 0; import time; print('on', flush=True); time.sleep(1000)")
    host.until("on\n")
    os.kill(host.guard, signal.SIGKILL)
    host.until("gone: hs kernel serve has ended", "stderr")
    assert host.process.wait(DEADLINE) == 1
    # Its files go with the next look of anybody.
    assert world.start().cell("x + 1") == "42"


def test_lines_are_whole_however_they_come(world):
    """Long ones, characters that end where a piece does, and what only looks like a line end."""
    host = world.start()
    assert host.cell(f"text = {'é' * 300_000!r}; len(text)") == "300000"
    # Longer than what a pipe holds; what is not in the result is told.
    shown = host.cell("print(text[:200_000] + chr(0x2028) + chr(0x1F600)); 1")
    assert shown == "é" * 200_000 + "\u2028\U0001f600\n1"
    host.until("all of it is in ", "stderr")


def test_nobody_reads_and_nothing_is_lost(world):
    host = world.start()
    host.reads.clear()
    host.write(
        "for n in range(9000): print(n, 'x' * 90, flush=True) or n < 8999 or open('printed', 'w').close()"
    )
    until((world.home / "printed").exists)
    host.reads.set()
    assert host.prompt().splitlines() == [f"{n} {'x' * 90}" for n in range(9000)]


SIDE_BY_SIDE = {
    "python": """
import sys
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, sys.argv[1])
from host import Conversation, Launcher
import json
heard = []
launcher = Launcher(heard=heard.append)
talks = [Conversation(launcher, name, ".") for name in "abc"]
def work(talk):
    events = []
    result = talk.run(f"for n in range(200): print('{talk.name}', n, flush=True)", events.append)
    return [events, result]
with ThreadPoolExecutor(3) as pool:
    print(json.dumps(list(pool.map(work, talks))))
launcher.close()
""",
    "node": """
const { Conversation, Launcher } = await import(process.argv[1] + "/host.mjs");
const heard = [];
const launcher = new Launcher(undefined, (event) => heard.push(event));
const talks = await Promise.all([..."abc"].map((name) => Conversation.open(launcher, name, ".")));
const work = async (talk) => {
  const events = [];
  const code = `for n in range(200): print('${talk.name}', n, flush=True)`;
  return [events, await talk.run(code, (event) => events.push(event))];
};
console.log(JSON.stringify(await Promise.all(talks.map(work))));
await launcher.close();
""",
}


def test_conversations_side_by_side_hear_their_own(world):
    options = {
        "python": ["-c", SIDE_BY_SIDE["python"]],
        "node": ["--input-type=module", "-e", SIDE_BY_SIDE["node"]],
    }
    done = subprocess.run(
        [*COMMANDS[world.language], *options[world.language], str(HOSTS)],
        capture_output=True,
        check=False,
        cwd=world.home,
        env=world.env,
        timeout=DEADLINE,
    )
    assert done.returncode == 0, done.stderr
    talks = json.loads(done.stdout)
    for name, (events, result) in zip("abc", talks, strict=True):
        expected = "".join(f"{name} {n}\n" for n in range(200))
        texts = [event["text"] for event in events if event["type"] == "output"]
        assert "".join(texts) == expected == result["output"]
        assert {event["session"] for event in events} == {name}
        assert [e["type"] for e in events if e["type"].startswith("cell-")] == [
            "cell-start",
            "cell-end",
        ]
