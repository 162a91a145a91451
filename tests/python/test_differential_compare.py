"""compare against a slow comparison by hand on random pairs of frames, in all libraries, mixed too.

By hand: an outer merge of pandas on the position of the key, then cell by cell. HEADSTART_FRAMES_TRIED says how
many pairs are tried.
"""

import math
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
LIBRARIES = {
    "pandas": lambda frame: frame,
    "polars": lambda frame: pl.DataFrame(arrow(frame)),
    "pyarrow": lambda frame: arrow(frame),
}


def arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.fixture(autouse=True)
def quiet():
    hs.options.quiet = True
    yield
    hs.options.quiet = None


DTYPES = {
    "int": ["Int64", "Int32"],
    "float": ["float64", "float32"],
    "text": ["str", "category", "object"],
    "bool": ["boolean"],
    "moment": ["datetime64[us]", "datetime64[ms]", "datetime64[ns]"],
}


def value(kind: str, number: int) -> object:
    match kind:
        case "int":
            return number - 3
        case "float":
            return number / 4
        case "text":
            return ["", " ", "a", "b" * 40, "é"][number % 5]
        case "bool":
            return number % 2 == 0
    return pd.Timestamp("2026-01-01") + pd.Timedelta(hours=number)


def series(kind: str, numbers: list[int | None], dtype: str) -> pd.Series:
    values = [None if number is None else value(kind, number) for number in numbers]
    return pd.Series(values, dtype=dtype)


def pair(draw: random.Random) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Two frames whose keys are unique, mostly alike, each with its own order of rows and columns."""
    most = draw.choice([0, 1, 5, 40, 300])
    keys = draw.choice([["k"], ["k"], ["k", "l"]])
    spread = max(2 * most, 4)
    cells = [
        (first, second) for first in [None, *range(spread)] for second in (None, 0, 1)
    ]
    if len(keys) == 1:
        cells = [(first, 0) for first in [None, *range(spread)]]
    kinds = {name: draw.choice(list(DTYPES)) for name in "vwxyz"[: draw.randrange(6)]}
    key_kinds = {"k": "int", "l": draw.choice(["text", "bool"])}
    sides = []
    shared = {
        name: {cell: draw.choice([None, *range(8)]) for cell in cells} for name in kinds
    }
    for _ in range(2):
        chosen = draw.sample(cells, min(len(cells), draw.randrange(most + 1)))
        if draw.random() < 0.7:
            chosen = draw.sample(cells, min(len(cells), most))
        columns = {}
        for number, name in enumerate(keys):
            kind = key_kinds[name]
            numbers = [cell[number] for cell in chosen]
            columns[name] = series(kind, numbers, draw.choice(DTYPES[kind]))
        for name, kind in kinds.items():
            if draw.random() < 0.1:
                continue
            numbers = [
                draw.choice([None, *range(8)])
                if draw.random() < 0.05
                else shared[name][cell]
                for cell in chosen
            ]
            columns[name] = series(kind, numbers, draw.choice(DTYPES[kind]))
        names = list(columns)
        draw.shuffle(names)
        sides.append(pd.DataFrame(columns)[names])
    return sides[0], sides[1], keys


def cell(found: object) -> object:
    """A cell as Python compares it: missing as None."""
    if found is None or found is pd.NA or found is pd.NaT:
        return None
    if isinstance(found, float) and math.isnan(found):
        return None
    return found.item() if isinstance(found, np.generic) else found


def same(left: object, right: object, tol: float, rtol: float) -> bool:
    left, right = cell(left), cell(right)
    if left is None or right is None:
        return left is right
    numbers = isinstance(left, (int, float)) and not isinstance(left, bool)
    if numbers:
        return bool(left == right or abs(left - right) <= tol + rtol * abs(right))
    return bool(left == right)


def by_hand(a, b, keys, tol, rtol) -> list[tuple]:
    """Rows as (state, keys, changed, values of a, values of b)."""

    def keyed(frame):
        rows = frame.to_dict("records")
        return {tuple(cell(row[key]) for key in keys): row for row in rows}

    left, right = keyed(a), keyed(b)
    both = [name for name in a if name in b and name not in keys]
    rows = []
    for key, row in left.items():
        other = right.get(key)
        if other is None:
            rows.append(("only a", key, None, row, {}))
            continue
        changed = [name for name in both if not same(row[name], other[name], tol, rtol)]
        if changed:
            rows.append(("changed", key, ", ".join(changed), row, other))
    rows += [
        ("only b", key, None, {}, row) for key, row in right.items() if key not in left
    ]
    counts = [sum(name in str(row[2]).split(", ") for row in rows) for name in both]
    shown = [name for name, count in zip(both, counts, strict=True) if count]
    return [
        (
            state,
            *key,
            changed,
            *(cell(side.get(name)) for name in shown for side in (row, other)),
        )
        for state, key, changed, row, other in rows
    ]


def plain(frame) -> list[tuple]:
    if isinstance(frame, pa.Table):
        frame = pl.DataFrame(frame)
    if isinstance(frame, pl.DataFrame):
        return [
            tuple(pd.Timestamp(v) if hasattr(v, "year") else cell(v) for v in row)
            for row in frame.rows()
        ]
    return [tuple(cell(v) for v in row) for row in frame.itertuples(index=False)]


@pytest.mark.parametrize("part", range(4))
def test_what_differs_is_what_a_loop_finds(part):
    draw = random.Random(SEED + part)
    for _ in range(TRIED // 4):
        a, b, keys = pair(draw)
        tol, rtol = draw.choice([(0, 0), (0, 0), (0.25, 0), (0, 0.1), (1, 0.5)])
        wanted = by_hand(a, b, keys, tol, rtol)
        left, right = draw.choice(list(LIBRARIES)), draw.choice(list(LIBRARIES))
        found = hs.compare(
            LIBRARIES[left](a),
            LIBRARIES[right](b),
            keys,
            tol=tol or None,
            rtol=rtol or None,
        )
        assert type(found).__module__.startswith(left)
        assert plain(found) == wanted, (left, right, a, b)


def test_the_order_of_rows_and_columns_changes_nothing():
    draw = random.Random(SEED)
    for _ in range(TRIED // 4):
        a, b, keys = pair(draw)
        names = [name for name in b if name not in keys]
        turned = b.iloc[::-1].reset_index(drop=True)[[*keys, *sorted(names)]]
        found, again = hs.compare(a, b, keys), hs.compare(a, turned, keys)
        rest = again[again["state"] == "only b"].iloc[::-1]
        again = pd.concat([again[again["state"] != "only b"], rest], ignore_index=True)
        assert plain(found) == plain(again)
