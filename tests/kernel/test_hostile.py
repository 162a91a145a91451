"""What unlucky and hostile users of sessions do: hosts that do not read, shells that leave, folders that are not there."""

import fcntl
import json
import os
import select
import socket
import subprocess
import time

import pytest
from shell import DEADLINE, Shell


@pytest.fixture
def hs():
    """A shell of the test's own."""
    shell = Shell()
    yield shell
    shell.close()


def until(condition) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"


def children(pid: int) -> list[str]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return file.read().split()


class Host:
    """A host of `hs kernel serve`, which reads when it is told to."""

    def __init__(self, hs: Shell) -> None:
        self.hs = hs
        self.process = hs.popen("kernel", "serve", stdin=subprocess.PIPE)

    @property
    def folder(self):
        return self.hs.folder / "headstart" / "sessions" / f"main.{self.process.pid}"

    def send(self, **request) -> None:
        print(json.dumps(request), file=self.process.stdin, flush=True)

    def until(self, **fields) -> dict:
        """The next line that has these fields."""
        for line in map(json.loads, self.process.stdout):
            if fields.items() <= line.items():
                return line
        raise AssertionError(f"no line has {fields}: {self.process.stderr.read()}")

    def rest(self) -> list[dict]:
        """All that it says to its end."""
        out, _ = self.process.communicate(timeout=DEADLINE)
        return [json.loads(line) for line in out.splitlines()]

    def connect(self) -> socket.socket:
        stream = socket.socket(socket.AF_UNIX)
        stream.settimeout(DEADLINE)
        stream.connect(str(self.folder / "control.sock"))
        return stream


@pytest.fixture
def host(hs):
    """A host with the session `main`."""
    started = Host(hs)
    started.send(type="open", id="open")
    started.until(type="ready")
    yield started
    started.process.kill()
    started.process.communicate()


#: A megabyte, which fits into no pipe.
MUCH = "for i in range(3000): print('k' * 300)"


def done(host: Host, run: str) -> None:
    """The cell is over, as another client of the session sees it."""
    with host.connect() as stream, stream.makefile() as lines:
        request = json.dumps({"type": "wait", "id": 1, "run": run}).encode() + b"\n"
        stream.sendall(request)
        for line in map(json.loads, lines):
            if line["type"] == "result":
                return
            # What the host sent by its pipe may still be on its way.
            if line.get("kind") == "unknown_run":
                stream.sendall(request)
    raise AssertionError("the session ended before the cell")


@pytest.mark.parametrize("ending", ["release", "close"])
def test_what_was_there_before_the_end_is_read_after_it(host, ending):
    for run in ("a", "b", "c"):
        host.send(type="run", id=run, code=MUCH, queue=True)
    done(host, "c")
    host.send(type=ending, id="end")
    # Far more than a moment: the folder is gone when the kernel is, and then nobody has read for two seconds.
    until(lambda: not host.folder.exists())
    select.select([], [], [], 2)
    last = {}
    for line in map(json.loads, host.process.stdout):
        # The event of a save may come behind its result.
        if line.get("id") and line["type"] != "saved":
            last[line["id"]] = line
        if line.get("id") == "end":
            break
    said = {name: last[name]["type"] for name in ("a", "b", "c", "end")}
    word = {"release": "released", "close": "closed"}[ending]
    assert said == {"a": "result", "b": "result", "c": "result", "end": word}


def test_a_host_may_say_close_and_leave_its_end_of_the_pipe(host):
    host.send(type="run", id="a", code="print('there')")
    host.until(type="result", id="a")
    host.send(type="close", id="end")
    host.process.stdin.close()
    host.process.stdin = None
    assert host.rest()[-1]["type"] == "closed"


def test_a_host_that_reads_nothing_is_not_listened_to_for_ever(hs):
    host = Host(hs)
    line = json.dumps({"type": "hello", "id": "x" * 1_000_000}).encode() + b"\n"
    write, waiting, taken = host.process.stdin.fileno(), b"", 0
    os.set_blocking(write, False)
    while taken < 400:
        waiting = waiting or line
        if not select.select([], [write], [], 5)[1]:
            break
        waiting = waiting[os.write(write, waiting) :]
        taken += not waiting
    host.process.kill()
    host.process.wait()
    assert taken < 400


