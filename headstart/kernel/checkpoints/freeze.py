"""After a cell: which values changed, as bytes that no later cell can change any more.

"Not mentioned in the cell" never means "not changed": every value is tested, the cheapest test first. One that nobody can
change is compared by identity; memory of arrays and frames, and what is made of Python's own types, is hashed as it is;
everything else is pickled into a hash.
"""

from __future__ import annotations

import gc
import time
import types
from contextlib import contextmanager
from types import SimpleNamespace

from headstart._headstart import change_digest, plain_digest
from headstart.kernel.checkpoints import (
    arrays,
    groups,
    live,
    memory,
    pickling,
    reasons,
    sizes,
)
from headstart.kernel.checkpoints.attempts import Late
from headstart.kernel.checkpoints.pace import Pace
from headstart.kernel.checkpoints.reasons import Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Protocol

    from headstart.kernel.checkpoints.references import Startup

    class Save(Protocol):
        """A checkpoint that is being written."""

        def reuse(self, group: dict[str, Any]) -> None: ...
        def add(
            self,
            names: list[str],
            types: dict[str, str],
            one: bool,
            pickle: Any,
            buffers: list[Any],
        ) -> dict[str, Any]: ...


MIB = 1 << 20
#: Bytes that a value may have, and all values that one cell changed.
VALUE, CELL = 64 * MIB, 256 * MIB
#: Bytes that a pickle adds to those of a value.
AROUND = 4096
#: Bytes of a value that may be written twice.
SMALL = 4096
#: What nobody can change: the same object is the same value.
ATOMS = frozenset(
    (
        int,
        float,
        complex,
        bool,
        str,
        bytes,
        type(None),
        type(...),
        range,
        types.ModuleType,
    )
)
#: Python's own types, which a value may be made of and be hashed without a pickle.
PLAIN = frozenset(
    (
        *(int, float, complex, bool, str, bytes, type(None)),
        *(list, dict, tuple, set, frozenset, bytearray),
    )
)


def _is_atom(value: Any) -> bool:
    kind = type(value)
    # To look for a class in a table may run code of its class.
    return type(kind) is type and kind in ATOMS


class Frozen:
    """What a checkpoint is made of.

    Attributes
    ----------
    saved : dict
        Groups by their names: a hash of all that is in them, and what the store calls them; None where it has lost them.
    skipped : list of Skipped
        Names that are not kept, and why.
    added : int
        Bytes that were given to the save.
    copies : dict
        Names of arrays that show memory of another name, and that name: they come back as arrays of their own.
    """

    def __init__(self) -> None:
        self.saved: dict[tuple[str, ...], tuple[bytes, dict[str, Any] | None]] = {}
        self.skipped: list[Skipped] = []
        self.added = 0
        self.copies: dict[str, str] = {}


class _Piece:
    """What is known of the value of a name."""

    __slots__ = ("atom", "itself", "key", "pickled", "quick", "shared", "value")

    def __init__(
        self,
        value: Any,
        key: bytes,
        shared: dict[int, int],
        size: int,
        pickled: Any = None,
    ) -> None:
        # Held only where identity is the test: its number must not come to another object.
        self.atom = _is_atom(value)
        self.value = value if self.atom else None
        #: A hash of the value.
        self.key = key
        self.shared = shared
        self.pickled = pickled
        #: Two names of one large value are written once, also where nobody can change it.
        self.itself = (id(self),) if size > SMALL else ()
        #: It takes no time to pickle it.
        self.quick = pickled is None and size <= SMALL


