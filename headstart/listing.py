"""Items with their labels, a line each, head and tail, within the budget of a view."""

from __future__ import annotations

#: Characters of a whole view, about.
BUDGET = 6000


def ends(size: int, n: int) -> tuple[int, int]:
    """How many items of head and tail to show."""
    n = min(n, size)
    return n - n // 2, n // 2


def listing(lead: str, rows: list[tuple[str, str]], head: int, size: int) -> list[str]:
    """Lines of label and value, with the number of hidden ones where they are hidden."""
    if not rows:
        return [lead]
    # Long rows leave room for fewer of them; the ends stay.
    wide = max(len(label) for label, _ in rows)
    total = sum(wide + len(shown) + 5 for _, shown in rows)
    most = max(2, (BUDGET - 200) * len(rows) // total)
    if len(rows) > most:
        tail = min(len(rows) - head, most // 2)
        keep = most - tail
        rows = rows[:keep] + (rows[-tail:] if tail else [])
        head = keep
    hidden = size - len(rows)
    wide = max(len(label) for label, _ in rows)
    lines = [f"{label:>{wide + 2}}  {shown}" for label, shown in rows]
    if hidden:
        lines.insert(head, f"{'':>{wide + 2}}  ... {hidden:,} more")
    return [lead, *lines]
