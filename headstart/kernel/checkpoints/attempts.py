"""Code of values (`__reduce__`, `__setstate__`), run on the kernel's main thread so that the kernel goes on, whatever it does.

What takes too long is interrupted; what swallows that is interrupted at each of its lines. What it prints goes nowhere, and
what it raises, `SystemExit` too, is for who asked. Code that ends the process, or holds the GIL for ever, is not stopped here.
"""

from __future__ import annotations

import resource
import sys
import threading
import time
from contextlib import contextmanager

from headstart.kernel.interrupts import INTERRUPTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

#: Seconds between two looks of the watch.
LOOK = 0.5
#: Seconds after which an interrupt counts as swallowed.
SWALLOWED = 0.4


#: Bytes of the system's stack that one of Python's frames may need in the C code of a pickle, which counts on Python's limit.
FRAME = 1400
#: Frames at most, whatever a cell has allowed itself.
DEPTH = 6000


class Late(Exception):
    """It took too long."""


class Ended(Exception):
    """It raised by itself what is no error: `SystemExit` and its kind, or an interrupt that nobody asked for."""


class Attempts:
    """Runs one piece of such code after the other.

    Parameters
    ----------
    seconds : float
        How long one may take.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        stack, _ = resource.getrlimit(resource.RLIMIT_STACK)
        fits = DEPTH if stack == resource.RLIM_INFINITY else stack // FRAME
        #: How deep values may be.
        self.depth = max(1000, min(DEPTH, fits))
        self._number = 0
        self._began: float | None = None
        # The attempt that the watch has interrupted.
        self._late = 0
        self._watched = False
        INTERRUPTS.answering.add(_call.__code__)

    def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """What `work` gives.

        Raises
        ------
        Late
            It was stopped because it took too long.
        Ended
            It raised `SystemExit` or the like, or `KeyboardInterrupt` where nobody interrupted.
        KeyboardInterrupt
            It was interrupted by somebody else.
        Exception
            Whatever it raises.
        """
        self._number += 1
        number, traced = self._number, sys.gettrace()
        if INTERRUPTS.enter(_call.__code__) is not _call.__code__:
            raise KeyboardInterrupt
        limit, raised = sys.getrecursionlimit(), INTERRUPTS.raised
        try:
            self._began = time.monotonic()
            self._watch()
            if limit > self.depth:
                sys.setrecursionlimit(self.depth)
            return _call(work, arguments)
        except Exception:
            if self._late == number:
                raise Late(f"took longer than {self.seconds:g} s") from None
            raise
        except KeyboardInterrupt:
            if self._late == number:
                raise Late(f"took longer than {self.seconds:g} s") from None
            if INTERRUPTS.raised == raised:
                # No signal came: it is a fault of the value, as it will be each time.
                raise Ended("KeyboardInterrupt was raised") from None
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it raises
            raise Ended(f"{type(error).__name__} was raised") from None
        finally:
            self._began = None
            if limit > self.depth:
                sys.setrecursionlimit(limit)
            if self._late == number:
                sys.settrace(traced)
            INTERRUPTS.leave(_call.__code__)

    def _watch(self) -> None:
        loop = INTERRUPTS.watch_loop
        if self._watched or loop is None:
            return
        self._watched = True
        loop.call_soon_threadsafe(loop.call_later, LOOK, self._look)

    def _look(self) -> None:
        """On the watch's thread: ends the watch, or what takes too long."""
        # In this order: what begins in between watches for itself.
        self._watched = False
        number, began, loop = self._number, self._began, INTERRUPTS.watch_loop
        if began is None or loop is None:
            return
        self._watched = True
        loop.call_later(LOOK, self._look)
        over = time.monotonic() - began - self.seconds
        if over > 0 and number == self._number:
            self._late = number
            INTERRUPTS.force(
                lambda: number == self._number and self._began is not None,
                insist=over > SWALLOWED,
            )


def _call(work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Where this is on the stack, an exception meets who expects it."""
    return work(*arguments)


class _Aside:
    """In the place of a stream: what the main thread writes goes nowhere, what other threads write goes on."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._main = threading.get_ident()
        self.shut = False

    def write(self, text: str) -> int:
        """Writes the text, or does not."""
        if not self.shut and threading.get_ident() == self._main:
            return len(text)
        written: int = self._stream.write(text)
        return written

    def writelines(self, lines: Any) -> None:
        """Writes each of the lines, or none."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def quiet() -> Iterator[None]:
    """What the main thread prints goes nowhere; threads of the user print as ever."""
    aside = {name: _Aside(getattr(sys, name, None)) for name in ("stdout", "stderr")}
    for name, stream in aside.items():
        setattr(sys, name, stream)
    try:
        yield
    finally:
        for name, stream in aside.items():
            # Whoever has taken it in the meantime, as handlers of logging do, goes on with it.
            stream.shut = True
            setattr(sys, name, stream._stream)
