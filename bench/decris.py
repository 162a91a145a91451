"""Measures decris of a pandas frame against polars, duckdb and pandas, in turns in one process.

The frame is that of `charge_parquet.py`, 1,000,000 rows and 10 columns; and one of 20,000 rows and 500 columns.
polars computes the same exact columns (missing, distinct, the three most frequent values, smallest and largest);
duckdb's SUMMARIZE estimates distinct values and quantiles; pandas goes column by column. Wall seconds and CPU
seconds; what is exact is compared first. Writes nothing.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

from charge_parquet import mixed

Describe = Callable[[Any], Any]
OURS = "headstart"


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
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    works = {
        f"{arguments.rows:,} x 10": mixed(arguments.rows).to_pandas(
            date_as_object=False
        ),
        "20,000 x 500": wide(20_000),
    }
    for title, frame in works.items():
        compare(title, frame, arguments.turns)


def compare(title: str, frame: Any, turns: int) -> None:
    """Measures, and prints both sides' figures and the ratios."""
    ways = describers()
    wall: dict[str, list[float]] = {name: [] for name in ways}
    work: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    distinct: dict[str, Any] = {}
    for turn in range(turns + 1):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            gc.collect()
            start, cpu = time.perf_counter(), time.process_time()
            found = ways[name](frame)
            took, used = time.perf_counter() - start, time.process_time() - cpu
            if turn:
                wall[name].append(took)
                work[name].append(used)
            elif found is not None:
                distinct[name] = found
    for name, found in distinct.items():
        assert found == distinct[OURS], f"{name}: other counts of distinct values"
    print(f"decris of {title} from pandas")
    for name in ways:
        ratios = [
            statistics.median(
                our / their for our, their in zip(kind[OURS], kind[name], strict=True)
            )
            for kind in (wall, work)
        ]
        print(
            f"  {name:10} median {statistics.median(wall[name]):.3f} s, CPU "
            f"{statistics.median(work[name]):.3f} s, ours to this {ratios[0]:.2f}, CPU {ratios[1]:.2f}"
        )


if __name__ == "__main__":
    main()
