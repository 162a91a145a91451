"""Writes docs/performance.md and its picture from bench/results.json and the goals. Measures nothing.

python bench/page.py    # after a change of the words or of the reasons
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import plot
from goals import SECTIONS, WHY, Goal
from kernel_figures import Figure, figures
from turns import OURS, ROOT, paired

RESULTS = ROOT / "bench/results.json"
PAGE = ROOT / "docs/performance.md"
UNKNOWN = "Not yet known."

TEXT = """
# Speed

hs beside the fastest other ways to the same answer. `make bench` measures everything and writes this page and [its raw
figures](../bench/results.json); nothing here is edited by hand.

**{met} of {goals} goals are met; in {ahead} of {compared} comparisons hs is ahead.** The goals were set before the work
began, and most ask for more than to be the fastest.

![Each comparison as a dot: left of 1 hs is faster or leaner; the mark is the goal](performance.svg)

## How

- Answers are compared first; a wrong one ends the run.
- Then all ways take turns in one process, in another order each turn; one turn to warm up, then {turns} that count (two
  for a way that takes more than six times as long as hs; its memory is not looked at).
- A ratio is ours to the fastest other's, the median over the turns: below 1 hs is faster. Seconds are medians. Memory is
  how far a fresh Python rises above its imports and its input.
- Every library is called as its documentation shows it; files are in the page cache. "To pandas" ends with the frame
  that the user gets.
- Only ratios travel to other machines.

Machine: {processor}, {cores} cores, {memory_gb} GB, {system}, Python {python}. Measured from {begun} to {ended} UTC;
meanwhile other programs kept {others} of these cores busy (median over the rows; at most {most}): the more, the less
a single figure is worth.

Versions: {versions}.
"""
LEFT_OUT = """
## Not measured

