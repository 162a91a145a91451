"""How large a value is, at least, without asking the value: code of the user must not run to find out.

The answer is a lower bound; what is counted exactly is what was pickled.
"""

from __future__ import annotations

import gc
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Objects that are looked at: a value of more small ones is measured by its pickle.
OBJECTS = 20_000
#: What belongs to programs, not to values.
PROGRAM = (
    types.ModuleType,
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.CodeType,
)


def at_least(value: Any, enough: int) -> int:
    """Bytes of a value and what it refers to; the count ends when it is more than `enough`."""
    seen: set[int] = set()
    waiting = [value]
    total = 0
    while waiting and total <= enough and len(seen) < OBJECTS:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, PROGRAM):
            continue
        seen.add(id(one))
        total += _own(one)
        if gc.is_tracked(one) or type(one).__flags__ & (1 << 14):
            waiting.extend(gc.get_referents(one)[: OBJECTS - len(seen)])
    return total


def _own(value: Any) -> int:
    try:
        size = object.__sizeof__(value) if _is_plain(value) else sys.getsizeof(value, 0)
    except Exception:  # noqa: BLE001 - whatever the code of the value raises
        # Code of the user that fails is not asked.
        return 0
    return int(size)


def _is_plain(value: Any) -> bool:
    """Whether `__sizeof__` is code of the user."""
    return isinstance(getattr(type(value), "__sizeof__", None), types.FunctionType)
