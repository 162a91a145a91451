"""decris: describe every column of a frame in one row."""

from __future__ import annotations

from headstart import _headstart, frames, talk
from headstart.errors import face

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@face
def decris(df: Any) -> Any:
    """Describe every column in one row: type, missing, distinct, top values, range.

    Prints rows x columns and the number of duplicate rows. Missing means null, None, NaN, NaT and
    `pd.NA` alike.

    Parameters
    ----------
    df : pandas, polars or pyarrow frame, any object with `__arrow_c_stream__` or
        `__arrow_c_array__`, a list of dicts, or a path, a pattern or a list of paths as in
        `hs.charge`. It is not changed.

    Returns
    -------
    A frame of the same library, one row for each column of `df`: `column`, `type` (a word),
    `missing` (share of rows, 0 to 1), `distinct` (exact), `top` (up to three values with counts),
    `min`, `max` (exact, as text), and `note` when a column has something to say. Records, paths
    and objects of other libraries give the default library (`hs.options.frames`).

    Raises
    ------
    hs.TypeMismatchError for what is no frame; for a path, whatever `hs.charge` raises.

    Examples
    --------
    >>> import headstart as hs
    >>> described = hs.decris([{"code": "00042", "n": 1}, {"code": "00079"}])
    2 rows x 2 columns, no duplicate rows
    >>> list(described["type"])
    ['text', 'int']
    """
    taken = frames.take(df, flat=True, exact=True)
    result = _headstart.decris(taken.table)
    described = frames.give(result, taken.library, notes=taken.notes())
    # The result's headline repeats what was loaded.
    talk.say([*result.account(), *taken.account(loaded=False)])
    return described
