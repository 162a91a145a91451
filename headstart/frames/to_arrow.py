"""Tables out to polars and pyarrow."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from headstart import _headstart


def to_polars(table: _headstart.Table) -> Any:
    """A polars DataFrame sharing the table's memory. Names that repeat become `a`, `a.1`."""
    import polars

    frame = polars.DataFrame(table)
    categories = [
        frame.columns[position]
        for position, kind in enumerate(table.types)
        if kind == "category" and frame.dtypes[position] == polars.String
    ]
    if categories:
        frame = frame.with_columns(polars.col(categories).cast(polars.Categorical))
    return frame


def to_pyarrow(table: _headstart.Table) -> Any:
    """A pyarrow Table: text is `large_string`, categories are dictionaries, names may repeat."""
    import pyarrow

    arrow = pyarrow.table(table.plain(range(table.shape[1])))
    columns = []
    for kind, column in zip(table.types, arrow.columns, strict=True):
        columns.append(column.dictionary_encode() if kind == "category" else column)
    if not columns:
        return arrow
    return pyarrow.Table.from_arrays(columns, names=table.columns)
