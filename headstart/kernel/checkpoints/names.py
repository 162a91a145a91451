"""Which names of the kernel's namespace count: those that the user made.

Not those that begin with `_`, nor what was there before the first cell (IPython's, `hs`, what startup code made), as long as
it is the same object: `hs = "mine"` is the user's.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from headstart.kernel.checkpoints.references import Startup


#: Stands for no value.
ABSENT = object()


class Names:
    """What was there before the first cell.

    Parameters
    ----------
    namespace : dict
        The kernel's, as it is when startup is over.
    hidden : mapping, optional
        What IPython keeps of names that are its own: after `%reset` some of them are other objects.
    """

    def __init__(
        self, namespace: Mapping[str, Any], hidden: Mapping[str, Any] | None = None
    ) -> None:
        self._before = dict(namespace)
        self._hidden = {} if hidden is None else hidden
        self._startup: Startup | None = None

    @property
    def startup(self) -> Startup:
        """What was there before the first cell, as pickles know it."""
        if self._startup is None:
            from headstart.kernel.checkpoints.references import Startup

            self._startup = Startup(self._before)
        return self._startup

    def of(self, namespace: dict[str, Any]) -> dict[str, Any]:
        """The user's names and their values, in alphabetical order: the same names are always in the same order."""
        # A copy, made in one step: a thread of the user may define names meanwhile.
        mine = [
            (name, value)
            for name, value in namespace.copy().items()
            if type(name) is str
            and name[:1] != "_"
            and self._before.get(name, ABSENT) is not value
            and self._hidden.get(name, ABSENT) is not value
        ]
        return dict(sorted(mine, key=_name))

    def missing(self, namespace: Mapping[str, Any]) -> dict[str, Any]:
        """What was there before the first cell, and is not there now."""
        return {
            name: value for name, value in self._before.items() if name not in namespace
        }


def _name(item: tuple[str, Any]) -> str:
    return item[0]
