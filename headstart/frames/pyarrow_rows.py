"""Rows of pyarrow tables, and of Arrow columns anywhere."""

from __future__ import annotations

from headstart.frames.threads import each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from headstart import _headstart


def positions(rows: _headstart.Rows) -> Any:
    """The positions as an Arrow array, null where there is no row."""
    import pyarrow

    return pyarrow.table(rows.nullable()).column(0).combine_chunks()


def taken(column: Any, places: Any) -> Any:
    """The values of a column at the positions. In one piece first: of many, each value costs a search."""
    import pyarrow

    try:
        # pyarrow copies all of a column that lies in one piece already.
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    except (AttributeError, pyarrow.ArrowException):
        # An array has no pieces; more than 2 GB of short text stay in several.
        pass
    try:
        return column.take(places)
    except pyarrow.ArrowException:
        # Types that Arrow does not take rows of yet, such as views of text.
        values = [*column.to_pylist(), None]
        chosen = [
            values[-1 if place is None else place] for place in places.to_pylist()
        ]
        return pyarrow.array(chosen, type=column.type)


def take(frame: Any, numbers: Sequence[int], rows: _headstart.Rows) -> list[Any]:
    """The columns at these numbers with only these rows."""
    if rows.all:
        return [frame.column(number) for number in numbers]
    places = positions(rows)
    columns = [frame.column(number) for number in numbers]
    return each(lambda column: taken(column, places), columns, len(places))


def beside(
    columns: Sequence[Any], labels: Sequence[Any], height: int, like: Any
) -> Any:
    """A Table of the columns."""
    import pyarrow

    return pyarrow.Table.from_arrays(list(columns), names=list(labels))


def below(first: Any, second: Any) -> Any:
    """One column from two; `None` when their types differ, or the order of their categories."""
    import pyarrow

    if first.type != second.type:
        return None
    pieces = [
        piece
        for column in (first, second)
        for piece in getattr(column, "chunks", [column])
    ]
    if getattr(first.type, "ordered", False):
        words = [piece.dictionary for piece in pieces]
        if not all(word.equals(words[0]) for word in words):
            return None
    return pyarrow.chunked_array(pieces, type=first.type)


def only(frame: Any) -> Any:
    """The one column of a frame."""
    return frame.column(0)
