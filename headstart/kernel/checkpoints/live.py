"""What cannot be kept: objects that are tied to this process, and what is wrong with each.

Nothing is pickled here.
"""

from __future__ import annotations

import asyncio
import io
import mmap
import socket
import sqlite3
import subprocess
import sys
import threading
import types
import weakref
from _thread import LockType
from collections import OrderedDict

from headstart.kernel.checkpoints import arrays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Streams in memory, which are values like any other.
IN_MEMORY = (io.BytesIO, io.StringIO)

#: `dict.keys()` and its kind.
VIEWS = tuple(
    type(getattr(mapping, view)())
    for mapping in (dict[str, int](), OrderedDict[str, int]())
    for view in ("keys", "values", "items")
)

#: What an object of a type is, for a user. The first row that fits counts.
LIVE: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (socket.socket, "a socket"),
    (types.GeneratorType, "a generator"),
    (types.CoroutineType, "a coroutine"),
    (types.AsyncGeneratorType, "an asynchronous generator"),
    (asyncio.Task, "a task"),
    (asyncio.Future, "a future"),
    (asyncio.AbstractEventLoop, "an event loop"),
    (threading.Thread, "a thread"),
    ((LockType, type(threading.RLock())), "a lock"),
    (sqlite3.Connection, "a connection to sqlite"),
    (sqlite3.Cursor, "a cursor of sqlite"),
    (subprocess.Popen, "a process"),
    (mmap.mmap, "a memory map"),
    # It would come back as a view of a dict of its own.
    (VIEWS, "a view of a dict"),
    # cloudpickle would make bytes of it, which do not follow what it shows.
    (memoryview, "a view of memory"),
    (types.FrameType, "a frame"),
    (types.TracebackType, "a traceback"),
    ((weakref.ref, weakref.ProxyType, weakref.CallableProxyType), "a weak reference"),
)
#: All of them, and those of which some are.
ALL = (io.IOBase, types.ModuleType, *(kinds for kinds, _ in LIVE))


class Live(Exception):
    """Raised while a value is pickled that holds something live."""


def what(value: Any) -> str | None:
    """What a live object is; None for one that can be kept."""
    # Not by `isinstance`: that asks the value for its `__class__`, which may be any code.
    kind = type(value)
    if issubclass(kind, io.IOBase):
        return None if issubclass(kind, IN_MEMORY) else _file(value)
    for kinds, words in LIVE:
        if issubclass(kind, kinds):
            return words
    if issubclass(kind, types.ModuleType):
        return _module(value)
    array = arrays.array_type()
    if array is not None and issubclass(kind, array):
        return arrays.held_by(value)
    return None


def may_be(kind: type) -> bool:
    """Whether `what` has words for objects of a type, or for some of them."""
    array = arrays.array_type()
    return issubclass(kind, ALL) or (array is not None and issubclass(kind, array))


def _module(value: types.ModuleType) -> str | None:
    """One that nothing can import: what is in it would be another's after a restore."""
    name = types.ModuleType.__getattribute__(value, "__dict__").get("__name__")
    known = type(name) is str and sys.modules.get(name) is value
    return None if known else "a module made by hand"


def _file(value: io.IOBase) -> str:
    state = "a closed file" if value.closed else "an open file"
    name = getattr(value, "name", None)
    return f"{state} ({str(name)[:80]!r})" if isinstance(name, str) else state
