"""Processes by a mark in their environment, whatever became of their parents; and waiting for their end."""

from __future__ import annotations

import os
import select
import time
from pathlib import Path

#: The variable of the environment that marks all processes of one host.
MARK = "HEADSTART_TEST_HOST"
#: Seconds that everything may take more than it does alone: other programs use the machine, too.
SLACK = 10.0


def marked(value: str) -> set[int]:
    """Processes that were started with this mark, by whom ever, and still run."""
    wanted = f"{MARK}={value}".encode()
    found = set()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.add(int(folder.name))
        except OSError:
            # Gone in the meantime, or another user's.
            continue
    return found


def children(pid: int) -> set[int]:
    """The children of a process."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        found |= {int(word) for word in (task / "children").read_text().split()}
    return found


def is_python_kernel(pid: int) -> bool:
    """True for `python -m headstart.kernel`."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"headstart.kernel" in words


def peak(pid: int) -> int:
    """The most memory that the process ever had, in bytes."""
    return _status(pid, "VmHWM")


def resident(pid: int) -> int:
    """The memory that the process has now, in bytes."""
    return _status(pid, "VmRSS")


def until_computing(pid: int, within: float = 30.0) -> None:
    """Waits until the process has computed for a fifth of a second from now on."""
    end, goal = time.monotonic() + within, _computed(pid) + 0.2
    while _computed(pid) < goal:
        assert time.monotonic() < end, "it does not compute"


def until_state(pid: int, state: str, within: float = 30.0) -> None:
    """Waits until the process is in the state, as `T` for stopped."""
    end = time.monotonic() + within
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != state:
        assert time.monotonic() < end, f"it does not come to {state}"


def _computed(pid: int) -> float:
    """Seconds of processor time of the process's threads so far."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def _status(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"no {name} of process {pid}")


class Watch:
    """A hold on processes: the moment of their end is seen, and their numbers mean no others."""

    def __init__(self, pids: set[int]) -> None:
        self.open: dict[int, int] = {}
        for pid in pids:
            try:
                self.open[os.pidfd_open(pid)] = pid
            except ProcessLookupError:
                continue

    def ended(self, within: float) -> float:
        """Waits until all have ended; gives the seconds that it took."""
        began = time.monotonic()
        poll = select.poll()
        for watch in self.open:
            poll.register(watch, select.POLLIN)
        while self.open:
            left = began + within + SLACK - time.monotonic()
            ready = poll.poll(max(0, left) * 1000)
            for watch, _ in ready:
                poll.unregister(watch)
                os.close(watch)
                del self.open[watch]
            if not ready and left <= 0:
                names = {pid: _name(pid) for pid in self.open.values()}
                self.close()
                raise AssertionError(f"still there after {within} s: {names}")
        return time.monotonic() - began

    def close(self) -> None:
        """Lets go."""
        for watch in self.open:
            os.close(watch)
        self.open = {}


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return "?"
