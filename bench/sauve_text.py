"""Measures sauve of csv and jsonl from a frame in memory against polars, pyarrow and duckdb.

The table has 1,000,000 rows and 10 columns from a seed: ints, codes with leading zeros, texts, floats with
gaps, dates, datetimes, bools. Each library writes it as its documentation shows; what was written is read back and
compared first. Ours puts the file on the disk before it counts as saved, theirs leave it to the system:
`--folder /dev/shm` leaves the disk out.
"""

from __future__ import annotations

import datetime as dt
import math
import random
from functools import partial
from pathlib import Path
from typing import Any

from readers import CITIES
from turns import OURS, Check, Way, Work, main

CHECKED = ("id", "customer", "city", "amount", "discount")


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


def frame(library: str, rows: int, folder: Path) -> tuple[Any, Path]:
    import pandas
    import polars

    made = polars.DataFrame(table(rows))
    if library == "pandas":
        made = made.to_pandas()
        made["ordered"] = pandas.to_datetime(made["ordered"])
    return made, folder


def ways(extension: str, given: tuple[Any, Path]) -> dict[str, Way]:
    """Each library's way from the frame to a file of its own."""
    import duckdb
    import polars
    import pyarrow
    import pyarrow.csv

    import headstart as hs

    hs.options.quiet = True
    frame, folder = given
    own = isinstance(frame, polars.DataFrame)

    def as_polars() -> Any:
        return frame if own else polars.from_pandas(frame)

    def as_arrow() -> Any:
        if own:
            return frame.to_arrow()
        return pyarrow.Table.from_pandas(frame, preserve_index=False)

    def by_duckdb(path: Path) -> None:
        # It looks for the name where it is called, in the variables of this function.
        taken = frame
        if extension == "csv":
            duckdb.sql("from taken").write_csv(str(path))
        else:
            duckdb.sql(f"copy (from taken) to '{path}' (format json)")
        del taken

    writers = {
        OURS: lambda path: hs.sauve(path, frame),
        "polars": lambda path: as_polars().write_csv(path),
        "pyarrow": lambda path: pyarrow.csv.write_csv(as_arrow(), path),
        "duckdb": by_duckdb,
    }
    if extension == "jsonl":
        del writers["pyarrow"]
        writers["polars"] = lambda path: as_polars().write_ndjson(path)
    return {
        name: partial(written, write, folder / f"{name}.{extension}")
        for name, write in writers.items()
    }


def written(write: Any, path: Path) -> Path:
    write(path)
    return path


def read_back(given: tuple[Any, Path]) -> Check:
    """What was written has the values of the frame, and ours the zeros of its codes."""
    import headstart as hs

    wanted = {name: list(given[0][name]) for name in ("code", *CHECKED)}

    def check(writer: str, path: Path) -> None:
        hs.options.frames = "polars"
        read = hs.charge(path)
        hs.options.frames = None
        for column in CHECKED:
            found = read[column].to_list()
            assert len(found) == len(wanted[column]), f"{writer}: {len(found)} rows"
            for one, other in zip(found, wanted[column], strict=True):
                missing = one is None and (other is None or math.isnan(other))
                assert one == other or missing, f"{writer}: {column}: {one} for {other}"
        if writer == OURS:
            assert read["code"].to_list() == wanted["code"]

    return check


WORKS = [
    Work(
        f"sauve {extension} from {library}",
        partial(frame, library),
        partial(ways, extension),
        read_back,
    )
    for extension in ("csv", "jsonl")
    for library in ("pandas", "polars")
]

if __name__ == "__main__":
    main(__doc__, WORKS)
