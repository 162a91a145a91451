"""pandas DataFrames in, column by column: through Arrow where that is exact, else by values."""

from __future__ import annotations

from headstart import _headstart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

INDEX = "the index is not a column and was left out (reset_index() first to keep it)"


def from_pandas(
    frame: Any, *, flat: bool = False, exact: bool = False
) -> tuple[_headstart.Table, list[str]]:
    """The table of a DataFrame, and what there is to say of it.

    `flat` as in `Table.from_arrow`; `exact` as in `take`.
    """
    positions = range(frame.shape[1])
    return columns(frame, positions, flat=flat, exact=exact), index_lines(frame)


def has_plain_index(frame: Any) -> bool:
    """True when the index says no more than 0, 1, 2, ...; that of a frame turned round or cut does."""
    import pandas

    index, rows = frame.index, len(frame)
    if not isinstance(index, pandas.RangeIndex):
        return False
    return rows == 0 or (index.start == 0 and (index.step == 1 or rows == 1))


def index_lines(frame: Any) -> list[str]:
    """What there is to say of an index that is left out."""
    return [] if has_plain_index(frame) else [INDEX]


def columns(
    frame: Any, positions: Iterable[int], *, flat: bool = False, exact: bool = False
) -> _headstart.Table:
    """The columns at the positions, without what there is to say of the frame."""
    labels = frame.columns.tolist()
    positions = list(positions)
    names = [str(labels[position]) for position in positions]
    parts = [frame.iloc[:, position] for position in positions]
    tables = _at_once(parts, flat)
    for place, part in enumerate(parts):
        if place not in tables:
            tables[place] = _column(names[place], part, flat, exact)
    ordered = [tables[place] for place in range(len(parts))]
    return _headstart.Table.side_by_side(len(frame), names, ordered)


def _at_once(parts: list[Any], flat: bool) -> dict[int, _headstart.Table]:
    """Tables of the columns that Arrow has exactly and in one piece, by their places: one stream of all costs less than
    one of each. What Arrow refuses is not among them.
    """
    arrays = {}
    for place, series in enumerate(parts):
        if _is_plain(series.dtype) or (
            series.dtype == object and _arrow_is_exact(series)
        ):
            array = _array(series)
            if array is not None and getattr(array, "num_chunks", 1) == 1:
                arrays[place] = array
    if len(arrays) < 2:
        return {}
    table = _from_arrow(list(arrays.values()), flat)
    if table is None:
        return {}
    return {place: table.pick([number]) for number, place in enumerate(arrays)}


def _column(name: str, series: Any, flat: bool, exact: bool) -> _headstart.Table:
    import pandas

    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return _category(name, series, exact)
    if isinstance(dtype, pandas.SparseDtype):
        return _column(name, series.sparse.to_dense(), flat, exact)
    if isinstance(dtype, (pandas.PeriodDtype, pandas.IntervalDtype)):
        # Their Arrow form is an extension over bare numbers.
        values = series.tolist()
        texts = [None if pandas.isna(value) else str(value) for value in values]
        return _headstart.column(name, texts, exact=values if exact else None)
    if _arrow_is_exact(series):
        table = _through_arrow(series, flat)
        if table is not None:
            return table
    values = series.tolist()
    return _headstart.column(name, values, exact=values if exact else None)


def _arrow_is_exact(series: Any) -> bool:
    """True when Arrow keeps every value; of object columns only those of nothing but text.

    pyarrow's inference widens ints beside floats, takes text beside bytes as bytes, and merges
    dicts of different keys.
    """
    import pandas

    if series.dtype == object:
        return bool(pandas.api.types.infer_dtype(series, skipna=True) == "string")
    return type(series.dtype).__module__.partition(".")[0] in ("pandas", "numpy")


def _is_plain(dtype: Any) -> bool:
    """True for a type all of whose values Arrow has as they are."""
    import pandas

    others = (
        pandas.CategoricalDtype,
        pandas.SparseDtype,
        pandas.PeriodDtype,
        pandas.IntervalDtype,
    )
    library = type(dtype).__module__.partition(".")[0]
    known = library in ("pandas", "numpy") and not isinstance(dtype, others)
    return bool(known and dtype != object)


def _through_arrow(series: Any, flat: bool) -> _headstart.Table | None:
    """The table of one column, or `None` when pyarrow is not there or refuses."""
    array = _array(series)
    return None if array is None else _from_arrow([array], flat)


def _array(series: Any) -> Any:
    """The column as an Arrow array, or `None`."""
    try:
        import pyarrow

        return pyarrow.array(series, from_pandas=True)
    except Exception:  # noqa: BLE001 - whatever Arrow refuses goes by its values
        return None


def _from_arrow(arrays: list[Any], flat: bool) -> _headstart.Table | None:
    import pyarrow

    try:
        table = pyarrow.table(arrays, names=[""] * len(arrays))
        return _headstart.Table.from_arrow(table, flat=flat)
    except Exception:  # noqa: BLE001 - as above
        return None


def _category(name: str, series: Any, exact: bool) -> _headstart.Table:
    """The values of a categorical; Arrow's dictionaries arrive marked as categories."""
    import pandas

    categories = pandas.Series(series.cat.categories)
    texts = isinstance(categories.dtype, (pandas.PeriodDtype, pandas.IntervalDtype))
    if not texts and _arrow_is_exact(categories):
        table = _through_arrow(series, flat=False)
        if table is not None:
            return table
    codes = series.cat.codes.tolist()

    def spread(known: list[Any]) -> list[Any]:
        return [None if code < 0 else known[code] for code in codes]

    values = shown = spread(categories.tolist())
    if texts:
        shown = spread([str(value) for value in categories])
    return _headstart.column(
        name, shown, category=True, exact=values if exact else None
    )
