"""Rows of frames in their own library: columns by position, rows by position, columns side by side.

Functions that pick rows (joins, compare) find positions on a few columns in the native code and take the rows here, so
that every other column comes back with its own type. Values are never converted, inputs never changed.
"""

from __future__ import annotations

from headstart import _headstart
from headstart.errors import ArgumentError, KeyMissingError
from headstart.frames.give import default_library, give
from headstart.frames.take import loaded_class, take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any


class Standing:
    """A frame argument as an object of the library that its rows are taken in.

    `library` is "pandas", "polars", "pyarrow", "headstart" for a native table that the user gave, or `None` for what came
    from a path, records or another library, whose `frame` is a native table, too.
    """

    __slots__ = ("frame", "labels", "library", "lines", "notes")

    def __init__(
        self,
        frame: Any,
        library: str | None,
        labels: Sequence[Any],
        lines: list[str] | None = None,
        notes: list[dict[str, Any]] | None = None,
    ) -> None:
        self.frame = frame
        self.library = library
        self.labels = list(labels)
        self.lines = lines or []
        self.notes = notes or []

    @property
    def names(self) -> list[str]:
        """The labels as text; pandas has others."""
        return [str(label) for label in self.labels]

    @property
    def native(self) -> bool:
        """True when the frame is a native table."""
        return isinstance(self.frame, _headstart.Table)

    def position(self, label: Any, frame: str) -> int:
        """Position of the column with this label; `frame` is what the error calls the frame."""
        for same in (_same, _equal, _alike):
            labels = enumerate(self.labels)
            places = [place for place, known in labels if same(known, label)]
            if len(places) == 1:
                return places[0]
            if places:
                raise ArgumentError(
                    f"{frame}: expected one column {label!r:.60}, found {len(places)}",
                    hint=_first_only(self.library, frame),
                )
        try:
            _headstart.refuse_column(frame, str(label), self.names)
        except KeyMissingError as error:
            raise meant_index(error, self) from None

    def columns(self, positions: Sequence[int]) -> _headstart.Table:
        """The columns at the positions as a native table, to be compared: `exact` as in `take`."""
        if self.native:
            table: _headstart.Table = self.frame.pick(positions)
            return table
        if self.library == "pandas":
            from headstart.frames.from_pandas import columns

            return columns(self.frame, positions, exact=True)
        from headstart.frames import from_arrow

        if self.library == "polars":
            part = _module("polars").part(self.frame, positions)
            return from_arrow.from_polars(part, exact=True)
        return from_arrow.from_arrow(self.frame.select(list(positions)), exact=True)

    def take(self, positions: Sequence[int], rows: _headstart.Rows) -> list[Any]:
        """The columns at the positions, each with only these rows: as `beside` takes them."""
        taken: list[Any] = _module(self.library).take(self.frame, positions, rows)
        return taken

    def into(self, library: str) -> Standing:
        """The same frame in another library; "headstart" is a native table."""
        if library == self.library or (library == "headstart" and self.native):
            return self
        table, lines, notes = self.frame, self.lines, self.notes
        if not self.native:
            taken = take(self.frame, exact=True)
            table, lines = taken.table, taken.account(loaded=False)
            notes = taken.notes()
        frame = give(table, library)
        labels = table.columns if library == "headstart" else frame_labels(frame)
        return Standing(frame, library, labels, lines, notes)


def _same(known: Any, label: Any) -> bool:
    """The same label, of the same type: pandas may have both 1 and "1"."""
    return known is label or (type(known) is type(label) and bool(known == label))


def _equal(known: Any, label: Any) -> bool:
    """An equal label of another type, as numpy's 1 is; `True` is no 1."""
    if isinstance(known, bool) or isinstance(label, bool):
        return False
    try:
        return bool(known == label) and hash(known) == hash(label)
    except (TypeError, ValueError):
        return False


def _alike(known: Any, label: Any) -> bool:
    """A label that reads alike."""
    return str(known) == str(label)


def _first_only(library: str | None, frame: str) -> str:
    """How to be rid of columns whose name is that of one before them."""
    if library == "pandas":
        return f"{frame}.loc[:, ~{frame}.columns.duplicated()] keeps the first of them"
    return "give each column a name of its own first"


def stand(frame: Any) -> Standing:
    """Any frame argument, to take rows of."""
    if isinstance(frame, loaded_class("pandas", "DataFrame")):
        from headstart.frames.from_pandas import index_lines

        return Standing(frame, "pandas", frame.columns, index_lines(frame))
    if isinstance(frame, loaded_class("polars", "LazyFrame")):
        frame = frame.collect()
    if isinstance(frame, loaded_class("polars", "DataFrame")):
        return Standing(frame, "polars", frame.columns)
    if isinstance(frame, loaded_class("pyarrow", "RecordBatch")):
        frame = loaded_class("pyarrow", "Table").from_batches([frame])
    elif isinstance(frame, loaded_class("pyarrow", "RecordBatchReader")):
        frame = frame.read_all()
    if isinstance(frame, loaded_class("pyarrow", "Table")):
        return Standing(frame, "pyarrow", frame.column_names)
    taken = take(frame, exact=True)
    return Standing(
        taken.table,
        taken.library,
        taken.table.columns,
        taken.account(loaded=False),
        taken.notes(),
    )


def meant_index(error: KeyMissingError, *frames: Standing) -> KeyMissingError:
    """The error for a column that is not there, with the fix where it is the index of a pandas frame."""
    for standing in frames:
        index = getattr(standing.frame, "index", None)
        if standing.library != "pandas" or index is None:
            continue
        for name in getattr(index, "names", ()):
            if name is not None and error.message == f'no column "{name}"':
                error.hint = (
                    f'"{name}" is the index: df.reset_index() makes it a column'
                )
    return error


def shared_library(first: Standing, second: Standing) -> str:
    """The library of the result: that of the first frame; "headstart" when both are native tables."""
    if first.native and (second.native or first.library == "headstart"):
        return "headstart"
    return first.library or default_library()


def beside(
    library: str, columns: Sequence[Any], labels: Sequence[Any], height: int, like: Any
) -> Any:
    """A frame of these columns, which `Standing.take` gave; `like` is a frame whose columns have the same kind of labels."""
    return _module(library).beside(columns, labels, height, like)


def below(library: str, first: Any, second: Any) -> Any:
    """One column from two, the second below the first; `None` when no type of the library is known to hold both."""
    return _module(library).below(first, second)


def native_column(library: str, column: Any, name: str) -> _headstart.Table:
    """A column that `Standing.take` gave as a native table."""
    frame = beside(library, [column], [name], len(column), None)
    return stand(frame).columns([0])


def column_of(library: str, table: _headstart.Table) -> Any:
    """The one column of a native table as one of the library."""
    return _module(library).only(give(table, library))


def frame_labels(frame: Any) -> list[Any]:
    """The labels of the columns of a pandas, polars or pyarrow frame."""
    return list(getattr(frame, "column_names", None) or frame.columns)


def _module(library: str | None) -> ModuleType:
    if library == "pandas":
        from headstart.frames import pandas_rows

        return pandas_rows
    if library == "polars":
        from headstart.frames import polars_rows

        return polars_rows
    from headstart.frames import pyarrow_rows

    return pyarrow_rows
