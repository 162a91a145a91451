"""Standard output and error of the kernel: nothing of them is lost, and a cell cannot break them for good.

What differs from ipykernel's: closing lasts until the cell ends; what child processes write is decoded
across the borders of reads, and is there before the cell's answer; a flush with nothing to
send costs nothing; whoever writes much waits until it is sent, so that no message is large and whoever
reads can end a cell that prints without end.
"""

from __future__ import annotations

import array
import codecs
import fcntl
import os
import select
import sys
import termios
import threading
import time
from threading import get_ident

from ipykernel.iostream import OutStream

from headstart.kernel.interrupts import INTERRUPTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Bytes of one read from a child's output.
READ = 65536
#: Characters that wait to be sent at most, and those of a message.
HELD = 1 << 18
#: Seconds that a cell's answer waits for what its children had written.
DRAIN = 0.2


class Stream(OutStream):
    """A standard stream that can be closed by a cell and opened again."""

    def __init__(
        self,
        session: Any,
        pub_thread: Any,
        name: str,
        *,
        watchfd: Any = True,
        **rest: Any,
    ) -> None:
        self.shut = False
        self._held = 0
        # Parts of the output that are on their way to the socket.
        self._leaving = 0
        self._reading = threading.Lock()
        self._read = 0
        # ipykernel leaves the descriptor alone where a variable of pytest's is in the environment, as
        # in each kernel that a test starts.
        force = watchfd is True and sys.platform in ("linux", "darwin")
        super().__init__(
            session, pub_thread, name, watchfd="force" if force else watchfd, **rest
        )

    # Closing.

    def close(self) -> None:
        """Refuses writes from now until the cell ends; what was written is still sent."""
        self.shut = True

    @property
    def closed(self) -> bool:
        """True after `close`, as of any file."""
        return self.shut or self.pub_thread is None

    def write(self, string: str) -> int | None:
        """Writes the text; it is sent soon."""
        if self.shut:
            raise ValueError("I/O operation on closed file.")
        if len(string) <= HELD:
            return self._add(string)
        for start in range(0, len(string), HELD):
            self._add(string[start : start + HELD])
        return len(string)

    def _add(self, string: str) -> int | None:
        # Left half way, a lock of the buffer or of the wait stays held, and no output comes any more.
        guarded = INTERRUPTS.guard()
        try:
            written = super().write(string)
            self._held += len(string)
            if self._held > HELD:
                self.flush()
            return written  # type: ignore[no-any-return]
        finally:
            if guarded:
                INTERRUPTS.unguard()

    def writelines(self, sequence: Any) -> None:
        """Writes each of the texts."""
        for string in sequence:
            self.write(string)

    # Sending.

    def flush(self) -> None:
        """Sends what is buffered, and waits until it has left."""
        guarded = INTERRUPTS.guard()
        try:
            with self._buffer_lock:
                waiting = self._buffers or self._subprocess_flush_pending
                if not waiting and not self._leaving:
                    return
            self._flush_and_wait()
        finally:
            if guarded:
                INTERRUPTS.unguard()

    def _flush_and_wait(self) -> None:
        pub = self.pub_thread
        thread = None if pub is None else pub.thread
        if thread is None or not thread.is_alive() or thread.ident == get_ident():
            self._flush()
            return
        left = threading.Event()
        pub.schedule(self._flush)
        # What is flushed is scheduled in its turn. ipykernel schedules the end of the wait before that: code that
        # then keeps the interpreter to itself lets nothing out any more, and nothing comes where it is killed.
        pub.schedule(lambda: pub.schedule(left.set))
        if not left.wait(self.flush_timeout):
            print("headstart: output could not be sent in time", file=sys.__stderr__)

    def _flush(self) -> None:
        # The lock until all of it is on its way: whoever finds the buffer empty may then send behind it.
        with self._buffer_lock:
            self._held = 0
            full = bool(self._buffers)
            super()._flush()
            if full and self.pub_thread is not None:
                self._leaving += 1
                self.pub_thread.schedule(self._has_left)

    def _has_left(self) -> None:
        with self._buffer_lock:
            self._leaving -= 1

    # What child processes and libraries write to the descriptor.

    def _watch_pipe_fd(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        source = self._fid
        if source is None:
            return
        poll = select.poll()
        poll.register(source, select.POLLIN)
        while self._should_watch:
            poll.poll()
            with self._reading:
                data = os.read(source, READ)
                text = decoder.decode(data, final=not data)
                if text:
                    self._add(text)
                self._read += len(data)
            if not data:
                return
            try:
                os.write(self._original_stdstream_copy, data)
            except OSError:
                # Nobody reads the kernel's own output any more.
                continue

    def drain(self) -> None:
        """Waits until what was written to the descriptor so far is in the buffer, but not for long."""
        if self._fid is None:
            return
        with self._reading:
            goal = self._read + self._unread()
        end = time.monotonic() + DRAIN
        while self._read < goal and time.monotonic() < end:
            time.sleep(0.0005)

    def _unread(self) -> int:
        size = array.array("i", [0])
        try:
            fcntl.ioctl(self._fid, termios.FIONREAD, size)
        except OSError:
            return 0
        return size[0]


class Streams:
    """The two streams of the kernel, and putting them back where a cell has taken them away."""

    def __init__(self) -> None:
        self.own: dict[str, Any] = {}

    def keep(self) -> None:
        """What stands in `sys` now is the kernel's own."""
        self.own = {name: getattr(sys, name) for name in ("stdout", "stderr")}

    def drain(self) -> None:
        """Waits for the output of child processes."""
        for stream in self.own.values():
            if isinstance(stream, Stream):
                stream.drain()

    def present(self) -> bool:
        """False where a name in `sys` is gone altogether."""
        return all(hasattr(sys, name) for name in self.own)

    def heal(self) -> list[str]:
        """Puts back what is closed, broken or gone; gives a line for each."""
        told = []
        for name, own in self.own.items():
            present = getattr(sys, name, None)
            if present is own:
                if isinstance(own, Stream) and own.shut:
                    own.shut = False
                    told.append(f"headstart: sys.{name} was closed and is open again")
            elif _broken(present):
                setattr(sys, name, own)
                if isinstance(own, Stream):
                    own.shut = False
                told.append(
                    f"headstart: sys.{name} could not be written to any more and is the kernel's own again"
                )
        return told


def _broken(stream: Any) -> bool:
    """True for what cannot be written to. A file or a `StringIO` that the user put there stays."""
    try:
        if stream.closed:
            return True
    except AttributeError:
        if stream is None:
            return True
    except Exception:  # noqa: BLE001
        # Any object may stand there.
        return True
    try:
        stream.write("")
        stream.flush()
    except Exception:  # noqa: BLE001
        return True
    return False


#: Those of this process.
STREAMS = Streams()
