"""Measures ways to the same answer in turns in one process: wall seconds, and CPU seconds of all cores.

In the first turn, which is not counted, the answers are compared. It judges nothing.
"""

from __future__ import annotations

import gc
import importlib
import os
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

OURS = "headstart"
#: A way to the answer, which gives what the check compares.
Way = Callable[[], Any]


def head() -> None:
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )


def measure(
    title: str, ways: dict[str, Way], turns: int, check: Callable[[str, Any], None]
) -> None:
    """Measures, and prints both sides' figures and the ratios; `check` raises on a wrong answer."""
    wall: dict[str, list[float]] = {name: [] for name in ways}
    work: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for turn in range(turns + 1):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            gc.collect()
            start, cpu = time.perf_counter(), time.process_time()
            answer = ways[name]()
            took, used = time.perf_counter() - start, time.process_time() - cpu
            if turn == 0:
                check(name, answer)
                continue
            wall[name].append(took)
            work[name].append(used)
    print(title)
    for name in names:
        ratios = [
            statistics.median(
                our / their for our, their in zip(kind[OURS], kind[name], strict=True)
            )
            for kind in (wall, work)
        ]
        print(
            f"  {label(name):24} median {statistics.median(wall[name]):.4f} s, CPU "
            f"{statistics.median(work[name]):.4f} s, ours to this {ratios[0]:.2f}, CPU {ratios[1]:.2f}"
        )
    others = [name for name in names if name != OURS]
    fastest = statistics.median(
        our / min(their)
        for our, *their in zip(
            wall[OURS], *(wall[name] for name in others), strict=True
        )
    )
    print(f"  ours to the fastest of each turn, median: {fastest:.2f}")


def label(name: str) -> str:
    """A way with the version of its library, which its first word names."""
    library, *rest = name.split(" ", 1)
    version = getattr(importlib.import_module(library), "__version__", "")
    return " ".join([library, version, *rest]).rstrip()
