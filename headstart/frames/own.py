"""Results whose values come from the frame itself: a native result, in which columns of the user's frame stand in
place of what went through Arrow.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from headstart import _headstart
    from headstart.frames.rows import Standing


def whole(standing: Standing) -> _headstart.Table:
    """All columns as a native table, for the native functions that take texts as they lie."""
    return columns(standing, range(len(standing.labels)))


def columns(standing: Standing, positions: range | list[int]) -> _headstart.Table:
    """The columns at the positions as a native table, for the native functions that take texts as they lie."""
    if standing.native and isinstance(positions, range):
        table: _headstart.Table = standing.frame
        return table
    if standing.library == "pandas":
        from headstart.frames import from_pandas

        return from_pandas.columns(standing.frame, positions, flat=True, exact=True)
    if standing.library == "pyarrow":
        from headstart.frames.from_arrow import from_arrow

        return from_arrow(standing.frame.select(list(positions)), flat=True, exact=True)
    return standing.columns(positions)


def lines(standing: Standing, side: str = "") -> list[str]:
    """What there is to say of the frame, what was loaded from a path included; a native table has told it before.

    `side` is what the frame is called where there are two.
    """
    if not standing.native:
        return [f"{side}: {line}" if side else line for line in standing.lines]
    told: list[str] = standing.frame.account() if standing.library is None else []
    return told


def notes(standing: Standing) -> list[dict[str, Any]]:
    """The same as plain dicts, and what a native table has to say besides."""
    if standing.native:
        return standing.notes
    return [{"topic": "result", "text": line} for line in standing.lines]


def takes_rows(standing: Standing) -> bool:
    """True for a frame whose rows can be taken in its own library."""
    return not standing.native


def labelled(result: Any, standing: Standing, labels: Mapping[int, Any]) -> Any:
    """The result with the frame's own labels at their positions: pandas has others than text."""
    if standing.library == "pandas":
        from headstart.frames.pandas_rows import labels_index

        names = enumerate(result.columns)
        own = [labels.get(position, name) for position, name in names]
        result.columns = labels_index(own, None)
    return result
