"""joins: two frames side by side by their keys."""

from __future__ import annotations

from headstart import _headstart, frames, talk
from headstart.arguments import expect, refuse_values
from headstart.errors import ArgumentError, TypeMismatchError, face
from headstart.frames import categories, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from headstart.frames.rows import Standing

    Keys = list[tuple[int, int]]

KEY = "a column, a list of columns, or (left, right) pairs"


@face
def joins(
    a: Any,
    b: Any,
    key: Any,
    how: str = "left",
    validate: str | None = None,
    *,
    suffixes: Sequence[str | None] = ("_x", "_y"),
    match_missing: bool = False,
) -> Any:
    """Join two tables by keys, rows that multiply refused, what did not match told.

    Prints how many rows matched, how many only one side has, with shares, up to three keys of each that did not match,
    and whether they would after strip, case or zero-pad. Keys compare by value: 1 is 1.0, categories are their values,
    big ints stay exact. Nothing is converted to make keys match.

    Parameters
    ----------
    a, b : pandas, polars or pyarrow frames, any objects with `__arrow_c_stream__` or `__arrow_c_array__`, lists of
        dicts, or paths, patterns or lists of paths as in `hs.charge`; also of different libraries. They are not changed.
    key : a column that both have, a list of them, or a pair `("id", "customer_id")` of a column of `a` and one of `b`,
        or a list of pairs.
    how : "left" (every row of `a`), "inner" (rows with a match), "right" (every row of `b`, in its order), "outer" (rows
        of `a`, then those of `b` without a match), "semi" (rows of `a` with a match, each once), "anti" (rows of `a`
        without one).
    validate : on which sides each key must be unique: "1:1", "1:m", "m:1", "m:m", or "one_to_one", "one_to_many",
        "many_to_one", "many_to_many". Without it a left or inner join that would give more rows than `a` is an error.
    suffixes : what columns of one name get behind it, in `a` and in `b`.
    match_missing : `True` makes a missing key match a missing key.

    Returns
    -------
    A frame of the library of `a`: its columns, then those of `b` but for keys of the same name. Every column keeps its
    type; where rows of `b` miss, whole numbers become nullable (`Int64` in pandas), never float.

    Raises
    ------
    hs.MergeError for rows that would multiply, or keys that repeat against `validate`; it names keys, counts and the
    `validate=` that fits. hs.TypeMismatchError for keys whose types never match, hs.KeyMissingError for a column that is
    not there, hs.ArgumentError for a word that is none.

    Examples
    --------
    >>> import headstart as hs
    >>> orders = [{"id": 1, "code": "FR"}, {"id": 2, "code": "DE"}, {"id": 3, "code": "fr"}]
    >>> countries = [{"code": "FR", "name": "France"}, {"code": "DE", "name": "Germany"}]
    >>> joined = hs.joins(orders, countries, "code")
    left join, 3 rows: 2 of 3 rows of a matched (66.7 %), 1 only a (33.3 %), 0 of 2 rows of b only b (0 %)
    only a: code "fr"
    >>> list(joined["name"].fillna("?"))
    ['France', 'Germany', '?']
    >>> hs.joins(countries, orders + [{"id": 4, "code": "FR"}], "code")
    Traceback (most recent call last):
        ...
    headstart.errors.MergeError: expected at most one row of b for each row of a, found 1 key with more: code "FR" ...
    hint: validate="1:m" if that is meant; else make the keys of b unique first
    """
    options = _options(how, validate, suffixes, match_missing)
    _refuse_no_key(key)
    left, right = rows.stand(a), rows.stand(b)
    keys = _keys(key, left, right)
    library = rows.shared_library(left, right)
    default = left.library
    if library == "headstart":
        left, right = left.into(library), right.into(library)
        joined = _headstart.joins(left.frame, right.frame, keys, options)
        lines, notes = joined.account(), joined.notes
        result = frames.give(joined, default)
    else:
        lefts, rights = (list(side) for side in zip(*keys, strict=True))
        parts = left.columns(lefts), right.columns(rights)
        plan = _headstart.joins_plan(*parts, options)
        left, right = left.into(library), right.into(library)
        result, lines, notes = _in_library(
            library, left, right, keys, plan, options, how
        )
    if isinstance(getattr(result, "attrs", None), dict):
        notes = [*notes, *left.notes, *right.notes]
        result.attrs["hs"] = {"notes": notes, "origin": {}}
    talk.say([*lines, *left.lines, *right.lines])
    return result


