"""Arrays of numpy whose memory is not theirs alone: which cannot be kept, and which come back as copies.

numpy is not imported here: where it is not loaded there are no arrays.
"""

from __future__ import annotations

import mmap
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

#: References to an object that nobody has but one view of memory and `held_by`: the view's, a name's, an argument's.
ALONE = 3


def array_type() -> type | None:
    """`numpy.ndarray`, if numpy is loaded."""
    kind = getattr(sys.modules.get("numpy"), "ndarray", None)
    return kind if isinstance(kind, type) else None


def held_by(array: Any) -> str | None:
    """Who else has the memory of an array, in words; None where nobody can tell a copy of it from itself."""
    kind, owner = array_type(), array.base
    if owner is None or kind is None:
        return None
    while issubclass(type(owner), kind) and owner.base is not None:
        owner = owner.base
    if type(owner) is mmap.mmap:
        return "a memory map"
    if type(owner) is not memoryview:
        return None
    whose = owner.obj
    if type(whose) is bytes:
        return None
    if type(whose) is mmap.mmap:
        return "a memory map"
    # One that came back is the only one that has its memory.
    if sys.getrefcount(whose) > ALONE:
        return f"a view of the memory of a {type(whose).__name__}"
    return None


def copies(names: Mapping[str, Any], kept: Collection[str]) -> dict[str, str]:
    """Views that come back as arrays of their own: their names, and whose memory they show now."""
    kind = array_type()
    if kind is None:
        return {}
    owners: dict[int, dict[int, str]] = {}
    for name, value in names.items():
        if type(value) is kind and name in kept:
            owner: Any = value
            while type(owner.base) is kind:
                owner = owner.base
            # Two names of one array stay so.
            owners.setdefault(id(owner), {}).setdefault(id(value), name)
    found: dict[str, str] = {}
    for number, arrays in owners.items():
        if len(arrays) > 1:
            ours = arrays.values()
            first = arrays.get(number) or max(ours, key=lambda one: names[one].nbytes)
            found |= {name: first for name in ours if name != first}
    overlap = sys.modules["numpy"].may_share_memory
    return {
        name: first
        for name, first in found.items()
        if overlap(names[name], names[first])
    }
