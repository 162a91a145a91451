"""What is said of values: why one is not kept, and of which type it is; text for everybody, whatever code a value has."""

from __future__ import annotations

from headstart.kernel.checkpoints import live
from headstart.kernel.checkpoints.attempts import Ended, Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Letters of a reason.
REASON = 200
DEEP = "nested too deeply"
#: Of any class, without asking what its own class says.
MODULE, NAME = (type.__dict__[name].__get__ for name in ("__module__", "__qualname__"))


class Skipped:
    """A value that is not kept."""

    __slots__ = ("name", "reason")

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self.reason = reason


def reason(error: BaseException, run: Callable[..., Any]) -> str:
    """Why a value is not kept, as one short line that is text for everybody."""
    if isinstance(error, live.Live):
        text = f"holds {error}"
    elif isinstance(error, KeyboardInterrupt):
        text = "interrupted"
    elif isinstance(error, Late):
        text = f"{error} to pickle"
    elif isinstance(error, RecursionError) or isinstance(
        # As cloudpickle tells it.
        error.__cause__,
        RecursionError,
    ):
        text = DEEP
    else:
        text = f"cannot be pickled: {told(error, run)}"
    return short(text)


def short(text: str) -> str:
    """One line of at most 200 letters, without lone surrogates."""
    text = " ".join(text.encode("utf-8", "backslashreplace").decode().split())
    return text if len(text) <= REASON else text[: REASON - 1] + "…"


def told(error: BaseException, run: Callable[..., Any]) -> str:
    """What an exception says; its text may be any code."""
    kind = type(error).__name__
    if isinstance(error, Ended | Late):
        return str(error)
    try:
        text = run(str, error)
    except (Exception, KeyboardInterrupt):  # noqa: BLE001 - whatever the code of the value raises
        text = ""
    return f"{kind}: {text}" if text else kind


def is_no_text(name: str) -> bool:
    """Whether a name has lone surrogates, as it may have in `globals()`."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return True
    return False


def kind_of(value: Any) -> str:
    """The type of a value, in words."""
    kind = type(value)
    module, name = MODULE(kind), NAME(kind)
    if module == "builtins" or not isinstance(module, str):
        return short(name)
    return short(f"{module}.{name}")
