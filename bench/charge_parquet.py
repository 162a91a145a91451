"""Measures charge of parquet files into pandas against pyarrow, polars, duckdb and pandas.

A table of 1,000,000 rows and 10 columns from a seed (ints, codes with leading zeros, texts, floats with
gaps, dates, datetimes, bools), `mixed` as pyarrow writes it (snappy), `zstd` in row groups of 100,000 as many
tools cut them, and `numbers` of ten columns without text. Writes nothing besides the inputs in a
temporary folder.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from readers import CITIES, PANDAS, Readers, alike, loading
from turns import main

READERS: Readers = PANDAS | {
    "pyarrow": (
        "import pandas, pyarrow.parquet",
        "pyarrow.parquet.read_table(path).to_pandas()",
    ),
    "polars": (
        "import pandas, pyarrow, polars",
        "polars.read_parquet(path).to_pandas()",
    ),
    "duckdb": ("import pandas, pyarrow, duckdb", "duckdb.read_parquet(path).df()"),
    "pandas": ("import pandas, pyarrow", "pandas.read_parquet(path)"),
}


def mixed(rows: int) -> Any:
    """The table that the other benches write as text, with types."""
    import datetime

    import pyarrow

    draw = random.Random(7)
    days = [datetime.date(2026, row % 12 + 1, row % 28 + 1) for row in range(rows)]
    return pyarrow.table(
        {
            "id": range(rows),
            "code": [f"{row % 99_999:05}" for row in range(rows)],
            "customer": [
                f"customer number {draw.randrange(200_000)}" for _ in range(rows)
            ],
            "city": [CITIES[row % 8] for row in range(rows)],
            "amount": [round(draw.uniform(1, 9999), 2) for _ in range(rows)],
            "discount": [
                None if row % 7 == 0 else round(draw.random(), 6) for row in range(rows)
            ],
            "ordered": days,
            "shipped": [
                datetime.datetime(
                    day.year, day.month, day.day, row % 24, row % 60, row % 59
                )
                for row, day in enumerate(days)
            ],
            "paid": [row % 3 != 0 for row in range(rows)],
            "quantity": pyarrow.array(
                [draw.randrange(1000) for _ in range(rows)], type=pyarrow.int32()
            ),
        }
    )


def write_mixed(path: Path, rows: int) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(mixed(rows), path)


def write_zstd(path: Path, rows: int) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(
        mixed(rows), path, compression="zstd", row_group_size=100_000
    )


def write_numbers(path: Path, rows: int) -> None:
    import pyarrow
    import pyarrow.parquet

    draw = random.Random(7)
    columns = {
        f"n{column}": [
            draw.random() if column % 2 else draw.randrange(rows) for _ in range(rows)
        ]
        for column in range(10)
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


CHECK = alike(("id", "code", "customer", "city", "amount", "quantity", "n0", "n1"))
WORKS = [
    loading(f"charge parquet to pandas: {name}", "parquet", write, READERS, CHECK)
    for name, write in (
        ("mixed", write_mixed),
        ("zstd, small row groups", write_zstd),
        ("numbers", write_numbers),
    )
]

if __name__ == "__main__":
    main(__doc__, WORKS)
