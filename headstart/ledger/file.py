"""The file: read whole, changed under a lock, replaced in one step. Knows nothing of entries.

Readers need no lock, because they find the file before a change or after it. Prime Agent's own writers take none and
write in place: a file that is no JSON while it is fresh is read again before it counts as broken.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from contextlib import contextmanager, suppress

from headstart.errors import ReadError
from headstart.ledger import folder as folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Stamp = tuple[int, int, int]

#: A change takes milliseconds; who waits longer than this waits for a process that hangs.
PATIENCE_SECONDS = 30.0
#: A file that is no JSON is broken once it was left alone for so long; while it changes someone writes it.
STILL_SECONDS = 0.5
#: Who writes without end is not waited for.
LONGEST_LOOK_SECONDS = 5.0


class Reading:
    """What the file held at one moment, and what is wrong with it; never changed once it is made."""

    def __init__(self, raw: bytes = b"", stamp: Stamp | None = None) -> None:
        self.raw = raw
        self.stamp = stamp
        self.document: dict[str, Any] = {}
        self.fault = ""
        if stamp is None:
            return
        try:
            document = json.loads(raw)
        except RecursionError:
            self.fault = "lists in lists without end"
        except ValueError as error:  # also of bytes that are no UTF-8
            self.fault = f"no JSON ({error})" if raw.strip() else "no bytes in it"
        else:
            if isinstance(document, dict):
                self.document = document
            else:
                self.fault = f"JSON, but no object: {type(document).__name__}"

    def is_fresh(self) -> bool:
        """True when the file was written a moment ago, maybe not to its end."""
        age = time.time_ns() - self.stamp[0] if self.stamp else 0
        return abs(age) < STILL_SECONDS * 1e9


class StateFile:
    """The file in its folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder, folders.FILE_NAME)

    def stamp(self) -> Stamp | None:
        """What tells this state of the file from any other; `None` where there is no file."""
        try:
            return _stamp(os.lstat(self.path))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise folders.refusal(self.path, error) from None

    def read(self) -> Reading:
        """The file as it is now."""
        with folders.opened(self.folder) as folder:
            return Reading() if folder is None else self._read(folder)

    @contextmanager
    def change(self) -> Iterator[Change]:
        """The file, locked and read anew, to be changed by whoever is inside."""
        with folders.opened(self.folder, make=True) as folder:
            if folder is None:
                raise ReadError("this folder was removed just now", where=self.folder)
            with self._locked(folder):
                yield Change(self, folder, self._read(folder))

    def _read(self, folder: int) -> Reading:
        deadline = time.monotonic() + LONGEST_LOOK_SECONDS
        while True:
            reading = self._read_once(folder)
            if not reading.fault or not reading.is_fresh():
                return reading
            if time.monotonic() > deadline:
                return reading
            time.sleep(0.002)

    def _read_once(self, folder: int) -> Reading:
        # O_NONBLOCK: a pipe in the place of the file must not hold us up.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(folders.FILE_NAME, flags, dir_fd=folder)
        except FileNotFoundError:
            return Reading()
        except OSError as error:
            raise folders.refusal(self.path, error) from None
        try:
            found = os.fstat(descriptor)
            folders.regular(found, self.path)
            with open(descriptor, "rb", closefd=False) as file:
                return Reading(file.read(), _stamp(found))
        except OSError as error:
            if isinstance(error, ReadError):
                raise
            raise folders.refusal(self.path, error) from None
        finally:
            os.close(descriptor)

    @contextmanager
    def _locked(self, folder: int) -> Iterator[None]:
        # A file of its own: the lock must outlive the replaced one. `flock` ends with its process, however that ends.
        name = f"{folders.FILE_NAME}.lock"
        path = os.path.join(self.folder, name)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(name, flags, 0o600, dir_fd=folder)
        except OSError as error:
            raise folders.refusal(path, error) from None
        try:
            folders.regular(os.fstat(descriptor), path)
            _wait(descriptor, path)
            try:
                yield
            finally:
                # Said, not left to `close`: a child that was forked meanwhile holds the descriptor, too.
                fcntl.flock(descriptor, fcntl.LOCK_UN)
        finally:
            os.close(descriptor)


class Change:
    """One change: `document` is the caller's to edit, `save` puts it in the place of the file."""

    def __init__(self, file: StateFile, folder: int, before: Reading) -> None:
        self.document = before.document
        self.misfits: list[str] = [before.fault] if before.fault else []
        self._file, self._folder, self._before = file, folder, before

    def save(self) -> tuple[Reading, str | None]:
        """Replaces the file; gives what it holds now, and where bytes that were not understood are kept."""
        aside = None
        before = self._before
        if self.misfits and before.raw.strip():
            # Named by its content, so that one broken file is kept once.
            from hashlib import sha256

            aside = f"{folders.FILE_NAME}.corrupt-{sha256(before.raw).hexdigest()[:12]}"
            self._put(aside, before.raw)
        raw = encode(self.document)
        stamp = self._put(folders.FILE_NAME, raw, before.stamp)
        # Not every file system can do this with a folder; the new file is in its place in any case.
        with suppress(OSError):
            os.fsync(self._folder)
        return Reading(raw, stamp), aside

    def _put(self, name: str, raw: bytes, before: Stamp | None = None) -> Stamp:
        # Under the lock whatever has the name of our temporary file is of a writer that was killed.
        temporary = f".{folders.FILE_NAME}.tmp"
        at = {"src_dir_fd": self._folder, "dst_dir_fd": self._folder}
        try:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=self._folder)
            stamp = self._write(temporary, raw, before)
            os.replace(temporary, name, **at)
        except OSError as error:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=self._folder)
            path = os.path.join(self._file.folder, name)
            raise folders.refusal(path, error) from None
        return stamp

    def _write(self, name: str, raw: bytes, before: Stamp | None) -> Stamp:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, 0o600, dir_fd=self._folder)
        with open(descriptor, "wb", buffering=0) as file:
            rest = memoryview(raw)
            while rest:
                rest = rest[file.write(rest) :]
            written = os.fstat(descriptor)
            # Clocks of file systems tick in milliseconds, and some who wait for a change look at this time alone.
            if before is not None and written.st_mtime_ns <= before[0]:
                os.utime(descriptor, ns=(written.st_atime_ns, before[0] + 1))
            os.fsync(descriptor)
            return _stamp(os.fstat(descriptor))


def encode(document: dict[str, Any]) -> bytes:
    """The document as Prime Agent writes it: UTF-8, indented by two."""
    try:
        text = json.dumps(document, indent=2, ensure_ascii=False)
    except RecursionError:  # the writer without indents goes deeper
        text = json.dumps(document, ensure_ascii=False)
    # Half a surrogate pair has no UTF-8, but JSON has an escape for it.
    text = re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
    return text.encode() + b"\n"


def _wait(descriptor: int, path: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise ReadError(
                    f"expected to wait for others at most {PATIENCE_SECONDS:.0f} s, found it locked for longer",
                    where=path,
                    hint=f"`fuser {path}` says which process holds it",
                ) from None
            time.sleep(0.002)
        except OSError as error:
            raise folders.refusal(path, error) from None
        else:
            return


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_mtime_ns, found.st_size, found.st_ino
