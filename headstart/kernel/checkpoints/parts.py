"""What pickles of checkpoints call as they come back, beside what makes it: functions, variables of closures, frames.

A function comes back bound to the namespace that is there then. Nothing here looks into a value.
"""

from __future__ import annotations

import importlib
import pickle
import sys
import types
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from headstart.kernel.checkpoints.references import Startup

#: The namespace that restored functions see, and what was in it before the first cell.
_namespace: dict[str, Any] | None = None
_startup: Startup | None = None


@contextmanager
def bound_to(namespace: dict[str, Any], startup: Startup | None) -> Iterator[None]:
    global _namespace, _startup
    before = _namespace, _startup
    _namespace, _startup = namespace, startup
    try:
        yield
    finally:
        _namespace, _startup = before


def is_of_startup(one: Any) -> bool:
    """Whether startup code made this very object."""
    return _startup is not None and id(one) in _startup.names


def of_startup(name: str) -> Any:
    """What startup code made; called by pickles."""
    if _startup is not None and name in _startup.before:
        return _startup.before[name]
    raise LookupError(f"{name} of startup code is needed, which this kernel has not")


def reduce_function(function: types.FunctionType, module: str | None = None) -> Any:
    state = {
        name: getattr(function, name)
        for name in (
            "__defaults__",
            "__kwdefaults__",
            "__dict__",
            "__doc__",
            "__module__",
            "__qualname__",
            "__annotations__",
        )
    }
    parts = (function.__code__, function.__name__, function.__closure__)
    if module is not None:
        return make_function_of, (module, *parts), state, None, None, fill_function
    return make_function, parts, state, None, None, fill_function


def make_function(
    code: types.CodeType, name: str, closure: tuple[types.CellType, ...] | None
) -> types.FunctionType:
    """A function of the kernel's namespace; called by pickles."""
    if _namespace is None:
        raise RuntimeError("a function of a checkpoint needs the namespace of a kernel")
    return types.FunctionType(code, _namespace, name, None, closure)


def make_function_of(module: str, *parts: Any) -> types.FunctionType:
    """A function that a module made, which sees the module's names; called by pickles."""
    code, name, closure = parts
    names = vars(importlib.import_module(module))
    return types.FunctionType(code, names, name, None, closure)


def fill_function(function: types.FunctionType, state: dict[str, Any]) -> None:
    """What a function has besides its code; called by pickles."""
    for name, value in state.items():
        if name == "__dict__":
            function.__dict__.update(value)
        else:
            setattr(function, name, value)


def polars(name: str) -> Any:
    """A class of polars, if that was imported."""
    return getattr(sys.modules.get("polars"), name, None)


def frame(frame: Any) -> Any:
    if not frame.width:
        return NotImplemented
    return make_frame, ([_column(one) for one in frame.get_columns()],)


def series(column: Any) -> Any:
    return make_column, (_column(column),)


def _column(column: Any) -> pickle.PickleBuffer:
    # A buffer for each column: a column that did not change is not written again.
    return pickle.PickleBuffer(column.__getstate__())


def make_column(state: Any) -> Any:
    """A column of polars; called by pickles."""
    import polars

    column = polars.Series.__new__(polars.Series)
    column.__setstate__(bytes(state))
    return column


def make_frame(states: list[Any]) -> Any:
    """A frame of polars; called by pickles."""
    import polars

    return polars.DataFrame([make_column(state) for state in states])


def reduce_cell(cell: types.CellType) -> Any:
    try:
        content = (cell.cell_contents,)
    except ValueError:
        return make_cell, ()
    return make_cell, (), content, None, None, fill_cell


def make_cell() -> types.CellType:
    """A variable of a closure, empty; called by pickles."""
    return types.CellType()


def fill_cell(cell: types.CellType, content: tuple[Any]) -> None:
    """The value of a variable of a closure; called by pickles."""
    cell.cell_contents = content[0]
