"""verifie: check conditions by name, and say of each whether it holds."""

from __future__ import annotations

from collections.abc import Mapping

from headstart import condition
from headstart.errors import ArgumentError, CheckError, TypeMismatchError, face
from headstart.options import options
from headstart.short import class_of, cut, quoted, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


#: What a first argument in place of the checks is answered with.
EXAMPLE = 'hs.verifie({"no duplicates": df["id"].is_unique})'


@face
def verifie(checks: Mapping[str, bool | Callable[[], bool] | Any]) -> None:
    """Check named conditions: ok or FAIL for each, one error names all that fail.

    Prints `ok name` or `FAIL name`, with the reason where there is one, for every check in order.
    What is neither true nor false fails: a Series of bools, a tuple, a generator (it is not
    consumed), None, a missing value, 0 or 1.

    Parameters
    ----------
    checks : dict of name to condition. A condition is one bool (also of numpy, pandas, polars or
        pyarrow, alone or as the only value of an array, a Series or a frame), or a function without
        arguments that returns one; a function that raises has failed.

    Raises
    ------
    hs.CheckError, which is an AssertionError, when a check fails, after all were looked at; its
        `failures` is a dict of name to reason. hs.ArgumentError for no checks at all.

    Examples
    --------
    >>> import headstart as hs
    >>> amounts = [3, 5, 8]
    >>> hs.verifie({"positive": min(amounts) > 0, "sorted": lambda: sorted(amounts) == amounts})
    ok positive
    ok sorted
    """
    if not isinstance(checks, Mapping):
        raise TypeMismatchError(
            f"checks: expected a dict of name to condition, found {class_of(checks)}",
            hint=EXAMPLE,
        )
    if not checks:
        raise ArgumentError(
            "checks: expected at least one, found an empty dict",
            hint=EXAMPLE,
        )
    failed: list[tuple[str, str]] = []
    lines: list[str] = []
    # A check may change the dict; what was asked for is what is checked.
    named = list(checks.items())
    for name, given in named:
        label = name if isinstance(name, str) else short(name)
        reason = condition.failure(given)
        told = _line(label, reason)
        if not options.quiet:
            print(told)
        if reason is not None:
            failed.append((label, reason))
            lines.append(told.removeprefix("FAIL "))
    if failed:
        raise CheckError.of(failed, len(named), lines)


def _line(name: str, reason: str | None) -> str:
    """What is said of one check: always one line."""
    name = cut(quoted(name))
    if reason is None:
        return f"ok {name}"
    return f"FAIL {name}: {reason}" if reason else f"FAIL {name}"
