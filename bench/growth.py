"""Measures how the time grows with the rows: 100,000, 1,000,000 and 10,000,000 of them, 10 columns each.

The file is that of `charge_csv.py`, whose lines are repeated above 1,000,000 (with new ids); the frame is what charge
makes of it. Nobody else is measured: what is asked is whether ten times the rows take ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from charge_csv import clean
from turns import Check, Way, Work, main

#: Of the smallest, and how many times more each.
ROWS, STEPS = 100_000, (1, 10, 100)


def files(rows: int, folder: Path) -> dict[int, Path]:
    made = {}
    for step in STEPS:
        made[step] = path = folder / f"{rows * step}.csv"
        whole = min(rows * step, 1_000_000)
        clean(path, whole)
        repeat(path, whole, rows * step // whole)
    return made


def repeat(path: Path, rows: int, times: int) -> None:
    """Adds the lines again, their first cell counted on."""
    if times == 1:
        return
    lines = path.read_text("utf-8").splitlines(keepends=True)[1:]
    rests = [line[line.index(",") :] for line in lines]
    with path.open("a", encoding="utf-8") as out:
        for time in range(1, times):
            out.writelines(f"{at}{rest}" for at, rest in enumerate(rests, time * rows))


def frames(rows: int, folder: Path) -> dict[int, Any]:
    import headstart as hs

    hs.options.quiet = True
    loaded = {}
    for step, path in files(rows, folder).items():
        loaded[step] = hs.charge(path)
        path.unlink()
    return loaded


def ways(call: Callable[[Any], Any], given: dict[int, Any]) -> dict[str, Way]:
    import headstart as hs

    hs.options.quiet = True
    return {name(step): partial(call, each) for step, each in given.items()}


def name(step: int) -> str:
    return f"{ROWS * step / 1e6:g}M rows"


def charge(path: Path) -> int:
    import headstart as hs

    return len(hs.charge(path))


def decris(frame: Any) -> int:
    import headstart as hs

    hs.decris(frame)
    return len(frame)


def combien(frame: Any) -> int:
    import headstart as hs

    return int(hs.combien(frame, "city")["n"].sum())


def whole(given: dict[int, Any]) -> Check:
    """Ten times the rows are there."""
    lengths: list[int] = []

    def check(_name: str, length: int) -> None:
        lengths.append(length)
        assert length == lengths[0] * STEPS[len(lengths) - 1], lengths

    return check


WORKS = [
    Work("growth: charge csv", files, partial(ways, charge), whole, ROWS, memory=""),
    Work("growth: decris", frames, partial(ways, decris), whole, ROWS, memory=""),
    Work("growth: combien", frames, partial(ways, combien), whole, ROWS, memory=""),
]

if __name__ == "__main__":
    main(__doc__, WORKS)
