"""Which names are the user's: what cells have defined and `%who` lists. Looks at names only, never into values.

IPython keeps what it put there itself, and `hs`, in a namespace of hidden names; a name counts again
once it means another value. Names that startup code defines go there too.
"""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: The field of requests (metadata) and answers (content) that is between the launcher and this kernel.
FIELD = "headstart"
#: Stands for no value: what is hidden may be None.
NONE = object()


def count(shell: Any) -> int:
    """How many names the user has; a few microseconds for a usual session."""
    hidden = shell.user_ns_hidden
    # A copy, made in one step: a thread of the user may define names meanwhile.
    return sum(
        1
        for name, value in shell.user_ns.copy().items()
        if type(name) is str and name[:1] != "_" and hidden.get(name, NONE) is not value
    )


def tell(reply: dict[str, Any], shell: Any) -> None:
    """Puts the number of names into the answer to a cell, which no failure of the count takes away."""
    try:
        reply[FIELD] = {"names": count(shell)}
    except Exception:  # noqa: BLE001
        # `user_ns` may be a mapping of the user's own. An answer without the number is an answer.
        return


def is_startup(metadata: Any) -> bool:
    """True where the launcher says that the cell is startup code of the session."""
    own = metadata.get(FIELD) if isinstance(metadata, dict) else None
    return isinstance(own, dict) and own.get("startup") is True


def asked(metadata: Any, what: str) -> dict[str, Any] | None:
    """What the launcher asks for with a cell under a name of its own, if it does."""
    own = metadata.get(FIELD) if isinstance(metadata, dict) else None
    found = own.get(what) if isinstance(own, dict) else None
    return found if isinstance(found, dict) else None


@contextmanager
def hidden(shell: Any) -> Iterator[None]:
    """What is defined in between is not the user's."""
    before = dict(shell.user_ns)
    try:
        yield
    finally:
        for name, value in dict(shell.user_ns).items():
            if before.get(name, NONE) is not value:
                shell.user_ns_hidden[name] = value
