"""Measures decris of a pandas frame against polars, duckdb and pandas.

The frame is that of `charge_parquet.py`, 1,000,000 rows and 10 columns; and one of 20,000 rows and 500 columns.
polars computes the same exact columns (missing, distinct, the three most frequent values, smallest and largest);
duckdb's SUMMARIZE estimates distinct values and quantiles; pandas goes column by column. skimpy 0.0.21 fails on a column of dates with pandas 3. Wall seconds and CPU
seconds; what is exact is compared first. Writes nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from charge_parquet import mixed
from turns import OURS, Check, Way, Work, main


def ways(frame: Any) -> dict[str, Way]:
    """Each library's own way from a pandas frame; what is exact is the number of distinct values."""
    import duckdb
    import polars

    import headstart as hs

    hs.options.quiet = True

    def by_polars() -> dict[str, int]:
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

    def by_pandas() -> dict[str, int]:
        distinct = {}
        for name in frame.columns:
            column = frame[name]
            counts = column.value_counts()
            distinct[name] = len(counts)
            counts.head(3), column.isna().mean(), column.min(), column.max()
        return distinct

    def by_duckdb() -> None:
        # It looks for the name where it is called, in the variables of this function.
        given = frame
        duckdb.sql("SUMMARIZE SELECT * FROM given").fetchall()
        del given

    def ours() -> dict[str, int]:
        described = hs.decris(frame)
        return dict(zip(described["column"], described["distinct"], strict=True))

    return {
        OURS: ours,
        "polars": by_polars,
        "duckdb SUMMARIZE": by_duckdb,
        "pandas": by_pandas,
    }


def long(rows: int, _folder: Path) -> Any:
    return mixed(rows).to_pandas(date_as_object=False)


def wide(rows: int, _folder: Path) -> Any:
    """500 columns of the kinds of the long frame."""
    import pandas

    frame = mixed(rows).to_pandas(date_as_object=False)
    names = list(frame.columns)
    parts = {f"{names[at % 10]}_{at}": frame[names[at % 10]] for at in range(500)}
    return pandas.DataFrame(parts)


def exact(_frame: Any) -> Check:
    distinct: dict[str, int] = {}

    def check(name: str, found: dict[str, int] | None) -> None:
        if found is not None:
            distinct.update(distinct or found)
            assert found == distinct, f"{name}: other counts of distinct values"

    return check


WORKS = [
    Work("decris from pandas: 10 columns", long, ways, exact),
    Work("decris from pandas: 500 columns", wide, ways, exact, rows=20_000),
]

if __name__ == "__main__":
    main(__doc__, WORKS)
