"""Measures combien of a pandas frame against pandas, polars and duckdb.

1,000,000 rows from a seed: a text of 6 values, a text and an int of 200,000 values, and two keys of 6 and 90
values. Each library counts as its documentation shows, from the pandas frame to a pandas frame of the 20 most common
groups with their shares. Counts are compared first.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from turns import OURS, Way, Work, main, same_counts

MOST = 20


def made(rows: int, _folder: Path) -> Any:
    import pandas

    draw = random.Random(7)
    countries = ["FR", "DE", "IT", "ES", "PL", "NO"]
    numbers = [draw.randrange(200_000) for _ in range(rows)]
    return pandas.DataFrame(
        {
            "country": draw.choices(countries, weights=[9, 5, 4, 3, 2, 1], k=rows),
            "customer": [f"customer number {number}" for number in numbers],
            "code": [number * 7919 for number in numbers],
            "day": [draw.randrange(90) for _ in range(rows)],
        }
    )


def ways(frame: Any, keys: list[str]) -> dict[str, Way]:
    """Each gives the counts of the most common groups."""
    import duckdb
    import polars

    import headstart as hs

    hs.options.quiet = True

    def ours() -> list[int]:
        counted = hs.combien(frame, *keys, n=MOST)
        return counted["n"].tolist()

    def by_pandas() -> list[int]:
        if len(keys) == 1:
            counts = frame[keys[0]].value_counts(dropna=False).head(MOST).to_frame("n")
        else:
            counts = frame.value_counts(keys, dropna=False).head(MOST).to_frame("n")
        counts = counts.reset_index()
        counts["share"] = counts["n"] / len(frame)
        return counts["n"].tolist()

    def by_polars() -> list[int]:
        table = polars.from_pandas(frame[keys])
        counts = table.group_by(keys).len("n").top_k(MOST, by="n")
        counts = counts.with_columns(share=polars.col("n") / table.height).to_pandas()
        return sorted(counts["n"].tolist(), reverse=True)

    def by_duckdb() -> list[int]:
        names = ", ".join(keys)
        counts = duckdb.sql(
            f"select {names}, count(*) n, count(*) / {len(frame)} share from frame "
            f"group by {names} order by n desc limit {MOST}"
        ).df()
        return counts["n"].tolist()

    return {OURS: ours, "pandas": by_pandas, "polars": by_polars, "duckdb": by_duckdb}


def work(title: str, *keys: str) -> Work:
    return Work(
        f"combien from pandas: {title}",
        made,
        lambda frame: ways(frame, list(keys)),
        lambda _: same_counts(),
    )


WORKS = [
    work("6 texts", "country"),
    work("200,000 texts", "customer"),
    work("200,000 ints", "code"),
    work("2 keys", "country", "day"),
]

if __name__ == "__main__":
    main(__doc__, WORKS)
