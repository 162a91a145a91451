"""Frames in: any frame argument as a native table. Inputs are never changed or consumed twice."""

from __future__ import annotations

import os
import sys

from headstart import _headstart
from headstart.errors import TypeMismatchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Note = dict[str, Any]

ACCEPTED = (
    "a pandas, polars or pyarrow frame, an object with __arrow_c_stream__, "
    "a list of dicts, or a path, pattern or list of paths"
)


#: Records that are looked at as a frame.
RECORDS = 10_000


class Taken:
    """A frame argument as a table, the library it came from, and what there is to say of it."""

    __slots__ = ("library", "lines", "table")

    def __init__(
        self,
        table: _headstart.Table,
        library: str | None = None,
        lines: list[str] | None = None,
    ) -> None:
        self.table = table
        self.library = library
        self.lines = lines or []

    def account(self, *, loaded: bool = True) -> list[str]:
        """Lines for the user; those of a file without its first, what was loaded, if so wished."""
        lines = self.table.account()
        notes = self.table.notes
        if not loaded and notes and notes[0]["topic"] == "loaded":
            del lines[0]
        return [*self.lines, *lines]

    def notes(self) -> list[Note]:
        """The same as plain dicts."""
        lines = [{"topic": "result", "text": line} for line in self.lines]
        return [*lines, *self.table.notes]


def take(frame: Any, *, flat: bool = False, exact: bool = False) -> Taken:
    """Any frame argument as a table; `library` is `None` when results go to the default library.

    `flat` as in `Table.from_arrow`. `exact` is for functions that compare values: what a column stores as the same (a date and
    its text beside each other) is still told apart.
    """
    taken = _frame(frame, flat=flat, exact=exact)
    if taken is not None:
        return taken
    if isinstance(frame, str | os.PathLike) or _is_paths(frame):
        return Taken(_loaded(frame))
    if isinstance(frame, list):
        return Taken(_headstart.records(frame, exact))
    raise TypeMismatchError(
        f"expected {ACCEPTED}, found {name_of(frame)}", hint=_hint(frame)
    )


def take_data(data: Any, *, flat: bool = False) -> Taken | None:
    """A frame object of any library, or `None` when it is none; one column is refused.

    `flat` as in `Table.from_arrow`.
    """
    taken = _frame(data, flat=flat)
    if taken is None and _is_column(data):
        raise TypeMismatchError(
            f"expected a frame, found {name_of(data)}", hint=_hint(data)
        )
    return taken


def look(value: Any) -> Taken | None:
    """A value that can be looked at as a frame without consuming or collecting it."""
    if name_of(value).endswith(("Reader", "LazyFrame")):
        return None
    try:
        if type(value) is list:
            # A long list is shown as one: making columns of it would take its time.
            few = 0 < len(value) <= RECORDS
            records = few and all(isinstance(item, dict) for item in value)
            return Taken(_headstart.records(value)) if records else None
        return _frame(value)
    except Exception:  # noqa: BLE001 - what is no frame after all is shown as any other value
        return None


def name_of(value: object) -> str:
    """The name of a value's class, with its library's name in front: `pandas Series`."""
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    return kind.__name__ if library == "builtins" else f"{library} {kind.__name__}"


def loaded_class(library: str, name: str) -> Any:
    """A class of a library, if the library is imported already; else one without instances."""
    return getattr(sys.modules.get(library), name, _Nothing)


class _Nothing:
    """Has no instances."""


def _frame(frame: Any, *, flat: bool = False, exact: bool = False) -> Taken | None:
    """A frame object of any library, or `None` when it is none."""
    if isinstance(frame, _headstart.Table):
        return Taken(frame, "headstart")
    if isinstance(frame, loaded_class("pandas", "DataFrame")):
        from headstart.frames.from_pandas import from_pandas

        table, lines = from_pandas(frame, flat=flat, exact=exact)
        return Taken(table, "pandas", lines)
    if isinstance(frame, loaded_class("polars", "LazyFrame")):
        frame = frame.collect()
    if isinstance(frame, loaded_class("polars", "DataFrame")):
        from headstart.frames.from_arrow import from_polars

        return Taken(from_polars(frame, exact=exact), "polars")
    arrow = hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__")
    if not arrow or isinstance(frame, type) or _is_column(frame):
        return None
    from headstart.frames.from_arrow import from_arrow

    ours = type(frame).__module__.partition(".")[0] == "pyarrow"
    table = from_arrow(frame, flat=flat, exact=exact)
    return Taken(table, "pyarrow" if ours else None)


def _is_column(value: object) -> bool:
    """True for one column of a data library; some of them speak Arrow too."""
    return type(value).__name__.endswith(("Series", "Array", "Scalar"))


def _is_paths(value: object) -> bool:
    """True for a list of paths; an empty list is one of records."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(item, str | os.PathLike) for item in value)


def _loaded(path: Any) -> _headstart.Table:
    from headstart.charge import load

    loaded, _ = load(path)
    if isinstance(loaded, _headstart.Table):
        return loaded
    # Of several files none can be a document.
    name = os.fspath(path)
    raise TypeMismatchError(
        f"{name}: expected a table, found a document that is none",
        hint=f'hs.charge({name!r}, at="...") with the path of its records',
    )


def _hint(value: object) -> str | None:
    if type(value).__name__ == "Series":
        return "series.to_frame()"
    if _is_column(value):
        return "pyarrow.table({'name': array})"
    if isinstance(value, dict):
        return "pandas.DataFrame(value), or [value] for one record"
    return None
