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
    import pandas

    lines = [] if isinstance(frame.index, pandas.RangeIndex) else [INDEX]
    positions = range(frame.shape[1])
    return columns(frame, positions, flat=flat, exact=exact), lines


def columns(
    frame: Any, positions: Iterable[int], *, flat: bool = False, exact: bool = False
) -> _headstart.Table:
    """The columns at the positions, without what there is to say of the frame."""
    names, tables = [], []
    for position in positions:
        names.append(str(frame.columns[position]))
        tables.append(_column(names[-1], frame.iloc[:, position], flat, exact))
    return _headstart.Table.side_by_side(len(frame), names, tables)


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

    dtype = series.dtype
    if dtype == object:
        return bool(pandas.api.types.infer_dtype(series, skipna=True) == "string")
    return type(dtype).__module__.partition(".")[0] in ("pandas", "numpy")


def _through_arrow(series: Any, flat: bool) -> _headstart.Table | None:
    """The table of one column, or `None` when pyarrow is not there or refuses."""
    try:
        import pyarrow
    except ImportError:
        return None
    try:
        array = pyarrow.array(series, from_pandas=True)
        return _headstart.Table.from_arrow(
            pyarrow.table([array], names=[""]), flat=flat
        )
    except Exception:  # noqa: BLE001 - whatever Arrow refuses goes by its values
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
