"""Classes of cells come back without the code that ran when they were made: what it did is in what was kept.

Hooks of modules and of startup code do run: what they did, in a registry of a module, is not kept.
"""

from __future__ import annotations

import types
from contextlib import contextmanager

from headstart.kernel.checkpoints import parts, references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

HOOK = "__init_subclass__"


def with_slots(kind: Any, way: Any) -> Any:
    """How a class is pickled, and its slots, which cloudpickle leaves out: without them its objects take any attribute."""
    slots = kind.__dict__.get("__slots__")
    if type(way) is not tuple or len(way) != 6 or type(slots) not in (str, tuple, list):
        return way
    make, arguments, *rest = way
    options = {**arguments[3], "__slots__": slots}
    return make, (*arguments[:3], options, *arguments[4:]), *rest


def make_class(
    maker: Any,
    name: str,
    bases: tuple[Any, ...],
    options: dict[str, Any],
    _number: Any,
    _extra: Any,
) -> Any:
    """A class with nothing in it yet; called by pickles in the place of cloudpickle's own."""
    resolved = types.resolve_bases(bases)
    if resolved is not bases:
        options = {**options, "__orig_bases__": bases}
    with _without_hooks(resolved):
        if references.is_found(maker) or parts.is_of_startup(maker):
            return types.new_class(
                name,
                resolved,
                {"metaclass": maker},
                lambda names: names.update(options),
            )
        # What the cell's metaclass does to a class it has done.
        known = next(one for one in maker.__mro__ if references.is_found(one))
        return known.__new__(maker, name, resolved, dict(options))


@contextmanager
def _without_hooks(bases: tuple[Any, ...]) -> Iterator[None]:
    """Without what classes of cells do when they get a subclass; those behind them are still told."""
    # A list: the hash of a class may be any code.
    hooked = [
        (one, one.__dict__[HOOK])
        for one in {id(one): one for base in bases for one in base.__mro__}.values()
        if HOOK in one.__dict__
        and not (references.is_found(one) or parts.is_of_startup(one))
    ]
    for one, _ in hooked:
        type.__setattr__(one, HOOK, _on(one))
    try:
        yield
    finally:
        for one, hook in hooked:
            type.__setattr__(one, HOOK, hook)


def _on(one: Any) -> Any:
    def on(kind: Any, /, **options: Any) -> None:
        super(one, kind).__init_subclass__(**options)

    return classmethod(on)
