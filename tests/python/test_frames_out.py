"""Tables as frames of each library: exact values, the promised types."""

import datetime as dt
import decimal
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headstart as hs
from headstart import frames

UTC = dt.UTC
TEXT = "str" if int(pd.__version__.split(".")[0]) >= 3 else "object"

#: Values with the middle one missing, and the type they have in pandas.
COLUMNS = {
    "whole": (pa.array([1, 2, 3]), "int64"),
    "gaps": (pa.array([2**53 + 1, None, -1]), "Int64"),
    "unsigned": (pa.array([2**64 - 1, None, 0], pa.uint64()), "UInt64"),
    "small": (pa.array([1, None, 2], pa.int8()), "Int8"),
    "float": (pa.array([0.5, None, 1e300]), "float64"),
    "bool": (pa.array([True, False, True]), "bool"),
    "maybe": (pa.array([True, None, False]), "boolean"),
    "text": (pa.array(["00042", None, "a" * 40]), TEXT),
    "day": (pa.array([dt.date(2026, 1, 31), None, dt.date(1, 1, 1)]), "datetime64[us]"),
    "moment": (pa.array([0, None, 1], pa.timestamp("ms")), "datetime64[us]"),
    "nanos": (pa.array([0, None, 1], pa.timestamp("ns")), "datetime64[ns]"),
    "round": (pa.array([0, None, 1000], pa.timestamp("ns")), "datetime64[us]"),
    "zoned": (pa.array([0, None, 1], pa.timestamp("us", "UTC")), "datetime64[us, UTC]"),
    "time": (pa.array([dt.time(8), None, dt.time(9, 0, 0, 5)]), "object"),
    "span": (pa.array([1, None, -1], pa.duration("ms")), "timedelta64[us]"),
    "decimal": (
        pa.array([decimal.Decimal("1.10"), None, decimal.Decimal(-2)]),
        "object",
    ),
    "bytes": (pa.array([b"\x00", None, b"\xff"]), "object"),
    "list": (pa.array([[1], None, []]), "object"),
    "dict": (pa.array([{"a": 1}, None, {"a": None}]), "object"),
    "kind": (pa.array(["b", None, "a"]).dictionary_encode(), "category"),
    "none": (pa.nulls(3), "object"),
}


@pytest.fixture(scope="module")
def table() -> hs.Table:
    return hs.Table.from_arrow(
        pa.table({name: values for name, (values, _) in COLUMNS.items()})
    )


def test_pandas_types(table):
    frame = frames.give(table, "pandas")
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == {
        name: dtype for name, (_, dtype) in COLUMNS.items()
    }


def test_pandas_values(table):
    frame = frames.give(table, "pandas")
    first, last = frame.iloc[0], frame.iloc[2]
    assert frame.columns[frame.iloc[1].notna()].tolist() == ["whole", "bool"]
    assert int(frame["gaps"][0]) == 2**53 + 1
    assert int(frame["unsigned"][0]) == 2**64 - 1
    assert frame["nanos"][2].nanosecond == 1
    assert last["day"] == dt.datetime(1, 1, 1)
    assert last["time"] == dt.time(9, 0, 0, 5)
    assert last["span"] == dt.timedelta(milliseconds=-1)
    assert str(first["decimal"]) == "1.10"
    assert (first["bytes"], last["bytes"]) == (b"\x00", b"\xff")
    assert (first["list"], last["list"]) == ([1], [])
    assert (first["dict"], last["dict"]) == ({"a": 1}, {"a": None})
    assert list(frame["kind"].cat.categories) == ["b", "a"]
    assert last["zoned"] == dt.datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC)


def test_pandas_columns_may_be_written_to(table):
    frame = frames.give(table, "pandas")
    for name, value in [("whole", 9), ("float", 9.5), ("bool", False), ("text", "x")]:
        frame.loc[0, name] = value
        assert frame.loc[0, name] == value
    assert frames.give(table, "pandas").loc[0, "whole"] == 1


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_there_and_back_is_the_same_table(table, library):
    back = frames.take(frames.give(table, library)).table
    assert back.columns == table.columns
    rows = table.to_dicts()
    if library == "pandas":
        # The one kind that pandas has no type for.
        for row in rows:
            day = row["day"]
            row["day"] = day and dt.datetime(day.year, day.month, day.day)
    assert back.to_dicts() == rows


def test_polars_and_pyarrow_types(table):
    frame = frames.give(table, "polars")
    assert frame["gaps"].to_list() == [2**53 + 1, None, -1]
    assert frame["kind"].dtype == pl.Categorical
    arrow = frames.give(table, "pyarrow")
    assert arrow.schema.field("text").type == pa.large_string()
    assert arrow["unsigned"].to_pylist() == [2**64 - 1, None, 0]
    assert arrow["kind"].to_pylist() == ["b", None, "a"]


def test_days_beyond_the_calendar_of_python_stay_exact():
    # 10,000,000 days after 1970-01-01 (numpy's own calendar says which day that is).
    arrow = pa.table({"day": pa.array([10_000_000, 0], pa.date32())})
    table = hs.Table.from_arrow(arrow)
    day = str(np.datetime64(10_000_000, "D"))
    assert table.to_dicts()[0] == {"day": day}
    assert frames.give(table, "pandas")["day"].to_numpy()[0] == np.datetime64(day, "us")


