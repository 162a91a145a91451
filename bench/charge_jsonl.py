"""Measures charge of jsonl files into pandas against polars, duckdb, pyarrow and pandas.

Two tables of 1,000,000 rows from a seed. `mixed` has 10 columns (ints, codes with leading zeros as text,
texts, floats with gaps, ISO dates as text, bools; about 180 MB) and is written without spaces; `logs` has an
id and up to eight keys that half of the records lack, written as Python's json module does by default. Writes
nothing besides the inputs in a temporary folder.
"""

import json
import random
from pathlib import Path

from side_by_side import CITIES, Reader, alike, headstart, main


def readers() -> list[Reader]:
    """Each library's own way to a pandas frame, as its documentation shows it."""
    return [
        headstart(),
        Reader("pandas", "import pandas", "pandas.read_json(path, lines=True)"),
        Reader(
            "pyarrow",
            "import pandas, pyarrow.json",
            "pyarrow.json.read_json(path).to_pandas()",
        ),
        Reader(
            "polars",
            "import pandas, pyarrow, polars",
            "polars.read_ndjson(path).to_pandas()",
        ),
        Reader(
            "duckdb",
            "import pandas, pyarrow, duckdb",
            "duckdb.sql(f\"select * from read_ndjson('{path}')\").df()",
        ),
    ]


def write_mixed(path: Path, rows: int) -> None:
    draw = random.Random(7)
    with path.open("w", encoding="utf-8") as out:
        for row in range(rows):
            record = {
                "id": row,
                "code": f"{row % 99_999:05}",
                "customer": f"customer number {draw.randrange(200_000)}",
                "city": CITIES[row % 8],
                "amount": round(draw.uniform(1, 9999), 2),
                "discount": None if row % 7 == 0 else round(draw.random(), 6),
                "ordered": f"2026-{row % 12 + 1:02}-{row % 28 + 1:02}",
                "quantity": draw.randrange(1000),
                "paid": row % 3 != 0,
                "late": "00042" if row == rows - 1 else str(row % 90_000 + 10_000),
            }
            out.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
            out.write("\n")


def write_logs(path: Path, rows: int) -> None:
    with path.open("w", encoding="utf-8") as out:
        for row in range(rows):
            record: dict[str, object] = {"id": row, "customer": CITIES[row % 8]}
            for key in range(8):
                if row >> key & 1:
                    record[f"value {key}"] = row * key if key % 2 else f"{row}-{key}"
            out.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main(
        __doc__,
        "jsonl",
        {"mixed": write_mixed, "logs": write_logs},
        readers,
        lambda: alike(("id", "customer", "city"), "late"),
    )
