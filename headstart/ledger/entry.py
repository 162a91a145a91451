"""One entry and one refinement, as the file has them and as Python sees them.

The shape is that of Prime Agent's `harness_state.json`, schema 1: entries by kind and id, refinements in a list. What a
record has beyond these fields belongs to whoever wrote it; it is never read here and never lost.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KINDS = ("prompt", "memory", "skill", "subagent")
SCOPES = ("local", "global")
#: Characters of an id made from a title.
ID_LENGTH = 80


@dataclass(frozen=True)
class HarnessEntry:
    """A prompt note, memory, skill or subagent; a copy, changed in the ledger by `update` only.

    `path` groups entries, `reference` and `arguments` say how a skill is called, `source` who wrote this version,
    `version` counts from 1; times are ISO 8601 in UTC.
    """

    id: str
    kind: str
    title: str
    content: str
    path: str = "general"
    scope: str = "local"
    reference: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    source: str = "agent"
    created_at: str = ""
    updated_at: str = ""
    version: int = 1


@dataclass(frozen=True)
class RefinementEvent:
    """What was changed in the ledger and why: what set it off, the changes, the evidence, what came of it."""

    id: str
    trigger: str
    changes: list[str]
    evidence: str = ""
    outcome: str = ""
    created_at: str = ""


def now() -> str:
    """This moment as the file writes it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def identifier(title: str, kind: str) -> str:
    """The id that a title gets: its letters and digits, `_` between them; the kind where there are none.

    Prime Agent makes the same of it, so that both find one entry by its title.
    """
    words = re.sub(r"[\W_]+", "_", title).strip("_").lower()
    return (words or kind)[:ID_LENGTH]


def entry(kind: str, id: str, record: Any, scope: str) -> HarnessEntry | None:
    """The entry of a record in the file; `None` where title or content is none.

    A field that is missing or of another type has its default, as in Prime Agent.
    """
    if not isinstance(record, dict):
        return None
    title, content = record.get("title"), record.get("content")
    if not isinstance(title, str) or not isinstance(content, str):
        return None
    kept = record.get("scope")
    return HarnessEntry(
        id=id,
        kind=kind,
        title=title,
        content=content,
        path=_text(record, "path", "general"),
        scope=kept if kept in SCOPES else scope,
        reference=_mapping(record, "reference"),
        arguments=_mapping(record, "arguments"),
        metadata=_mapping(record, "metadata"),
        source=_text(record, "source", "agent"),
        created_at=_text(record, "created_at", ""),
        updated_at=_text(record, "updated_at", ""),
        version=_version(record.get("version")),
    )


def refinement(record: Any) -> RefinementEvent | None:
    """The refinement of a record in the file; `None` where it has no id, trigger or changes."""
    if not isinstance(record, dict):
        return None
    id, trigger, changes = (record.get(name) for name in ("id", "trigger", "changes"))
    if isinstance(changes, str):
        changes = [changes]
    if not (
        isinstance(id, str) and isinstance(trigger, str) and isinstance(changes, list)
    ):
        return None
    return RefinementEvent(
        id=id,
        trigger=trigger,
        changes=[str(change) for change in changes],
        evidence=_text(record, "evidence", ""),
        outcome=_text(record, "outcome", ""),
        created_at=_text(record, "created_at", ""),
    )


def record_of(known: HarnessEntry | RefinementEvent, before: Any = None) -> Any:
    """The record to write: these fields in their order, then whatever else the record before it had."""
    record = asdict(known)
    ours = {one.name for one in fields(known)}
    if isinstance(before, dict):
        record |= {name: value for name, value in before.items() if name not in ours}
    return record


def _text(record: dict[str, Any], name: str, default: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else default


def _mapping(record: dict[str, Any], name: str) -> dict[str, Any]:
    value = record.get(name)
    return deepcopy(value) if isinstance(value, dict) else {}


def _version(value: Any) -> int:
    if isinstance(value, str):
        value = int(value) if re.fullmatch(r"\s*[+-]?\d{1,18}\s*", value) else 1
    return value if isinstance(value, int) and not isinstance(value, bool) else 1
