"""What a frame has and a native table does not: said when the frame is saved. Changes nothing."""

from __future__ import annotations

from headstart.frames.take import loaded_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

ORDER = "the order of its categories is not kept"


def losses(frame: Any) -> list[str]:
    """Lines for columns whose categories have an order, or stand in no row."""
    if isinstance(frame, loaded_class("pandas", "DataFrame")):
        return list(_of_pandas(frame))
    if isinstance(frame, loaded_class("polars", "DataFrame")):
        return [
            f'column "{name}": {ORDER} (Enum)'
            for name, dtype in frame.schema.items()
            if type(dtype).__name__ == "Enum"
        ]
    if isinstance(frame, loaded_class("pyarrow", "Table")):
        return [
            f'column "{field.name}": {ORDER}'
            for field in frame.schema
            if getattr(field.type, "ordered", False) is True
        ]
    return []


def _of_pandas(frame: Any) -> Iterator[str]:
    import pandas

    for position, dtype in enumerate(frame.dtypes):
        if not isinstance(dtype, pandas.CategoricalDtype):
            continue
        lead = f'column "{frame.columns[position]}"'
        if dtype.ordered:
            yield f"{lead}: {ORDER}"
        codes = frame.iloc[:, position].cat.codes
        unused = len(dtype.categories) - int(codes[codes >= 0].nunique())
        if unused:
            word = "category" if unused == 1 else "categories"
            yield f"{lead}: {unused} {word} without a row not kept"
