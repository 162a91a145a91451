"""Rows of pandas frames: each column keeps its type; whole numbers and bools with gaps become nullable, never float."""

from __future__ import annotations

from functools import cache

from headstart.frames import categories
from headstart.frames.from_pandas import has_plain_index
from headstart.frames.pyarrow_rows import positions, taken
from headstart.frames.threads import each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from headstart import _headstart


def take(frame: Any, positions: Sequence[int], rows: _headstart.Rows) -> list[Any]:
    """The columns at the positions with only these rows: Series that nobody else writes to, or arrays."""
    if rows.all:
        if not has_plain_index(frame):
            import pandas

            frame = frame.set_axis(pandas.RangeIndex(len(frame)), axis=0)
        columns = [frame.iloc[:, position] for position in positions]
        return columns if _shares_safely() else [column.copy() for column in columns]
    taking = _Taking(rows)
    columns = [frame.iloc[:, position] for position in positions]
    return each(taking.column, columns, len(taking.places))


def beside(
    columns: Sequence[Any], labels: Sequence[Any], height: int, like: Any
) -> Any:
    """A DataFrame of the columns."""
    import pandas

    frame = pandas.DataFrame(
        dict(enumerate(columns)), index=pandas.RangeIndex(height), copy=False
    )
    several = like is not None and isinstance(like.columns, pandas.MultiIndex)
    whole = [label for label in labels if isinstance(label, tuple)]
    if several and len(whole) == len(labels) and len({len(one) for one in whole}) == 1:
        frame.columns = pandas.MultiIndex.from_tuples(whole, names=like.columns.names)
        return frame
    frame.columns = labels_index(labels, None if like is None else like.columns)
    if like is not None and not several:
        frame.columns.name = like.columns.name
    return frame


def labels_index(labels: Sequence[Any], like: Any) -> Any:
    """An index of labels as they are; of text and `None` pandas would make text and NaN."""
    import pandas

    objects = not labels or any(label is None for label in labels)
    objects = objects or (like is not None and like.dtype == object)
    dtype = object if objects else None
    return pandas.Index(list(labels), dtype=dtype, tupleize_cols=False)


def below(first: Any, second: Any) -> Any:
    """One column from two; `None` when their types differ and the first one's does not hold both."""
    import pandas

    first, second = pandas.Series(first), pandas.Series(second)
    if first.dtype == object:
        second = second.astype(object)
    if first.dtype != second.dtype:
        if isinstance(first.dtype, pandas.CategoricalDtype):
            return categories.of_pandas(first, second)
        kind = pandas.api.types.infer_dtype(second, skipna=True)
        if second.dtype != object or not kind.startswith("mixed"):
            return None
        # Objects that have no type in common, or none at all, would come back as their text.
        first = first.astype(object)
    return pandas.concat([first, second], ignore_index=True)


def only(frame: Any) -> Any:
    """The one column of a frame."""
    return frame.iloc[:, 0]


@cache
def _shares_safely() -> bool:
    """True from pandas 3 on, which copies what is shared before it is written to."""
    import pandas

    return int(pandas.__version__.split(".")[0]) >= 3


@cache
def _has_arrow() -> bool:
    from importlib.util import find_spec

    return find_spec("pyarrow") is not None


class _Taking:
    """Some rows, in the forms that columns of different kinds are taken by."""

    def __init__(self, rows: _headstart.Rows) -> None:
        import numpy

        self.rows = rows
        self.places = numpy.asarray(rows.signed())
        self.gaps = self.places < 0 if rows.gaps else None
        self.arrow: Any = positions(rows) if _has_arrow() else None

    def column(self, series: Any) -> Any:
        import numpy

        if isinstance(series.dtype, numpy.dtype):
            return self.numpy(series.to_numpy())
        array = series.array
        try:
            taken = self.arrow_backed(array)
            if taken is None:
                taken = array.take(self.places, allow_fill=self.gaps is not None)
            if taken.dtype == array.dtype:
                return taken
        except (TypeError, ValueError, NotImplementedError):
            pass
        # What its own type has no missing value for (intervals of whole numbers).
        return self.objects(numpy.array([*array, None], dtype=object)[:-1])

    def numpy(self, values: Any) -> Any:
        """Of a numpy array; the positions are right, so nothing is clipped but -1."""
        import numpy

        if values.dtype == object:
            return self.objects(values)
        if self.gaps is None:
            return values.take(self.places, mode="clip")
        if len(values) == 0:
            values = numpy.empty(1, dtype=values.dtype)
        taken = values.take(self.places, mode="clip")
        kind = values.dtype.kind
        if kind in "biu":
            import pandas

            array = (
                pandas.arrays.BooleanArray
                if kind == "b"
                else pandas.arrays.IntegerArray
            )
            return array(taken, self.gaps.copy())
        if kind in "mM":
            taken[self.gaps] = numpy.array("NaT", dtype=values.dtype)
        else:
            taken[self.gaps] = numpy.nan
        return taken

    def objects(self, values: Any) -> Any:
        """Of Python values, which pandas would guess a type for if they came as a bare array."""
        import numpy
        import pandas

        if len(values) == 0:
            values = numpy.empty(1, dtype=object)
        taken = values.take(self.places, mode="clip")
        if self.gaps is not None:
            taken[self.gaps] = None
        return pandas.Series(taken, dtype=object, copy=False)

    def arrow_backed(self, array: Any) -> Any:
        """Of text and other columns that lie in Arrow, `None` for others; many chunks would cost a search each."""
        if self.arrow is None or not type(array).__name__.startswith("Arrow"):
            return None
        return array.dtype.__from_arrow__(taken(array.__arrow_array__(), self.arrow))
