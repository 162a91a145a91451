"""A host of the launcher: starts `hs kernel serve`, sends requests, and keeps all events in order.

Waits are for events, each with a deadline. At its end nothing of it may be left: no process, no file.
"""

from __future__ import annotations

import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import processes

ROOT = Path(__file__).resolve().parents[3]
#: The script of the wheel, and the binary beside it.
SCRIPT = Path(sys.executable).parent / "hs"
BINARY = ROOT / "target/release/hs"
#: Seconds within which anything must have happened. Far above what it takes.
DEADLINE = 60.0
#: Variables of the machine that would change what a kernel does.
UNWANTED = ("PYTEST_CURRENT_TEST", "MPLBACKEND", "JPY_SESSION_NAME", "PYTHONSTARTUP")
#: The parent of the launcher: a process that can be killed while the pipes stay open.
PARENT = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
#: What ends a request.
ENDS = {
    "hello": ("hello",),
    "open": ("ready",),
    "restart": ("ready",),
    "run": ("result",),
    "wait": ("result",),
    "cancel": ("cancelled",),
    "read": ("lines",),
    "status": ("status",),
    "list": ("list",),
    "checkpoint": ("checkpoint",),
    "restore": ("restored",),
    "search": ("found",),
    "export": ("exported",),
    "import": ("imported",),
    "message": ("noted",),
    "release": ("released",),
    "close": ("closed",),
}

Event = dict


class Ran:
    """One cell as a host sees it: its events in order, and how it ended."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.end = events[-1]

    def __getattr__(self, name: str):
        return self.end.get(name)

    @property
    def ename(self) -> str | None:
        """The class of the exception."""
        return (self.end.get("error") or {}).get("ename")

    def of(self, kind: str) -> list[Event]:
        """Its events of a type."""
        return [event for event in self.events if event["type"] == kind]

    def text(self, *kinds: str) -> str:
        """What the events of these kinds of output say, one behind the other; all if none is named."""
        return "".join(
            event["text"]
            for event in self.of("output")
            if not kinds or event["kind"] in kinds
        )

    @property
    def told(self) -> list[str]:
        """The texts of the notices in the result."""
        return [notice["text"] for notice in self.end.get("notices", [])]

    @property
    def types(self) -> list[str]:
        """The types of the events, in order, without repetition and progress."""
        kinds = [e["type"] for e in self.events if e["type"] != "progress"]
        return [kind for kind, _ in itertools.groupby(kinds)]


def environment(runtime: Path, home: Path, mark: str, env: dict | None) -> dict:
    """The environment of a launcher that knows nothing of this machine's user."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in UNWANTED and not name.startswith(("HEADSTART_", "XDG_"))
    }
    # matplotlib writes its list of fonts once for all kernels.
    fonts = Path(tempfile.gettempdir()) / f"headstart-test-fonts-{os.getuid()}"
    return {
        **kept,
        "MPLCONFIGDIR": str(fonts),
        "HOME": str(home),
        "IPYTHONDIR": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        processes.MARK: mark,
        **(env or {}),
    }


