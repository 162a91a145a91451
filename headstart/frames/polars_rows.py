"""Rows of polars frames."""

from __future__ import annotations

from headstart.frames import categories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from headstart import _headstart


def part(frame: Any, positions: Sequence[int]) -> Any:
    """A frame of the columns at the positions; by name some would be read as patterns."""
    import polars

    return polars.DataFrame([frame.to_series(position) for position in positions])


def take(frame: Any, positions: Sequence[int], rows: _headstart.Rows) -> list[Any]:
    """The columns at the positions with only these rows."""
    import polars

    chosen = part(frame, positions)
    table = rows.nullable()
    if table is None or not positions:
        return list(chosen.get_columns())
    places = polars.DataFrame(table).to_series(0)
    return list(chosen.select(polars.all().gather(places)).get_columns())


def beside(
    columns: Sequence[Any], labels: Sequence[Any], height: int, like: Any
) -> Any:
    """A DataFrame of the columns."""
    import polars

    named = zip(columns, labels, strict=True)
    return polars.DataFrame([column.alias(label) for column, label in named])


def below(first: Any, second: Any) -> Any:
    """One column from two; `None` when their types differ and the first one's does not hold both."""
    import polars

    if first.dtype != second.dtype:
        enum = isinstance(first.dtype, polars.Enum)
        return categories.of_polars(first, second) if enum else None
    return polars.concat([first, second.alias(first.name)])


def only(frame: Any) -> Any:
    """The one column of a frame."""
    return frame.to_series(0)
