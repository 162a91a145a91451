"""Measures ways to the same answer in turns in one process, and hands the figures over. The only measuring code.

A bench gives `main` its works. In the first turn, which is not counted, every answer is checked; a wrong one ends the
bench. Then wall seconds, CPU seconds (of this process and of those it started and waited for) and, each in a fresh
interpreter, peak memory. With `--out` each row is also a line of JSON in that file. It judges nothing and never fails
for being slow.
"""

from __future__ import annotations

import argparse
import compileall
import datetime
import gc
import importlib.metadata
import json
import os
import pickle
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# Where headstart is not installed (beside its peers), it is that of this folder.
sys.path.append(str(ROOT))

OURS = "headstart"
#: A way to the answer, which gives what the check compares; a file that it wrote is deleted afterwards.
Way = Callable[[], Any]
#: Takes a way's name and its answer; raises when the answer is not what it should be.
Check = Callable[[str, Any], None]
#: A way that took more than so many times ours is timed in SLOW_TURNS turns only, and its memory is not looked at.
SLOW, SLOW_TURNS = 6, 2
QUICK_TURNS = 3


@dataclass(frozen=True)
class Work:
    """One row of the published table: an input, the ways from it to the answer, and what the answer must be."""

    row: str
    #: From the number of rows and a folder for files to what the ways start from (pickled for fresh interpreters).
    make: Callable[[int, Path], Any]
    ways: Callable[[Any], dict[str, Way]]
    check: Callable[[Any], Check]
    rows: int = 1_000_000
    #: Whose peak is looked at: "all", "fastest" (ours and that of the fastest other), "" for nobody's.
    memory: str = "fastest"

    @property
    def quick_rows(self) -> int:
        return self.rows // 50 if self.rows > 1000 else self.rows


def main(description: str | None, works: list[Work]) -> None:
    """Measures the works that the command line asks for, all of them by default."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rows", type=int, help="other than each work's own number")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--work", action="append", help="a row that this is part of")
    parser.add_argument(
        "--folder", help="of the inputs and outputs; temporary if not given"
    )
    parser.add_argument(
        "--out", type=Path, help="file that rows are added to, a JSON line each"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a fiftieth of the rows, three turns, no peaks",
    )
    parser.add_argument(
        "--peak", nargs=3, metavar=("ROW", "WAY", "INPUT"), help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    if options.peak:
        print(peak_here(works, *options.peak))
        return
    chosen = [
        work
        for work in works
        if not options.work or any(part in work.row for part in options.work)
    ]
    if not chosen:
        parser.error(
            "no such work; there are: " + "; ".join(work.row for work in works)
        )
    turns = QUICK_TURNS if options.quick else options.turns
    folder = Path(tempfile.mkdtemp(prefix="hs-bench-", dir=options.folder))
    source = folder / "input.pickle"
    made = given = None
    try:
        for work in chosen:
            rows = options.rows or (work.quick_rows if options.quick else work.rows)
            if made != (work.make, rows):
                # Works that follow each other may start from the same.
                given, made = None, (work.make, rows)
                clear(folder)
                given = work.make(rows, folder)
            row = measure(work, given, rows, turns)
            if work.memory and not options.quick:
                if not source.exists():
                    source.write_bytes(pickle.dumps(given, protocol=5))
                add_peaks(row, work, source)
            show(row)
            hand_over(row, options.out)
    finally:
        shutil.rmtree(folder)


def clear(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def measure(work: Work, given: Any, rows: int, turns: int) -> dict[str, Any]:
    """The row: what every way took in each turn."""
    load = Load()
    figures = in_turns(work.ways(given), turns, work.check(given))
    row: dict[str, Any] = {
        "row": work.row,
        "rows": rows,
        **load.so_far(),
        "ways": figures,
    }
    if isinstance(given, Path):
        row["megabytes"] = round(given.stat().st_size / 1e6, 1)
    return row


def add_peaks(row: dict[str, Any], work: Work, source: Path) -> None:
    """Peak memory, each in a fresh interpreter that starts from the pickled input."""
    figures = row["ways"]
    names = [name for name in figures if not figures[name]["slow"]]
    if work.memory == "fastest":
        others = [name for name in names if name != OURS]
        best = min(
            others,
            key=lambda name: statistics.median(figures[name]["seconds"]),
            default="",
        )
        names = [name for name in names if name in (OURS, best)]
    for name in names:
        command = [sys.executable, sys.argv[0], "--peak", work.row, name, str(source)]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        # Some print a progress bar before.
        figures[name]["peak_mb"] = float(said.stdout.split()[-1])


def in_turns(ways: dict[str, Way], turns: int, check: Check) -> dict[str, Any]:
    names = list(ways)
    figures: dict[str, Any] = {
        name: {"version": version(name), "seconds": [], "cpu": []} for name in names
    }
    first: dict[str, float] = {}

    def slow(name: str) -> bool:
        return first[name] > SLOW * first.get(OURS, min(first.values()))

    for turn in range(turns + 1):
        # In another order each turn, so that nobody always follows the same one.
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            if turn > SLOW_TURNS and slow(name):
                continue
            gc.collect()
            cpu, began = processor(), time.perf_counter()
            answer = ways[name]()
            took, used = time.perf_counter() - began, processor() - cpu
            if turn == 0:
                check(name, answer)
                first[name] = took
                if isinstance(answer, Path):
                    figures[name]["file_mb"] = round(answer.stat().st_size / 1e6, 1)
            else:
                figures[name]["seconds"].append(round(took, 6))
                figures[name]["cpu"].append(round(used, 6))
            if isinstance(answer, Path):
                answer.unlink()
            del answer
    for name in names:
        figures[name]["slow"] = slow(name)
    return figures


def processor() -> float:
    """CPU seconds of this process on all cores, and of its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(one.ru_utime + one.ru_stime for one in used)


