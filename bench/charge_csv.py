"""Measures charge of csv files into pandas and into polars against pandas, pyarrow, polars and duckdb.

The tables come from a seed. `clean` has 1,000,000 rows and 10 columns (ints, codes with leading zeros, texts, floats
with gaps, dates, datetimes, bools; about 100 MB), a column of it holds its only `00042` in the last row; the other
inputs are that table with something that real files have. The others take types from a sample or keep the file's
first guess; ours decides each type on the whole column.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from readers import CITIES, PANDAS, POLARS, Readers, alike, loading, ways_of
from turns import Work, main

Writer = Callable[[Path, int], None]

HEADER = "id,code,customer,city,amount,discount,ordered,shipped,paid,late_code"
TO_PANDAS: Readers = PANDAS | {
    "pandas": ("import pandas", "pandas.read_csv(path)"),
    "pyarrow": (
        "import pandas, pyarrow.csv",
        "pyarrow.csv.read_csv(path).to_pandas()",
    ),
    "polars": (
        "import pandas, pyarrow, polars",
        "polars.read_csv(path).to_pandas()",
    ),
    "duckdb": ("import pandas, pyarrow, duckdb", "duckdb.read_csv(path).df()"),
}
TO_POLARS: Readers = POLARS | {
    "polars": ("import polars", "polars.read_csv(path)"),
    "pyarrow": (
        "import polars, pyarrow.csv",
        "polars.from_arrow(pyarrow.csv.read_csv(path))",
    ),
    "duckdb": ("import polars, pyarrow, duckdb", "duckdb.read_csv(path).pl()"),
}
NEWLINES = "pyarrow.csv.ParseOptions(newlines_in_values=True)"
ENCODED = "pyarrow.csv.ReadOptions(encoding='cp1252')"
#: Its quoted cells hold newlines, which pyarrow has to be told.
QUOTED = TO_PANDAS | {
    "pyarrow": (
        "import pandas, pyarrow.csv",
        f"pyarrow.csv.read_csv(path, parse_options={NEWLINES}).to_pandas()",
    ),
}
#: Nobody else finds the encoding.
CP1252 = TO_PANDAS | {
    "pandas": ("import pandas", "pandas.read_csv(path, encoding='cp1252')"),
    "pyarrow": (
        "import pandas, pyarrow.csv",
        f"pyarrow.csv.read_csv(path, read_options={ENCODED}).to_pandas()",
    ),
    "polars": (
        "import pandas, pyarrow, polars",
        "polars.read_csv(path, encoding='cp1252').to_pandas()",
    ),
}
# duckdb's encodings are an extension that it downloads.
del CP1252["duckdb"]


def mixed(rows: int) -> Iterator[list[str]]:
    """The cells of the clean table."""
    draw = random.Random(7)
    for row in range(rows):
        discount = "" if row % 7 == 0 else f"{draw.random():.6f}"
        day = f"2026-{row % 12 + 1:02}-{row % 28 + 1:02}"
        yield [
            str(row),
            f"{row % 99_999:05}",
            f"customer number {draw.randrange(200_000)}",
            CITIES[row % 8],
            f"{draw.uniform(1, 9999):.2f}",
            discount,
            day,
            f"{day} {row % 24:02}:{row % 60:02}:00",
            "true" if row % 3 else "false",
            "00042" if row == rows - 1 else str(row % 90_000 + 10_000),
        ]


def write(
    path: Path, header: str, lines: Iterator[str], encoding: str = "utf-8"
) -> None:
    with path.open("w", encoding=encoding, newline="\n") as out:
        out.write(header + "\n")
        out.writelines(lines)


def clean(path: Path, rows: int) -> None:
    write(path, HEADER, (",".join(cells) + "\n" for cells in mixed(rows)))


def narrow(path: Path, rows: int) -> None:
    lines = (f"{row},{row}\n" for row in range(rows - 1))
    write(path, "number,late_code", lines)
    with path.open("a", encoding="utf-8") as out:
        out.write("7,00042\n")


def quoted(path: Path, rows: int) -> None:
    """Every text in quotes, one in ten with a newline, a comma and doubled quotes inside."""

    def line(row: int, cells: list[str]) -> str:
        note = (
            f'"says ""no"",\nthen calls {row}"' if row % 10 == 0 else '"nothing to say"'
        )
        return (
            ",".join([*cells[:2], f'"{cells[2]}"', f'"{cells[3]}"', *cells[4:], note])
            + "\n"
        )

    write(path, HEADER + ",note", (line(*at) for at in enumerate(mixed(rows))))


def wide(path: Path, rows: int) -> None:
    """500 columns, a twentieth of the rows."""
    names = [f"{name}_{at}" for at in range(50) for name in HEADER.split(",")]
    names[:10] = HEADER.split(",")
    write(path, ",".join(names), (",".join(cells * 50) + "\n" for cells in mixed(rows)))


def long_text(path: Path, rows: int) -> None:
    """A text of 600 to 1,400 characters beside the others."""
    words = [
        "the",
        "order",
        "was",
        "late",
        "and",
        "broken",
        "again",
        "thanks",
        "patience",
    ]
    draw = random.Random(8)
    texts = [
        " ".join(draw.choices(words, k=draw.randrange(120, 280))) for _ in range(500)
    ]
    lines = (
        f"{','.join(cells)},{texts[row % 500]}\n"
        for row, cells in enumerate(mixed(rows))
    )
    write(path, HEADER + ",letter", lines)


def cp1252(path: Path, rows: int) -> None:
    lines = (
        ",".join(cells).replace("Kraków", "Málaga") + "\n" for cells in mixed(rows)
    )
    write(path, HEADER, lines, "cp1252")


CHECK = alike(
    ("number", "id", "amount", "customer", "city", "note", "letter"), "late_code"
)


def work(
    name: str, write: Writer, readers: Readers = TO_PANDAS, rows: int = 1_000_000
) -> Work:
    title = f"charge csv to pandas: {name}"
    return loading(title, "csv", write, readers, CHECK, rows, memory="all")


CLEAN = work("clean", clean)
WORKS = [
    CLEAN,
    replace(CLEAN, row="charge csv to polars: clean", ways=ways_of(TO_POLARS)),
    work("two columns", narrow),
    work("quoted newlines", quoted, QUOTED),
    work("500 columns", wide, rows=20_000),
    work("long text", long_text, rows=200_000),
    work("cp1252", cp1252, CP1252),
]

if __name__ == "__main__":
    main(__doc__, WORKS)
