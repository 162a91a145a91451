"""Every row that is published, its goals, and why a row misses. Measures nothing, judges nothing.

A ratio is ours to the fastest of the others, the median over turns; smaller is better. `page.py` reads this.
"""

from __future__ import annotations

from dataclasses import dataclass

PANDAS = "to pandas"
LEAN = ("polars", "duckdb", "pyarrow")


@dataclass(frozen=True)
class Goal:
    """At most `limit`: of the ratio to the fastest of the ways `to`, all others where there are none; or in `unit`."""

    limit: float | None
    to: tuple[str, ...] = ()
    #: "seconds"; "peak_mb"; "more" (milliseconds more than theirs); "own" (our milliseconds); "growth".
    of: str = "seconds"


@dataclass(frozen=True)
class Section:
    title: str
    note: str
    rows: dict[str, tuple[Goal, ...]]


def rows(prefix: str, names: str, *goals: Goal) -> dict[str, tuple[Goal, ...]]:
    return {f"{prefix}{name.strip()}": goals for name in names.split("|")}


CSV = "clean | two columns | quoted newlines | 500 columns | long text | cp1252"
SECTIONS = [
    Section(
        "Loading csv",
        "1,000,000 rows x 10 columns (500 columns: 20,000 rows; long text: 200,000). The others take a column's type "
        "from a sample, or keep a first guess; hs looks at the whole column, and finds the encoding by itself.",
        rows("charge csv to pandas: ", CSV, Goal(0.9))
        | rows("charge csv to polars: clean", "", Goal(0.8)),
    ),
    Section(
        "Peak memory of loading csv",
        "How far resident memory rises at most in a fresh Python, the imports taken off, beside the leanest of polars, "
        "duckdb and pyarrow.",
        rows("charge csv to pandas: ", CSV, Goal(1.0, LEAN, "peak_mb"))
        | rows("charge csv to polars: clean", "", Goal(1.0, LEAN, "peak_mb")),
    ),
    Section(
        "Loading jsonl",
        "1,000,000 records. The bad lines are only in the file of hs, which skips and counts them.",
        rows("charge jsonl to pandas: ", "mixed | logs | 1 % bad lines", Goal(0.9)),
    ),
    Section(
        "Loading workbooks and parquet",
        "xlsx: 100,000 rows x 10 (sparse: x 60). xls, xlsb, ods: 60,000 x 10. parquet: 1,000,000 x 10.",
        rows(
            "charge xlsx to pandas: ",
            "text | numbers | sparse",
            Goal(0.7, ("fastexcel",)),
        )
        | rows("charge ", "xls to pandas | xlsb to pandas | ods to pandas", Goal(0.8))
        | rows(
            "charge parquet to pandas: ",
            "mixed | zstd, small row groups | numbers",
            Goal(1.0),
        ),
    ),
    Section(
        "Saving",
        "hs waits until the file is on the disk and then puts it in the place of the old one; the others leave it to "
        "the system. xlsx: 100,000 x 10 with widths, filter and frozen header; the rest 1,000,000 x 10.",
        rows(
            "sauve xlsx from pandas: ",
            "text | numbers",
            Goal(0.8),
            Goal(0.1, ("pandas",)),
        )
        | rows(
            "sauve ",
            "csv from pandas | csv from polars | jsonl from pandas | jsonl from polars | parquet from pandas",
            Goal(1.0),
        ),
    ),
    Section(
        "Describing and counting",
        "decris is exact; SUMMARIZE of duckdb estimates the distinct values and names no frequent ones.",
        rows(
            "decris from pandas: ",
            "10 columns | 500 columns",
            Goal(0.8, ("polars",)),
            Goal(0.3, ("duckdb",)),
        )
        | rows(
            "combien from pandas: ",
            "6 texts | 200,000 texts | 200,000 ints | 2 keys",
            Goal(0.8),
        ),
    ),
    Section(
        "Comparing and joining",
        "compare: 1,000,000 x 10, 0.1 % of the rows changed, beside a hand-written full join in polars, and beside "
        "datacompy with the older libraries that it needs. joins: 1,000,000 rows with 500,000, validated and counted.",
        rows(
            "compare from pandas: ",
            "same order | another order",
            Goal(0.9, ("polars",)),
        )
        | rows(
            "compare from pandas: ",
            "same order, with datacompy | another order, with datacompy",
            Goal(0.4, ("datacompy",)),
        )
        | rows(
            "joins from pandas: ",
            "int key | text key | two keys",
            Goal(1.0, ("polars",)),
            Goal(0.5, ("pandas",)),
        ),
    ),
    Section(
        "Starting, and the shell",
        "Each command in a new process. small.csv has 50 rows, big.csv 1,000,000.",
        {
            "import headstart": (Goal(30, ("python",), "more"),),
            "hs decris small.csv": (Goal(1.0), Goal(15, of="own")),
            "hs decris big.csv": (Goal(0.9),),
            "hs combien big.csv": (Goal(0.9),),
        },
    ),
    Section(
        "Growth",
        "Ten times the rows: the time of a row beside that of a row in a tenth of the rows.",
        rows("growth: ", "charge csv | decris | combien", Goal(1.1, of="growth")),
    ),
    Section(
        "BigQuery",
        "200,000 rows x 10 from a server on this machine that answers as BigQuery does, by its REST interface.",
        {"interroge to pandas": (Goal(None),)},
    ),
]

#: Why a row misses, by its name; `memory of ...` for its peak. What is not here is told as not yet known.
WHY: dict[str, str] = {
    "decris from pandas: 10 columns": (
        "SUMMARIZE estimates the distinct values from sketches and names no frequent values; hs counts both exactly."
    ),
    "hs decris small.csv": (
        "Nearly half of the time is the system's loader: the program is large (62 MB), and its "
        "150,000 pointers are moved to where it lies in memory before it starts."
    ),
    "charge csv to pandas: cp1252": (
        "hs finds the encoding by itself, from all bytes of the file, and makes the text UTF-8 before it reads it; pyarrow "
        "is told the encoding."
    ),
    "memory of charge csv to pandas: cp1252": (
        "The text lies in memory in both encodings while it is decoded."
    ),
    "charge ods to pandas": "The sheet's XML is walked twice, the first time to find where its data lies.",
    "interrupt of await, 99 of 100": (
        "It is the first kind that is measured, and the first traceback of a kernel loads what shows it; later ones are "
        "told in about 40 ms."
    ),
    "switch, 1 of 20 values differs": "What a request costs in any case is more than the one value.",
    "round trip of `x=1`": "Both wait for the same kernel, and the cell itself is most of the time.",
    "round trip of `x=1`, median": "Both wait for the same kernel, and the cell itself is most of the time.",
    "charge csv to pandas: long text": (
        "Its CPU time is 0.9 of theirs: a part of the work is done on one thread."
    ),
    "sauve csv from polars": "It waits for the disk, as said above; its CPU time is 0.64 of polars'.",
    "start to first result, `hs` as script": (
        "Both wait for Python, IPython and ipykernel to start, which is most of the time."
    ),
    "start to first result, `hs` as binary": (
        "Both wait for Python, IPython and ipykernel to start, which is most of the time."
    ),
}
