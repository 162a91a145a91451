"""combien: the most common values of a column, or combinations of several."""

from __future__ import annotations

from headstart import _headstart, arguments, frames, talk
from headstart.errors import KeyMissingError, face
from headstart.frames import own, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@face
def combien(df: Any, key: Any, *keys: Any, n: int | None = 20) -> Any:
    """Count the rows of each value, or combination of values, the most common first.

    Among equals the one that appears first comes first. A missing value (null, None, NaN, NaT) is a group of its own,
    apart from `""` and `" "`; 1 and 1.0 are one group, 1 and "1" are two. What is one value is so in every column, also of
    objects: a UUID is not its text, dicts have no order. Prints what is not shown.

    Parameters
    ----------
    df : pandas, polars or pyarrow frame, any object with `__arrow_c_stream__` or
        `__arrow_c_array__`, a list of dicts, or a path, a pattern or a list of paths as in
        `hs.charge`. It is not changed.
    key, *keys : the columns, by name; of several their combinations are counted.
    n : how many groups to give; `None` for all.

    Returns
    -------
    A frame of the same library: the keys, with their own types and values, `n` (rows of the group) and `share` (of all
    rows, 0 to 1). A key called `n` or `share` keeps its name; the result's own column is then `n_` or `share_`, told.

    Raises
    ------
    hs.KeyMissingError for a column that is not there; hs.ArgumentError for one that is named twice; for a path,
    whatever `hs.charge` raises.

    Examples
    --------
    >>> import headstart as hs
    >>> orders = [{"city": "Oslo"}, {"city": "Rome"}, {"city": "Oslo"}, {"city": None}]
    >>> hs.combien(orders, "city", n=2)
    and 1 other group, 1 row (25.0 %)
       city  n  share
    0  Oslo  2   0.50
    1  Rome  1   0.25
    """
    most = arguments.count("n", n, "a number of groups, or None for all")
    standing = rows.stand(df)
    wanted = arguments.names("key", [key, *keys], standing.names)
    try:
        places = _headstart.key_columns(standing.names, wanted)
    except KeyMissingError as error:
        error = rows.meant_index(error, standing)
        raise _meant_number(error, keys) from None
    counted, firsts = _headstart.combien(
        own.columns(standing, places), range(len(places)), most
    )
    own_keys: dict[int, Any] = {}
    if own.takes_rows(standing):
        own_keys = dict(enumerate(standing.take(places, firsts)))
    notes = own.notes(standing)
    result = frames.give(counted, standing.library, notes=notes, own=own_keys)
    labels = enumerate(standing.labels[place] for place in places)
    result = own.labelled(result, standing, dict(labels))
    talk.say([*own.lines(standing), *counted.account()])
    return result


def _meant_number(error: KeyMissingError, keys: tuple[Any, ...]) -> KeyMissingError:
    """The error for a column that is not there, where the last key looks like a number of groups."""
    last = keys[-1] if keys else None
    if isinstance(last, int) and error.message == f'no column "{last}"':
        error.hint = f"n={last}"
    return error