skimpy 0.0.21 fails on a column of dates with pandas 3. qsv is measured where it is on `PATH`; `make bench` builds xan, not
qsv.
"""


@dataclass(frozen=True)
class Line:
    """A line of the tables: one goal of one row."""

    row: str
    goal: str
    ours: str
    theirs: str
    #: To the limit of the goal; None where the goal is no ratio.
    ratio: float | None
    limit: float | None
    met: bool | None
    memory: str = ""


def lines_of(row: dict[str, Any], goals: tuple[Goal, ...]) -> Iterator[Line]:
    for goal in goals:
        if goal.of == "growth":
            yield from growth(row, goal)
        elif goal.of != "peak_mb" or "peak_mb" in row["ways"][OURS]:
            yield line_of(row, goal)


def line_of(row: dict[str, Any], goal: Goal) -> Line:
    ways, name = row["ways"], row["row"]
    ours = ways[OURS]
    if goal.of == "own":
        own = statistics.median(ours["seconds"]) * 1000
        return Line(
            name,
            f"<= {goal.limit:g} ms",
            f"{own:.1f} ms",
            "",
            None,
            None,
            own <= (goal.limit or 0),
        )
    others = {
        way: figures
        for way, figures in ways.items()
        if not way.startswith(OURS)
        and (not goal.to or way.startswith(goal.to))
        and (goal.of != "peak_mb" or "peak_mb" in figures)
    }
    if goal.of == "peak_mb":
        best = min(others, key=lambda way: others[way]["peak_mb"])
        ratio = ours["peak_mb"] / others[best]["peak_mb"]
        return Line(
            f"memory of {name}",
            f"<= {goal.limit:g}",
            f"{ours['peak_mb']:.0f} MB",
            f"{best}, {others[best]['peak_mb']:.0f} MB",
            ratio,
            goal.limit,
            ratio <= (goal.limit or 0),
        )
    best = min(others, key=lambda way: statistics.median(others[way]["seconds"]))
    theirs = others[best]
    own, other = (statistics.median(way["seconds"]) for way in (ours, theirs))
    told = f"{best}, {seconds(other)}"
    if goal.of == "more":
        starts = row["rows"]
        pairs = zip(ours["seconds"], theirs["seconds"], strict=True)
        more = statistics.median(a - b for a, b in pairs) * 1000 / starts
        goal_text = f"<= {goal.limit:g} ms more"
        shown = f"{more:.1f} ms more"
        alone = f"{best}, {seconds(other / starts)}"
        return Line(
            name, goal_text, shown, alone, None, None, more <= (goal.limit or 0)
        )
    ratio = paired(ours["seconds"], theirs["seconds"])
    memory = ""
    if "peak_mb" in ours and "peak_mb" in theirs:
        memory = f"{ours['peak_mb']:.0f} / {theirs['peak_mb']:.0f} MB"
    text = "none" if goal.limit is None else f"<= {goal.limit:g}"
    if goal.to and goal.limit is not None:
        text += f" of {goal.to[0]}"
    met = None if goal.limit is None else ratio <= goal.limit
    return Line(name, text, seconds(own), told, ratio, goal.limit, met, memory)


def growth(row: dict[str, Any], goal: Goal) -> Iterator[Line]:
    """Each step of ten times the rows."""
    names = list(row["ways"])
    for less, more in pairwise(names):
        few, many = (row["ways"][name]["seconds"] for name in (less, more))
        ratio = paired(many, few) / 10
        yield Line(
            f"{row['row']}, {less} to {more}",
            f"<= {goal.limit:g}",
            f"{seconds(statistics.median(many))} for {more}",
            f"{seconds(statistics.median(few))} for {less}",
            ratio,
            goal.limit,
            ratio <= (goal.limit or 0),
        )


def kernel_line(figure: Figure) -> Line:
    own = amount(figure.ours, figure.unit)
    met = figure.judged <= figure.limit
    if figure.theirs is None:
        limit = amount(figure.limit, figure.unit)
        return Line(figure.title, f"<= {limit}", own, "", None, None, met)
    theirs = f"{figure.peer}, {amount(figure.theirs, figure.unit)}"
    limit = f"<= {figure.limit:g}"
    return Line(figure.title, limit, own, theirs, figure.judged, figure.limit, met)


def seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 0.5 else f"{value * 1000:.1f} ms"


def amount(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def tables(results: dict[str, Any]) -> list[tuple[str, str, list[Line]]]:
    """Sections with their lines; only rows that were measured."""
    measured = {row["row"]: row for row in results["rows"]}
    found = []
    for section in SECTIONS:
        lines = [
            line
            for name, goals in section.rows.items()
            if name in measured
            for line in lines_of(measured[name], goals)
        ]
        found.append((section.title, section.note, lines))
    kernel = [kernel_line(figure) for figure in figures(results.get("kernel", {}))]
    note = (
        "`hs kernel` beside jupyter_client on the same kernel; checkpoints beside what one does without them: "
        "cloudpickle, SHA-256 and a file."
    )
    found.append(("Kernel", note, kernel))
    return [(title, note, lines) for title, note, lines in found if lines]


def verdict(line: Line) -> str:
    return {True: "met", False: "**missed**", None: "–"}[line.met]


def table(lines: list[Line]) -> str:
    with_memory = any(line.memory for line in lines)
    head = ["work", "goal", "hs", "beside", "ratio", ""] + [
        "memory, hs / theirs"
    ] * with_memory
    out = [
        f"| {' | '.join(head)} |",
        "|---|---|--:|---|--:|---|" + "--:|" * with_memory,
    ]
    for line in lines:
        ratio = "" if line.ratio is None else f"{line.ratio:.2f}"
        cells = [line.row, line.goal, line.ours, line.theirs, ratio, verdict(line)]
        cells += [line.memory] * with_memory
        out.append(f"| {' | '.join(cells)} |")
    return "\n".join(out)


def missing(all_lines: list[Line]) -> str:
    """What misses, and why."""
    out = []
    for line in all_lines:
        if line.met is False:
            found = line.ours if line.ratio is None else f"{line.ratio:.2f}"
            out.append(
                f"- **{line.row}**: {found}, goal {line.goal}. {WHY.get(line.row, UNKNOWN)}"
            )
    return "\n".join(out) or "Nothing."


def versions(results: dict[str, Any]) -> str:
    found: dict[str, set[str]] = {}
    for row in results["rows"]:
        for name, figures_of_way in row["ways"].items():
            if figures_of_way["version"]:
                found.setdefault(name.split(" ", 1)[0], set()).add(
                    figures_of_way["version"]
                )
    return ", ".join(
        f"{name} {' and '.join(sorted(found[name]))}" for name in sorted(found)
    )


def page(results: dict[str, Any]) -> str:
    sections = tables(results)
    everything = [line for _, _, lines in sections for line in lines]
    judged = [line for line in everything if line.met is not None]
    compared = [line for line in everything if line.ratio is not None]
    machine = results["machine"]
    others = [row["other_cores"] for row in results["rows"]]
    times = sorted(row["at"] for row in results["rows"])
    turns = {
        max(len(way["seconds"]) for way in row["ways"].values())
        for row in results["rows"]
    }
    parts = [
        TEXT.format(
            met=sum(bool(line.met) for line in judged),
            goals=len(judged),
            ahead=sum((line.ratio or 0) < 1 for line in compared),
            compared=len(compared),
            begun=times[0][:16].replace("T", " "),
            ended=times[-1][:16].replace("T", " "),
            others=f"{statistics.median(others):.2f}",
            most=f"{max(others):.2f}",
            turns=" to ".join(map(str, sorted(turns))),
            versions=versions(results),
            **machine,
        ).strip("\n")
    ]
    for title, note, lines in sections:
        parts += [f"## {title}", note, table(lines)]
    parts += ["## What misses, and why", missing(everything), LEFT_OUT.strip("\n")]
    measured = {row["row"] for row in results["rows"]}
    rows = [row for section in SECTIONS for row in section.rows if row not in measured]
    if rows:
        parts.append(f"Left out of this run: {'; '.join(rows)}.")
    return "\n\n".join(parts) + "\n"


def write(results_path: Path = RESULTS, page_path: Path = PAGE) -> None:
    results = json.loads(results_path.read_text(encoding="utf-8"))
    page_path.write_text(page(results), encoding="utf-8")
    dots = [
        plot.Dot(
            f"{line.row}, beside {line.theirs.split(',')[0]}", line.ratio, line.limit
        )
        for _, _, lines in tables(results)
        for line in lines
        if line.ratio is not None
    ]
    page_path.with_suffix(".svg").write_text(plot.picture(dots), encoding="utf-8")


if __name__ == "__main__":
    write()
