"""`hs kernel console` on a terminal: what ran before is shown, what others run appears, leaving keeps the session."""

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import pytest
from shell import DEADLINE, Shell

from headstart.kernel import console


@pytest.fixture
def hs():
    """A shell with a session `work`."""
    shell = Shell()
    started = shell("kernel", "start", "work")
    assert started.returncode == 0, started.stderr
    yield shell
    shell.close()


def attach(hs, name="work") -> pexpect.spawn:
    return pexpect.spawn(
        str(hs.program),
        ["kernel", "console", name],
        env=hs.environment | {"TERM": "dumb"},
        cwd=str(hs.folder),
        timeout=DEADLINE,
        encoding="utf-8",
        dimensions=(50, 160),
    )


def copies(hs) -> list:
    return sorted((hs.folder / "headstart/sessions/work").glob("kernel-console-*.json"))


def test_a_console_shows_what_ran_and_what_runs(hs):
    hs.run("x = 41\nprint('\\x1b[31mred\\x1b[0m')")
    hs.run("raise KeyError('amuont')")
    terminal = attach(hs)
    try:
        terminal.expect(r"In \[\d+\]: x = 41\r\n +\.\.\.: print")
        terminal.expect("\r\nred\r\n")
        terminal.expect("KeyError: 'amuont'")
        terminal.expect(
            "---- 2 cells and messages so far; from here on it is live ----"
        )
        terminal.expect("leaving the console keeps it")
        terminal.expect(r"In \[")
        (copy,) = copies(hs)
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        # A cell of an agent appears while the console waits.
        hs.run("print('from ' + 'elsewhere')")
        terminal.expect("from elsewhere")
        terminal.sendline("y = x + 1; print('typed', y)")
        terminal.expect("typed 42")
        terminal.expect(r"In \[")
        terminal.sendline("exit")
        terminal.expect(pexpect.EOF)
    finally:
        terminal.close(force=True)
    end = time.monotonic() + DEADLINE
    while copies(hs):
        assert time.monotonic() < end, "the copy was left"
    assert hs.run("x, y").stdout == "(41, 42)\n"
    assert list((hs.folder / "headstart/sessions/work").glob("history-*")) == []
    # What was typed is found as well.
    found = hs("kernel", "search", "-s", "work", "typed", "--format", "json")
    assert "print('typed', y)" in found.stdout
    again = attach(hs)
    try:
        again.expect("print\\('typed', y\\)\r\ntyped 42")
        again.expect("cells and messages so far")
        again.expect(r"In \[")
    finally:
        again.close(force=True)


def until_saved(hs, code: str) -> None:
    """Waits until the checkpoint of a cell is on the disk."""
    end = time.monotonic() + DEADLINE
    while code not in hs("kernel", "log", "-s", "work").stdout:
        assert time.monotonic() < end, f"{code} was not saved"


def test_a_console_goes_on_after_a_crash_with_what_was_typed(hs):
    terminal = attach(hs)
    try:
        terminal.expect(r"In \[")
        terminal.sendline("kept = [5]")
        terminal.expect(r"In \[")
        until_saved(hs, "kept = [5]")
        # Once in a cell of its own, once while it waits for the user.
        terminal.sendline("import os; os._exit(3)")
        terminal.expect("session work: the kernel has ended; here is the next")
        terminal.expect("restored kept")
        terminal.expect(r"In \[")
        terminal.sendline("kept.append(6); print('now', kept)")
        terminal.expect(r"now \[5, 6\]")
        until_saved(hs, "kept.append(6)")
        assert hs.run("import os; os._exit(3)").returncode != 0
        terminal.expect("session work: the kernel has ended; here is the next")
        terminal.expect(r"In \[")
        terminal.sendline("print('still', kept)")
        terminal.expect(r"still \[5, 6\]")
        hs("kernel", "release", "work")
        terminal.expect("session work has ended")
        terminal.expect(pexpect.EOF)
    finally:
        terminal.close(force=True)


def test_a_session_without_a_context_has_a_console(hs):
    assert hs("kernel", "start", "quiet", "--no-context").returncode == 0
    terminal = attach(hs, "quiet")
    try:
        terminal.expect("it is off \\(--no-context\\); from here on it is live")
        terminal.expect(r"In \[")
    finally:
        terminal.close(force=True)


def test_there_must_be_a_session_and_a_terminal(hs):
    done = hs("kernel", "console", "work")
    assert done.returncode == 2
    assert "expected a terminal for the console" in done.stderr
    terminal = attach(hs, "nope")
    terminal.expect("expected a session nope, found work")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 2


def test_the_console_of_euporie_is_taken_where_it_is(tmp_path):
    """A Python with a program of that name beside it, which says what it was called with."""
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "python").symlink_to(sys.executable)
    program = bin / "euporie-console"
    program.write_text('#!/bin/sh\necho "$@" $JUPYTER_RUNTIME_DIR\ncat "$2"\nexit 7\n')
    program.chmod(0o755)
    file = tmp_path / "kernel.json"
    file.write_text('{"key": "secret"}')
    code = (
        "import sys; from headstart.kernel import console;"
        f"sys.executable = {str(bin / 'python')!r}; sys.exit(console.main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file), "--more"],
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
    )
    assert done.returncode == 7, done.stderr
    called, shown = done.stdout.splitlines()
    options = called.split()
    copy = options[1]
    assert options == [
        *("--connection-file", copy),
        *("--kernel-name", Path(copy).name),
        *("--more", str(tmp_path)),
    ]
    assert json.loads(shown) == {"key": "secret", "kernel_name": "python3"}
    assert file.read_text() == '{"key": "secret"}'
    assert copy != str(file)
    assert not os.path.exists(copy)


def test_a_copy_that_a_killed_console_left_is_replaced(tmp_path):
    file = tmp_path / "kernel.json"
    file.write_text("{}")
    (tmp_path / f"kernel-console-{os.getpid()}.json").write_text("old")
    with console.private_copy(str(file)) as copy:
        assert Path(copy).read_text() == "{}"
        assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600
    assert not os.path.exists(copy)
    assert file.read_text() == "{}"
