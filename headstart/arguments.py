"""Checks of plain arguments, alike in every function: what was expected, what was found."""

from __future__ import annotations

import operator
import os

from headstart.errors import ArgumentError, TypeMismatchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: The largest number that the native code takes for a position.
MOST = 2**62


def expect(argument: str, value: object, kind: type, words: str) -> None:
    """Refuses a value of another type; `None` is left alone."""
    if value is not None and not isinstance(value, kind):
        raise _mismatch(argument, value, words)


def whole_number(
    argument: str, value: Any, words: str, least: int = -MOST
) -> int | None:
    """An int (also of numpy) within bounds; `True` is no number here, `None` is left alone."""
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise _mismatch(argument, value, words)
    number = operator.index(value)
    if not least <= number <= MOST:
        bound = f"{least} or more" if number < least else f"at most {MOST}"
        raise ArgumentError(f"{argument}: expected {bound}, found {number}")
    return number


def count(argument: str, value: Any, words: str) -> int | None:
    """A number of rows or the like; one larger than any is as many as there are."""
    huge = hasattr(value, "__index__") and operator.index(value) > MOST
    return MOST if huge else whole_number(argument, value, words, 0)


def names(argument: str, value: Any, known: Sequence[str]) -> list[str]:
    """Names of columns as text: of one column, or of those in a list or tuple.

    A tuple is one name where a column is called so, as pandas columns of several levels are; an index or array of
    names is a list.
    """
    if isinstance(value, str):
        return [value]
    refuse_values(argument, value, known)
    if str(value) in known:
        return [str(value)]
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    if isinstance(value, list | tuple):
        return [name for part in value for name in names(argument, part, known)]
    if value is None or not _is_label(value):
        raise _mismatch(argument, value, "a column by its name, or a list of them")
    return [str(value)]


def refuse_values(argument: str, value: Any, known: Sequence[str] = ()) -> None:
    """Refuses a Series, an array or an expression where a column is to be named; one of names is a list of them."""
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    if kind.__name__ not in ("Series", "ndarray", "ChunkedArray", "Expr"):
        return
    if kind.__name__ != "Expr":
        try:
            listed = value.to_pylist() if library == "pyarrow" else value.tolist()
        except Exception:  # noqa: BLE001 - what cannot be listed names nothing
            listed = []
        if listed and all(str(one) in known for one in listed[:100]):
            return
    dtype = str(getattr(value, "dtype", getattr(value, "type", "")))
    name = getattr(value, "name", None)
    if dtype.lower() in ("bool", "boolean", "bool[pyarrow]"):
        hint = (
            "filter first: pass df[mask] (polars: df.filter(mask)) and name the column"
        )
    elif isinstance(name, str) and name:
        hint = f'{argument}="{name}"'
    else:
        hint = f'{argument}="id"'
    raise TypeMismatchError(
        f"{argument}: expected a column by its name, found a {library} {kind.__name__}",
        hint=hint,
    )


def _is_label(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def path(value: Any, hint: str, where: str = "") -> str:
    """A path as text; `~` is the user's home."""
    if isinstance(value, bytes) or not isinstance(value, str | os.PathLike):
        raise TypeMismatchError(
            f"path: expected str or os.PathLike, found {type(value).__name__}{where}",
            hint=hint,
        )
    return os.path.expanduser(os.fspath(value))


def _mismatch(argument: str, value: object, words: str) -> TypeMismatchError:
    return TypeMismatchError(
        f"{argument}: expected {words}, found {type(value).__name__} {value!r:.60}"
    )
