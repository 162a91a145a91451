"""Measures charge of jsonl files into pandas against polars, duckdb, pyarrow and pandas.

Two tables of 1,000,000 rows from a seed. `mixed` has 10 columns (ints, codes with leading zeros as text,
texts, floats with gaps, ISO dates as text, bools; about 180 MB) and is written without spaces; `logs` has an
id and up to eight keys that half of the records lack, written as Python's json module does by default. `bad lines` is
`mixed` with 1 % of lines that are cut off: ours skips and counts them, the others, which cannot, get the file without.
Writes nothing besides the inputs in a temporary folder.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

from readers import CITIES, PANDAS, Readers, alike, loading
from turns import OURS, main

READERS: Readers = PANDAS | {
    "pandas": ("import pandas", "pandas.read_json(path, lines=True)"),
    "pyarrow": (
        "import pandas, pyarrow.json",
        "pyarrow.json.read_json(path).to_pandas()",
    ),
    "polars": (
        "import pandas, pyarrow, polars",
        "polars.read_ndjson(path).to_pandas()",
    ),
    "duckdb": (
        "import pandas, pyarrow, duckdb",
        "duckdb.sql(f\"select * from read_ndjson('{path}')\").df()",
    ),
}
BAD: Readers = READERS | {
    OURS: (PANDAS[OURS][0], "hs.charge(path.replace('.jsonl', '.bad.jsonl'))")
}


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


def write_bad(path: Path, rows: int) -> None:
    """Two files: one as the others need it, and one with bad lines besides."""
    write_mixed(path, rows)
    with (
        path.open(encoding="utf-8") as good,
        path.with_suffix(".bad.jsonl").open("w", encoding="utf-8") as out,
    ):
        for number, line in enumerate(good):
            if number % 100 == 50:
                out.write(line[: len(line) // 2] + "\n")
            out.write(line)


CHECK = alike(("id", "customer", "city"), "late")
WORKS = [
    loading("charge jsonl to pandas: mixed", "jsonl", write_mixed, READERS, CHECK),
    loading("charge jsonl to pandas: logs", "jsonl", write_logs, READERS, CHECK),
    loading("charge jsonl to pandas: 1 % bad lines", "jsonl", write_bad, BAD, CHECK),
]

if __name__ == "__main__":
    main(__doc__, WORKS)