def peak_here(works: list[Work], row: str, name: str, source: str) -> float:
    """How far resident memory rises at most, in MB, while the way runs once in this interpreter."""
    work = next(work for work in works if work.row == row)
    with open(source, "rb") as file:
        given = pickle.load(file)
    way = work.ways(given)[name]
    gc.collect()
    # Linux: forgets the peak so far, which reading the input made.
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    answer = way()
    risen = resident("VmHWM") - before
    if isinstance(answer, Path):
        answer.unlink()
    return round(risen, 1)


def resident(word: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines)
    return int(status[word].split()[0]) * 1024 / 1e6


class Load:
    """How much of the machine others used meanwhile: what makes a run worth less."""

    def __init__(self) -> None:
        self.began, self.busy, self.own = time.perf_counter(), busy(), processor()

    def so_far(self) -> dict[str, Any]:
        took = time.perf_counter() - self.began
        others = (busy() - self.busy) - (processor() - self.own)
        at = datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes")
        return {"at": at, "other_cores": round(max(0.0, others / took), 2)}


def busy() -> float:
    """Seconds that the cores of this machine have worked since it started."""
    user, nice, system, _idle, _wait, irq, soft, *_ = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    )
    return (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK")


def hand_over(row: dict[str, Any], out: Path | None) -> None:
    if out is not None:
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def compiled() -> None:
    """Has our modules compiled, as pip leaves them: where Python is told to write no bytecode, each start would compile."""
    compileall.compile_dir(ROOT / "headstart", quiet=1)


def version(name: str) -> str:
    """Of the library or program that the way's first word names."""
    library = name.split(" ", 1)[0]
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        # Ours is not installed beside its peers.
        return getattr(sys.modules.get(library), "__version__", "")


def paired(one: list[float], other: list[float]) -> float:
    """The median of the ratios of each turn; a slow way has fewer turns."""
    # A clock may see nothing of what is over at once.
    return statistics.median(a / max(b, 1e-6) for a, b in zip(one, other, strict=False))


def show(row: dict[str, Any]) -> None:
    cores = f"{platform.machine()}, {os.cpu_count()} cores"
    print(
        f"{row['row']}, {row['rows']:,} rows ({cores}, others used {row['other_cores']} of them)"
    )
    ours = row["ways"].get(OURS)
    for name, figures in row["ways"].items():
        line = (
            f"  {name + ' ' + figures['version']:32} median "
            f"{statistics.median(figures['seconds']):.4f} s, CPU {statistics.median(figures['cpu']):.4f} s"
        )
        for key, word in (("peak_mb", "peak"), ("file_mb", "file")):
            if key in figures:
                line += f", {word} {figures[key]:.0f} MB"
        if ours and name != OURS:
            wall, cpu = (paired(ours[key], figures[key]) for key in ("seconds", "cpu"))
            line += f", ours to this {wall:.2f}, CPU {cpu:.2f}"
        print(line, flush=True)


def same_counts() -> Check:
    """A check that all ways give an equal answer."""
    wanted: list[Any] = []

    def check(name: str, answer: Any) -> None:
        wanted.append(answer)
        assert answer == wanted[0], f"{name}: {answer} instead of {wanted[0]}"

    return check
