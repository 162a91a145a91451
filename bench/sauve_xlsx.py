"""Measures sauve of a pandas frame as a workbook against rustpy-xlsxwriter, polars and pandas with XlsxWriter.

Everybody writes a bold frozen header, a filter and fitted column widths. Two frames of 100,000 x 10 from a
seed: `text` (codes, names, addresses, sentences, a few numbers) and `numbers` (floats, ints, datetimes).
What was written is read by openpyxl once and compared. Wall and CPU seconds in turns, file sizes, and
peak memory of a fresh interpreter beside the frame. It judges nothing and never fails for being slow.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from side_by_side import CITIES, PEAK

WORDS = [
    "the",
    "order",
    "was",
    "late",
    "and",
    "broken",
    "again",
    "thanks",
    "for",
    "your",
    "patience",
]


def text(rows: int) -> Any:
    import pandas

    draw = random.Random(7)
    days = pandas.date_range("2026-01-01", periods=300, unit="us")
    return pandas.DataFrame(
        {
            "id": range(rows),
            "code": [f"{row % 99_999:05}" for row in range(rows)],
            "customer": [
                f"customer number {draw.randrange(2 * rows)}" for _ in range(rows)
            ],
            "city": [CITIES[row % 8] for row in range(rows)],
            "street": [
                f"{draw.randrange(200)} {draw.choice(CITIES)} street"
                for _ in range(rows)
            ],
            "mail": [
                f"user{draw.randrange(10 * rows)}@example{draw.randrange(100)}.org"
                for _ in range(rows)
            ],
            "state": [draw.choice(["open", "closed", "pending"]) for _ in range(rows)],
            "comment": [" ".join(draw.choices(WORDS, k=8)) for _ in range(rows)],
            "ordered": days[[draw.randrange(300) for _ in range(rows)]],
            "amount": [round(draw.uniform(1, 9999), 2) for _ in range(rows)],
        }
    )


def numbers(rows: int) -> Any:
    import pandas

    draw = random.Random(7)
    frame = {
        f"float {n}": [draw.gauss(0, 10**n) for _ in range(rows)] for n in range(4)
    }
    frame |= {
        f"int {n}": [draw.randrange(10 ** (n + 3)) for _ in range(rows)]
        for n in range(4)
    }
    frame["price"] = [round(draw.uniform(0, 1000), 2) for _ in range(rows)]
    seconds = pandas.to_timedelta(
        [draw.randrange(10**7) for _ in range(rows)], unit="s"
    )
    frame["at"] = pandas.Timestamp("2026-01-01") + seconds
    return pandas.DataFrame(frame)


WORKS: dict[str, Callable[[int], Any]] = {"text": text, "numbers": numbers}


@dataclass
class Writer:
    """How one library writes `frame` to `path`, as its documentation shows it."""

    name: str
    imports: str
    call: str
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    size: int = 0

    def prepare(self, frame: Any, path: Path) -> Callable[[], None]:
        names = {"frame": frame, "path": str(path)}
        exec(self.imports, names)  # noqa: S102 - our own statements, below
        code = compile(self.call, self.name, "exec")
        return lambda: exec(code, names)  # noqa: S102


OURS = "headstart"
WRITERS = [
    Writer(
        OURS,
        "import headstart as hs; hs.options.quiet = True",
        "hs.sauve(path, frame)",
    ),
    Writer(
        "rustpy-xlsxwriter",
        "import pyarrow; from rustpy_xlsxwriter import write_worksheet",
        "write_worksheet(frame, path, sheet_name='Sheet1', freeze_row=1, autofit=True,"
        " autofilter=True, bold_headers=True)",
    ),
    Writer(
        "polars",
        "import pandas, pyarrow, polars, xlsxwriter",
        "polars.from_pandas(frame).write_excel(path, autofit=True, autofilter=True,"
        " freeze_panes=(1, 0), header_format={'bold': True})",
    ),
    Writer(
        "pandas",
        "import pandas, xlsxwriter",
        "with pandas.ExcelWriter(path, engine='xlsxwriter') as book:\n"
        "    frame.to_excel(book, index=False)\n"
        "    sheet = book.sheets['Sheet1']\n"
        "    sheet.freeze_panes(1, 0)\n"
        "    sheet.autofilter(0, 0, len(frame), frame.shape[1] - 1)\n"
        "    sheet.autofit()",
    ),
]


def check(writer: Writer, frame: Any, path: Path) -> None:
    """The first and the last rows are what the frame says."""
    import openpyxl

    sheet = openpyxl.load_workbook(path, read_only=True).worksheets[0]
    rows = list(sheet.iter_rows(values_only=True))
    assert len(rows) == len(frame) + 1, f"{writer.name}: {len(rows)} rows"
    assert list(rows[0]) == list(frame.columns), writer.name
    for at in [*range(100), *range(len(frame) - 100, len(frame))]:
        wanted = [
            value.to_pydatetime() if hasattr(value, "to_pydatetime") else value
            for value in frame.iloc[at]
        ]
        assert list(rows[at + 1]) == wanted, f"{writer.name}: {rows[at + 1]} {wanted}"


def turns(writers: list[Writer], frame: Any, folder: Path, count: int) -> None:
    """Every writer once a turn, each time another one first; the first turn is checked, not counted."""
    for turn in range(count + 1):
        for writer in writers[turn % len(writers) :] + writers[: turn % len(writers)]:
            path = folder / f"{writer.name}.xlsx"
            path.unlink(missing_ok=True)
            work = writer.prepare(frame, path)
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            work()
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            writer.size = path.stat().st_size
            if turn == 0:
                check(writer, frame, path)
            else:
                writer.wall.append(wall)
                writer.cpu.append(cpu)


def peak_megabytes(writer: Writer, work: str, rows: int, path: Path) -> float:
    """How far resident memory rises at most above the frame and the imports."""
    script = (
        f"{PEAK}\nimport sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        f"import sauve_xlsx\nframe = sauve_xlsx.WORKS[{work!r}]({rows})\npath = {str(path)!r}\n"
        f"{writer.imports}\nimport pyarrow\nbefore = resident('VmHWM')\n{writer.call}\n"
        "print(resident('VmHWM') - before)"
    )
    said = subprocess.check_output([sys.executable, "-c", script], text=True)
    return float(said.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--work", choices=list(WORKS), action="append")
    parser.add_argument("--slow", action="store_true", help="polars and pandas, too")
    arguments = parser.parse_args()
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    for work in arguments.work or WORKS:
        frame = WORKS[work](arguments.rows)
        writers = [Writer(w.name, w.imports, w.call) for w in WRITERS]
        writers = writers if arguments.slow else writers[:2]
        print(f"sauve {work} xlsx from pandas, {arguments.rows:,} x {frame.shape[1]}")
        with tempfile.TemporaryDirectory() as folder:
            turns(writers, frame, Path(folder), arguments.turns)
            ours = writers[0]
            for writer in writers:
                wall = statistics.median(
                    a / b for a, b in zip(ours.wall, writer.wall, strict=True)
                )
                cpu = statistics.median(
                    a / b for a, b in zip(ours.cpu, writer.cpu, strict=True)
                )
                peak = peak_megabytes(
                    writer, work, arguments.rows, Path(folder) / "peak.xlsx"
                )
                raw = " ".join(f"{seconds:.3f}" for seconds in writer.wall)
                print(
                    f"  {writer.name:18} median {statistics.median(writer.wall):.3f} s"
                    f" ({statistics.median(writer.cpu):.3f} CPU), {writer.size / 1e6:.1f} MB, peak"
                    f" +{peak:.0f} MB, ours to this {wall:.2f} (CPU {cpu:.2f}) ({raw})"
                )


if __name__ == "__main__":
    main()