def test_nanoseconds_of_a_time_are_kept():
    arrow = pa.table({"t": pa.array([1], pa.time64("ns"))})
    frame = frames.give(hs.Table.from_arrow(arrow), "pandas")
    assert frame["t"].dtype == pd.ArrowDtype(pa.time64("ns"))


def test_no_columns_and_no_rows():
    nothing = hs.Table.side_by_side(3, [], [])
    assert frames.give(nothing, "pandas").shape == (3, 0)
    assert isinstance(frames.give(nothing, "polars"), pl.DataFrame)
    assert isinstance(frames.give(nothing, "pyarrow"), pa.Table)
    empty = hs.Table.from_arrow(pa.table({"a": pa.array([], pa.string())}))
    assert frames.give(empty, "pandas").shape == (0, 1)


def test_names_that_repeat():
    column = hs._headstart.column("x", [1, 2])
    twice = hs.Table.side_by_side(2, ["a", "a"], [column, column])
    assert list(frames.give(twice, "pandas").columns) == ["a", "a"]
    assert frames.give(twice, "pyarrow").column_names == ["a", "a"]
    assert frames.give(twice, "polars").columns == ["a", "a.1"]


def test_the_table_itself(table):
    assert (table.shape, len(table)) == ((3, len(COLUMNS)), 3)
    assert table.to_dicts()[0]["zoned"] == dt.datetime(1970, 1, 1, tzinfo=UTC)
    assert table.to_dicts()[1]["text"] is None
    assert "3 rows x 21 columns" in repr(table)
    assert pl.DataFrame(table).height == 3


def test_text_inside_lists_and_structs_is_no_view_either():
    rows = [{"l": ["a", "b"], "s": {"k": ["x"], "b": b"y"}}, {"l": [], "s": None}]
    table = frames.give(frames.take(rows).table, "pyarrow")
    assert "view" not in str(table.schema)
    assert table.to_pylist() == rows
    assert table.take([1, 0]).to_pylist() == rows[::-1]
    fixed = pl.DataFrame({"f": [["a", "b"]]}, {"f": pl.Array(pl.String, 2)})
    table = frames.give(frames.take(fixed).table, "pyarrow")
    assert table.to_pylist() == [{"f": ["a", "b"]}]
    assert "view" not in str(table.schema)


WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None
import datetime as dt, decimal
import headstart as hs, pandas as pd
from headstart import frames
rows = [
    {"gaps": 2**53 + 1, "u": 2**64 - 1, "f": 0.5, "b": True, "t": "00042",
     "d": dt.date(2026, 1, 31), "m": dt.datetime(2026, 1, 1, 8),
     "z": dt.datetime(2026, 1, 1, 8, tzinfo=dt.timezone.utc), "s": dt.timedelta(seconds=1),
     "n": decimal.Decimal("1.10"), "l": [1, 2]},
    {}, {"gaps": -1, "u": 0},
]
frame = frames.give(frames.take(rows).table, "pandas")
print(*(str(dtype) for dtype in frame.dtypes), sep="|")
print(int(frame["gaps"][0]), int(frame["u"][0]), frame["z"][0], frame["l"][0], sep="|")
frame["c"] = pd.Categorical(["x", None, "y"])
frame["o"] = pd.Series([1, "1", None], dtype=object)
hs.options.quiet = True
print(*hs.decris(frame)["type"], sep="|")
"""


def test_pandas_without_pyarrow():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYARROW],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    types, values, described = done.stdout.splitlines()
    assert types == (
        f"Int64|UInt64|float64|boolean|{TEXT}|datetime64[us]|datetime64[us]"
        "|datetime64[us, UTC]|timedelta64[us]|object|object"
    )
    assert values == f"{2**53 + 1}|{2**64 - 1}|2026-01-01 08:00:00+00:00|[1, 2]"
    assert described == (
        "int|int|float|bool|text|datetime|datetime|datetime|duration|decimal|list"
        "|category|mixed"
    )


def test_records_of_numpy_values():
    record = {
        "i": np.int64(7),
        "f": np.float32(0.5),
        "b": np.bool_(True),
        "d": np.datetime64("2026-01-31"),
        "ns": np.datetime64("2026-01-31T00:00:00.000001000", "ns"),
        "a": np.array([1, 2]),
        "na": pd.NA,
        "nat": pd.NaT,
    }
    assert frames.take([record]).table.to_dicts() == [
        {
            "i": 7,
            "f": 0.5,
            "b": True,
            "d": dt.date(2026, 1, 31),
            "ns": dt.datetime(2026, 1, 31, 0, 0, 0, 1),
            "a": [1, 2],
            "na": None,
            "nat": None,
        }
    ]


def test_few_values_between_missing_ones_arrive_in_their_rows(tmp_path):
    lines = ["{}"] * 40
    lines[3] = '{"n": -7, "flag": true, "big": 18446744073709551615}'
    lines[38] = '{"n": 9, "flag": false, "big": 0}'
    path = tmp_path / "sparse.jsonl"
    path.write_text("\n".join(lines))
    frame = hs.charge(path)
    assert [str(dtype) for dtype in frame.dtypes] == ["Int64", "boolean", "UInt64"]
    assert frame["n"].dropna().to_dict() == {3: -7, 38: 9}
    assert frame["flag"].dropna().to_dict() == {3: True, 38: False}
    assert frame["big"].dropna().to_dict() == {3: 2**64 - 1, 38: 0}
    frame.loc[0, "n"] = 1  # it may be written to
    assert frame["n"].sum() == 3
