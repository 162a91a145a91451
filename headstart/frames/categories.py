"""Categories of the keys of two frames in one column: kept where one type holds all values, told where it does not.

A categorical has an order and categories that stand in no row; what Arrow carries of it are its values.
"""

from __future__ import annotations

from headstart.frames.take import loaded_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def of_pandas(first: Any, second: Any) -> Any:
    """A categorical and any other Series below it; `None` when the values of the other are none for its categories.

    It has the first one's type where that has all values, else the categories of both in no order.
    """
    import pandas

    known = first.cat.categories
    if isinstance(second.dtype, pandas.CategoricalDtype):
        there = second.cat.categories
        used = there.take(sorted({code for code in second.cat.codes if code >= 0}))
    else:
        there = used = pandas.Index(second.dropna().unique())
    if there.dtype != known.dtype:
        kinds = {pandas.api.types.infer_dtype(words) for words in (known, there)}
        if not kinds <= {"string", "empty"}:
            return None
        there, used = there.astype(known.dtype), used.astype(known.dtype)
    dtype = first.dtype
    if known.get_indexer(used).min(initial=0) < 0:
        more = there[known.get_indexer(there) < 0]
        dtype = pandas.CategoricalDtype(known.append(more), ordered=False)
    columns = [column.astype(dtype) for column in (first, second)]
    return pandas.concat(columns, ignore_index=True)


def of_polars(first: Any, second: Any) -> Any:
    """An Enum and any other Series below it; `None` when the Enum does not have all values of the other."""
    import polars

    try:
        return polars.concat([first, second.cast(polars.String).cast(first.dtype)])
    except polars.exceptions.PolarsError:
        return None


def lost(name: str, before: Any, after: Any) -> list[str]:
    """What a key's column had of categories before that of another frame came below it, and has no more."""
    lead = f'key "{name}"'
    if _ordered(before) and not _ordered(after):
        return [f"{lead}: the order of its categories is not kept, b has others"]
    unused = _categories(before) - _categories(after)
    if not unused:
        return []
    word = "category" if len(unused) == 1 else "categories"
    return [f"{lead}: {len(unused)} {word} without a row not kept"]


def _ordered(column: Any) -> bool:
    dtype = getattr(column, "dtype", None)
    dtype = getattr(column, "type", None) if dtype is None else dtype
    return type(dtype).__name__ == "Enum" or getattr(dtype, "ordered", False) is True


def _categories(column: Any) -> set[Any]:
    """The categories of a pandas column."""
    dtype = getattr(column, "dtype", None)
    known = isinstance(dtype, loaded_class("pandas", "CategoricalDtype"))
    return set(dtype.categories) if known and dtype is not None else set()
