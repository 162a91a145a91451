"""Measures charge of csv files into pandas against pandas, pyarrow, polars and duckdb.

Two tables of 1,000,000 rows whose only `00042` stands in the last row of a column: `narrow` is a number
and that code; `mixed` has 10 columns from a seed (ints, codes with leading zeros, texts, floats with
gaps, dates, datetimes, bools; about 100 MB). Writes nothing besides the inputs in a temporary folder.
"""

import random
from pathlib import Path

from side_by_side import CITIES, Reader, alike, headstart, main

HEADER = "id,code,customer,city,amount,discount,ordered,shipped,paid,late_code\n"


def readers() -> list[Reader]:
    """Each library's own way to a pandas frame, as its documentation shows it."""
    return [
        headstart(),
        Reader("pandas", "import pandas", "pandas.read_csv(path)"),
        Reader(
            "pyarrow",
            "import pandas, pyarrow.csv",
            "pyarrow.csv.read_csv(path).to_pandas()",
        ),
        Reader(
            "polars",
            "import pandas, pyarrow, polars",
            "polars.read_csv(path).to_pandas()",
        ),
        Reader(
            "duckdb", "import pandas, pyarrow, duckdb", "duckdb.read_csv(path).df()"
        ),
    ]


def write_narrow(path: Path, rows: int) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.write("number,late_code\n")
        out.writelines(f"{row},{row}\n" for row in range(rows - 1))
        out.write("7,00042\n")


def write_mixed(path: Path, rows: int) -> None:
    draw = random.Random(7)
    with path.open("w", encoding="utf-8") as out:
        out.write(HEADER)
        for row in range(rows):
            discount = "" if row % 7 == 0 else f"{draw.random():.6f}"
            day = f"2026-{row % 12 + 1:02}-{row % 28 + 1:02}"
            late = "00042" if row == rows - 1 else str(row % 90_000 + 10_000)
            out.write(
                f"{row},{row % 99_999:05},customer number {draw.randrange(200_000)},"
                f"{CITIES[row % 8]},{draw.uniform(1, 9999):.2f},{discount},{day},"
                f"{day} {row % 24:02}:{row % 60:02}:00,{'true' if row % 3 else 'false'},{late}\n"
            )


if __name__ == "__main__":
    main(
        __doc__,
        "csv",
        {"narrow": write_narrow, "mixed": write_mixed},
        readers,
        lambda: alike(("number", "id", "amount", "customer", "city"), "late_code"),
    )
