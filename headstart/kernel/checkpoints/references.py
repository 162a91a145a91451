"""What comes back by its name: what a module has under it, and what startup code made.

A copy of such an object would be another object (`dataclasses.MISSING`, `os.environ`, the generator behind
`random.randint`). Nothing is imported here while a value is pickled, and nothing of a module is kept.
"""

from __future__ import annotations

import importlib
import sys
import types

from headstart.kernel.checkpoints.reasons import MODULE, NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

#: What a kernel's own namespace is called: another branch has other things under the same names there.
OWN = frozenset(("__main__", "__mp_main__"))
#: Types of modules whose attributes they do not own.
NOBODYS = OWN | {"builtins"}

#: Types of what startup code makes to be used, not to be filled.
ITSELF = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType)

#: By the name of a module: itself, how much was in it, and by the types it has objects of, these objects and their names.
_known: dict[str, tuple[Any, int, dict[int, dict[int, str]]]] = {}


class Startup:
    """What was in the namespace before the first cell: a kernel that starts in the same way has it, too.

    Parameters
    ----------
    before : mapping
        Names and values; they are held.
    """

    def __init__(self, before: Mapping[str, Any]) -> None:
        self.before = before
        #: By number: what may come back by its name.
        self.names = {
            id(value): name
            for name, value in before.items()
            if type(name) is str
            and name[:1] != "_"
            and not isinstance(value, types.ModuleType)
        }

    def name(self, one: Any) -> str | None:
        """The name of a function, a class, or an object that is nothing but itself.

        What holds something goes by value: a cell may have changed it, and the next kernel has it as it was.
        """
        name = self.names.get(id(one))
        if name is None or issubclass(type(one), ITSELF):
            return name
        kind: Any = type(one)
        bare = (
            kind.__reduce_ex__ is object.__reduce_ex__
            and kind.__reduce__ is object.__reduce__
            and kind.__getstate__ is object.__getstate__
            and one.__getstate__() is None
        )
        return name if bare else None


def is_at(one: Any, module: Any, name: Any) -> bool:
    """Whether another interpreter finds this very object there."""
    if type(module) is not str or type(name) is not str or module in OWN:
        return False
    place: Any = sys.modules.get(module)
    if place is None:
        return False
    try:
        for part in name.split("."):
            place = getattr(place, part)
    except Exception:  # noqa: BLE001 - a module may have code for its attributes
        return False
    return place is one


def is_found(one: Any) -> bool:
    """Whether a function or a class is found where it says that it is from."""
    if isinstance(one, type):
        return is_at(one, MODULE(one), NAME(one))
    return is_at(one, one.__module__, one.__qualname__)


def module_of(function: types.FunctionType) -> str | None:
    """The module whose names a function sees, if it is one that can be imported."""
    names = function.__globals__
    name = names.get("__name__")
    if type(name) is not str or name in OWN:
        return None
    return name if _names_in(sys.modules.get(name)) is names else None


def singles(kind: type) -> tuple[str, dict[int, str]] | None:
    """Objects of a type that are attributes of the type's own module: the module, and their names by their numbers."""
    module = MODULE(kind)
    if type(module) is not str or module in NOBODYS:
        return None
    place = sys.modules.get(module)
    names = _names_in(place)
    if names is None:
        return None
    known = _known.get(module)
    if known is None or known[0] is not place or known[1] != len(names):
        found: dict[int, dict[int, str]] = {}
        for name, value in names.copy().items():
            if type(name) is str and name[:2] != "__":
                found.setdefault(id(type(value)), {})[id(value)] = name
        known = _known[module] = place, len(names), found
    ours = known[2].get(id(kind))
    return None if ours is None else (module, ours)


def single(one: Any, module: str, names: dict[int, str]) -> str | None:
    """The name of an object in its module, if it still has it there."""
    name = names.get(id(one))
    if name is None:
        return None
    # A number may have come to another object.
    place = _names_in(sys.modules.get(module)) or {}
    return name if place.get(name) is one else None


def of_module(module: str, name: str) -> Any:
    """An object that a module has; called by pickles."""
    return getattr(importlib.import_module(module), name)


def _names_in(module: Any) -> dict[str, Any] | None:
    if not issubclass(type(module), types.ModuleType):
        return None
    names: dict[str, Any] = types.ModuleType.__getattribute__(module, "__dict__")
    return names
