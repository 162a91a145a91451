"""Tables out to pandas: exact types, no column copied twice, no consolidation.

Whole numbers with gaps are `Int64`, text is `str` (object before pandas 3), dates and datetimes
are `datetime64[us]`, times, decimals and bytes are Python objects.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from headstart import _headstart


def to_pandas(table: _headstart.Table, own: Mapping[int, Any] | None = None) -> Any:
    """A pandas DataFrame; the columns `own` stand at their positions in place of the table's."""
    import pandas

    height, _ = table.shape
    columns = dict(own or {})
    all_flat = enumerate(table.flat())
    flat = [item for item in all_flat if item[0] not in columns]
    rest = [position for position, column in flat if column is None]
    convert = _by_arrow(table, rest) or _by_values(table)
    for position, column in flat:
        columns[position] = convert(position) if column is None else _flat(*column)
    index = pandas.RangeIndex(height)
    columns = {position: columns[position] for position in range(len(columns))}
    frame = pandas.DataFrame(columns, index=index, copy=False)
    frame.columns = pandas.Index(table.columns, dtype=None if columns else object)
    return frame


def _flat(values: Any, missing: Any) -> Any:
    """Numbers, bools and points in time: numpy without gaps, else the nullable type."""
    import numpy

    values = numpy.asarray(values)
    if missing is None:
        return values
    import pandas

    missing = numpy.asarray(missing)
    if values.dtype == bool:
        return pandas.arrays.BooleanArray(values, missing)
    return pandas.arrays.IntegerArray(values, missing)


def _by_arrow(
    table: _headstart.Table, positions: list[int]
) -> Callable[[int], Any] | None:
    """How to convert the columns at the positions through pyarrow, where it is installed and there are some."""
    if not positions:
        return None
    try:
        import pyarrow
    except ImportError:
        return None
    from headstart.frames.pandas_arrow import column

    arrow = pyarrow.table(table.plain(positions))
    columns = dict(zip(positions, arrow.columns, strict=True))
    types = table.types

    def convert(position: int) -> Any:
        try:
            return column(columns[position], types[position])
        except (pyarrow.ArrowException, OverflowError, ValueError):
            # A value that pandas has no place for (a day in the year 20000) stays exact as text.
            return objects(table.column_values(position))

    return convert


def _by_values(table: _headstart.Table) -> Callable[[int], Any]:
    """How to convert columns by their Python values, where pyarrow is not installed."""
    types = table.types

    def convert(position: int) -> Any:
        return _column(table.column_values(position), types[position])

    return convert


def objects(values: list[Any]) -> Any:
    """Python values as an object column."""
    import pandas

    return pandas.Series(values, dtype=object).array


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