def test_a_client_that_says_nothing_more_still_hears_its_result(host):
    with host.connect() as stream:
        code = "import threading; threading.Event().wait(0.5); 6 * 7"
        request = {"type": "run", "id": "half", "code": code}
        stream.sendall(json.dumps(request).encode() + b"\n")
        stream.shutdown(socket.SHUT_WR)
        with stream.makefile() as lines:
            said = [json.loads(line) for line in lines]
    assert (said[-1]["type"], said[-1].get("output")) == ("result", "42\n")


def test_a_socket_ends_no_session_but_its_own(host):
    with host.connect() as stream, stream.makefile("rw") as lines:
        for name, kind in [
            ("other", "error"),
            ("main", "status"),
            (host.folder.name, "status"),
        ]:
            request = {
                "type": "release" if kind == "error" else "status",
                "id": 1,
                "session": name,
            }
            print(json.dumps(request), file=lines, flush=True)
            answer = json.loads(lines.readline())
            assert answer["type"] == kind, answer
            assert answer.get("kind") == (
                "unknown_session" if kind == "error" else None
            )


def test_the_words_of_an_exception_are_cut(host):
    host.send(type="run", id="a", code="raise ValueError('e' * (1 << 20))")
    error = host.until(type="result", id="a")["error"]
    assert error["ename"] == "ValueError"
    assert len(error["evalue"]) < 10_000


def test_a_session_holds_nothing_of_the_shell_that_started_it(hs):
    with open(hs.folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        started = hs("kernel", "start", "work", pass_fds=[lock.fileno()])
        assert started.returncode == 0, started.stderr
    with open(hs.folder / "lock") as again:
        fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert hs.run("6 * 7").stdout == "42\n"


@pytest.mark.parametrize("folder", ["run", "/no/such/folder"])
def test_a_runtime_folder_that_is_none_is_passed_over(hs, folder):
    (hs.folder / "run").mkdir()
    (hs.folder / "elsewhere").mkdir()
    hs.environment |= {"XDG_RUNTIME_DIR": folder, "TMPDIR": str(hs.folder)}
    started = hs("kernel", "start", "work", "--cwd", "elsewhere")
    assert started.returncode == 0, started.stderr
    assert list(hs.sessions()) == ["work"]
    assert (hs.folder / f"headstart-{os.getuid()}" / "sessions" / "work").is_dir()


def test_a_full_disk_is_the_reason_that_is_told(hs):
    started = subprocess.run(
        [
            "bash",
            "-c",
            'trap "" XFSZ; ulimit -f 0; "$0" kernel start work 2>&1 | cat',
            hs.program,
        ],
        check=False,
        env=hs.environment,
        cwd=hs.folder,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    assert "File too large" in started.stdout, started
    assert os.listdir(hs.folder / "headstart" / "sessions") == []


def test_a_folder_that_is_not_there_is_told_once(host):
    for number in range(10):
        host.send(type="run", id=number, code="1", cwd="/no/such/folder")
        assert (
            host.until(type="result", id=number)["error"]["ename"]
            == "FileNotFoundError"
        )
    host.send(type="run", id="next", code="1")
    assert host.until(type="result", id="next")["notices"] == []


LEFT_BEHIND = """
import asyncio, os, threading

kept = 41

async def left_behind():
    while not os.path.exists(HOLD):
        await asyncio.sleep(0.001)
    os.remove(HOLD)
    threading.Event().wait(600)

task = asyncio.ensure_future(left_behind())
"""


def test_a_cell_that_is_kept_from_its_beginning_by_an_earlier_one_is_stopped(
    host, tmp_path
):
    hold = tmp_path / "hold"
    host.send(type="run", id="a", code=f"HOLD = {str(hold)!r}\n{LEFT_BEHIND}")
    host.until(type="result", id="a")
    hold.touch()
    end = time.monotonic() + DEADLINE
    while hold.exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    host.send(type="run", id="b", code="1")
    host.until(type="cell-start", id="b")
    host.send(type="cancel", id="cancel", run="b")
    assert host.until(type="result", id="b")["state"] == "kept"
    host.send(type="run", id="c", code="kept")
    assert host.until(type="result", id="c")["output"] == "41\n"


def test_code_that_is_no_text_is_refused_by_its_id(host):
    host.send(type="run", id="a", code="\ud800")
    assert host.until(id="a")["kind"] == "bad_request"
