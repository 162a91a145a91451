"""Tables out to polars and pyarrow."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
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

    arrow = pyarrow.table(table)
    columns = []
    for kind, column in zip(table.types, arrow.columns, strict=True):
        column = plain(column)
        columns.append(column.dictionary_encode() if kind == "category" else column)
    if not columns:
        return arrow
    return pyarrow.Table.from_arrays(columns, names=table.columns)


def plain_in_parts(columns: list[Any], pool: Executor, parts: int) -> list[Any]:
    """The columns without view types, each in so many parts converted side by side."""
    import pyarrow

    def start(column: Any) -> list[Future[Any]] | None:
        if column.type not in (pyarrow.string_view(), pyarrow.binary_view()):
            return None
        size = -(-len(column) // parts)
        starts = range(0, len(column), size)
        return [pool.submit(plain, column.slice(start, size)) for start in starts]

    def join(column: Any, started: list[Future[Any]] | None) -> Any:
        if started is None:
            return column
        chunks = [chunk for part in started for chunk in part.result().chunks]
        return pyarrow.chunked_array(chunks)

    started = [start(column) for column in columns]
    return list(map(join, columns, started))


def plain(column: Any) -> Any:
    """The column without view types, also inside others, which few Arrow functions take yet."""
    target = _without_views(column.type)
    return column if target == column.type else column.cast(target)


def _without_views(dtype: Any) -> Any:
    import pyarrow
    from pyarrow import types

    if types.is_string_view(dtype):
        return pyarrow.large_string()
    if types.is_binary_view(dtype):
        return pyarrow.large_binary()
    if types.is_struct(dtype):
        return pyarrow.struct([_field(child) for child in dtype])
    if types.is_large_list(dtype):
        return pyarrow.large_list(_field(dtype.value_field))
    if types.is_fixed_size_list(dtype):
        return pyarrow.list_(_field(dtype.value_field), dtype.list_size)
    return dtype


def _field(field: Any) -> Any:
    return field.with_type(_without_views(field.type))
