"""Measures sauve of a pandas frame as a workbook against rustpy-xlsxwriter, polars and pandas with XlsxWriter.

Everybody writes a bold frozen header, a filter and fitted column widths. Two frames of 100,000 x 10 from a
seed: `text` (codes, names, addresses, sentences, a few numbers) and `numbers` (floats, ints, datetimes).
What was written is read by openpyxl once and compared.
"""

from __future__ import annotations

import math
import random
from functools import partial
from operator import eq as equal
from pathlib import Path
from typing import Any

from readers import CITIES
from sauve_text import written
from turns import OURS, Check, Way, Work, main

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


def ways(given: tuple[Any, Path]) -> dict[str, Way]:
    """How each library writes the frame to a file of its own, as its documentation shows it."""
    import pandas
    import polars
    import pyarrow  # noqa: F401 - before the times, for all of them
    from rustpy_xlsxwriter import write_worksheet

    import headstart as hs

    hs.options.quiet = True
    frame, folder = given

    def by_rustpy(path: Path) -> None:
        write_worksheet(
            frame,
            str(path),
            sheet_name="Sheet1",
            freeze_row=1,
            autofit=True,
            autofilter=True,
            bold_headers=True,
        )

    def by_polars(path: Path) -> None:
        polars.from_pandas(frame).write_excel(
            path,
            autofit=True,
            autofilter=True,
            freeze_panes=(1, 0),
            header_format={"bold": True},
        )

    def by_pandas(path: Path) -> None:
        with pandas.ExcelWriter(path, engine="xlsxwriter") as book:
            frame.to_excel(book, index=False)
            sheet = book.sheets["Sheet1"]
            sheet.freeze_panes(1, 0)
            sheet.autofilter(0, 0, len(frame), frame.shape[1] - 1)
            sheet.autofit()

    writers = {
        OURS: lambda path: hs.sauve(path, frame),
        "rustpy-xlsxwriter": by_rustpy,
        "polars": by_polars,
        "pandas": by_pandas,
    }
    return {
        name: partial(written, write, folder / f"{name}.xlsx")
        for name, write in writers.items()
    }


def read_back(given: tuple[Any, Path]) -> Check:
    """The first and the last rows are what the frame says."""
    frame, _ = given

    def check(writer: str, path: Path) -> None:
        import openpyxl

        sheet = openpyxl.load_workbook(path, read_only=True).worksheets[0]
        rows = list(sheet.iter_rows(values_only=True))
        assert len(rows) == len(frame) + 1, f"{writer}: {len(rows)} rows"
        assert list(rows[0]) == list(frame.columns), writer
        for at in [*range(100), *range(len(frame) - 100, len(frame))]:
            wanted = [
                value.to_pydatetime() if hasattr(value, "to_pydatetime") else value
                for value in frame.iloc[at]
            ]
            same = equal if writer == OURS else nearly
            assert all(map(same, rows[at + 1], wanted)), (
                f"{writer}: {rows[at + 1]} {wanted}"
            )

    return check


def nearly(one: Any, other: Any) -> bool:
    """XlsxWriter keeps 16 digits of a float."""
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=1e-14)
    return equal(one, other)


def made(make: Any, rows: int, folder: Path) -> tuple[Any, Path]:
    return make(rows), folder


WORKS = [
    Work(
        f"sauve xlsx from pandas: {make.__name__}",
        partial(made, make),
        ways,
        read_back,
        rows=100_000,
    )
    for make in (text, numbers)
]

if __name__ == "__main__":
    main(__doc__, WORKS)
