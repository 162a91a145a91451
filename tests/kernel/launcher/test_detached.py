"""A session without a host: it outlives the shell that began it, and lives until it is released."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import host
import processes
import pytest


class Shell:
    """The commands of a user, one process each."""

    def __init__(self) -> None:
        self.runtime = Path(tempfile.mkdtemp(prefix="hs-", dir="/tmp"))
        self.home = Path(tempfile.mkdtemp(prefix="hs-home-", dir="/tmp"))
        self.mark = uuid.uuid4().hex
        self.env = host.environment(self.runtime, self.home, self.mark, None)

    def hs(self, *words: str, code: int = 0, **options) -> str:
        """`hs kernel WORDS`; gives standard output."""
        done = subprocess.run(
            [host.SCRIPT, "kernel", *words],
            env=self.env,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            **options,
        )
        assert done.returncode == code, (words, done)
        return done.stdout

    def sessions(self) -> list[dict]:
        return json.loads(self.hs("list", "--format", "json"))["data"]

    @property
    def started(self) -> set[int]:
        return processes.marked(self.mark)


@pytest.fixture
def shell():
    one = Shell()
    try:
        yield one
        assert one.started == set()
        left = [str(p) for p in one.runtime.rglob("*") if not p.is_dir()]
        assert left == []
    finally:
        for pid in one.started:
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(one.runtime, ignore_errors=True)
        shutil.rmtree(one.home, ignore_errors=True)


def test_it_lives_on_between_calls_until_it_is_released(shell):
    shell.hs("start", "work")
    assert shell.hs("run", "-s", "work", "x = 41; x").strip() == "41"
    assert shell.hs("run", "-s", "work", "x + 1").strip() == "42"
    (session,) = shell.sessions()
    assert (session["name"], session["detached"], session["state"]) == (
        "work",
        True,
        "idle",
    )
    watch = processes.Watch(shell.started)
    shell.hs("release", "work")
    watch.ended(5)
    assert shell.sessions() == []


def test_release_ends_one_and_no_other(shell):
    for name in ("one", "two"):
        shell.hs("start", name)
    shell.hs("run", "-s", "two", "x = 41")
    shell.hs("release", "one")
    assert [session["name"] for session in shell.sessions()] == ["two"]
    assert shell.hs("run", "-s", "two", "x").strip() == "41"
    shell.hs("release", "two")


def test_the_end_of_the_shell_that_began_it_is_nothing_to_it(shell):
    """It is of no process group, session or pipe of the shell."""
    script = f'"{host.SCRIPT}" kernel start work && echo begun && exec sleep 1000'
    began = subprocess.Popen(
        ["/bin/sh", "-c", script],
        env=shell.env,
        cwd=shell.home,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    for line in began.stdout:
        if line == b"begun\n":
            break
    os.killpg(began.pid, signal.SIGHUP)
    os.killpg(began.pid, signal.SIGKILL)
    began.wait()
    # Whoever waits for the end of its output does not wait for the session.
    assert began.stdout.read() == b""
    began.stdout.close()
    assert shell.hs("run", "-s", "work", "41").strip() == "41"
    shell.hs("release", "work")


def test_what_the_dead_left_is_no_session(shell):
    shell.hs("start", "work")
    started = shell.started
    watch = processes.Watch(started)
    for pid in started:
        os.kill(pid, signal.SIGKILL)
    watch.ended(5)
    assert shell.sessions() == []
    shell.hs("start", "work")
    shell.hs("run", "-s", "work", "1")
    shell.hs("release", "work")


def test_a_supervisor_that_is_killed_takes_its_kernel_along(shell):
    shell.hs("start", "work")
    (session,) = shell.sessions()
    watch = processes.Watch(shell.started)
    folder = shell.runtime / "headstart/sessions/work"
    os.kill(json.loads((folder / "session.json").read_text())["pid"], signal.SIGKILL)
    watch.ended(5)
    assert session["pid"] not in shell.started
    assert shell.sessions() == []


def test_a_cell_in_the_background_is_seen_and_stopped_from_another_shell(shell):
    shell.hs("start", "work")
    run = subprocess.Popen(
        [
            host.SCRIPT,
            "kernel",
            "run",
            "-s",
            "work",
            "print('on', flush=True)\nwhile True: pass",
        ],
        env=shell.env,
        cwd=shell.home,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert run.stdout.readline() == b"on\n"
    (session,) = shell.sessions()
    assert session["state"] == "running" and "while True" in session["running"]
    # As Ctrl-C does.
    run.send_signal(signal.SIGINT)
    assert run.wait(10) != 0
    run.stdout.close()
    assert shell.hs("run", "-s", "work", "41").strip() == "41"
    shell.hs("release", "work")


def test_python_is_that_of_the_environment(shell):
    shell.hs("start", "work")
    assert shell.sessions()[0]["python"] == sys.executable
    shell.hs("release", "work")


def saved(shell, code: str) -> None:
    """Runs a cell and waits until its checkpoint is what the session is to go on from."""
    row = json.loads(shell.hs("run", "-s", "work", code, "--format", "json"))
    head = shell.home / ".local/share/headstart/heads/work.json"
    end = time.monotonic() + 30
    while True:
        line = json.loads(head.read_text())["line"] if head.exists() else []
        if line[:1] == [row["checkpoint"]]:
            return
        assert time.monotonic() < end, (line, row)
        time.sleep(0.01)


def kill_all(shell) -> None:
    watch = processes.Watch(shell.started)
    for pid in shell.started:
        os.kill(pid, signal.SIGKILL)
    watch.ended(5)


def test_a_session_that_crashed_goes_on_where_it_was(shell):
    shell.hs("start", "work")
    saved(shell, "x = 41")
    saved(shell, "y = [x]")
    kill_all(shell)
    shell.hs("start", "work")
    # Before any cell: a console would see them, too.
    (session,) = shell.sessions()
    assert session["session"] == "work"
    done = shell.hs("run", "-s", "work", "(x, y)", "--format", "json")
    row = json.loads(done)
    assert row["output"] == "(41, [41])\n"
    assert "back to cell 2" in row["notices"][0]["text"]
    # A new kernel on purpose has none of it, also after the next crash.
    shell.hs("restart", "work")
    shell.hs("run", "-s", "work", "x", code=1)
    kill_all(shell)
    shell.hs("start", "work")
    shell.hs("run", "-s", "work", "x", code=1)
    shell.hs("release", "work")


def test_a_session_that_was_released_begins_anew_unless_asked(shell):
    shell.hs("start", "work")
    saved(shell, "x = 41")
    shell.hs("release", "work")
    shell.hs("start", "work")
    shell.hs("release", "work")
    shell.hs("start", "work", "--resume")
    assert shell.hs("run", "-s", "work", "x").strip() == "41"
    shell.hs("release", "work")
    shell.hs("start", "work")
    shell.hs("run", "-s", "work", "x", code=1)
    shell.hs("release", "work")


def test_checkpoints_are_off_where_the_command_line_says_so(shell):
    shell.hs("start", "work", "--no-checkpoints")
    shell.hs("run", "-s", "work", "x = 41")
    shell.hs("release", "work")
    # What cells said is not kept either.
    for place in (".cache/headstart", ".local/share/headstart"):
        left = [p for p in (shell.home / place).rglob("*") if not p.is_dir()]
        assert left == []
