"""Before a cell: the namespace becomes what a checkpoint holds. What the kernel holds already, unchanged, stays as it is,
the same objects; names that the checkpoint does not have go away.

Values come back all or none of a group, and a group that does not come back is told and left out. The code that a value
runs as it comes back (`__setstate__`) sees the names of the checkpoint: those that are back already, modules and functions
first; one that misses a name is tried again when others are back. A restore that is interrupted leaves all as it was.
"""

from __future__ import annotations

from headstart.kernel.checkpoints import pickling
from headstart.kernel.checkpoints.freeze import Freezer
from headstart.kernel.checkpoints.reasons import Skipped, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from headstart.kernel.checkpoints.names import Names


#: Types of values that need no other.
PLAIN = frozenset(
    ("module", "int", "float", "complex", "bool", "str", "bytes", "NoneType")
)
#: Types of what values need as they come back.
PROGRAM = frozenset(("function", "type", "abc.ABCMeta", "functools.partial"))


class Restored:
    """What a restore did.

    Attributes
    ----------
    names : list of str
        Names that came back.
    held : list of str
        Names that were there, unchanged.
    removed : list of str
        Names that went away.
    skipped : list of Skipped
        Names that did not come back, and why.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.held: list[str] = []
        self.removed: list[str] = []
        self.skipped: list[Skipped] = []


class Lost(Exception):
    """A group does not come back; its text is the reason.

    Attributes
    ----------
    again : bool
        It may come back when the others have.
    """

    def __init__(self, reason: str, again: bool = False) -> None:
        super().__init__(reason)
        self.again = again


def restore(
    groups: list[tuple[int, dict[str, Any]]],
    load: Callable[[int, dict[str, Any]], pickling.Loaded],
    namespace: dict[str, Any],
    names: Names,
    freezer: Freezer,
    go: Callable[[], None],
    alive: Callable[[], None],
) -> Restored:
    """Makes the namespace what a checkpoint holds.

    Parameters
    ----------
    groups : list of (int, dict)
        The checkpoint's groups, each with its number and its `names`.
    load : callable
        Gives the values of a group, or raises `Lost`.
    namespace : dict
        The kernel's.
    names : Names
        Which names count.
    freezer : Freezer
        What of the namespace is saved, and unchanged.
    go : callable
        Called when everything is back: the last moment to raise.
    alive : callable
        Called now and then behind that.

    Raises
    ------
    BaseException
        What `load`, but for `Lost`, and `go` raise; the namespace is as it was.
    """
    held = freezer.unchanged(names.of(namespace))
    before = namespace.copy()
    work = _Restore(load, namespace, names)
    try:
        work.run(groups, held)
        go()
    except BaseException:
        for name in set(namespace).difference(before):
            namespace.pop(name, None)
        namespace.update(before)
        raise
    for one in work.loaded:
        one.settle()
    work.done.names.sort()
    stays = {*work.done.held, *work.values}
    freezer.adopt(work.fresh, work.values, stays, alive)
    return work.done


class _Restore:
    def __init__(
        self,
        load: Callable[[int, dict[str, Any]], pickling.Loaded],
        namespace: dict[str, Any],
        names: Names,
    ) -> None:
        self.load = load
        self.namespace = namespace
        self.names = names
        self.done = Restored()
        self.values: dict[str, Any] = {}
        self.fresh: list[dict[str, Any]] = []
        self.loaded: list[pickling.Loaded] = []

    def run(
        self,
        groups: list[tuple[int, dict[str, Any]]],
        held: dict[tuple[str, ...], dict[str, Any]],
    ) -> None:
        # What a value runs as it comes back sees the names of the checkpoint, and no others.
        wanted = {name for _, group in groups for name in group["names"]}
        for name in self.names.of(self.namespace):
            if name not in wanted:
                self.namespace.pop(name, None)
                self.done.removed.append(name)
        self.namespace.update(self.names.missing(self.namespace))
        waiting = []
        for number, group in sorted(groups, key=_order):
            if held.get(tuple(group["names"])) == group:
                self.done.held.extend(group["names"])
            else:
                waiting.append((number, group))
        lost: dict[int, tuple[dict[str, Any], Lost]] = {}
        while waiting:
            again = []
            for number, group in waiting:
                why = self._take(number, group)
                if why is None:
                    lost.pop(number, None)
                    continue
                lost[number] = group, why
                if why.again:
                    again.append((number, group))
            if len(again) == len(waiting):
                break
            waiting = again
        for group, why in lost.values():
            for name in group["names"]:
                # A value of before is none of the checkpoint.
                self.namespace.pop(name, None)
                self.done.skipped.append(Skipped(name, short(str(why))))
        # What such a name hid, as `hs` of the user does, is there again.
        self.namespace.update(self.names.missing(self.namespace))

    def _take(self, number: int, group: dict[str, Any]) -> Lost | None:
        members = tuple(group["names"])
        try:
            one = self.load(number, group)
            same = group.get("one", len(members) == 1)
            all_of_it = (one.value,) * len(members) if same else one.value
            values = dict(zip(members, all_of_it, strict=True))
        except Lost as error:
            return error
        except (ValueError, TypeError) as error:
            return Lost(str(error))
        self.loaded.append(one)
        self.fresh.append(group)
        self.values.update(values)
        self.namespace.update(values)
        self.done.names.extend(members)
        return None


def _order(group: tuple[int, dict[str, Any]]) -> int:
    """Modules and plain values come first, then functions and classes: others may need them as they come back."""
    kinds = set(group[1].get("types", {}).values())
    return 0 if kinds <= PLAIN else 1 if kinds <= PLAIN | PROGRAM else 2
