"""Measures compare of two pandas frames against datacompy and a hand-written polars full join.

The frame of `charge_parquet.py`, 1,000,000 rows and 10 columns, and a copy in which 0.1 % of the rows have another
amount, 0.01 % are gone and as many are new; once in the same order, once in another. Each gives the numbers of
rows that are changed, only in a and only in b, which are compared first, and a frame of the rows that differ.
datacompy needs older libraries than the others (`requirements-datacompy.txt`); where it is not installed it is left
out.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from charge_parquet import mixed
from turns import OURS, Way, Work, main, same_counts

KEY = "id"


def made(shuffled: bool, rows: int, _folder: Path) -> tuple[Any, Any]:
    import numpy

    a = mixed(rows).to_pandas(date_as_object=False)
    b = a.copy()
    draw = numpy.random.default_rng(7)
    b.loc[draw.choice(rows, rows // 1000, replace=False), "amount"] += 1
    new = b.tail(rows // 10_000).assign(id=lambda frame: frame["id"] + rows)
    kept = b.drop(index=draw.choice(rows, rows // 10_000, replace=False))
    import pandas

    b = pandas.concat([kept, new], ignore_index=True)
    if shuffled:
        b = b.sample(frac=1, random_state=7).reset_index(drop=True)
    return a, b


def ways(frames: tuple[Any, Any]) -> dict[str, Way]:
    """Each gives the numbers of rows changed, only in a, only in b."""
    import polars

    import headstart as hs

    hs.options.quiet = True
    a, b = frames
    names = [name for name in a.columns if name != KEY]

    def ours() -> list[int]:
        states = hs.compare(a, b, KEY)["state"].tolist()
        return [states.count(state) for state in ("changed", "only a", "only b")]

    def by_polars() -> list[int]:
        left, right = polars.from_pandas(a), polars.from_pandas(b)
        left = left.with_columns(in_a=polars.lit(True))
        right = right.with_columns(in_b=polars.lit(True))
        joined = left.join(right, on=KEY, how="full", coalesce=True, suffix="_b")
        differs = polars.any_horizontal(
            polars.col(name).ne_missing(polars.col(f"{name}_b")) for name in names
        )
        both = polars.col("in_a") & polars.col("in_b")
        found = joined.with_columns(changed=both.fill_null(False) & differs).filter(
            polars.col("changed")
            | polars.col("in_a").is_null()
            | polars.col("in_b").is_null()
        )
        given = found.to_pandas()
        only_a, only_b = given["in_b"].isna().sum(), given["in_a"].isna().sum()
        return [len(given) - only_a - only_b, int(only_a), int(only_b)]

    def counts(compared: Any) -> list[int]:
        mismatched = compared.all_mismatch()
        alone = len(compared.df1_unq_rows), len(compared.df2_unq_rows)
        return [len(mismatched), *alone]

    def by_datacompy() -> list[int]:
        import datacompy

        return counts(datacompy.PandasCompare(a, b, join_columns=KEY))

    def by_datacompy_polars() -> list[int]:
        import datacompy

        left, right = polars.from_pandas(a), polars.from_pandas(b)
        return counts(datacompy.PolarsCompare(left, right, join_columns=KEY))

    them: dict[str, Way] = {OURS: ours, "polars": by_polars}
    if find_spec("datacompy"):
        them["datacompy of pandas"] = by_datacompy
        them["datacompy of polars"] = by_datacompy_polars
    return them


#: datacompy needs older libraries than the others, so it is measured in an environment of its own.
WITH = ", with datacompy" if find_spec("datacompy") else ""
WORKS = [
    Work(
        f"compare from pandas: {order}{WITH}",
        partial(made, shuffled),
        ways,
        lambda _: same_counts(),
    )
    for order, shuffled in (("same order", False), ("another order", True))
]

if __name__ == "__main__":
    main(__doc__, WORKS)
