"""Measures joins of pandas frames, 1,000,000 rows with 500,000, with the counts that each library gives beside it.

Three keys: an int, a text, an int and a text. A tenth of the keys matches nothing. All sides check that the keys of
the right frame are unique and count what matched: pandas by `validate` and `indicator`, polars by `validate`, its frames made
from pandas and turned back; duckdb, which checks nothing, from pandas to pandas. In turns in one process: wall seconds and
CPU seconds; results are compared first. Writes nothing.
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

Join = Callable[[Any, Any, list[str]], Any]


def frames(rows: int) -> tuple[Any, Any]:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=7)
    arguments = parser.parse_args()
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    left, right = frames(arguments.rows)
    works = {
        "int key": (["id"], "code"),
        "text key": (["code"], "id"),
        "two keys": (["id", "code"], None),
    }
    for title, (key, without) in works.items():
        given = right if without is None else right.drop(columns=without)
        measure(title, key, left, given, arguments.turns)


def measure(title: str, key: list[str], left: Any, right: Any, turns: int) -> None:
    ways = joins()
    names = list(ways)
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    work: dict[str, list[float]] = {name: [] for name in ways}
    matched = None
    for turn in range(turns + 1):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            gc.collect()
            start, cpu = time.perf_counter(), time.process_time()
            result = ways[name](left, right, key)
            took = time.perf_counter() - start
            if turn:
                seconds[name].append(took)
                work[name].append(time.process_time() - cpu)
                continue
            found = (
                len(result),
                int(result["rank"].notna().sum()),
                int(result["rank"].dropna().sum()),
            )
            matched = matched or found
            assert found == matched, f"{name}: {found} instead of {matched}"
            if name != "duckdb":
                assert result["n"].equals(left["n"]), f"{name}: another order"
    print(f"{title}: {len(left):,} rows with {len(right):,}")
    ours = "headstart"
    for name in ways:
        pairs = zip(seconds[ours], seconds[name], strict=True)
        ratio = statistics.median(our / their for our, their in pairs)
        pairs = zip(work[ours], work[name], strict=True)
        cpu = statistics.median(our / their for our, their in pairs)
        print(
            f"  {name:10} median {statistics.median(seconds[name]):.3f} s, CPU "
            f"{statistics.median(work[name]):.3f} s, ours to this {ratio:.2f}, CPU {cpu:.2f}"
        )


if __name__ == "__main__":
    main()
