"""What SIGINT does, wherever it arrives: it stops the cell that runs, and nothing else.

ipykernel puts a handler in place for each request and takes it away again; between these an interrupt
is lost, ends the kernel, or leaves a request without an answer, and a cell in top-level `await` does not
notice it at all: the callback that should cancel it does not wake the loop that sleeps
(ipykernel#881, #1239). Here one handler stays in place, and it looks where it struck.

- In the code of the cell: `KeyboardInterrupt`, there.
- In a cell that awaits: its task is cancelled by the loop. Tasks of the user beside it go on.
- In IPython's and ipykernel's own code: the next statement of the cell does not run.
- Between cells: nothing.
- Where the loop does not come to it for a while, because code of the user holds it up:
  `KeyboardInterrupt` in that code.
- Where it came in the moment before a call to the system that waits, Python does not look at it until
  that call ends: another thread, which sees each signal at once, ends the wait.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType, TracebackType
    from typing import Any

#: Seconds after which a loop that has not answered counts as held up.
HELD_UP = 0.3
#: A signal that does nothing but end a wait of the main thread, and when it follows an interrupt, in seconds.
NUDGE = getattr(signal, "SIGRTMAX", signal.SIGURG + 1) - 1
NUDGES = (0.02, 0.06, 0.2)
#: The folder of the kernel's own code.
OWN = os.path.join(os.path.dirname(__file__), "")
#: Code of a statement that was asked to stop before it began.
STOP = compile("raise KeyboardInterrupt", "<interrupted>", "exec")


class Interrupts:
    """The handler and what it knows of the running cell. Used on the main thread, but for `_look`."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.main = threading.main_thread()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.watch_loop: asyncio.AbstractEventLoop | None = None
        # Numbers of the request that is handled, and whether one is.
        self.request = 0
        self.handling = False
        # The cell: its task where it awaits, its statements that run now, the code that answers for what it calls.
        self.task: asyncio.Future[Any] | None = None
        self.running: dict[int, int] = {}
        self.answering: set[CodeType] = set()
        # An interrupt that nothing has felt yet; one that became a cancel.
        self.pending = False
        self.cancelled = False
        # Questions to the loop, and the newest that it answered.
        self.asked = 0
        self.answered = 0
        # The signal is raised again by another thread: whether it is still meant when it is felt, and meant to be obeyed.
        self.forced: Callable[[], bool] | None = None
        self.insist = False
        # Within a part that must not be left half done; an interrupt that waits for its end.
        self.guards = 0
        self.deferred = False
        # Where Python writes the number of each signal as it comes, and where that is read.
        self.heard, self.told_of = socket.socketpair()
        for end in (self.heard, self.told_of):
            end.setblocking(False)
        #: How often the cell's code was left by an interrupt.
        self.raised = 0
        #: The folder that the file names of cells begin with.
        self.cells = "<no cells>"

    # The life of a request.

    def install(self) -> None:
        """Puts the handler in place, where a cell has left another."""
        if signal.getsignal(signal.SIGINT) != self.handle:
            signal.signal(signal.SIGINT, self.handle)
        own = self.told_of.fileno()
        before = signal.set_wakeup_fd(own, warn_on_full_buffer=False)
        if before not in (-1, own):
            # Somebody waits for signals by this way, as `loop.add_signal_handler` does.
            signal.set_wakeup_fd(before)

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Has each signal seen by this loop, which is another thread's."""
        self.watch_loop = loop
        signal.signal(NUDGE, _nothing)
        loop.call_soon_threadsafe(loop.add_reader, self.heard, self._hear)

    def begin(self) -> None:
        """A request is going to be handled."""
        self.pending = self.cancelled = self.deferred = False
        self.request += 1
        self.handling = True
        self.install()

    def end(self) -> None:
        """The request has its answer."""
        self.handling = False
        self.task = None
        self.pending = False
        self.install()

    @contextmanager
    def awaiting(self, task: asyncio.Future[Any]) -> Iterator[None]:
        """The cell runs as this task."""
        self.task = task
        try:
            yield
        finally:
            self.task = None

    def enter(self, code: CodeType) -> CodeType:
        """A statement is going to run; gives what to run instead where the cell was interrupted."""
        if self.pending:
            self.pending = False
            return STOP
        self.running[id(code)] = self.running.get(id(code), 0) + 1
        return code

    def leave(self, code: CodeType) -> None:
        """The statement has ended."""
        left = self.running.get(id(code), 0) - 1
        if left > 0:
            self.running[id(code)] = left
        else:
            self.running.pop(id(code), None)

    def guard(self) -> bool:
        """Until `unguard`, an interrupt waits; gives whether it has to be called."""
        if threading.get_ident() != self.main.ident:
            return False
        self.guards += 1
        return True

    def unguard(self) -> None:
        """Lets an interrupt that waited go on."""
        self.guards -= 1
        if self.guards == 0 and self.deferred:
            self.deferred = False
            self._raise()

    def whole(self, work: Callable[[Any], None]) -> Callable[[Any], None]:
        """The work, so that no interrupt leaves it half done.

        For handing a message to the thread that sends: an interrupt inside `Thread.is_alive` makes Python
        (before 3.13) take that thread for dead; from then on two threads write to one socket, and messages
        run into each other.
        """

        def done_whole(argument: Any) -> None:
            guarded = self.guard()
            try:
                work(argument)
            finally:
                if guarded:
                    self.unguard()

        return done_whole

    # The signal.

    def handle(self, _signal: int, frame: FrameType | None) -> None:
        """Python's handler for SIGINT."""
        if os.getpid() != self.pid:
            # A forked child is an ordinary program.
            raise KeyboardInterrupt
        if self.forced is not None:
            # Raised by the watch, perhaps too late: another request is not meant.
            meant, self.forced = self.forced(), None
            if meant and self._may_force(frame):
                if self.insist:
                    _stop_at_each_line(frame, self.answering)
                    # Not by a call: it would be stopped itself.
                    raise KeyboardInterrupt
                self._raise_soon()
            return
        if self.handling:
            if self._in_cell(frame):
                self._raise_soon()
                return
            self.pending = True
        self._ask()

    def _raise_soon(self) -> None:
        if self.guards:
            self.deferred = True
        else:
            self._raise()

    def _raise(self) -> None:
        self.pending = False
        self.raised += 1
        raise KeyboardInterrupt

    def _in_cell(self, frame: FrameType | None) -> bool:
        """True in the code of a statement that runs, or in what it called."""
        running = self.running
        while frame is not None:
            if id(frame.f_code) in running:
                return True
            frame = frame.f_back
        return False

    def _may_force(self, frame: FrameType | None) -> bool:
        """True where an exception meets code of the user, or a cell whose answer is sure to be sent."""
        while frame is not None:
            code = frame.f_code
            if code in self.answering or code.co_filename.startswith(self.cells):
                return True
            frame = frame.f_back
        return False

    def _hear(self) -> None:
        """On the watch's thread: a signal has come, which the main thread may have to be woken for."""
        loop = self.watch_loop
        if signal.SIGINT in self.heard.recv(4096) and loop is not None:
            for seconds in NUDGES:
                loop.call_later(seconds, self._nudge)

    def _nudge(self) -> None:
        if self.main.ident is not None:
            signal.pthread_kill(self.main.ident, NUDGE)

    def _ask(self) -> None:
        """Asks the loop to cancel the cell, and has someone look whether it comes to it."""
        loop, watch_loop = self.loop, self.watch_loop
        if loop is None:
            return
        self.asked += 1
        try:
            # Not `call_soon`: on the loop's own thread it does not wake a loop that sleeps.
            loop.call_soon_threadsafe(self._answer, self.asked, self.request)
            if watch_loop is not None:
                watch_loop.call_soon_threadsafe(
                    watch_loop.call_later, HELD_UP, self._look, self.asked, self.request
                )
        except RuntimeError:
            # A loop is closed: the kernel ends.
            return

    def _answer(self, number: int, request: int) -> None:
        """On the loop: cancels the cell that was running when the signal came."""
        self.answered = number
        task = self.task
        if request == self.request and task is not None and not task.done():
            if not self.pending:
                return
            self.pending = False
            self.cancelled = True
            task.cancel()

    def _look(self, number: int, request: int) -> None:
        """On the watch's thread: raises the signal again where the loop is held up."""
        if self.answered >= number or request != self.request:
            return
        if self.handling and not self.pending:
            # It was felt in the meantime.
            return
        self.force(lambda: request == self.request)

    def force(self, meant: Callable[[], bool], *, insist: bool = False) -> None:
        """On another thread: raises `KeyboardInterrupt` in code of the user that the main thread is at.

        Parameters
        ----------
        meant : callable
            Called as it is felt: whether that code still runs.
        insist : bool
            That code has swallowed one before: it is stopped at each line until it is left.
        """
        self.forced, self.insist = meant, insist
        if self.main.ident is not None:
            signal.pthread_kill(self.main.ident, signal.SIGINT)

    # What the cell reports.

    def told(self, error: BaseException | None) -> BaseException | None:
        """The exception that a cell reports: `KeyboardInterrupt` for what an interrupt became on its way."""
        if isinstance(error, asyncio.CancelledError) and self.cancelled:
            return KeyboardInterrupt().with_traceback(error.__traceback__)
        # `%%bash` and its kind turn it into the failure of the script.
        if isinstance(error, subprocess.CalledProcessError):
            cause = error.__context__
            while cause is not None:
                if isinstance(cause, KeyboardInterrupt):
                    return KeyboardInterrupt().with_traceback(error.__traceback__)
                cause = cause.__context__
        return error

    def end_at_user(self, error: BaseException | None) -> None:
        """Has the tracebacks of interrupts end at the line of the user that they stopped.

        The handler's frames below it say nothing to the user, and IPython would parse their files to show them.
        """
        seen: set[int] = set()
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            if isinstance(error, KeyboardInterrupt):
                self._end_at_user(error.__traceback__)
            error = error.__cause__ or error.__context__

    def _end_at_user(self, here: TracebackType | None) -> None:
        in_cell = False
        while here is not None and (below := here.tb_next) is not None:
            in_cell = in_cell or here.tb_frame.f_code.co_filename.startswith(self.cells)
            if in_cell and below.tb_frame.f_code.co_filename.startswith(OWN):
                here.tb_next = None
            here = below


def _stop_at_each_line(frame: FrameType | None, until: set[CodeType]) -> None:
    """A `KeyboardInterrupt` is felt in an `except` that swallows the one before, and so gets out of its loop."""

    def stop(_frame: FrameType, event: str, _argument: object) -> Any:
        if event in ("line", "call"):
            # Python ends the tracing with it.
            raise KeyboardInterrupt
        return stop

    while frame is not None and frame.f_code not in until:
        frame.f_trace = stop
        frame = frame.f_back
    sys.settrace(stop)


def _nothing(_signal: int, _frame: FrameType | None) -> None:
    """The wait has ended, and Python looks at what came before."""


#: Those of this process: signals are the process's, not the kernel's.
INTERRUPTS = Interrupts()
