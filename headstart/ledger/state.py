"""HarnessState: what of the ledger can be asked and changed, and `get_harness_state`, which finds it.

Every call looks at the file first; every change reads it again under its lock, so that nothing that another process
wrote is lost. Holds the document as it was read: what it does not understand it writes back.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path

from headstart import talk
from headstart.errors import ArgumentError
from headstart.ledger import entry as records
from headstart.ledger import folder as folders
from headstart.ledger import overview as summary
from headstart.ledger import values
from headstart.ledger.entry import KINDS, HarnessEntry, RefinementEvent
from headstart.ledger.file import Reading, StateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Iterable
    from typing import Any

    from headstart.ledger.file import Change

    Folder = str | os.PathLike[str]

_states: dict[tuple[str, str], HarnessState] = {}


def get_harness_state(
    state_dir: Folder | None = None, *, global_: bool = False
) -> HarnessState:
    """The ledger of this session.

    Its folder is `state_dir`, or the first that is set of `RLM_HARNESS_STATE_DIR`, `RLM_GLOBAL_HARNESS_STATE_DIR` and
    `RLM_SESSION_DIR` (there in `harness/`), else `~/.prime/agent/harness`. With `global_` it is the one that all
    sessions share: of the second variable, or in the home. Nothing is made before something is written.

    >>> import tempfile
    >>> from headstart.ledger import get_harness_state
    >>> folder = tempfile.TemporaryDirectory()
    >>> state = get_harness_state(folder.name)
    >>> state.upsert("memory", "Zip codes", "Codes in orders.csv keep their zeros.").id
    'zip_codes'
    """
    if not state_dir:
        state_dir, scope = folders.find(global_)
    else:
        scope = "global" if global_ else "local"
    key = folders.resolve(state_dir), scope
    if key not in _states:
        _states[key] = HarnessState(key[0], scope=scope)
    return _states[key]


class HarnessState:
    """The ledger in one folder; `scope`, `local` or `global`, is what its new entries say of themselves."""

    def __init__(self, state_dir: Folder, *, scope: str = "local") -> None:
        if scope not in records.SCOPES:
            raise ArgumentError(f"scope: expected local or global, found {scope!r:.60}")
        self.scope = scope
        self._file = StateFile(folders.resolve(state_dir))
        self._reading = Reading()

    def __repr__(self) -> str:
        return f"<HarnessState {self.scope} {self.file_path}>"

    @property
    def file_path(self) -> Path:
        """The path of the file, which need not be there yet."""
        return Path(self._file.path)

    @property
    def entries(self) -> dict[str, dict[str, HarnessEntry]]:
        """All entries as they are now, by kind and id: copies."""
        document = self._read().document
        return {kind: self._entries(document, kind) for kind in KINDS}

    @property
    def refinements(self) -> builtins.list[RefinementEvent]:
        """All refinements as they are now, the oldest first."""
        return _refinements(self._read().document)

    def get(self, kind: str, id: str) -> HarnessEntry | None:
        """The entry, or `None` where there is none of this kind and id."""
        id = self._bare(id)
        return self._entry(self._read().document, _known(kind), id)

    def list(self, kind: str | None = None) -> builtins.list[HarnessEntry]:
        """The entries of one kind, or of all, by kind, path, title and id."""
        kinds = KINDS if kind is None else (_known(kind),)
        document = self._read().document
        return [
            entry for kind in sorted(kinds) for entry in self._sorted(document, kind)
        ]

    def create(
        self,
        kind: str,
        title: str,
        content: str,
        id: str | None = None,
        path: str | None = None,
        reference: dict[str, Any] | None = None,
        arguments: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        *,
        source: str = "agent",
    ) -> HarnessEntry:
        """Adds an entry; ValueError where it is there already. Without `id` it has one made from its title."""
        given = _given(title, content, path, reference, arguments, metadata, source)
        return self._write(_known(kind), id, given, expected=False)

    def update(
        self,
        kind: str,
        id: str,
        title: str | None = None,
        content: str | None = None,
        path: str | None = None,
        reference: dict[str, Any] | None = None,
        arguments: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        *,
        source: str = "agent",
    ) -> HarnessEntry:
        """Changes what is given of an entry and keeps the rest; ValueError where it is not there.

        `{}` is given, `None` is not.
        """
        given = _given(title, content, path, reference, arguments, metadata, source)
        return self._write(_known(kind), id, given, expected=True)

    def upsert(
        self,
        kind: str,
        title: str,
        content: str,
        id: str | None = None,
        path: str | None = None,
        reference: dict[str, Any] | None = None,
        arguments: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        *,
        source: str = "agent",
    ) -> HarnessEntry:
        """Adds the entry, or changes what is given of it where it is there already."""
        given = _given(title, content, path, reference, arguments, metadata, source)
        return self._write(_known(kind), id, given, expected=None)

    def delete(self, kind: str, id: str) -> bool:
        """Takes an entry out; False where there is none."""
        id = self._bare(id)
        if self.get(kind, id) is None:
            return False
        with self._file.change() as change:
            if self._entry(change.document, kind, id) is None:
                return False
            del change.document["entries"][kind][id]
            self._save(change)
        return True

    def record(
        self,
        trigger: str,
        changes: str | Iterable[str],
        evidence: str = "",
        outcome: str = "",
        id: str | None = None,
    ) -> RefinementEvent:
        """Adds a refinement: what set it off, and the changes that were made."""
        listed = [changes] if isinstance(changes, str) else [*changes]
        trigger = values.text("trigger", trigger)
        listed = [values.text("changes", one) for one in listed]
        evidence = values.text("evidence", evidence)
        outcome = values.text("outcome", outcome)
        id = values.text("id", id) if id else None
        with self._file.change() as change:
            events = _part(change, change.document, "refinements", [])
            taken = {event.id for event in _refinements(change.document)}
            number = len(events) + 1
            while not id:
                made, number = f"refine_{number:04d}", number + 1
                id = None if made in taken else made
            event = RefinementEvent(
                id, trigger, listed, evidence, outcome, records.now()
            )
            events.append(records.record_of(event))
            self._save(change)
        return event

    def overview(self, *, max_entries_per_kind: int = 20) -> str:
        """The ledger as text for a model: counts, a line for each entry, the last refinements."""
        document = self._read().document
        return summary.text(
            f"ledger ({self.scope}): {self.file_path}",
            {kind: self._sorted(document, kind) for kind in KINDS},
            _refinements(document),
            max_entries_per_kind,
        )

    def _write(
        self, kind: str, id: str | None, given: dict[str, Any], expected: bool | None
    ) -> HarnessEntry:
        if expected is not True:
            for name in ("title", "content"):
                values.text(name, given.get(name))
            id = id or records.identifier(given["title"], kind)
        id = self._bare(id)
        with self._file.change() as change:
            before = self._entry(change.document, kind, id)
            if expected is False and before is not None:
                raise ArgumentError(
                    f"id: expected a new {kind}, found {id!r} in {self.file_path}",
                    hint="update(...) changes it, upsert(...) adds or changes",
                )
            if expected is True and before is None:
                close = get_close_matches(id, self._entries(change.document, kind), 1)
                raise ArgumentError(
                    f"id: expected a {kind} in {self.file_path}, found none with id {id!r}",
                    hint=f"did you mean {close[0]!r}?" if close else "create(...) adds",
                )
            now = records.now()
            fields: dict[str, Any] = (
                {"scope": self.scope, "version": 0} if before is None else vars(before)
            )
            after = HarnessEntry(
                **fields
                | given
                | {
                    "id": id,
                    "kind": kind,
                    "created_at": fields.get("created_at") or now,
                    "updated_at": now,
                    "version": fields["version"] + 1,
                }
            )
            entries = _part(change, change.document, "entries", {})
            of_kind = _part(change, entries, kind, {})
            of_kind[id] = records.record_of(after, of_kind.get(id))
            self._save(change)
            return after

    def _read(self) -> Reading:
        stamp = self._file.stamp()
        if stamp != self._reading.stamp:
            self._reading = self._file.read()
            if self._reading.fault:
                fault = self._reading.fault
                talk.say([f"{self.file_path}: found {fault}; taken as empty"])
        return self._reading

    def _save(self, change: Change) -> None:
        change.document.setdefault("schema", 1)
        entries = _part(change, change.document, "entries", {})
        for kind in KINDS:
            _part(change, entries, kind, {})
        _part(change, change.document, "refinements", [])
        self._reading, aside = change.save()
        if change.misfits:
            reason = "; ".join(change.misfits)
            old = f", the old one is {aside}" if aside else ""
            talk.say([f"{self.file_path}: found {reason}; written anew{old}"])

    def _entry(
        self, document: dict[str, Any], kind: str, id: str
    ) -> HarnessEntry | None:
        record = _records(document, kind).get(id)
        return records.entry(kind, id, record, self.scope)

    def _entries(self, document: dict[str, Any], kind: str) -> dict[str, HarnessEntry]:
        found = (
            records.entry(kind, id, record, self.scope)
            for id, record in _records(document, kind).items()
        )
        return {entry.id: entry for entry in found if entry is not None}

    def _sorted(
        self, document: dict[str, Any], kind: str
    ) -> builtins.list[HarnessEntry]:
        found = self._entries(document, kind).values()
        return sorted(found, key=lambda entry: (entry.path, entry.title, entry.id))

    def _bare(self, id: Any) -> str:
        """The id without the scope before it, with which Prime Agent shows it."""
        given = values.text("id", id)
        scope, colon, bare = given.partition(":")
        if not colon or not bare or scope not in records.SCOPES:
            return given
        if scope == self.scope:
            return bare
        raise ArgumentError(
            f"id: expected one of this {self.scope} ledger, found {given!r}",
            hint=f"get_harness_state({'global_=True' if scope == 'global' else ''})",
        )


def _given(
    title: Any,
    content: Any,
    path: Any,
    reference: Any,
    arguments: Any,
    metadata: Any,
    source: Any,
) -> dict[str, Any]:
    """The fields that are given, checked and copied, before any lock is taken."""
    texts = {"title": title, "content": content, "path": path, "source": source}
    mappings = {"reference": reference, "arguments": arguments, "metadata": metadata}
    return {
        name: values.text(name, value)
        for name, value in texts.items()
        if value is not None
    } | {
        name: values.mapping(name, value)
        for name, value in mappings.items()
        if value is not None
    }


def _known(kind: Any) -> str:
    if isinstance(kind, str) and kind in KINDS:
        return kind
    close = get_close_matches(str(kind), KINDS, 1)
    raise ArgumentError(
        f"kind: expected prompt, memory, skill or subagent, found {kind!r:.60}",
        hint=f"did you mean {close[0]!r}?" if close else None,
    )


def _records(document: dict[str, Any], kind: str) -> dict[str, Any]:
    entries = document.get("entries")
    records = entries.get(kind) if isinstance(entries, dict) else None
    return records if isinstance(records, dict) else {}


def _refinements(document: dict[str, Any]) -> list[RefinementEvent]:
    listed = document.get("refinements")
    found = map(records.refinement, listed if isinstance(listed, list) else [])
    return [event for event in found if event is not None]


def _part(change: Change, parent: dict[str, Any], name: str, empty: Any) -> Any:
    """This part of the document; where it is something else, that is put aside with the whole file."""
    found = parent.setdefault(name, empty)
    if type(found) is not type(empty):
        change.misfits.append(
            f"{type(found).__name__} where {name} is a {type(empty).__name__}"
        )
        found = parent[name] = empty
    return found
