"""The ledger as text: for the prompt of a model, or a person's glance. Reads nothing."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from headstart.ledger.entry import HarnessEntry, RefinementEvent

#: Characters of a content, a reference or the arguments.
WIDTH = 120
#: Refinements shown: the last ones.
LAST = 5


def text(
    head: str,
    entries: Mapping[str, Sequence[HarnessEntry]],
    refinements: Sequence[RefinementEvent],
    most: int,
) -> str:
    """The lines: what is not shown is counted."""
    lines = [head]
    for kind, found in entries.items():
        lines.append(f"{kind}: {len(found)}")
        lines += [f"  {_line(entry)}" for entry in found[:most]]
        if len(found) > most:
            lines.append(f"  and {len(found) - most} more")
    lines.append(f"refinements: {len(refinements)}")
    if len(refinements) > LAST:
        lines.append(f"  {len(refinements) - LAST} older ones")
    lines += [
        f"  [{event.id}] {_short(event.trigger)}: {_short(', '.join(event.changes))}"
        for event in refinements[-LAST:]
    ]
    return "\n".join(lines)


def _line(entry: HarnessEntry) -> str:
    calls = ""
    if entry.kind == "skill":
        for name, value in (("ref", entry.reference), ("args", entry.arguments)):
            if value:
                calls += f" {name}={_short(json.dumps(value, ensure_ascii=False, sort_keys=True))}"
    head = (
        f"[{entry.id}] {_short(entry.title)} ({_short(entry.path)}, v{entry.version})"
    )
    return f"{head}{calls}: {_short(entry.content)}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