def _in_library(
    library: str,
    left: Standing,
    right: Standing,
    keys: Keys,
    plan: _headstart.Plan,
    options: _headstart.JoinsOptions,
    how: str,
) -> tuple[Any, list[str], list[dict[str, Any]]]:
    """The join with the rows taken in a library; its lines and notes."""
    names = (left.names, right.names)
    left_named, right_named, lines = _headstart.joins_names(*names, keys, options)
    places = [place for place, _ in left_named]
    columns = left.take(places, plan.left)
    once = [pair for pair in keys if names[0][pair[0]] == names[1][pair[1]]]
    if how == "right" and plan.right is not None:
        matching = right.take([other for _, other in once], plan.right)
        for (place, _), column in zip(once, matching, strict=True):
            columns[place] = column
    elif plan.only_right:
        for place, other in once:
            columns[place], more = _key(library, left, right, (place, other), plan)
            lines += more
    taken: set[str] = set()
    labels = _labels(left, left_named, taken)
    if plan.right is not None:
        columns += right.take([place for place, _ in right_named], plan.right)
        labels += _labels(right, right_named, taken)
    result = rows.beside(library, columns, labels, plan.height, left.frame)
    notes = [*plan.notes, *({"topic": "names", "text": line} for line in lines)]
    return result, [*plan.account(), *lines], notes


def _key(
    library: str,
    left: Standing,
    right: Standing,
    places: tuple[int, int],
    plan: _headstart.Plan,
) -> tuple[Any, list[str]]:
    """The key of an outer join: that of `a`, below it what only `b` has; and what it lost."""
    [front] = left.take([places[0]], plan.front)
    [back] = right.take([places[1]], plan.back)
    name = left.names[places[0]]
    whole = rows.below(library, front, back)
    if whole is None:
        parts = (rows.native_column(library, part, name) for part in (front, back))
        whole = rows.column_of(library, _headstart.stack_keys(*parts))
    return whole, categories.lost(name, front, whole)


def _labels(
    frame: Standing, named: list[tuple[int, str | None]], taken: set[str]
) -> list[Any]:
    """The labels of the result; those of several parts get a suffix behind the first, as in pandas."""
    labels: list[Any] = []
    for place, name in named:
        label = frame.labels[place]
        if name is not None and isinstance(label, tuple) and label:
            first, *rest = label
            label = (f"{first}{name.removeprefix(str(label))}", *rest)
            while str(label) in taken:
                label = (f"{label[0]}_", *rest)
        elif name is not None:
            label = name
        taken.add(str(label))
        labels.append(label)
    return labels


def _options(
    how: Any, validate: Any, suffixes: Any, match_missing: Any
) -> _headstart.JoinsOptions:
    if not isinstance(how, str):
        raise TypeMismatchError(
            f"how: expected a word, found {how!r:.60}", hint='how="left"'
        )
    expect("validate", validate, str, 'a word such as "m:1"')
    pair = isinstance(suffixes, tuple | list) and len(suffixes) == 2
    if not pair or not all(one is None or isinstance(one, str) for one in suffixes):
        raise TypeMismatchError(
            f"suffixes: expected two texts, found {suffixes!r:.60}",
            hint='suffixes=("_x", "_y")',
        )
    if not isinstance(match_missing, bool):
        raise TypeMismatchError(
            f"match_missing: expected True or False, found {match_missing!r:.60}"
        )
    first, second = suffixes
    return _headstart.JoinsOptions(how, validate, (first, second), match_missing)


def _refuse_no_key(key: Any) -> None:
    if isinstance(key, list) and not key:
        raise ArgumentError(f"key: expected {KEY}, found an empty list")
    items = key if isinstance(key, list) else [key]
    for item in items:
        parts = item if isinstance(item, tuple | list) else (item,)
        for part in parts:
            refuse_values("key", part)
        if any(part is None or not _hashable(part) for part in parts):
            raise TypeMismatchError(
                f"key: expected {KEY}, found {frames.name_of(key)} {key!r:.60}",
                hint='"id", ["id", "year"] or ("id", "customer_id")',
            )


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _keys(key: Any, left: Standing, right: Standing) -> Keys:
    """Positions of the key's columns in both frames."""
    items = key if isinstance(key, list) else [key]
    pairs = [_pair(item, left, right) for item in items]
    return [
        (left.position(one, "a"), right.position(other, "b")) for one, other in pairs
    ]


def _pair(item: Any, left: Standing, right: Standing) -> tuple[Any, Any]:
    if not isinstance(item, tuple | list):
        return item, item
    # pandas has labels of several parts.
    if item in left.labels and item in right.labels:
        return item, item
    if len(item) != 2:
        raise ArgumentError(
            f"key: expected a (left, right) pair, found {len(item)} parts in {item!r:.60}",
            hint=f"key={list(item)!r:.60} for several columns",
        )
    return item[0], item[1]
