"""Values that lie in memory as they are: arrays and frames, told apart by a hash of that memory, without a pickle.

For each type it is known that nothing else of a value is kept. Anything else is left to the pickle.
"""

from __future__ import annotations

import sys

from headstart._headstart import change_digest, change_digest_of_frame
from headstart.kernel.checkpoints import arrays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Kinds of numbers whose memory says it all: no objects, no texts that lie elsewhere.
KINDS = frozenset("biufcmMSUV")
#: Frames and columns that give out their memory, by the module that must have been imported for one to be there.
FRAMES = {
    "polars": ("DataFrame", "Series"),
    "pyarrow": ("Table", "RecordBatch", "ChunkedArray"),
}


class Seen:
    """What memory holds.

    Attributes
    ----------
    key : bytes
        Differs where the memory, or what it means, does.
    size : int
        Bytes.
    """

    __slots__ = ("key", "size")

    def __init__(self, key: bytes, size: int) -> None:
        self.key = key
        self.size = size


def look(value: Any, most: int) -> Seen | None:
    """What the memory of a value holds; None for a value of another kind. Of one with more than `most` bytes only the size."""
    kind = type(value)
    module = kind.__module__
    if not isinstance(module, str):
        return None
    package = module.partition(".")[0]
    if package == "numpy":
        numpy: Any = sys.modules["numpy"]
        return _array(value, most, numpy) if kind is numpy.ndarray else None
    for name in FRAMES.get(package, ()):
        library: Any = sys.modules.get(package)
        if kind is getattr(library, name, None):
            return _frame(value, library)
    return None


def _array(array: Any, most: int, numpy: Any) -> Seen | None:
    kind, flags = array.dtype, array.flags
    if kind.kind not in KINDS or kind.hasobject or kind.metadata is not None:
        return None
    if not (flags.c_contiguous or flags.f_contiguous):
        return None
    if array.base is not None and arrays.held_by(array) is not None:
        return None
    if array.nbytes > most:
        return Seen(b"", array.nbytes)
    if not array.nbytes:
        return None
    # As bytes: the buffer protocol does not know dates.
    flat = array.reshape(-1, order="A").view(numpy.uint8)
    means = kind.str if kind.names is None else repr(kind)
    told = f"{means} {array.shape} {array.strides} {flags.writeable}"
    return Seen(change_digest(flat, lasting=True) + told.encode(), array.nbytes)


def _frame(value: Any, library: Any) -> Seen | None:
    kind = type(value).__name__
    try:
        frame = value
        if kind == "Series":
            frame = value.to_frame()
        elif kind == "ChunkedArray":
            frame = library.table([value], names=[""])
        key, size = change_digest_of_frame(frame)
    except Exception:  # noqa: BLE001 - a type that has no place in Arrow
        return None
    return Seen(key + kind.encode(), size)
