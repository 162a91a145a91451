"""Objects of the standard library that would be pickled by a name of the kernel's own namespace, with a lock, or with less
than they have: how each comes back by value.

What cannot be kept faithfully is an error that says so, never something else.
"""

from __future__ import annotations

import enum
import functools
import gc
import types
import typing

from cloudpickle import cloudpickle as _internals

from headstart.kernel.checkpoints.live import Live
from headstart.kernel.checkpoints.references import is_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: What every member of an enum has, given by its class.
GIVEN = frozenset(("_value_", "_name_", "__objclass__", "_sort_order_"))
#: What values of members can be made of again without code of the user.
VALUES = (object, int, str, float, complex, bytes)
#: Of any exception, without asking what its own class says.
CAUSE = BaseException.__dict__["__cause__"].__get__
#: The function inside every `functools.singledispatch`.
SINGLE: types.CodeType = getattr(functools.singledispatch(lambda one: None), "__code__")  # noqa: B009 - as typing knows it, it has none


def _by_name_or(reduce: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(reduce)
    def reduced(one: Any) -> Any:
        module = getattr(one, "__module__", None)
        name = getattr(one, "__qualname__", None) or getattr(one, "__name__", None)
        return NotImplemented if is_at(one, module, name) else reduce(one)

    return reduced


@_by_name_or
def _cached(one: Any) -> Any:
    # What it has cached is not reachable: it is found out again.
    how = one.cache_parameters()
    parts = one.__wrapped__, how["maxsize"], how["typed"]
    return make_cached, parts, one.__dict__


def make_cached(function: Any, most: int | None, typed: bool) -> Any:
    """A function with a cache; called by pickles."""
    return functools.lru_cache(most, typed)(function)


def _property(one: Any) -> Any:
    state = {name: value for name, value in one.__dict__.items() if name != "lock"}
    return functools.cached_property, (one.func,), state


def _by_type(one: Any) -> Any:
    # Since Python 3.13 it remembers in weak references what it bound: that is found out again.
    own = {
        name: value for name, value in one.__dict__.items() if name != "_method_cache"
    }
    return make_by_type, (), own


def make_by_type() -> Any:
    """A generic method, to be filled with its function and its cases; called by pickles."""
    return functools.singledispatchmethod(make_by_type)


@_by_name_or
def _new_type(one: Any) -> Any:
    parts = one.__name__, one.__supertype__
    return make_named, ("NewType", parts, {}), _home(one), None, None, fill_named


@_by_name_or
def _parameters(one: Any) -> Any:
    options = {
        "bound": one.__bound__,
        "covariant": one.__covariant__,
        "contravariant": one.__contravariant__,
    }
    parts = "ParamSpec", (one.__name__,), options
    return make_named, parts, _home(one), None, None, fill_named


@_by_name_or
def _several(one: Any) -> Any:
    options: dict[str, Any] = {}
    parts = "TypeVarTuple", (one.__name__,), options
    return make_named, parts, _home(one), None, None, fill_named


def _home(one: Any) -> dict[str, Any]:
    found = {name: getattr(one, name, None) for name in ("__module__", "__qualname__")}
    return {name: value for name, value in found.items() if value is not None}


def make_named(kind: str, parts: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A type of `typing`; called by pickles."""
    return getattr(typing, kind)(*parts, **options)


def fill_named(one: Any, home: dict[str, Any]) -> None:
    """Where such a type is from; called by pickles."""
    for name, value in home.items():
        setattr(one, name, value)


def single_dispatch(function: Any) -> Any:
    """How a generic function comes back: its `registry` is all that it consists of."""
    others = dict(function.registry)
    first = others.pop(object)
    return make_single, (first,), (others, _own(function)), None, None, fill_single


def _own(function: Any) -> dict[str, Any]:
    ours = ("register", "dispatch", "registry", "_clear_cache", "__wrapped__")
    return {
        name: value for name, value in function.__dict__.items() if name not in ours
    }


def make_single(first: Any) -> Any:
    """A generic function with its default; called by pickles."""
    return functools.singledispatch(first)


def fill_single(function: Any, state: tuple[dict[Any, Any], dict[str, Any]]) -> None:
    """Its other cases; called by pickles."""
    others, own = state
    for kind, case in others.items():
        function.register(kind, case)
    function.__dict__.update(own)


def with_cause(reduce: Callable[[Any], Any], error: Any) -> Any:
    """How an exception comes back: as it says itself, and with what it was raised from."""
    way = reduce(error)
    cause = CAUSE(error)
    if cause is None or type(way) is not tuple or len(way) not in (2, 3):
        return way
    state = way[2] if len(way) == 3 else None
    if type(error).__setstate__ is not BaseException.__setstate__:
        return way
    if state is not None and type(state) is not dict:
        return way
    return *way[:2], {**(state or {}), "__cause__": cause}


def enum_class(kind: Any) -> Any:
    """How an enum of a cell comes back: cloudpickle's way, and what that leaves out.

    Raises
    ------
    Live
        Its members cannot be made again without what made them.
    """
    members: dict[str, Any] = dict(kind.__members__)
    _check(kind, members)
    make, parts, (names, slots), *_ = _internals._dynamic_class_reduce(kind)
    # By name, with aliases: those of several bits, too.
    values = {name: _as_member(member._value_) for name, member in members.items()}
    names = {name: value for name, value in names.items() if name not in members}
    more = {
        name: extra
        for name, member in members.items()
        if (extra := {k: v for k, v in member.__dict__.items() if k not in GIVEN})
    }
    parts = (*parts[:3], values, *parts[4:])
    return make, parts, (names, slots, more), None, None, fill_enum


def _as_member(value: Any) -> Any:
    """The value as a class body has it: what is a descriptor (since Python 3.13 also a partial) would be a method there."""
    ways = ("__get__", "__set__", "__delete__")
    return (
        enum.member(value) if any(hasattr(type(value), way) for way in ways) else value
    )


def _check(kind: Any, members: dict[str, Any]) -> None:
    if not members:
        return
    base = kind._member_type_
    if base not in VALUES:
        raise Live(f"an enum whose members are made by {base.__name__}")
    for one in kind.__mro__[1:]:
        if "__new_member__" in one.__dict__ and one.__module__ != "enum":
            raise Live(f"an enum whose members are made by {one.__name__}")
    if base is object:
        return
    for name, member in members.items():
        # Its value need not be what it is: `__new__` may have set another.
        if base.__eq__(member, member._value_) is not True:
            raise Live(f"an enum whose member {name} differs from its value")


def fill_enum(kind: Any, state: tuple[Any, Any, dict[str, dict[str, Any]]]) -> None:
    """What an enum has besides its members' values; called by pickles."""
    names, slots, more = state
    _internals._class_setstate(kind, (names, slots))
    for name, extra in more.items():
        kind.__members__[name].__dict__.update(extra)


def _proxy(one: Any) -> Any:
    # With the very mapping that it shows, not with a copy: what that gets later is seen, as it was.
    return types.MappingProxyType, tuple(gc.get_referents(one)[:1])


#: By the type of an object, exactly: how it is pickled.
REDUCERS: dict[type, Callable[[Any], Any]] = {
    functools._lru_cache_wrapper: _cached,
    functools.cached_property: _property,
    functools.singledispatchmethod: _by_type,
    typing.NewType: _new_type,
    typing.ParamSpec: _parameters,
    typing.TypeVarTuple: _several,
    types.MappingProxyType: _proxy,
}


def is_enum(kind: type) -> bool:
    """Whether a class is an enum."""
    return isinstance(kind, enum.EnumMeta)


def is_single_dispatch(function: types.FunctionType) -> bool:
    """Whether a function is a generic one of `functools`."""
    return function.__code__ is SINGLE and hasattr(function, "registry")
