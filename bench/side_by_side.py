"""Measures readers of one file side by side: in turns in one process, results compared first.

A reader is a statement that imports it and an expression of `path` that gives a pandas frame. Times
are wall seconds; a ratio is ours against the fastest other reader of the same turn. Peak memory is
that of a fresh interpreter, the imports taken off. It judges nothing and never fails for being slow.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Takes a reader's name and its frame; raises when the frame is not what it should be.
Check = Callable[[str, Any], None]
CITIES = ["Paris", "Berlin", "Köln", "São Paulo", "Kraków", "Reykjavík", "Oslo", "Rome"]


@dataclass
class Reader:
    """How one library reads the file into pandas."""

    name: str
    imports: str
    call: str
    seconds: list[float] = field(default_factory=list)
    #: Of the processor, on all cores: what a machine that others use as well does not blur.
    work: list[float] = field(default_factory=list)

    def __call__(self, path: Path) -> Any:
        names: dict[str, Any] = {"path": str(path)}
        exec(self.imports, names)  # noqa: S102 - our own statements, listed in this folder
        return eval(self.call, names)


OURS = "headstart"


def headstart() -> Reader:
    return Reader(
        OURS,
        "import pandas, pyarrow, headstart as hs; hs.options.quiet = True",
        "hs.charge(path)",
    )


def label(reader: Reader) -> str:
    version = getattr(importlib.import_module(reader.name), "__version__", "")
    return f"{reader.name} {version}".rstrip()


def alternate(readers: list[Reader], path: Path, turns: int, check: Check) -> None:
    """Every reader once a turn; in the first turn, which is not counted, frames are checked."""
    for turn in range(turns + 1):
        # In another order each turn, so that nobody always follows the same one.
        for reader in readers[turn % len(readers) :] + readers[: turn % len(readers)]:
            gc.collect()
            start, work = time.perf_counter(), time.process_time()
            frame = reader(path)
            seconds = time.perf_counter() - start
            work = time.process_time() - work
            if turn == 0:
                check(reader.name, frame)
            else:
                reader.seconds.append(seconds)
                reader.work.append(work)
            del frame


# Linux only: ru_maxrss of a new process starts with the peak of the one that it was forked from.
PEAK = """
from pathlib import Path
def resident(word):
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status[word].split()[0]) / 1024
"""


def peak_megabytes(reader: Reader, path: Path) -> float:
    """How far resident memory rises at most while a fresh interpreter reads the file."""
    script = (
        f"{PEAK}\n{reader.imports}\npath = {str(path)!r}\nbefore = resident('VmRSS')\n"
        f"frame = {reader.call}\nprint(resident('VmHWM') - before)"
    )
    said = subprocess.check_output([sys.executable, "-c", script], text=True)
    # Readers may print a progress bar before.
    return float(said.split()[-1])


def alike(columns: Sequence[str], code: str) -> Check:
    """A check that all readers give the same values in the columns, and ours the zeros of a code.

    Columns that a file lacks are passed over. Other columns may differ: readers type dates in their own
    ways, and one rounds the last digit of floats.
    """
    wanted: dict[str, Any] = {}

    def check(reader: str, frame: Any) -> None:
        if reader == OURS and code in frame:
            assert frame[code].iloc[-1] == "00042", "the code lost its zeros"
        for column in columns:
            if column in frame:
                same = wanted.setdefault(column, frame[column])
                assert (frame[column] == same).all(), f"{reader}: {column} differs"

    return check


def compare(
    title: str, readers: list[Reader], path: Path, turns: int, check: Check
) -> None:
    """Measures, and prints both sides' figures and the ratios."""
    alternate(readers, path, turns, check)
    peaks = {reader.name: peak_megabytes(reader, path) for reader in readers}
    ours = next(reader for reader in readers if reader.name == OURS)
    others = [reader for reader in readers if reader.name != OURS]
    print(f"{title}: {path.stat().st_size / 1e6:.0f} MB")
    for reader in readers:
        ratio = statistics.median(
            our / their for our, their in zip(ours.seconds, reader.seconds, strict=True)
        )
        raw = " ".join(f"{seconds:.3f}" for seconds in reader.seconds)
        print(
            f"  {label(reader):20} median {statistics.median(reader.seconds):.3f} s, "
            f"{statistics.median(reader.work):.3f} s of work, peak "
            f"{peaks[reader.name]:.0f} MB, ours to this {ratio:.2f} ({raw})"
        )
    fastest = [
        our / min(their)
        for our, *their in zip(
            ours.seconds, *(reader.seconds for reader in others), strict=True
        )
    ]
    print(
        "  ours to the fastest of each turn, median, smaller is better: "
        f"{statistics.median(fastest):.2f}"
    )


def main(
    description: str,
    extension: str,
    works: dict[str, Callable[[Path, int], None]],
    readers: Callable[[], list[Reader]],
    check: Callable[[], Check],
    rows: int = 1_000_000,
) -> None:
    """Writes each input, as the command line asks, and compares the readers on it."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rows", type=int, default=rows)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--work", choices=list(works), action="append")
    arguments = parser.parse_args()
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.work or works:
            path = Path(folder) / f"{name}.{extension}"
            works[name](path, arguments.rows)
            title = f"charge {name} {extension} to pandas, {arguments.rows:,} rows"
            compare(title, readers(), path, arguments.turns, check())
