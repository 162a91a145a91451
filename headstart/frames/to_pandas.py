"""Tables out to pandas: exact types, no column copied twice, no consolidation.

Whole numbers with gaps are `Int64`, text is `str` (object before pandas 3), dates and datetimes
are `datetime64[us]`, times, decimals and bytes are Python objects.
"""

from __future__ import annotations

# Columns of fewer values are converted faster than threads start.
_PARALLEL = 100_000

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from headstart import _headstart


def to_pandas(table: _headstart.Table) -> Any:
    """A pandas DataFrame."""
    import pandas

    height, _ = table.shape
    columns = _through_arrow(table)
    if columns is None:
        columns = _by_values(table)
    index = pandas.RangeIndex(height)
    frame = pandas.DataFrame(dict(enumerate(columns)), index=index, copy=False)
    frame.columns = pandas.Index(table.columns, dtype=None if columns else object)
    return frame


def _through_arrow(table: _headstart.Table) -> list[Any] | None:
    try:
        import pyarrow
    except ImportError:
        return None
    from concurrent.futures import ThreadPoolExecutor

    from headstart.frames.pandas_arrow import column
    from headstart.frames.to_arrow import plain_in_parts

    arrow = pyarrow.table(table)
    types = table.types
    columns = arrow.columns

    def convert(position: int) -> Any:
        try:
            return column(columns[position], types[position])
        except (pyarrow.ArrowException, OverflowError, ValueError):
            # A value that pandas has no place for (a day in the year 20000) stays exact as text.
            return objects(table.column_values(position))

    if arrow.num_rows < _PARALLEL:
        return [convert(position) for position in range(arrow.num_columns)]
    # pyarrow and numpy release the GIL while they convert.
    pool = ThreadPoolExecutor(pyarrow.cpu_count())
    try:
        columns = plain_in_parts(columns, pool, pyarrow.cpu_count())
        return list(pool.map(convert, range(arrow.num_columns)))
    finally:
        # Ctrl-C does not wait for a column that is half done; else all of them are.
        pool.shutdown(wait=False, cancel_futures=True)


def objects(values: list[Any]) -> Any:
    """Python values as an object column."""
    import pandas

    return pandas.Series(values, dtype=object).array


def _by_values(table: _headstart.Table) -> list[Any]:
    """All columns by their Python values, where pyarrow is not installed."""
    return [
        _column(table.column_values(position), kind)
        for position, kind in enumerate(table.types)
    ]


def _column(values: list[Any], kind: str) -> Any:
    import numpy
    import pandas

    gaps = None in values
    if kind == "int":
        largest = max((value for value in values if value is not None), default=0)
        unsigned = largest > 2**63 - 1
        if gaps:
            return pandas.array(values, dtype="UInt64" if unsigned else "Int64")
        return numpy.array(values, dtype="uint64" if unsigned else "int64")
    if kind == "float":
        return numpy.array(values, dtype="float64")
    if kind == "bool":
        return pandas.array(values, dtype="boolean") if gaps else numpy.array(values)
    if kind == "category":
        return pandas.Categorical(values)
    if kind in ("text", "mixed") and int(pandas.__version__.split(".")[0]) >= 3:
        return pandas.array(values, dtype="str")
    try:
        if kind in ("date", "datetime"):
            return _moments(values)
        if kind == "duration":
            return numpy.array(values, dtype="timedelta64[us]")
    except (ValueError, TypeError, OverflowError):
        pass
    return objects(values)


def _moments(values: list[Any]) -> Any:
    """Dates and datetimes; raises when one of them is text, because Python cannot hold it."""
    import numpy
    import pandas

    if any(isinstance(value, str) for value in values):
        raise ValueError
    zone = next(
        (value.tzinfo for value in values if getattr(value, "tzinfo", None)), None
    )
    naive = [
        value.replace(tzinfo=None) if zone and value else value for value in values
    ]
    array = numpy.array(naive, dtype="datetime64[us]")
    if zone is None:
        return array
    return pandas.Series(array).dt.tz_localize("UTC").array
