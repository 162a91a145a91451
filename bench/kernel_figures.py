"""What the benches of the kernel gave, as figures with a goal. Measures nothing.

Goals: an interrupt within 150 ms and so on, as each line says; ratios are ours to jupyter_client's, or to
cloudpickle, SHA-256 and a file, in the same run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """A measure of the kernel: our value, what stands beside it, and what the goal is of."""

    title: str
    ours: float
    unit: str
    limit: float
    theirs: float | None = None
    peer: str = ""

    @property
    def judged(self) -> float:
        """What the limit is of: the ratio where something stands beside it, else our own value."""
        return self.ours if self.theirs is None else self.ours / self.theirs


CLIENT = "jupyter_client"


def figures(kernel: dict[str, Any]) -> list[Figure]:
    """All that the given results hold, in the order of the page."""
    found: list[Figure] = []
    if launcher := kernel.get("launcher"):
        found += of_launcher(launcher)
    if checkpoints := kernel.get("checkpoints"):
        found += of_checkpoints(checkpoints)
    return found


def of_launcher(given: dict[str, Any]) -> list[Figure]:
    cells, starts = given["cells"], given["starts"]
    ours, theirs = cells["headstart"], cells[CLIENT]["p50_ms"]
    found = [
        Figure("round trip of `x=1`, median", ours["p50_ms"], "ms", 3),
        Figure("round trip of `x=1`, 99 of 100", ours["p99_ms"], "ms", 12),
        Figure("round trip of `x=1`", ours["p50_ms"], "ms", 0.4, theirs, CLIENT),
    ]
    for name in ("script", "binary"):
        if name in starts:
            own = starts[name]["p50_ms"]
            title = f"start to first result, `hs` as {name}"
            found.append(Figure(title, own, "ms", 500))
            beside = starts[CLIENT]["p50_ms"]
            found.append(Figure(title, own, "ms", 0.6, beside, CLIENT))
    for name, taken in given["interrupts"].items():
        title = f"interrupt of {name}, 99 of 100"
        found.append(Figure(title, taken["p99_ms"], "ms", 150))
    for name, taken in given["host killed"].items():
        title = f"host killed, {name}: last process gone, longest"
        found.append(Figure(title, taken["max_ms"], "ms", 1000))
    return found


#: Titles of the bench of checkpoints, with the value that the goal is of.
ADDED = {
    "20 small names, nothing changed": ("added_ms", "ms", 5),
    "20 small names, i += 1": ("bytes_a_cell", "bytes", 4096),
    "200 MiB of numpy, i += 1": ("added_ms", "ms", 45),
    "polars 1M x 4, unchanged": ("added_ms", "ms", 5),
    "pyarrow 1M x 4, unchanged": ("added_ms", "ms", 5),
}
BESIDE = {
    "save of 64 MiB changed, to durable": (0.7, "cloudpickle, SHA-256, fsync"),
    "restore of 64 MiB, beside cloudpickle.load": (1.0, "cloudpickle.load"),
    "switch, 1 of 20 values differs, beside all 20": (0.1, "all 20 values"),
    "durable with many checkpoints, beside few": (1.2, "few checkpoints"),
}


def of_checkpoints(given: dict[str, Any]) -> list[Figure]:
    found = []
    for title, (key, unit, limit) in ADDED.items():
        what = "written a cell" if unit == "bytes" else "added to a cell"
        found.append(Figure(f"{what}: {title}", given[title][key], unit, limit))
    for title, (limit, peer) in BESIDE.items():
        own, theirs = given[title]["ours_ms"], given[title]["theirs_ms"]
        name = title.split(", beside", 1)[0]
        found.append(Figure(name, own, "ms", limit, theirs, peer))
    return found
