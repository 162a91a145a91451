"""A small host of headstart's kernel: a session for each conversation, and histories that outlive the process.

    python host.py FOLDER

Conversations are kept in FOLDER, one file each. A line is a cell; `/go NAME` goes to a conversation, or begins it;
`/fork NAME [N]` begins one with the first N cells of this one, or all. Ctrl-C stops the cell, Ctrl-D ends. It needs
Python 3.11 and `hs` on PATH. docs/hosts.md says what the lines mean.
"""

import contextlib
import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

#: What ends a request, besides `error`. All else that comes with its id is an event.
ANSWERS = {
    "hello": "hello",
    "open": "ready",
    "run": "result",
    "cancel": "cancelled",
    "close": "closed",
}


class KernelError(Exception):
    """A request without an answer. `kind` is that of the protocol, or `gone`: the launcher has ended."""

    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Launcher:
    """`hs kernel serve`. Any thread may ask; `heard` gets the events that belong to no request."""

    def __init__(self, command=("hs", "kernel", "serve"), heard=lambda event: None):
        self._heard = heard
        self._numbers = itertools.count(1)
        self._waiting = {}
        self._ended = False
        self._writes = threading.Lock()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        # It reads at all times, so that a line that is being written never waits for one that nobody reads.
        threading.Thread(target=self._read, daemon=True).start()
        self.ask("hello", version=1)

    def _read(self):
        try:
            for line in self._process.stdout:
                if not line.endswith(b"\n"):
                    break  # The launcher died in the middle of it.
                event = json.loads(line)
                asked = self._waiting.get(event.get("id"))
                take = self._heard if asked is None else asked.put
                take(event)
        finally:
            self._ended = True
            for asked in list(self._waiting.values()):
                asked.put(None)

    def send(self, kind, **fields):
        """Sends a request; gives its id, by which `answer` waits for what comes of it."""
        name = next(self._numbers)
        line = json.dumps({"type": kind, "id": name, **fields}).encode() + b"\n"
        self._waiting[name] = queue.SimpleQueue()
        # Asked behind that line: whoever ends in between has seen the queue.
        if self._ended:
            self._waiting[name].put(None)
        else:
            with self._writes, contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(line)
                self._process.stdin.flush()
        return name

    def answer(self, name, kind, show=lambda event: None):
        """Waits for the answer; the events before it go to `show`, as they come."""
        try:
            while (event := self._waiting[name].get()) is not None:
                if event["type"] == ANSWERS[kind]:
                    return event
                if event["type"] == "error":
                    raise KernelError(event["kind"], event["message"])
                show(event)
        finally:
            del self._waiting[name]
        raise KernelError("gone", "hs kernel serve has ended")

    def ask(self, kind, **fields):
        """Sends a request and waits for its answer."""
        return self.answer(self.send(kind, **fields), kind)

    def close(self):
        """Ends all sessions, when their checkpoints are on the disk, and the launcher."""
        with contextlib.suppress(KernelError):
            self.ask("close")
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        return self._process.wait()


class Conversation:
    """Cells with their checkpoints, in a file. It goes on from its last cell, whatever became of kernel, launcher and host.

    It has a session of its own, and so a kernel; `how` are fields of `open`, such as `cwd` and `env`.
    """

    def __init__(self, launcher, name, folder, **how):
        # First, since it refuses what is no name.
        launcher.ask("open", session=name, **how)
        self.launcher, self.name, self.folder = launcher, name, Path(folder)
        self._running = None
        self._file = (self.folder / f"{name}.jsonl").open("a+b")
        self._file.seek(0)
        lines = self._file.read()
        whole = lines[: lines.rfind(b"\n") + 1]
        # A host that was killed while it wrote leaves a part of a line.
        self._file.truncate(len(whole))
        self.cells = [json.loads(line) for line in whole.splitlines()]

    @property
    def branch(self):
        """Its checkpoints, newest first."""
        cells = reversed(self.cells)
        return [cell["checkpoint"] for cell in cells if "checkpoint" in cell]

    def run(self, code, show=lambda event: None):
        """Runs a cell, one at a time; its events go to `show`. It is in the file before anybody sees the result."""
        request = {"session": self.name, "code": code, "branch": self.branch}
        self._running = self.launcher.send("run", **request)
        try:
            result = self.launcher.answer(self._running, "run", show)
        finally:
            self._running = None
        kept = ("status", "output", "checkpoint")
        cell = {"code": code} | {key: result[key] for key in kept if key in result}
        self._keep([cell])
        return result

    def cancel(self):
        """Stops the cell that runs: its `run` gives a result with the error KeyboardInterrupt. From any thread."""
        if (name := self._running) is not None:
            self.launcher.ask("cancel", session=self.name, run=name)

    def fork(self, name, cells=None, **how):
        """A new conversation that begins with the first cells of this one; all, if no number is given."""
        other = Conversation(self.launcher, name, self.folder, **how)
        if other.cells:
            raise ValueError(f"expected a new name, found a conversation {name}")
        other._keep(self.cells[:cells])
        return other

    def _keep(self, cells):
        lines = "".join(f"{json.dumps(cell)}\n" for cell in cells)
        self._file.write(lines.encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        self.cells += cells


def show(event):
    """Shows an event to a person. Notices are left to the result, which has all of them."""
    if event["type"] == "output":
        print(event["text"], end="", flush=True)
    elif event["type"] == "image":
        print(f"(a figure, {event['mime']})", flush=True)
    elif event["type"] == "lost":
        print(event["reason"], file=sys.stderr, flush=True)


def main(folder):
    """Lines of standard input are cells; gives the exit code."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    launcher = Launcher(heard=show)
    with contextlib.closing(launcher), ThreadPoolExecutor(1) as pool:
        now = Conversation(launcher, "main", folder)
        known = {"main": now}
        cell = None

        def interrupt(*_):
            # An exception could strike where a lock is held, and leave it so.
            if cell is None:
                raise KeyboardInterrupt
            threading.Thread(target=now.cancel).start()

        signal.signal(signal.SIGINT, interrupt)
        while True:
            try:
                line = input(f"{now.name} {len(now.cells)}> ")
            except (EOFError, KeyboardInterrupt):
                return 0
            try:
                match line.split():
                    case []:
                        continue
                    case ["/go", name]:
                        now = known.get(name) or Conversation(launcher, name, folder)
                    case ["/fork", name, *count]:
                        now = now.fork(name, *map(int, count))
                    case _:
                        cell = pool.submit(now.run, line, show)
                        try:
                            notices = cell.result()["notices"]
                        finally:
                            cell = None
                        for notice in notices:
                            print(notice["text"], file=sys.stderr, flush=True)
                known[now.name] = now
            except (KernelError, ValueError) as error:
                print(error, file=sys.stderr, flush=True)
                if getattr(error, "kind", None) == "gone":
                    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2] or ["conversations"]))