class Freezer:
    """What a kernel holds, as far as it was saved.

    Parameters
    ----------
    namespace : dict
        The kernel's.
    value, cell : int
        Bytes that a value, and all changed values of a cell, may have.
    run : callable
        Runs what may be code of the user: a function and its arguments.
    startup : Startup, optional
        What was there before the first cell.
    """

    def __init__(
        self,
        namespace: dict[str, Any],
        value: int = VALUE,
        cell: int = CELL,
        run: Callable[..., Any] | None = None,
        startup: Startup | None = None,
    ) -> None:
        self._namespace = namespace
        self._startup = startup
        self._most = SimpleNamespace(value=value + AROUND, cell=cell + AROUND)
        self._run = run or _plainly
        self._pieces: dict[str, _Piece] = {}
        self._pace = Pace()
        #: See `Frozen.saved`.
        self.saved: dict[tuple[str, ...], tuple[bytes, dict[str, Any] | None]] = {}

    def freeze(self, names: dict[str, Any], save: Save) -> Frozen:
        """Gives the save each group that changed, and names those that did not.

        Parameters
        ----------
        names : dict
            The user's names and values.
        save
            Takes groups.
        """
        with _no_collections():
            self._pace.begin()
            frozen = self._freeze(names, save)
            self._pace.end(names)
            return frozen

    def _freeze(self, names: dict[str, Any], save: Save) -> Frozen:
        pieces, skipped = self._pieces_of(names)
        done = Frozen()
        done.skipped = skipped
        left = self._most.cell
        for group in self._groups(pieces):
            key = self._key([pieces[name] for name in group])
            before = self.saved.get(group)
            same = before is not None and before[0] == key
            if same and before is not None and before[1] is not None:
                save.reuse(before[1])
                done.saved[group] = before
                continue
            began = time.monotonic()
            one = all(names[name] is names[group[0]] for name in group)
            pickled: pickling.Pickled | str | None = None
            ready = one and pieces[group[0]].pickled is not None
            if not ready and not all(pieces[name].quick for name in group):
                pickled = self._pace.over(began)
            if pickled is None:
                pickled = self._whole(group, names, pieces)
                self._pace.note(group[0], began)
            if isinstance(pickled, str) or (pickled.size > left and not same):
                reason = pickled if isinstance(pickled, str) else self._too_much()
                skipped.extend(Skipped(name, reason) for name in group)
                continue
            if not same:
                left -= pickled.size
            kinds = {name: reasons.kind_of(names[name]) for name in group}
            entry = save.add(list(group), kinds, one, pickled.data, pickled.buffers)
            done.added += pickled.size
            done.saved[group] = (key, entry)
        for piece in pieces.values():
            piece.pickled = None
        done.copies = arrays.copies(names, {name for one in done.saved for name in one})
        self._pieces, self.saved = pieces, done.saved
        return done

    def forget(
        self,
        saved: dict[tuple[str, ...], tuple[bytes, dict[str, Any] | None]] | None,
    ) -> None:
        """A save came to nothing: the store has these groups, or nobody knows which."""
        if saved is None:
            saved = {group: (key, None) for group, (key, _) in self.saved.items()}
        self.saved = saved

    def unchanged(self, names: dict[str, Any]) -> dict[tuple[str, ...], dict[str, Any]]:
        """Groups that are as they were saved, with what the store calls them."""
        with _no_collections():
            self._pace.begin()
            pieces, _ = self._pieces_of(names)
            self._pace.end(names)
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        for group in self._groups(pieces):
            saved = self.saved.get(group)
            if saved is None or saved[1] is None:
                continue
            if saved[0] == self._key([pieces[name] for name in group]):
                found[group] = saved[1]
        return found

    def adopt(
        self,
        groups: list[dict[str, Any]],
        values: dict[str, Any],
        names: set[str],
        alive: Callable[[], None],
    ) -> None:
        """These groups came back from the store: they are saved. Of the others only `names` are left.

        `alive` is called before each.
        """
        self.saved = {
            group: saved
            for group, saved in self.saved.items()
            if names.issuperset(group)
        }
        self._pieces = {
            name: piece for name, piece in self._pieces.items() if name in names
        }
        self._pace.begin()
        for group in groups:
            alive()
            members = tuple(group["names"])
            if self._pace.over(time.monotonic()):
                # They are written once more.
                continue
            with _no_collections():
                looks = {name: self._tried(name, values[name]) for name in members}
            pieces = {
                name: look for name, look in looks.items() if not isinstance(look, str)
            }
            if len(pieces) == len(members):
                self.saved[members] = (self._key(list(pieces.values())), group)
            for piece in pieces.values():
                piece.pickled = None
            self._pieces.update(pieces)

    def _pieces_of(
        self, names: dict[str, Any]
    ) -> tuple[dict[str, _Piece], list[Skipped]]:
        pieces: dict[str, _Piece] = {}
        skipped: list[Skipped] = []
        # Two names of one object are looked at once, and belong together.
        known: dict[int, _Piece | str] = {}
        hurries = self._pace.hurries
        # Those first that were kept the last time: one that is slow must not take their time.
        order = list(names)
        if hurries:
            order.sort(key=lambda name: name not in self._pieces)
        for name in order:
            value = names[name]
            found = known.get(id(value))
            if found is None:
                began = time.monotonic()
                found = None if _is_atom(value) else self._pace.over(began)
                if found is None:
                    found = self._tried(name, value)
                    self._pace.note(name, began)
                known[id(value)] = found
            if isinstance(found, str):
                skipped.append(Skipped(name, found))
            else:
                pieces[name] = found
        if hurries:
            pieces = {name: pieces[name] for name in names if name in pieces}
        return pieces, skipped

    def _groups(self, pieces: dict[str, _Piece]) -> list[tuple[str, ...]]:
        met: set[int] = set()
        for piece in pieces.values():
            if not (met.isdisjoint(piece.shared) and met.isdisjoint(piece.itself)):
                break
            met.update(piece.shared, piece.itself)
        else:
            # Nearly always most of them.
            return [(name,) for name in pieces]
        return groups.of(
            {name: (*piece.shared, *piece.itself) for name, piece in pieces.items()}
        )

    def _key(self, pieces: list[_Piece]) -> bytes:
        """A hash of the values of a group, and of what they have in common: that can change while each stays the same."""
        if len(pieces) == 1:
            return pieces[0].key
        places: dict[int, list[str]] = {}
        for number, piece in enumerate(pieces):
            for one, place in piece.shared.items():
                places.setdefault(one, []).append(f"{number}.{place}")
        common = sorted(" ".join(found) for found in places.values() if len(found) > 1)
        parts = [len(piece.key).to_bytes(4) + piece.key for piece in pieces]
        return change_digest(b"".join(parts) + "\n".join(common).encode())

    def _tried(self, name: str, value: Any) -> _Piece | str:
        """What is found out about a value, or why it is not kept."""
        before = self._pieces.get(name)
        if before is not None and before.atom and before.value is value:
            return before
        resting = self._pace.resting(name, value)
        if resting is not None:
            return resting
        if not name.isascii() and reasons.is_no_text(name):
            return "its name is no text"
        found: _Piece | str | None
        try:
            found = self._seen(value) or self._run(self._look, value)
        except Late as error:
            text = f"{error} to pickle"
            self._pace.rest(name, value, text)
            return text
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - whatever the code of the value raises
            return reasons.reason(error, self._run)
        return found or "it cannot be looked at"

    def _seen(self, value: Any) -> _Piece | str | None:
        """What is found out about a value without running code of its own, if that is enough."""
        kind = type(value)
        if type(kind) is not type or value is self._namespace:
            # To look for a class in a table may run code of its class.
            return None
        if kind in PLAIN:
            plain = plain_digest(value)
            if plain is None or plain[1] > self._most.value:
                # The pickle has a text only once that is in it many times, so it may be small enough.
                return None
            key, size, shared = plain
        else:
            seen = memory.look(value, self._most.value)
            if seen is None:
                return None
            key, size, shared = seen.key, seen.size, {id(value): 0}
        if size > self._most.value:
            return self._too_large()
        return _Piece(value, key, shared, size)

    def _look(self, value: Any) -> _Piece | str:
        if value is self._namespace:
            return "the namespace itself"
        words = live.what(value)
        if words is not None:
            return words
        if sizes.at_least(value, self._most.value) > self._most.value:
            return self._too_large()
        pickled = pickling.dumps(value, self._namespace, startup=self._startup)
        if pickled.size > self._most.value:
            return self._too_large()
        parts = [
            change_digest(pickled.data),
            *(change_digest(buffer, lasting=True) for buffer in pickled.buffers),
        ]
        key = parts[0] if len(parts) == 1 else change_digest(b"".join(parts))
        return _Piece(value, key, pickled.shared, pickled.size, pickled)

    def _whole(
        self, group: tuple[str, ...], names: dict[str, Any], pieces: dict[str, _Piece]
    ) -> pickling.Pickled | str:
        first = pieces[group[0]]
        pickled: pickling.Pickled | str | None = first.pickled
        # One object, however many names it has.
        one = all(names[name] is names[group[0]] for name in group)
        if pickled is None or not one:
            whole = names[group[0]] if one else tuple(names[name] for name in group)
            pickled = self._pickled(whole)
        if one and not isinstance(pickled, str) and pickled.size > self._most.value:
            return self._too_large()
        return pickled

    def _pickled(self, value: Any) -> pickling.Pickled | str:
        try:
            pickled: pickling.Pickled = self._run(
                pickling.dumps, value, self._namespace, False, self._startup
            )
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - whatever the code of the value raises
            return reasons.reason(error, self._run)
        return pickled

    def _too_large(self) -> str:
        return f"larger than {self._most.value // MIB} MiB"

    def _too_much(self) -> str:
        return f"values that this cell changed are larger than {self._most.cell // MIB} MiB"


@contextmanager
def _no_collections() -> Iterator[None]:
    """Without Python's garbage collection: a pickle makes nothing for it, and its finalizers may be any code."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _plainly(work: Callable[..., Any], *arguments: Any) -> Any:
    return work(*arguments)
