"""compare: what differs between two frames whose rows are told apart by a key."""

from __future__ import annotations

import numbers

from headstart import _headstart, arguments, frames, talk
from headstart.errors import ArgumentError, KeyMissingError, TypeMismatchError, face
from headstart.frames import own, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from headstart.frames.rows import Standing

    Tolerance = float | list[tuple[str, float]] | None


@face
def compare(
    a: Any,
    b: Any,
    key: Any,
    *,
    tol: float | Mapping[Any, float] | None = None,
    rtol: float | Mapping[Any, float] | None = None,
    ignore: Sequence[Any] = (),
    only: Sequence[Any] | None = None,
) -> Any:
    """Compare two tables by a key: rows on one side only, and values that differ.

    Rows and columns may come in any order. Values compare by value, whatever their widths and units are: 1 is 1.0,
    milliseconds are microseconds, categories are their values. A missing value (null, None, NaN, NaT) equals a missing
    one and nothing else, in keys too. Text never equals a number or a date; types that differ are told once. Prints
    how many rows are the same, changed (and in which columns) or on one side only.

    Parameters
    ----------
    a, b : pandas, polars or pyarrow frames, any objects with `__arrow_c_stream__` or `__arrow_c_array__`, lists of
        dicts, or paths, patterns or lists of paths as in `hs.charge`; also of different libraries. They are not changed.
    key : the column, or a list of columns, that tells which rows belong together. No two rows of a frame may have the
        same.
    tol : numbers are the same when they differ by at most this: one for all columns of numbers, or a dict of column to
        number.
    rtol : the same as a share of the value in `b`. With both, `|a - b| <= tol + rtol * |b|`, as `numpy.isclose` has it,
        but counted in decimals: a float is the shortest decimal that reads as it, so 97.88 and 97.89 are 0.01 apart.
    ignore : columns to leave out.
    only : the columns to compare, instead of all.

    Returns
    -------
    A frame of the library of `a`, a row for each row that differs: `state` ("only a", "only b" or "changed"), the keys,
    `changed` (names of the columns that differ), then `<column>_a` and `<column>_b` for each column with a difference.
    Rows of `a` come in its order, then those that only `b` has. It is empty when nothing differs.

    Raises
    ------
    hs.KeyMissingError for a column that is not there; hs.ArgumentError for a key that several rows have, with the first
    of them, and for a tolerance below zero; hs.TypeMismatchError for keys that can never be equal (text and numbers),
    and a tolerance for a column that holds no numbers.

    Examples
    --------
    >>> import headstart as hs
    >>> old = [{"id": 1, "price": 5.0}, {"id": 2, "price": 7.0}, {"id": 3, "price": 2.0}]
    >>> new = [{"id": 3, "price": 2.5}, {"id": 1, "price": 5.0}, {"id": 4, "price": 1.0}]
    >>> changes = hs.compare(old, new, "id")
    1 same, 1 changed (price 1), 1 only a, 1 only b
    >>> changes["state"].tolist()
    ['only a', 'changed', 'only b']
    >>> changes["price_b"].tolist()
    [nan, 2.5, 1.0]
    """
    sizes = (_tolerance("tol", tol), _tolerance("rtol", rtol))
    left, right = rows.stand(a), rows.stand(b)
    known = [*left.names, *right.names]
    try:
        found = _headstart.compare(
            own.whole(left),
            own.whole(right),
            arguments.names("key", key, known),
            tol=sizes[0],
            rtol=sizes[1],
            ignore=arguments.names("ignore", ignore, known),
            only=None if only is None else arguments.names("only", only, known),
        )
    except KeyMissingError as error:
        raise rows.meant_index(error, left, right) from None
    notes = [*own.notes(left), *own.notes(right)]
    columns = _columns(left, right, found) if own.takes_rows(left) else {}
    result = frames.give(found.table, left.library, notes=notes, own=columns)
    keys = enumerate(found.keys, 1)
    labels = {number: left.labels[place] for number, (place, _) in keys}
    result = own.labelled(result, left, labels)
    said = [*own.lines(left, "a"), *own.lines(right, "b")]
    talk.say([*said, *found.table.account()])
    return result


def _columns(
    left: Standing, right: Standing, found: _headstart.Compared
) -> dict[int, Any]:
    """Columns of the result, by position, with the values as the library of the frames has them."""
    columns: dict[int, Any] = {}
    library = left.library or ""
    same = right.library == library
    front, back = found.keyed
    for number, (place, other) in enumerate(found.keys):
        [column] = left.take([place], front)
        if found.only_b:
            column = (
                rows.below(library, column, right.take([other], back)[0])
                if same
                else None
            )
        if column is not None:
            columns[1 + number] = column
    first = 2 + len(found.keys)
    for side, standing in enumerate((left, right) if same else (left,)):
        places = [pair[side] for pair in found.columns]
        taken = standing.take(places, found.rows[side])
        columns |= {
            first + 2 * number + side: column for number, column in enumerate(taken)
        }
    return columns


def _tolerance(argument: str, value: Any) -> Tolerance:
    """A tolerance as the native code takes it: a number, or pairs of a column and a number."""
    if value is None:
        return None
    if not hasattr(value, "items"):
        return _size(argument, value)
    if not value:
        raise ArgumentError(f"{argument}: expected a column and its number, found {{}}")
    return [(str(column), _size(argument, size)) for column, size in value.items()]


def _size(argument: str, value: Any) -> float:
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return float(value)
    if hasattr(value, "as_tuple"):
        return float(value)
    raise TypeMismatchError(
        f"{argument}: expected a number, or a dict of column to number, "
        f"found {type(value).__name__} {value!r:.60}",
        hint=f'{argument}=0.01 or {argument}={{"amount": 0.01}}',
    )
