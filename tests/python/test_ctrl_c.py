"""Ctrl-C at a command of the shell: it ends soon, says nothing, and leaves neither a bar nor half a file."""

import array
import contextlib
import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

HS = Path(sys.executable).parent / "hs"
PATIENCE = 60.0


def until(condition) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_command_that_waits_for_its_input_ends_without_a_word(tmp_path):
    process = subprocess.Popen(
        [HS, "sauve", "-", tmp_path / "out.csv"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(b"a,b\n")
    process.stdin.flush()
    until(lambda: left_in(process.stdin) == 0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert (out, err) == (b"", b"")
    assert list(tmp_path.iterdir()) == []


def left_in(pipe) -> int:
    """Bytes that nobody has read yet."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe.fileno(), termios.FIONREAD, count)
    return count[0]


def test_the_bar_is_gone_before_the_prompt_comes_back():
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [HS, "charge", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=inner,
        env={**os.environ, "TERM": "xterm", "HEADSTART_QUIET": ""},
    )
    os.close(inner)
    # It begins when there is more than a front; then it waits for the rest.
    process.stdin.write(b"a,b\n" + b"1,2\n" * 50_000)
    process.stdin.flush()
    shown = b""
    end = time.monotonic() + PATIENCE
    while b"stdin" not in shown:
        assert select.select([outer], [], [], max(0, end - time.monotonic()))[0]
        shown += os.read(outer, 4096)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE) == 130
    # What was written last may still be on its way when the process has ended. The end of all of it is
    # an error, as nobody has the other end any more.
    with contextlib.suppress(OSError):
        while more := os.read(outer, 4096):
            shown += more
    os.close(outer)
    assert shown.endswith((b"\x1b[2K", b"\x1b[K"))
