"""decris against pandas on random frames: missing, distinct, top, min, max, duplicate rows.

Some frames in a normal run; `HEADSTART_FRAMES_TRIED=5000` tries more.
"""

import datetime
import os
import random
from decimal import Decimal

import pandas
import polars
import pyarrow
import pytest

import headstart as hs

FRAMES = int(os.environ.get("HEADSTART_FRAMES_TRIED", "60"))
WORDS = [
    "",
    " ",
    "a",
    "A",
    "00042",
    "NA",
    "é",
    "a longer text than a view holds",
    "a\0",
]
START = datetime.datetime(2020, 2, 28)


def ints(draw):
    return draw.choice([-1, 0, 1, 2, 2**53 + 1, 2**53, -(2**63), 2**63 - 1])


def near(draw):
    return draw.randrange(5)


def floats(draw):
    return draw.choice([0.0, -0.0, 0.1, 1.0, -1e300, 5e-324, float("inf"), 2.0**53])


def texts(draw):
    return draw.choice(WORDS)


def bools(draw):
    return draw.random() < 0.5


def moments(draw):
    return START + datetime.timedelta(
        hours=draw.randrange(40), microseconds=draw.randrange(2)
    )


def days(draw):
    return (START + datetime.timedelta(days=draw.randrange(5))).date()


def decimals(draw):
    return Decimal(draw.randrange(-3, 4)).scaleb(-2)


# How values are drawn, and the Arrow type that holds them.
KINDS = {
    "ints": (ints, pyarrow.int64()),
    "near": (near, pyarrow.int8()),
    "unsigned": (lambda draw: abs(ints(draw)) + 2**63 - 1, pyarrow.uint64()),
    "floats": (floats, pyarrow.float64()),
    "texts": (texts, pyarrow.large_string()),
    "bools": (bools, pyarrow.bool_()),
    "moments": (moments, pyarrow.timestamp("us")),
    "instants": (moments, pyarrow.timestamp("ms", "UTC")),
    "days": (days, pyarrow.date32()),
    "decimals": (decimals, pyarrow.decimal128(10, 2)),
    "categories": (texts, pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string())),
}


def random_table(draw):
    """A table of random columns."""
    rows = draw.choice([0, 1, 2, 3, 10, 60])
    kinds = [draw.choice(list(KINDS)) for _ in range(draw.randrange(1, 5))]
    columns = []
    for kind in kinds:
        value, dtype = KINDS[kind]
        gaps = draw.choice([0, 0, 0.2, 1])
        values = [None if draw.random() < gaps else value(draw) for _ in range(rows)]
        if kind == "instants":
            values = [v and v.replace(microsecond=0) for v in values]
        if pyarrow.types.is_dictionary(dtype):
            columns.append(pyarrow.array(values, dtype.value_type).dictionary_encode())
        else:
            columns.append(pyarrow.array(values, dtype))
    names = [f"{kind}{at}" for at, kind in enumerate(kinds)]
    return pyarrow.table(dict(zip(names, columns, strict=True)))


def expected(values):
    """Missing, distinct, the counts at the top, min and max, as plain Python says."""
    there = [value for value in values if value is not None]
    counts = {}
    for value in there:
        counts[value] = counts.get(value, 0) + 1
    top = sorted(counts.items(), key=lambda item: -item[1])[:3]
    return {
        "missing": 1 - len(there) / len(values) if values else 0.0,
        "distinct": len(counts),
        "top": [count for _, count in top],
        "first": top[0][0] if top else None,
        "ends": (min(there), max(there)) if there else None,
    }


def shown(value):
    """A value as decris writes it, where that is simple to say."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return None
    if isinstance(value, datetime.datetime):
        zone = "+00:00" if value.tzinfo else ""
        value = value.replace(tzinfo=None)
        return value.isoformat(" ", "auto" if value.microsecond else "seconds") + zone
    return str(value)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_random_frames_are_described_exactly(library):
    draw = random.Random(f"decris {library}")
    for _ in range(FRAMES):
        table = random_table(draw)
        if library == "pandas":
            # As pandas holds it: ints with gaps in its own nullable types.
            frame = table.to_pandas(types_mapper=nullable, date_as_object=True)
        else:
            frame = polars.from_arrow(table) if library == "polars" else table
        described = hs.decris(frame)
        rows = (
            described.to_dict("records")
            if library == "pandas"
            else described.to_dicts()
            if library == "polars"
            else described.to_pylist()
        )
        for row, name in zip(rows, table.column_names, strict=True):
            values = table[name].to_pylist()
            wanted = expected(values)
            where = f"{name} of {table.to_pydict()}"
            assert row["missing"] == pytest.approx(wanted["missing"]), where
            assert row["distinct"] == wanted["distinct"], where
            if wanted["ends"] is None:
                assert row["type"] == "empty" if values else True, where
                assert not isinstance(row["min"], str), where
                continue
            low, high = map(shown, wanted["ends"])
            if low is None:
                ends = (float(row["min"]), float(row["max"]))
                assert ends == wanted["ends"], where
            else:
                assert (row["min"], row["max"]) == (low, high), where
            counts = [
                int(part.rsplit("(", 1)[1][:-1]) for part in split_top(row["top"])
            ]
            assert counts == wanted["top"], where


def split_top(text):
    """The parts of `top`; no value in these frames has a comma."""
    return text.split(", ")


def nullable(dtype):
    if dtype in (pyarrow.int64(), pyarrow.int8(), pyarrow.uint64()):
        return pandas.api.types.pandas_dtype(
            str(dtype).replace("int", "Int").replace("uI", "UI")
        )
    return pandas.BooleanDtype() if dtype == pyarrow.bool_() else None


def test_duplicate_rows_are_those_of_pandas(capsys):
    draw = random.Random(11)
    for _ in range(FRAMES):
        rows = draw.choice([0, 1, 2, 5, 50])
        frame = pandas.DataFrame(
            {
                "a": [draw.choice([1, 2, None]) for _ in range(rows)],
                "b": [draw.choice(["x", "y", None]) for _ in range(rows)],
                "c": pandas.Series(
                    [draw.randrange(3) for _ in range(rows)], dtype="int64"
                ),
            }
        )
        hs.decris(frame)
        count = int(frame.duplicated().sum())
        words = (
            f"{count} duplicate row{'' if count == 1 else 's'}"
            if count
            else "no duplicate rows"
        )
        assert capsys.readouterr().out.splitlines()[0].endswith(f", {words}")
