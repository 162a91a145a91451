"""Measures charge of xlsx workbooks into pandas against fastexcel, python-calamine and openpyxl.

Three sheets of 100,000 rows from a seed, written by XlsxWriter. `text` has eight columns of text, an id and an
amount; `numbers` has seven columns of numbers, two of dates and a text; `sparse` has 60 columns of which a
row fills six. Writes nothing besides the inputs in a temporary folder.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Iterable
from pathlib import Path

from readers import CITIES, PANDAS, Readers, alike, loading
from turns import main

START = datetime.datetime(2026, 1, 1)
READERS: Readers = PANDAS | {
    "fastexcel": (
        "import pandas, pyarrow, fastexcel",
        "fastexcel.read_excel(path).load_sheet(0).to_pandas()",
    ),
    "python-calamine": (
        "import pandas, pyarrow, python_calamine",
        "pandas.read_excel(path, engine='calamine')",
    ),
    "openpyxl": (
        "import pandas, pyarrow, openpyxl",
        "pandas.read_excel(path, engine='openpyxl')",
    ),
}


def write(path: Path, names: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(
        path, {"default_date_format": "yyyy-mm-dd hh:mm"}
    ) as workbook:
        sheet = workbook.add_worksheet("data")
        sheet.write_row(0, 0, names)
        for number, row in enumerate(rows, 1):
            sheet.write_row(number, 0, row)


def write_text(path: Path, rows: int) -> None:
    draw = random.Random(7)
    names = [
        "id",
        "code",
        "customer",
        "city",
        "street",
        "note",
        "status",
        "unit",
        "late",
        "amount",
    ]
    write(
        path,
        names,
        (
            (
                row,
                f"{row % 99_999:05}",
                f"customer number {draw.randrange(200_000)}",
                CITIES[row % 8],
                f"{draw.randrange(300)} {CITIES[row % 7]} street",
                f"called on day {row % 365}, wants the <b>order</b> & the bill {row}",
                ("open", "paid", "late")[row % 3],
                "kg",
                "00042" if row == rows - 1 else str(row % 90_000 + 10_000),
                round(draw.uniform(1, 9999), 2),
            )
            for row in range(rows)
        ),
    )


def write_numbers(path: Path, rows: int) -> None:
    draw = random.Random(7)
    names = [
        "id",
        "quantity",
        "amount",
        "discount",
        "weight",
        "x",
        "y",
        "ordered",
        "shipped",
        "city",
    ]
    write(
        path,
        names,
        (
            (
                row,
                draw.randrange(1000),
                round(draw.uniform(1, 9999), 2),
                None if row % 7 == 0 else round(draw.random(), 6),
                draw.randrange(100_000_000),
                draw.random(),
                draw.uniform(-180, 180),
                START + datetime.timedelta(days=row % 3650),
                START + datetime.timedelta(minutes=row * 7),
                CITIES[row % 8],
            )
            for row in range(rows)
        ),
    )


def write_sparse(path: Path, rows: int) -> None:
    filled: Callable[[int, int], object] = lambda row, column: (
        CITIES[row % 8] if column % 3 == 0 else row * column
    )
    write(
        path,
        ["id", *(f"value {column}" for column in range(1, 60))],
        (
            (
                row,
                *(
                    filled(row, column) if (row * 7 + column) % 12 == 0 else None
                    for column in range(1, 60)
                ),
            )
            for row in range(rows)
        ),
    )


CHECK = alike(("id", "customer", "city", "note", "amount", "x"), "late")
WORKS = [
    loading(f"charge xlsx to pandas: {name}", "xlsx", write, READERS, CHECK, 100_000)
    for name, write in (
        ("text", write_text),
        ("numbers", write_numbers),
        ("sparse", write_sparse),
    )
]

if __name__ == "__main__":
    main(__doc__, WORKS)