class Host:
    """A launcher and the pipes to it."""

    def __init__(
        self,
        *,
        command: Path = SCRIPT,
        options: tuple[str, ...] = (),
        env: dict | None = None,
        runtime: Path | None = None,
        cwd: Path | None = None,
    ) -> None:
        # Short, since addresses of sockets are; `mkdtemp` makes it 0700.
        self.own_runtime = runtime is None
        self.runtime = runtime or Path(tempfile.mkdtemp(prefix="hs-", dir="/tmp"))
        self.home = Path(tempfile.mkdtemp(prefix="hs-home-", dir="/tmp"))
        self.mark = uuid.uuid4().hex
        if command == BINARY:
            env = {"HEADSTART_PYTHON": sys.executable, **(env or {})}
        self.env = environment(self.runtime, self.home, self.mark, env)
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-S",
                "-c",
                PARENT,
                str(command),
                "kernel",
                "serve",
                *options,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.env,
            cwd=cwd or self.home,
        )
        self.events: list[Event] = []
        self.bad: list[bytes] = []
        self.stderr = b""
        self.ended = False
        self.changed = threading.Condition()
        #: Cleared, the host does not read.
        self.reads = threading.Event()
        self.reads.set()
        self.numbers = itertools.count(1)
        os.set_blocking(self.process.stdin.fileno(), False)
        self.threads = [
            threading.Thread(target=work, daemon=True)
            for work in (self._read, self._read_stderr)
        ]
        for thread in self.threads:
            thread.start()

    # What comes.

    def _read(self) -> None:
        parts: list[bytes] = []
        source = self.process.stdout.fileno()
        while self.reads.wait() and (data := os.read(source, 1 << 16)):
            parts.append(data)
            if b"\n" in data:
                *lines, rest = b"".join(parts).split(b"\n")
                parts = [rest]
                self._take(lines)
        with self.changed:
            if rest := b"".join(parts):
                self.bad.append(rest)
            self.ended = True
            self.changed.notify_all()

    def _take(self, lines: list[bytes]) -> None:
        now = time.monotonic()
        events = []
        for line in lines:
            try:
                event = json.loads(line)
                event["at"] = now
                events.append(event)
            except (ValueError, TypeError):
                self.bad.append(line)
        with self.changed:
            self.events += events
            self.changed.notify_all()

    def _read_stderr(self) -> None:
        while data := os.read(self.process.stderr.fileno(), 1 << 16):
            self.stderr += data

    def wait_for(
        self,
        fits: Callable[[Event], bool],
        within: float = DEADLINE,
        since: int = 0,
    ) -> Event:
        """The first event that fits, of those behind the first `since`."""
        return self.events[self.place(fits, within, since)]

    def place(
        self, fits: Callable[[Event], bool], within: float = DEADLINE, since: int = 0
    ) -> int:
        """Where the first event that fits stands."""
        end, seen = time.monotonic() + within, since
        with self.changed:
            while True:
                while seen < len(self.events):
                    if fits(self.events[seen]):
                        return seen
                    seen += 1
                left = end - time.monotonic()
                if self.ended or left <= 0:
                    why = "the launcher ended" if self.ended else f"not in {within} s"
                    last = [str(event)[:300] for event in self.events[-8:]]
                    raise AssertionError(
                        f"{why}; last events: {last}; stderr: {self.stderr[-2000:]!r}"
                    )
                self.changed.wait(left)

    # What goes.

    def write(self, data: bytes, within: float = DEADLINE) -> None:
        """Sends bytes; the launcher must take them in time."""
        pipe, view = self.process.stdin.fileno(), memoryview(data)
        end = time.monotonic() + within
        while view:
            left = end - time.monotonic()
            assert left > 0, f"the launcher did not read for {within} s"
            if select.select([], [pipe], [], left)[1]:
                view = view[os.write(pipe, view) :]

    def line(self, kind: str, **fields) -> tuple[str, bytes]:
        """A request with an id of its own, as a line."""
        fields.setdefault("id", f"{kind}-{next(self.numbers)}")
        line = json.dumps({"type": kind, **fields}).encode() + b"\n"
        return fields["id"], line

    def send(self, kind: str, **fields) -> str:
        """Sends a request; gives its id."""
        name, line = self.line(kind, **fields)
        self.write(line)
        return name

    # Requests and what becomes of them.

    def answer(self, name, kind: str, within: float = DEADLINE) -> Event:
        """The answer to a request, or the error."""
        ends = (*ENDS[kind], "error")
        return self.wait_for(
            lambda e: e.get("id") == name and e["type"] in ends, within
        )

    def ask(self, kind: str, within: float = DEADLINE, **fields) -> Event:
        """Sends a request and waits for its answer, or the error."""
        return self.answer(self.send(kind, **fields), kind, within)

    def open(self, within: float = DEADLINE, **fields) -> Event:
        """Begins a session, which must succeed."""
        ready = self.ask("open", within, **fields)
        assert ready["type"] == "ready", ready
        return ready

    def finish(self, name, within: float = DEADLINE) -> Ran:
        """The cell, when it has ended."""
        at = self.place(
            lambda e: e.get("id") == name and e["type"] in ("result", "error"), within
        )
        with self.changed:
            return Ran([e for e in self.events[: at + 1] if e.get("id") == name])

    def run(self, code: str, within: float = DEADLINE, **fields) -> Ran:
        """Runs a cell to its end."""
        return self.finish(self.send("run", code=code, **fields), within)

    def until(self, name, text: str, within: float = DEADLINE) -> Event:
        """Waits until the cell has printed the text, as a line."""
        printed = ""

        def fits(event: Event) -> bool:
            nonlocal printed
            if event.get("id") != name:
                return False
            assert event["type"] not in ("result", "error"), event
            if event["type"] == "output":
                printed += event["text"]
            return f"{text}\n" in printed

        return self.wait_for(fits, within)

    def begin(self, code: str, text: str = "on", **fields) -> str:
        """Runs a cell until it has printed the text; gives its id."""
        name = self.send("run", code=code, **fields)
        self.until(name, text)
        return name

    def stop(self, name, within: float = DEADLINE, **fields) -> tuple[Ran, float]:
        """Cancels a cell; gives what became of it, and the seconds that it took."""
        began = time.monotonic()
        self.send("cancel", run=name, **fields)
        ran = self.finish(name, within)
        return ran, ran.end["at"] - began

    def unpaired(self) -> list:
        """Cells whose `cell-start`, `cell-end` and end do not come in this order, once each."""
        cells: dict = {}
        with self.changed:
            for event in self.events:
                if event["type"] in ("cell-start", "cell-end", "result"):
                    cell = (event["session"], str(event.get("id")))
                    cells.setdefault(cell, []).append(event["type"])
        return [
            (name, kinds)
            for name, kinds in cells.items()
            if "cell-start" in kinds
            # One may still run; one whose caller did not wait for it has no result.
            and kinds
            not in (
                ["cell-start"],
                ["cell-start", "cell-end"],
                ["cell-start", "cell-end", "result"],
            )
        ]

    # Processes and files.

    @property
    def guard(self) -> int:
        """The launcher itself."""
        (pid,) = processes.children(self.process.pid)
        return pid

    @property
    def supervisors(self) -> set[int]:
        """One process for each session."""
        return processes.children(self.guard)

    def started(self) -> set[int]:
        """All processes of this host but the host itself."""
        return processes.marked(self.mark) - {self.process.pid}

    def kernel(self, within: float = DEADLINE) -> int:
        """The process of a kernel, as soon as there is one, ready or not."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            for pid in self.started():
                if processes.is_python_kernel(pid):
                    return pid
        raise AssertionError("no kernel was started")

    def watch(self) -> processes.Watch:
        """A hold on all of them."""
        return processes.Watch(self.started())

    def files(self) -> list[str]:
        """All that stands in the runtime folder, but empty folders that sessions share."""
        shared = ("headstart", "headstart/sessions")
        found = (str(p.relative_to(self.runtime)) for p in self.runtime.rglob("*"))
        return sorted(name for name in found if name not in shared)

    def folder(self, session: str = "main") -> Path:
        """The folder of a session of this host."""
        return self.runtime / "headstart/sessions" / f"{session}.{self.guard}"

    # The end.

    def kill(self) -> None:
        """Kills the host; the pipes stay open, as those of a host's own children would."""
        self.process.kill()
        self.process.wait()

    def nothing_left(self, within: float = 5.0) -> None:
        """Asserts that no process and no file of this host is left."""
        self.watch().ended(within)
        assert self.started() == set()
        assert self.files() == []

    def close(self) -> None:
        """Ends all as a host should, and asserts that nothing is left."""
        try:
            if self.process.poll() is None:
                self.reads.set()
                watch = self.watch()
                if not self.process.stdin.closed and not self.ended:
                    assert self.ask("close", 20)["type"] == "closed"
                    assert self.process.wait(timeout=10) == 0
                watch.ended(5)
            if self.own_runtime:
                self.nothing_left()
            assert self.bad == []
            assert self.unpaired() == []
        finally:
            self.clean()

    def clean(self) -> None:
        """Takes away what is there, whatever happened."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pid in self.started():
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                continue
        self.reads.set()
        self.process.stdin.close()
        for thread in self.threads:
            thread.join(10)
        self.process.stdout.close()
        self.process.stderr.close()
        if self.own_runtime:
            shutil.rmtree(self.runtime, ignore_errors=True)
        shutil.rmtree(self.home, ignore_errors=True)
