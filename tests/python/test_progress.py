"""The progress bar: on a terminal only, after two seconds, and gone when the work is done."""

import os
import re
import subprocess
import sys
import threading
import time

import pytest

pty = pytest.importorskip("pty")

SHELL = [sys.executable, "-m", "headstart", "charge", "-", "--format", "csv"]
PYTHON = [
    sys.executable,
    "-c",
    "import headstart as hs; hs.charge('/dev/stdin'); print('done')",
]
#: Longer than the two seconds without a bar.
SLOW = 3.2


def feed(pipe, seconds):
    """A table that takes so long to arrive."""
    end = time.monotonic() + seconds
    with pipe:
        pipe.write(b"a,b\n")
        while time.monotonic() < end:
            pipe.write(b"1,2\n" * 1000)
            pipe.flush()
            time.sleep(0.05)


def run(command, seconds=SLOW, terminal=True):
    """What a command writes to its standard error, a terminal or a pipe, and to its output."""
    main, side = pty.openpty() if terminal else os.pipe()
    environment = {**os.environ, "TERM": "xterm", "HEADSTART_FRAMES": "pandas"}
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=side,
        env=environment,
    )
    os.close(side)
    feeder = threading.Thread(target=feed, args=(child.stdin, seconds))
    feeder.start()
    said = []

    def listen():
        while True:
            try:
                part = os.read(main, 65536)
            except (
                OSError
            ):  # Linux's word for a terminal that nobody writes to any more
                return
            if not part:
                return
            said.append(part)

    listener = threading.Thread(target=listen)
    listener.start()
    output = child.stdout.read()
    feeder.join()
    assert child.wait(timeout=30) == 0
    listener.join()
    os.close(main)
    return b"".join(said).decode(), output.decode()


def screen(text):
    """The lines that a terminal shows in the end; only what progress bars use is understood."""
    lines, row, column = [""], 0, 0
    for sign in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\n]|[^\r\n\x1b]+", text):
        if sign == "\r":
            column = 0
        elif sign == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif sign == "\x1b[2K":
            lines[row] = ""
        elif sign == "\x1b[K":
            lines[row] = lines[row][:column]
        elif re.fullmatch(r"\x1b\[\d*A", sign):
            row = max(0, row - int(sign[2:-1] or 1))
        elif not sign.startswith("\x1b"):
            line = lines[row].ljust(column)
            lines[row] = line[:column] + sign + line[column + len(sign) :]
            column += len(sign)
    return [line.rstrip() for line in lines]


@pytest.mark.parametrize("command", [SHELL, PYTHON], ids=["shell", "python"])
def test_a_bar_shows_and_leaves_nothing(command):
    said, output = run(command)
    assert "reading" in said
    assert "0/0" not in said
    assert re.search(r"\d KB|\d MB", said)
    left = [line for line in screen(said) if line]
    # The shell's own line about the table stays; nothing else does.
    assert [line for line in left if "rows x 2 columns" not in line] == []
    # A terminal that is asked something answers into the user's next line.
    assert not re.search(r"\x1b\[[0-9;?]*[cn]", said)
    assert output.splitlines()[-1] in ("1,2", "done")


@pytest.mark.parametrize("command", [SHELL, PYTHON], ids=["shell", "python"])
def test_no_bar_in_a_pipe(command):
    said, _ = run(command, terminal=False)
    assert "reading" not in said
    assert "\x1b" not in said
    assert "\r" not in said


def test_no_bar_when_quiet_or_quick():
    said, _ = run([*SHELL, "-q"])
    assert said == ""
    said, _ = run(SHELL, seconds=0.1)
    assert "reading" not in said
