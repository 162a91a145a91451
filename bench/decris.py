"""Measures decris of a pandas frame against polars, duckdb and pandas, in turns in one process.

The frame is that of `charge_parquet.py`, 1,000,000 rows and 10 columns; and one of 20,000 rows and 500 columns.
polars computes the same exact columns (missing, distinct, the three most frequent values, smallest and largest);
duckdb's SUMMARIZE estimates distinct values and quantiles; pandas goes column by column. Wall seconds and CPU
seconds; what is exact is compared first. Writes nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from charge_parquet import mixed
from turns import OURS, head, measure

Describe = Callable[[Any], Any]


def describers() -> dict[str, Describe]:
    """Each library's own way from a pandas frame."""
    import duckdb
    import polars

    import headstart as hs

    hs.options.quiet = True

    def by_polars(frame: Any) -> dict[str, int]:
        table = polars.from_pandas(frame)
        tops = [
            polars.col(name).drop_nulls().value_counts(sort=True).head(3).implode()
            for name in table.columns
        ]
        everything = polars.all()
        lazy = table.lazy()
        distinct, *_ = polars.collect_all(
            [
                lazy.select(everything.drop_nulls().n_unique()),
                lazy.select(everything.null_count()),
                lazy.select(everything.min()),
                lazy.select(everything.max()),
                lazy.select(*tops),
            ]
        )
        return distinct.row(0, named=True)

    def by_pandas(frame: Any) -> dict[str, int]:
        distinct = {}
        for name in frame.columns:
            column = frame[name]
            counts = column.value_counts()
            distinct[name] = len(counts)
            counts.head(3), column.isna().mean(), column.min(), column.max()
        return distinct

    def by_duckdb(frame: Any) -> None:
        duckdb.sql("SUMMARIZE SELECT * FROM frame").fetchall()

    def ours(frame: Any) -> dict[str, int]:
        described = hs.decris(frame)
        return dict(zip(described["column"], described["distinct"], strict=True))

    return {OURS: ours, "polars": by_polars, "duckdb": by_duckdb, "pandas": by_pandas}


def wide(rows: int) -> Any:
    """500 columns of the kinds of the long frame."""
    import pandas

    frame = mixed(rows).to_pandas(date_as_object=False)
    names = list(frame.columns)
    parts = {f"{names[at % 10]}_{at}": frame[names[at % 10]] for at in range(500)}
    return pandas.DataFrame(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000)
    arguments = parser.parse_args()
    head()
    works = {
        f"{arguments.rows:,} x 10": mixed(arguments.rows).to_pandas(
            date_as_object=False
        ),
        "20,000 x 500": wide(20_000),
    }
    for title, frame in works.items():
        compare(title, frame, arguments.turns)


def compare(title: str, frame: Any, turns: int) -> None:
    """Measures; what is exact must be the same."""
    ways = {name: partial(way, frame) for name, way in describers().items()}
    distinct: dict[str, int] = {}

    def check(name: str, found: dict[str, int] | None) -> None:
        if found is not None:
            same = distinct or found
            distinct.update(same)
            assert found == same, f"{name}: other counts of distinct values"

    measure(f"decris of {title} from pandas", ways, turns, check)


if __name__ == "__main__":
    main()
