"""Measures joins of pandas frames, 1,000,000 rows with 500,000, with the counts that each library gives beside it.

Three keys: an int, a text, an int and a text. A tenth of the keys matches nothing. All sides check that the keys of
the right frame are unique and count what matched: pandas by `validate` and `indicator`, polars by `validate`, its frames made
from pandas and turned back; duckdb, which checks nothing, from pandas to pandas. Results are compared first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from turns import Check, Way, Work, main

Join = Callable[[Any, Any, list[str]], Any]


def frames(rows: int, _folder: Path) -> tuple[Any, Any]:
    """The two frames: the right one has half as many rows, its keys in another order."""
    import numpy
    import pandas

    rng = numpy.random.default_rng(7)
    other = rows // 2
    numbers = rng.permutation(other * 2)[:other]
    keys = numbers[rng.integers(0, other, rows)]
    nowhere = rng.random(rows) < 0.1
    keys = numpy.where(nowhere, keys + other * 4, keys)

    def texts(values: Any) -> Any:
        return pandas.Series(
            [f"K{value:09d}" for value in values.tolist()], dtype="str"
        )

    left = pandas.DataFrame(
        {
            "id": keys,
            "code": texts(keys),
            "amount": rng.random(rows).round(2),
            "city": pandas.Series(
                rng.choice(["Paris", "Köln", "Oslo"], rows), dtype="str"
            ),
            "n": rng.integers(0, 100, rows),
        }
    )
    right = pandas.DataFrame(
        {
            "id": numbers,
            "code": texts(numbers),
            "name": texts(numbers * 7),
            "score": rng.random(other),
            "rank": rng.integers(0, 2**30, other),
            "day": pandas.Timestamp("2026-01-01")
            + pandas.to_timedelta(rng.integers(0, 10**6, other), unit="s"),
        }
    )
    return left, right


def joins() -> dict[str, Join]:
    """Each library's own way, as its documentation shows it."""
    import pandas
    import polars

    import headstart as hs

    hs.options.quiet = True

    def by_pandas(left: Any, right: Any, key: list[str]) -> Any:
        merged = pandas.merge(
            left, right, on=key, how="left", validate="m:1", indicator=True
        )
        merged["_merge"].value_counts()
        return merged

    def by_polars(left: Any, right: Any, key: list[str]) -> Any:
        one, other = polars.from_pandas(left), polars.from_pandas(right)
        joined = one.join(
            other, on=key, how="left", validate="m:1", maintain_order="left"
        )
        joined.get_column("score").is_null().sum()
        return joined.to_pandas()

    ways: dict[str, Join] = {
        "headstart": lambda left, right, key: hs.joins(
            left, right, key, validate="m:1"
        ),
        "pandas": by_pandas,
        "polars": by_polars,
    }
    try:
        import duckdb
    except ImportError:
        return ways

    def by_duckdb(one: Any, other: Any, key: list[str]) -> Any:
        columns = ", ".join(key)
        query = f"SELECT * FROM one LEFT JOIN other USING ({columns})"
        return duckdb.sql(query).df()

    ways["duckdb"] = by_duckdb
    return ways


def ways(key: list[str], without: list[str], given: tuple[Any, Any]) -> dict[str, Way]:
    left, right = given
    right = right.drop(columns=without)
    return {name: partial(join, left, right, key) for name, join in joins().items()}


def matches(given: tuple[Any, Any]) -> Check:
    """Every way must match the same rows, and keep the order of the left frame but for duckdb."""
    left, _ = given
    matched: list[tuple[int, int, int]] = []

    def check(name: str, result: Any) -> None:
        there = result["rank"].dropna()
        matched.append((len(result), len(there), int(there.sum())))
        assert matched[-1] == matched[0], f"{name}: {matched[-1]} for {matched[0]}"
        if name != "duckdb":
            assert result["n"].equals(left["n"]), f"{name}: another order"

    return check


WORKS = [
    Work(f"joins from pandas: {title}", frames, partial(ways, key, without), matches)
    for title, key, without in (
        ("int key", ["id"], ["code"]),
        ("text key", ["code"], ["id"]),
        ("two keys", ["id", "code"], []),
    )
]

if __name__ == "__main__":
    main(__doc__, WORKS)
