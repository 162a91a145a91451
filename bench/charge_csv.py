"""Measures charge of csv files into pandas against pandas, pyarrow, polars and duckdb.

Two tables of 1,000,000 rows whose only `00042` stands in the last row of a column: `narrow` is a number
and that code; `mixed` has 10 columns from a seed (ints, codes with leading zeros, texts, floats with
gaps, dates, datetimes, bools; about 100 MB). Writes nothing besides the inputs in a temporary folder.
"""

import argparse
import random
import tempfile
from pathlib import Path

from side_by_side import Reader, compare, headstart, machine

CITIES = ["Paris", "Berlin", "Köln", "São Paulo", "Kraków", "Reykjavík", "Oslo", "Rome"]
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--work", choices=["narrow", "mixed"], action="append")
    arguments = parser.parse_args()
    works = {"narrow": write_narrow, "mixed": write_mixed}
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.work or works:
            path = Path(folder) / f"{name}.csv"
            works[name](path, arguments.rows)
            wanted = {}

            def alike(reader, frame, wanted=wanted):
                if reader == "headstart":
                    assert frame["late_code"].iloc[-1] == "00042", "the code lost zeros"
                for column in ("number", "id", "amount", "customer", "city"):
                    if column in frame:
                        same = wanted.setdefault(column, frame[column])
                        assert (frame[column] == same).all(), f"{reader}: {column}"

            title = f"charge {name} csv to pandas, {arguments.rows:,} rows"
            compare(title, readers(), path, arguments.turns, alike)


if __name__ == "__main__":
    main()
