"""Which objects of a pickle two values may have in common so that it shows: what one changes, the other shows, too.

What nobody can change, and what a pickle only names, is the same object for everybody and shows nothing. Code of values may
run here, as it may while they are pickled.
"""

from __future__ import annotations

import enum
import sys
import types

from headstart.kernel.checkpoints import references
from headstart.kernel.checkpoints.reasons import MODULE, NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

#: Types whose objects nobody can change; what such an object holds is looked at itself.
FIXED = frozenset(
    (
        *(str, bytes, int, float, complex, type(None), type(...), type(NotImplemented)),
        *(tuple, frozenset, range, slice),
        *(types.CodeType, types.ModuleType, types.BuiltinFunctionType),
        *(types.MethodDescriptorType, types.WrapperDescriptorType),
        *(types.ClassMethodDescriptorType, types.GetSetDescriptorType),
        *(types.GenericAlias, types.UnionType),
    )
)
#: The same, of modules that need not have been imported, by the modules that say to be theirs.
FIXED_BY_NAME = frozenset(
    (module, name)
    for module, names in {
        "datetime": "date datetime time timedelta timezone",
        "decimal": "Decimal",
        "fractions": "Fraction",
        "uuid": "UUID",
        "re": "Pattern",
        "zoneinfo": "ZoneInfo",
        "ipaddress": "IPv4Address IPv4Network IPv6Address IPv6Network",
        "pathlib": "Path PosixPath PurePath PurePosixPath WindowsPath PureWindowsPath",
        "pathlib._local": "Path PosixPath PurePath PurePosixPath WindowsPath PureWindowsPath",
        "operator": "attrgetter itemgetter methodcaller",
        "pandas": "Timestamp Timedelta Period Interval NaT NA",
        "pandas.api.typing": "NAType NaTType",
        "pandas._libs.tslibs.timestamps": "Timestamp",
        "pandas._libs.tslibs.timedeltas": "Timedelta",
        "pandas._libs.tslibs.period": "Period",
        "pandas._libs.tslibs.nattype": "NaTType",
        "pandas._libs.missing": "NAType",
        "pandas._libs.interval": "Interval",
    }.items()
    for name in names.split()
)
#: The same, with all that is derived from them in modules.
FIXED_BASES = (
    ("datetime", "tzinfo"),
    ("pandas.core.dtypes.base", "ExtensionDtype"),
    ("pandas._libs.tslibs.offsets", "BaseOffset"),
    ("pyarrow.lib", "DataType"),
    ("numpy", "number"),
    ("numpy", "bool"),
    ("numpy", "datetime64"),
)
#: The flag of classes that were made while Python ran, as all of cells are.
HEAP = 1 << 9
CONTAINERS = (list, dict, set)
#: Of classes of modules, by their ids, held: whether nobody can change their objects, and what such a class has.
_fixed: dict[int, tuple[type, bool]] = {}
_own: dict[int, tuple[type, list[Any]]] = {}
ORDER, CONTENT = (type.__dict__[name].__get__ for name in ("__mro__", "__dict__"))


def showing(
    others: Iterable[tuple[int, int, Any]], named: set[int]
) -> tuple[dict[int, int], set[int]]:
    """Objects that may show, and plain objects that do not.

    Parameters
    ----------
    others : iterable of (int, int, object)
        The id, the place in the pickle and the object, for all that is not one of Python's containers.
    named : set of int
        Ids of those that the pickle only names, as far as that is known.

    Returns
    -------
    dict of int to int
        Ids and places of those that may show.
    set of int
        Ids of containers that belong to classes of modules: they are there for everybody.
    """
    never: set[int] = set()
    always: set[int] = set()
    shown: dict[int, int] = {}
    belong: set[int] = set()
    for number, place, one in others:
        kind = type(one)
        # By their ids: to look for a class may run code of its metaclass.
        if number in named or id(kind) in never:
            continue
        if id(kind) not in always:
            if _is_fixed(kind):
                never.add(id(kind))
                continue
            if _has_name(kind):
                if _is_found(one):
                    continue
            else:
                always.add(id(kind))
                belong.update(_of_class(kind))
        shown[number] = place
    return shown, belong


def _is_fixed(kind: type) -> bool:
    known = _fixed.get(id(kind))
    if known is None:
        known = kind, _looks_fixed(kind)
        if _is_found(kind):
            _fixed[id(kind)] = known
    return known[1]


def _looks_fixed(kind: type) -> bool:
    if type(kind) is type and kind in FIXED:
        return True
    if issubclass(kind, enum.Enum):
        return True
    module = MODULE(kind)
    if module == "numpy.dtypes":
        return True
    if not _is_found(kind):
        return False
    if (module, NAME(kind)) in FIXED_BY_NAME:
        return True
    for place, name in FIXED_BASES:
        base = getattr(sys.modules.get(place), name, None)
        if isinstance(base, type) and issubclass(kind, base):
            return True
    return False


def _has_name(kind: type) -> bool:
    """Whether its objects may be found by a name, as classes and functions are, also those of Cython and numpy."""
    return any("__name__" in CONTENT(base) for base in ORDER(kind))


def _is_found(one: Any) -> bool:
    """Whether a pickle only names it."""
    if isinstance(one, type) and not one.__flags__ & HEAP:
        return True
    if isinstance(one, type | types.FunctionType):
        return references.is_found(one)
    try:
        name = getattr(one, "__qualname__", None) or one.__name__
        return references.is_at(one, one.__module__, name)
    except Exception:  # noqa: BLE001 - whatever the code of the value raises
        return False


def _of_class(kind: type) -> set[int]:
    """What a class of a module has, such as pandas' `_metadata`: its objects have that in their pickles."""
    found: set[int] = set()
    for base in ORDER(kind):
        if id(base) in _own:
            found.update(map(id, _own[id(base)][1]))
            continue
        own = [one for one in CONTENT(base).values() if type(one) in CONTAINERS]
        package = str(MODULE(base)).partition(".")[0]
        if package == "matplotlib":
            own.extend(_of_matplotlib(base))
        if _is_found(base):
            found.update(map(id, own))
            if package != "matplotlib":
                # One that it gets later counts as shared, as those of cells do.
                _own[id(base)] = base, own
    return found


def _of_matplotlib(kind: type) -> Iterator[Any]:
    """Its settings, and the paths that a class and its module draw markers with."""
    settings: Any = getattr(sys.modules.get("matplotlib"), "rcParams", {})
    yield from dict.values(settings)
    around = getattr(sys.modules.get(str(MODULE(kind))), "__dict__", {})
    for one in (*CONTENT(kind).values(), *around.values()):
        if MODULE(type(one)) == "matplotlib.path":
            yield one
            yield vars(one)
            yield from vars(one).values()
