"""combien against pandas and polars on random columns: the same groups, counts, order and shares.

HEADSTART_FRAMES_TRIED says how many frames are tried.
"""

import os
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headstart as hs

TRIED = int(os.environ.get("HEADSTART_FRAMES_TRIED", "200"))
SEED = 20261130


@pytest.fixture(autouse=True)
def quiet():
    hs.options.quiet = True
    yield
    hs.options.quiet = None


def column(draw: random.Random, rows: int) -> pd.Series:
    """A column of a random type, with gaps or not, of few or many values."""
    most = draw.choice([1, 2, 5, 50, 10_000])
    gaps = draw.choice([0, 0, 0.1, 0.9])
    picked = [draw.randrange(most) for _ in range(rows)]
    absent = [draw.random() < gaps for _ in range(rows)]
    kind = draw.choice(
        ["int", "float", "text", "bool", "date", "category", "uint", "small", "arrow"]
    )
    values: list[object] = {
        "int": lambda n: n - most // 2,
        "uint": lambda n: 2**64 - 1 - n,
        "small": lambda n: n % 100,
        "float": lambda n: n / 4 - 1,
        "text": lambda n: ["", " ", "é", "a" * (n % 30), str(n)][n % 5],
        "bool": lambda n: n % 2 == 0,
        "date": lambda n: pd.Timestamp("2026-01-01") + pd.Timedelta(hours=n),
        "category": lambda n: f"c{n}",
        "arrow": lambda n: n,
    }[kind]
    values = [
        None if gone else values(n) for n, gone in zip(picked, absent, strict=True)
    ]
    dtype = {
        "int": "Int64",
        "uint": "UInt64",
        "small": "Int8",
        "float": "float64",
        "text": "str",
        "bool": "boolean",
        "date": "datetime64[us]",
        "category": "category",
        "arrow": pd.ArrowDtype(pa.int64()),
    }[kind]
    if kind in ("int", "small") and not any(absent) and draw.random() < 0.5:
        dtype = np.dtype(dtype.lower())
    return pd.Series(values, dtype=dtype)


def told_by_pandas(frame: pd.DataFrame) -> list[tuple]:
    """Groups by counting with a dict over plain values: the rule as the contract says it."""
    counts: dict[tuple, int] = {}
    for row in frame.itertuples(index=False):
        key = tuple(None if pd.isna(value) else value for value in row)
        counts[key] = counts.get(key, 0) + 1
    groups = sorted(counts.items(), key=lambda item: -item[1])
    return [(*key, count, count / len(frame)) for key, count in groups]


def plain(frame) -> list[tuple]:
    if not isinstance(frame, pd.DataFrame):
        frame = pl.DataFrame(frame).to_pandas()
    return [
        tuple(None if pd.isna(value) else value for value in row)
        for row in frame.itertuples(index=False)
    ]


@pytest.mark.parametrize("part", range(4))
def test_the_groups_are_those_of_pandas_and_polars(part):
    draw = random.Random(SEED + part)
    for _ in range(TRIED // 4):
        rows = draw.choice([0, 1, 2, 10, 100, 1000])
        width = draw.choice([1, 1, 1, 2, 3])
        frame = pd.DataFrame(
            {f"k{number}": column(draw, rows) for number in range(width)}
        )
        wanted = told_by_pandas(frame)
        keys = list(frame.columns)
        assert plain(hs.combien(frame, *keys, n=None)) == wanted
        most = draw.choice([0, 1, 3, 20])
        assert plain(hs.combien(frame, *keys, n=most)) == wanted[:most]
        if rows:
            sizes = frame.groupby(keys, dropna=False, observed=True).size()
            assert sorted(sizes) == sorted(row[-2] for row in wanted)
        if width == 1:
            counted = frame["k0"].value_counts(dropna=False)
            counted = counted[counted > 0]
            assert sorted(counted) == sorted(row[-2] for row in wanted)
        arrow = pa.Table.from_pandas(frame, preserve_index=False)
        assert [row[-2:] for row in plain(hs.combien(arrow, *keys, n=None))] == [
            row[-2:] for row in wanted
        ]
        polars = pl.DataFrame(arrow)
        theirs = polars.group_by(keys, maintain_order=True).len()
        theirs = theirs.sort("len", descending=True, maintain_order=True)
        ours = hs.combien(polars, *keys, n=None)
        assert ours.drop("n", "share").equals(theirs.drop("len"))
        assert ours["n"].to_list() == theirs["len"].to_list()
