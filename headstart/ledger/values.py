"""What may stand in the ledger: values of JSON, copied, so that what is kept is what will be read again.

Never converts: a value that would come back as another one is refused.
"""

from __future__ import annotations

import math

from headstart.errors import ArgumentError, TypeMismatchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WORDS = "a value of JSON (dict, list, str, int, float, bool or None)"
LIVE = (
    "a live object stays in the session and is kept by its checkpoints; "
    "write here how to get it again, such as a name or a path"
)
#: Levels of lists and dicts. Every reader of JSON has a limit; the lowest in use are near 500.
DEEPEST = 100
#: What a reader holds as an integer, beyond any use; Python itself refuses to print more than 4,300 digits.
LARGEST = 10**1000


def text(argument: str, value: Any) -> str:
    """A text; anything else is refused."""
    if isinstance(value, str):
        return str.__str__(value)
    hint = LIVE
    if isinstance(value, int | float | list | tuple | dict):
        hint = f"{argument}=json.dumps(...) keeps it as text"
    raise TypeMismatchError(
        f"{argument}: expected str, found {type(value).__name__}", hint=hint
    )


def mapping(argument: str, value: Any) -> dict[str, Any]:
    """A dict of names to values of JSON, copied."""
    if not isinstance(value, dict):
        raise TypeMismatchError(
            f"{argument}: expected a dict of values of JSON, found {type(value).__name__}",
            hint=LIVE,
        )
    copied: dict[str, Any] = copy(argument, value)
    return copied


def copy(place: str, value: Any, level: int = 0) -> Any:
    """The same value of plain lists, dicts, texts and numbers; `place` says where it stands."""
    if level > DEEPEST:
        raise ArgumentError(
            f"{place[:60]}...: expected at most {DEEPEST} levels of lists and dicts, found more, or one that holds itself"
        )
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        number = int.__int__(value)
        if not -LARGEST < number < LARGEST:
            raise ArgumentError(f"{place}: expected at most 1,000 digits, found more")
        return number
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ArgumentError(
                f"{place}: expected a finite number, found {value}: JSON has no name for it",
                hint="None stands for a value that is not known",
            )
        return float.__float__(value)
    if isinstance(value, list | tuple):
        return [
            copy(f"{place}[{at}]", part, level + 1) for at, part in enumerate(value)
        ]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeMismatchError(
                    f"{place}: expected keys of str, found {type(key).__name__} {key!r:.60}",
                    hint="JSON has no other keys, and would give them back as text",
                )
        return {
            str.__str__(key): copy(f"{place}[{key!r:.40}]", part, level + 1)
            for key, part in value.items()
        }
    raise TypeMismatchError(
        f"{place}: expected {WORDS}, found {type(value).__name__}", hint=LIVE
    )
