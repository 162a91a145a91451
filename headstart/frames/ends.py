"""The first and last rows of a long frame, taken in its own library before anything is converted.

What a view shows of a million rows are forty; their types are those of the whole frame.
"""

from __future__ import annotations

from headstart import _headstart
from headstart.frames.from_pandas import has_plain_index, index_lines
from headstart.frames.take import Taken, loaded_class, look, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Shorter frames are converted whole,
LONG = 1000
#: unless they are wide: columns of pandas go one by one.
WIDE = 20
#: Rows that a view has at most.
MOST = 4000
#: Python objects whose types are looked at: all of them, or none.
LOOKED_AT = 200_000


class Ends:
    """Some rows of a frame, and what is known of all of them."""

    __slots__ = ("memory", "more", "objects", "rows", "taken")

    def __init__(self, taken: Taken, rows: int, memory: int) -> None:
        self.taken = taken
        self.rows = rows
        self.memory = memory
        #: True when the memory of Python objects comes on top.
        self.more = False
        #: Columns of Python objects that were not all looked at.
        self.objects: list[int] = []


def ends(value: Any, n: int) -> Ends | None:
    """The `n` rows at the ends of a long frame; `None` for what is short, or no such frame."""
    try:
        n = min(n, MOST)
        if isinstance(value, loaded_class("pandas", "DataFrame")):
            long = len(value) > max(n, LONG) or value.shape[1] > WIDE
            return _pandas(value, n) if long else None
        if isinstance(value, loaded_class("polars", "DataFrame")):
            if len(value) <= max(n, LONG):
                return None
            part = value.head(n - n // 2).vstack(value.tail(n // 2))
            return _taken(part, len(value), int(value.estimated_size()))
        if isinstance(value, loaded_class("pyarrow", "Table")):
            if len(value) <= max(n, LONG):
                return None
            import pyarrow

            last = value.slice(len(value) - n // 2)
            part = pyarrow.concat_tables([value.slice(0, n - n // 2), last])
            return _taken(part, len(value), value.nbytes)
    except Exception:  # noqa: BLE001 - a frame that cannot be cut is converted whole
        return None
    return None


def first(value: Any, n: int) -> tuple[Taken, bool] | None:
    """The first rows of a relation of duckdb, and whether there are more; it is not run for all."""
    if name_of(value) not in ("duckdb DuckDBPyRelation", "_duckdb DuckDBPyRelation"):
        return None
    try:
        part = value.limit(n + 1).to_arrow_table()
    except Exception:  # noqa: BLE001 - a relation that fails says so in its own view
        return None
    taken = look(part.slice(0, n))
    return None if taken is None else (taken, len(part) > n)


def _at_once(part: Any) -> Taken | None:
    """A frame all of whose columns Arrow has exactly, in one go; else `None`."""
    import pandas

    names = [str(name) for name in part.columns]
    if not all(names) or len(set(names)) < len(names):
        return None
    others = (
        pandas.CategoricalDtype,
        pandas.SparseDtype,
        pandas.PeriodDtype,
        pandas.IntervalDtype,
    )
    for dtype in part.dtypes.tolist():
        library = type(dtype).__module__.partition(".")[0]
        known = library in ("pandas", "numpy") and not isinstance(dtype, others)
        if dtype == object or not known:
            return None
    try:
        import pyarrow

        columns = [
            pyarrow.array(part.iloc[:, place], from_pandas=True)
            for place in range(len(names))
        ]
        table = _headstart.Table.from_arrow(pyarrow.table(columns, names=names))
    except Exception:  # noqa: BLE001 - whatever Arrow refuses goes column by column
        return None
    return Taken(table, "pandas", index_lines(part))


def _taken(part: Any, rows: int, memory: int) -> Ends | None:
    taken = look(part)
    return None if taken is None else Ends(taken, rows, memory)


def _pandas(frame: Any, n: int) -> Ends | None:
    import pandas

    rows = len(frame)
    n = min(n, rows)
    part = frame.iloc[[*range(n - n // 2), *range(rows - n // 2, rows)]]
    if has_plain_index(frame):
        part.index = pandas.RangeIndex(len(part))
    taken = _at_once(part) or look(part)
    if taken is None:
        return None
    found = Ends(taken, rows, int(frame.memory_usage(index=False).sum()))
    objects = [
        place for place, dtype in enumerate(frame.dtypes.tolist()) if dtype == object
    ]
    found.more = bool(objects)
    if rows * len(objects) > LOOKED_AT:
        found.objects = objects
        return found
    words = found.taken.table.types
    for place in objects:
        column = frame.iloc[:, place]
        kinds = set(map(type, column.tolist()))
        here = set(map(type, part.iloc[:, place].tolist()))
        if words[place] != "mixed" and kinds - here - {type(None)}:
            # What is missing has types of its own: NaN is a float, NaT and pd.NA are themselves.
            kinds = set(map(type, column.dropna().tolist()))
            if kinds - here:
                found.objects.append(place)
    return found
