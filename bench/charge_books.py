"""Measures charge of xls, xlsb and ods workbooks into pandas against python-calamine.

A sheet of 60,000 rows (an xls takes no more than 65,536) and 10 columns from a seed: ints, a code with leading zeros,
texts, floats with gaps, points in time; written by `old_books.py`.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from old_books import Rows, write_ods, write_xls, write_xlsb
from readers import CITIES, PANDAS, Readers, alike, loading
from turns import main

START = datetime.datetime(2026, 1, 1)
NAMES = [
    "id",
    "code",
    "customer",
    "city",
    "note",
    "quantity",
    "amount",
    "discount",
    "ordered",
    "late",
]
READERS: Readers = PANDAS | {
    "python-calamine": (
        "import pandas, pyarrow, python_calamine",
        "pandas.read_excel(path, engine='calamine')",
    )
}


def table(rows: int) -> Iterator[list[object]]:
    draw = random.Random(7)
    yield list(NAMES)
    for row in range(rows):
        yield [
            row,
            f"{row % 99_999:05}",
            f"customer number {draw.randrange(20_000)}",
            CITIES[row % 8],
            f"called on day {row % 365}, wants the <b>order</b> & the bill",
            draw.randrange(1000),
            round(draw.uniform(1, 9999), 2),
            None if row % 7 == 0 else round(draw.random(), 6),
            START + datetime.timedelta(minutes=row * 7),
            "00042" if row == rows - 1 else str(row % 90_000 + 10_000),
        ]


def write(writer: Callable[[Path, Rows], None], path: Path, rows: int) -> None:
    writer(path, table(rows))


CHECK = alike(("id", "customer", "city", "note", "quantity", "amount"), "late")
WORKS = [
    loading(
        f"charge {extension} to pandas",
        extension,
        partial(write, writer),
        READERS,
        CHECK,
        60_000,
    )
    for extension, writer in (
        ("xls", write_xls),
        ("xlsb", write_xlsb),
        ("ods", write_ods),
    )
]

if __name__ == "__main__":
    main(__doc__, WORKS)
