"""montre: a short view of any value, head and tail."""

from __future__ import annotations

from headstart import _headstart, display, frames, talk, view
from headstart.arguments import count
from headstart.errors import face

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    Any_ = TypeVar("Any_")


@face
def montre(x: Any_, n: int = 40) -> Any_:
    """Show the head and tail of a table within a fixed budget, nothing hidden silently.

    A frame shows rows x columns, memory, types, the first and last rows with their numbers, and
    what is hidden; text that looks like a number is in quotes. Any other value (dict, list, text,
    bytes, array, Series, set, dataclass, generator, LazyFrame ...) shows its type, its size, and
    its first and last parts. Nothing is consumed, collected or changed. As the last line of an
    IPython cell the value shows once, and `_` is bound as usual.

    Parameters
    ----------
    x : any value.
    n : how many rows or items to show, half of them from the end.

    Returns
    -------
    `x` itself.

    Examples
    --------
    >>> import headstart as hs
    >>> numbers = hs.montre(list(range(1000)), n=4)
    list, 1,000 items
        0  0
        1  1
           ... 996 more
      998  998
      999  999
    """
    most = count("n", n, "a number of rows") or 0
    print(_looked_at(x, most).rstrip("\n"))
    display.shown(x)
    return x


def _looked_at(x: Any, most: int) -> str:
    ends = frames.ends(x, most)
    if ends is not None:
        whole = (ends.rows, ends.memory, ends.more, ends.objects)
        return _frame(ends.taken, min(most, len(ends.taken.table)), whole)
    first = frames.first(x, most)
    if first is not None:
        taken, more = first
        if more:
            rows = f"{len(taken.table):,} row{'s' if len(taken.table) != 1 else ''}"
            talk.say([f"the first {rows} of a duckdb relation, which was not read on"])
        return _frame(taken, most)
    taken_whole = frames.look(x)
    return view.value(x, most) if taken_whole is None else _frame(taken_whole, most)


def _frame(
    taken: frames.Taken,
    n: int,
    whole: tuple[int, int, bool, list[int]] | None = None,
) -> str:
    # What the native table says of its types shows in the view itself; the index does not.
    talk.say(taken.lines)
    n = min(n, len(taken.table))
    return _headstart.montre(taken.table, n, display.width(), whole)
