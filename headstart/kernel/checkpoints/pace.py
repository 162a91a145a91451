"""How long the values of a namespace may take, each and together: the next cell waits for them.

A value that takes too long is left alone for a while, and so are the slow ones where all together took too long. Only time
is measured here; nothing is stopped.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Seconds that all values together may take, and while some are left alone because that was not enough.
PATIENCE, HURRY = 5.0, 1.0
#: Seconds for which a value is left alone, and those that one may take, however long the others take.
REST, BRIEF = 60.0, 0.1


class Pace:
    """Of the values of one namespace."""

    def __init__(self) -> None:
        # Until when values are left alone, and what is said of them.
        self._resting: dict[str, tuple[Any, float, str]] = {}
        # Seconds that slow ones took this time; when all have to be done, and whether they were not.
        self._took: dict[str, float] = {}
        self._end = 0.0
        self._late = False
        self._hurry = 0.0
        #: Whether there is less time than usual.
        self.hurries = False

    def begin(self) -> None:
        """Values are going to be looked at."""
        self._took.clear()
        now = time.monotonic()
        self._late, self.hurries = False, now < self._hurry
        self._end = now + (HURRY if self.hurries else PATIENCE)

    def over(self, now: float) -> str | None:
        """What is said of a value that there is no time for; None while there is some."""
        if now <= self._end:
            return None
        self._late = True
        return f"the values before it took longer than {HURRY if self.hurries else PATIENCE:g} s"

    def note(self, name: str, began: float) -> None:
        """A value has been looked at."""
        took = time.monotonic() - began
        if took > BRIEF:
            self._took[name] = self._took.get(name, 0.0) + took

    def end(self, names: dict[str, Any]) -> None:
        """All have been looked at; if there was no time for some, the slow ones rest."""
        for name in self._resting.keys() - names.keys():
            del self._resting[name]
        if not self._late:
            return
        for name, took in self._took.items():
            if name not in self._resting:
                text = f"took {took:.1f} s to pickle, and all values together took too long; it is tried again after a minute"
                self.rest(name, names[name], text)
        self._hurry = time.monotonic() + REST

    def rest(self, name: str, value: Any, text: str) -> None:
        """Leaves a value alone for a while."""
        until = time.monotonic() + REST
        self._resting[name] = value, until, text

    def resting(self, name: str, value: Any) -> str | None:
        """What is said of a value that is left alone."""
        found = self._resting.get(name)
        if found is None:
            return None
        if found[0] is value and time.monotonic() < found[1]:
            return found[2]
        del self._resting[name]
        return None
