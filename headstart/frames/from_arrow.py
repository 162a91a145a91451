"""Arrow objects in: polars, pyarrow, and whatever else hands out Arrow capsules.

A column that the native table refuses (unions, Python objects, odd nesting) goes by its Python
values; it never makes a call fail.
"""

from __future__ import annotations

from headstart import _headstart
from headstart.errors import TypeMismatchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def from_polars(frame: Any, *, exact: bool = False) -> _headstart.Table:
    """A polars DataFrame; `exact` as in `take`.

    Python objects leave polars as bare pointers, and Arrow has no Int128.
    """
    objects = [
        "Object" in repr(dtype) or "Int128" in repr(dtype) for dtype in frame.dtypes
    ]

    def part(position: int) -> Any:
        return None if objects[position] else frame.to_series(position).to_frame()

    return _whole_or_by_column(
        None if any(objects) else frame,
        frame.columns,
        len(frame),
        part,
        lambda position: frame.to_series(position).to_list(),
        exact=exact,
    )


def from_arrow(
    source: Any, *, flat: bool = False, exact: bool = False
) -> _headstart.Table:
    """Any object with an Arrow capsule. A reader that can be read once is read once; `flat` as in
    `Table.from_arrow`, `exact` as in `take`.
    """
    pyarrow = _pyarrow()
    if pyarrow is None:
        return _headstart.Table.from_arrow(source, flat=flat)
    try:
        if isinstance(source, pyarrow.Table):
            table = source
        elif isinstance(source, pyarrow.RecordBatch):
            table = pyarrow.Table.from_batches([source])
        elif hasattr(source, "__arrow_c_stream__"):
            table = pyarrow.RecordBatchReader.from_stream(source).read_all()
        else:
            table = pyarrow.Table.from_batches([pyarrow.record_batch(source)])
    except (pyarrow.ArrowException, TypeError) as error:
        raise TypeMismatchError(
            f"expected Arrow record batches from {type(source).__name__}: {error}"
        ) from None
    return _whole_or_by_column(
        table,
        table.column_names,
        table.num_rows,
        lambda position: table.select([position]),
        lambda position: table.column(position).to_pylist(),
        flat=flat,
        exact=exact,
    )


def _whole_or_by_column(
    frame: Any,
    names: list[str],
    height: int,
    part: Callable[[int], Any],
    values: Callable[[int], list[Any]],
    *,
    flat: bool = False,
    exact: bool,
) -> _headstart.Table:
    table = _attempt(frame, flat)
    if table is not None:
        return table
    tables = []
    for position, name in enumerate(names):
        table = _attempt_part(part, position, flat)
        if table is None:
            own = values(position)
            table = _headstart.column(name, own, exact=own if exact else None)
        tables.append(table)
    return _headstart.Table.side_by_side(height, list(names), tables)


def _attempt(frame: Any, flat: bool) -> _headstart.Table | None:
    """The table, or `None` when Arrow refuses it as a whole, whichever column it is."""
    if frame is None:
        return None
    try:
        return _headstart.Table.from_arrow(frame, flat=flat)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - polars panics (no Exception) on Python objects
        return None


def _attempt_part(
    part: Callable[[int], Any], position: int, flat: bool
) -> _headstart.Table | None:
    try:
        return _attempt(part(position), flat)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - as above
        return None


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        return None
    return pyarrow
