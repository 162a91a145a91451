"""Measures sauve of csv and jsonl from a frame in memory against polars, pyarrow and duckdb.

The table has 1,000,000 rows and 10 columns from a seed: ints, codes with leading zeros, texts, floats with
gaps, dates, datetimes, bools. Each library writes it as its documentation shows, in turns in one process;
what was written is read back and compared first. Ours puts the file on the disk before it counts as saved,
theirs leave it to the system: `--folder /dev/shm` leaves the disk out. It judges nothing.
"""

from __future__ import annotations

import argparse
import datetime as dt
import gc
import os
import platform
import random
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from side_by_side import CITIES, OURS, label

CHECKED = ("id", "customer", "city", "amount", "discount")


@dataclass
class Writer:
    """How one library writes a frame to a path."""

    name: str
    imports: str
    call: str
    wall: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)

    def __call__(self, frame: Any, path: Path) -> None:
        names: dict[str, Any] = {"frame": frame, "path": str(path)}
        exec(self.imports, names)  # noqa: S102 - our own statements, below
        eval(self.call, names)


def ours() -> Writer:
    imports = "import headstart as hs; hs.options.quiet = True"
    return Writer(OURS, imports, "hs.sauve(path, frame)")


def writers(extension: str, library: str) -> list[Writer]:
    """Each library's way from a frame of the library to the file."""
    polars = "frame" if library == "polars" else "polars.from_pandas(frame)"
    arrow = (
        "frame.to_arrow()"
        if library == "polars"
        else "pyarrow.Table.from_pandas(frame, preserve_index=False)"
    )
    if extension == "csv":
        return [
            ours(),
            Writer("polars", "import polars", f"{polars}.write_csv(path)"),
            Writer(
                "pyarrow", "import pyarrow.csv", f"pyarrow.csv.write_csv({arrow}, path)"
            ),
            Writer(
                "duckdb", "import duckdb", "duckdb.sql('from frame').write_csv(path)"
            ),
        ]
    copy = "duckdb.sql(f\"copy (from frame) to '{path}' (format json)\")"
    return [
        ours(),
        Writer("polars", "import polars", f"{polars}.write_ndjson(path)"),
        Writer("duckdb", "import duckdb", copy),
    ]


def table(rows: int) -> dict[str, list[Any]]:
    draw = random.Random(7)
    days = [dt.date(2026, row % 12 + 1, row % 28 + 1) for row in range(336)]
    return {
        "id": list(range(rows)),
        "code": [f"{row % 99_999:05}" for row in range(rows)],
        "customer": [f"customer number {draw.randrange(200_000)}" for _ in range(rows)],
        "city": [CITIES[row % 8] for row in range(rows)],
        "amount": [round(draw.uniform(1, 9999), 2) for _ in range(rows)],
        "discount": [draw.random() if row % 7 else None for row in range(rows)],
        "ordered": [days[row % 336] for row in range(rows)],
        "shipped": [
            dt.datetime.combine(days[row % 336], dt.time(row % 24, row % 60))
            for row in range(rows)
        ],
        "paid": [row % 3 > 0 for row in range(rows)],
        "quantity": [row % 90_000 + 10_000 for row in range(rows)],
    }


def check(path: Path, writer: str, wanted: Any) -> None:
    """What was written has the values of the frame, and ours all of its types that the format has."""
    import headstart as hs

    hs.options.quiet = True
    read = hs.charge(path)
    for column in CHECKED:
        same = (read[column] == wanted[column]) | read[column].isna()
        assert same.all(), f"{writer}: {column} differs"
        assert read[column].isna().sum() == wanted[column].isna().sum(), writer
    if writer == OURS:
        assert list(read["code"]) == list(wanted["code"])


def compare(
    title: str, them: list[Writer], frame: Any, wanted: Any, path: Path, turns: int
) -> None:
    for turn in range(turns + 1):
        for writer in them[turn % len(them) :] + them[: turn % len(them)]:
            gc.collect()
            path.unlink(missing_ok=True)
            wall, work = time.perf_counter(), time.process_time()
            writer(frame, path)
            wall, work = time.perf_counter() - wall, time.process_time() - work
            if turn == 0:
                check(path, writer.name, wanted)
            else:
                writer.wall.append(wall)
                writer.work.append(work)
    print(f"{title}: {path.stat().st_size / 1e6:.0f} MB")
    for writer in them:
        raw = " ".join(f"{seconds:.3f}" for seconds in writer.wall)
        print(
            f"  {label(writer):20} median {statistics.median(writer.wall):.3f} s, "
            f"CPU {statistics.median(writer.work):.3f} s ({raw})"
        )
    mine, *others = them
    for word, times in (("wall", "wall"), ("CPU", "work")):
        ratios = [
            own / min(other)
            for own, *other in zip(
                getattr(mine, times),
                *(getattr(writer, times) for writer in others),
                strict=True,
            )
        ]
        print(
            f"  {word}: ours to the fastest of each turn, median {statistics.median(ratios):.2f}"
        )


def main() -> None:
    import pandas
    import polars

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument(
        "--folder", help="where to write; a temporary folder by default"
    )
    parser.add_argument("--format", choices=["csv", "jsonl"], action="append")
    parser.add_argument("--library", choices=["polars", "pandas"], action="append")
    arguments = parser.parse_args()
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    made = polars.DataFrame(table(arguments.rows))
    wanted = made.to_pandas()
    wanted["ordered"] = pandas.to_datetime(wanted["ordered"])
    frames = {"polars": made, "pandas": wanted}
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for extension in arguments.format or ["csv", "jsonl"]:
            for library in arguments.library or list(frames):
                path = Path(folder) / f"out.{extension}"
                title = f"sauve {extension} from {library}, {arguments.rows:,} rows"
                them = writers(extension, library)
                compare(title, them, frames[library], wanted, path, arguments.turns)


if __name__ == "__main__":
    main()
