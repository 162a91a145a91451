"""Every kind of frame argument, through decris."""

import datetime as dt
import decimal
import uuid

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headstart as hs


def types(frame: object) -> dict[str, str]:
    """What decris says of each column, whatever library it answers in."""
    rows = hs.decris(frame)
    if not isinstance(rows, pd.DataFrame):
        rows = rows.to_pandas()
    return dict(zip(rows["column"], rows["type"], strict=True))


def test_pandas_columns_of_every_kind():
    columns = {
        "int": ([1, 2, 3], "int"),
        "gaps": (pd.array([1, None, 2**63 - 1], dtype="Int64"), "int"),
        "unsigned": (pd.array([1, None, 2**64 - 1], dtype="UInt64"), "int"),
        "float": ([0.5, float("nan"), 1.5], "float"),
        "bool": ([True, None, False], "bool"),
        "text": (["a", None, "00042"], "text"),
        "zoned": (
            pd.date_range("2026-01-01", periods=3, tz="Europe/Paris"),
            "datetime",
        ),
        "moment": (pd.to_datetime(["2026-01-01", None, "2026-01-02"]), "datetime"),
        "day": ([dt.date(2026, 1, 1), None, dt.date(1, 1, 1)], "date"),
        "time": ([dt.time(8), None, dt.time(9, 0, 0, 5)], "time"),
        "span": (pd.to_timedelta([1, 2, None], unit="s"), "duration"),
        "decimal": ([decimal.Decimal("1.10"), None, decimal.Decimal("NaN")], "decimal"),
        "bytes": ([b"a", None, b"\xff"], "bytes"),
        "lists": ([[1], [], None], "list"),
        "arrays": ([np.array([1, 2]), None, np.array([3])], "list"),
        "dicts": ([{"a": 1}, None, {"b": 2}], "struct"),
        "category": (pd.Categorical(["x", None, "y"]), "category"),
        "bins": (pd.cut([1, 2, 3], 2), "category"),
        "month": (pd.period_range("2026-01", periods=3, freq="M"), "text"),
        "ids": ([uuid.UUID(int=1), None, None], "text"),
        "mixed": ([1, "1", [2]], "mixed"),
        "sparse": (pd.arrays.SparseArray([0, 0, 7]), "int"),
        "arrow": (pd.array([1, None, 3], dtype=pd.ArrowDtype(pa.int32())), "int"),
        "none": ([None, None, None], "empty"),
    }
    frame = pd.DataFrame({name: values for name, (values, _) in columns.items()})
    assert types(frame) == {name: kind for name, (_, kind) in columns.items()}


def test_pandas_values_arrive_exact():
    gaps = pd.array([1, None, 2**63 - 1], dtype="Int64")
    zoned = pd.to_datetime(["2026-07-01 00:30+02:00", None, "2026-07-02 00:00+02:00"])
    months = pd.period_range("2026-01", periods=3, freq="M")
    frame = pd.DataFrame({"gaps": gaps, "zoned": zoned, "month": months})
    rows = hs.decris(frame).set_index("column")
    assert rows.loc["gaps", "max"] == "9223372036854775807"
    assert rows.loc["gaps", "missing"] == pytest.approx(1 / 3)
    assert rows.loc["zoned", "min"] == "2026-06-30 22:30:00+00:00"
    assert rows.loc["month", "max"] == "2026-03"


def test_bools_beside_ints_are_not_numbers(capsys):
    frame = pd.DataFrame({"x": pd.Series([1, True, "1"], dtype=object)})
    assert types(frame) == {"x": "mixed"}
    assert 'column "x"' in capsys.readouterr().out


def test_text_beside_bytes_is_not_all_bytes():
    frame = pd.DataFrame({"x": pd.Series(["a", b"a"], dtype=object)})
    assert types(frame) == {"x": "mixed"}


def test_pandas_names_that_repeat_or_are_no_text():
    frame = pd.DataFrame([[1, "a", 2.5, None]])
    frame.columns = pd.Index(["x", "x", 7, ("a", 1)], dtype=object, tupleize_cols=False)
    rows = hs.decris(frame)
    assert list(rows["column"]) == ["x", "x", "7", "('a', 1)"]
    assert list(rows["type"]) == ["int", "text", "float", "empty"]


def test_pandas_without_rows_or_columns(capsys):
    empty = pd.DataFrame({"a": pd.array([], dtype="Int64"), "b": pd.Categorical([])})
    assert types(empty) == {"a": "int", "b": "category"}
    assert len(hs.decris(pd.DataFrame())) == 0
    assert "0 rows x 0 columns" in capsys.readouterr().out


def test_an_index_that_is_no_plain_range_is_told(capsys):
    frame = pd.DataFrame({"a": [1, 2]}, index=["x", "y"])
    described = hs.decris(frame)
    assert list(described["column"]) == ["a"]
    told = [line for line in capsys.readouterr().out.splitlines() if "index" in line]
    assert len(told) == 1
    assert "reset_index() first" in told[0]
    assert told[0] in [note["text"] for note in described.attrs["hs"]["notes"]]
    hs.decris(frame.reset_index())
    assert "left out" not in capsys.readouterr().out


def test_a_path_is_told_once(orders, capsys):
    hs.decris(orders)
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if "45 rows x 10 columns" in line]) == 1
    assert lines[0].endswith('sheet "2025", no duplicate rows')


def test_the_argument_is_not_changed():
    frame = pd.DataFrame({"a": [1, None], "b": [[1], {"k": 2}]}, index=[3, 4])
    before = frame.copy(deep=True)
    hs.decris(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == {}


def test_lone_surrogates_are_told(capsys):
    frame = pd.DataFrame({"name": pd.Series(["ok", "bad\udcff"], dtype=object)})
    assert types(frame) == {"name": "text"}
    assert "1 text with lone surrogates" in capsys.readouterr().out


def test_nanoseconds_of_a_timestamp_in_an_object_column_are_not_cut():
    stamp = pd.Timestamp("2026-01-01 00:00:00.000000001")
    frame = pd.DataFrame({"x": pd.Series([stamp], dtype=object)})
    assert hs.decris(frame)["max"][0] == "2026-01-01T00:00:00.000000001"


def test_polars_gives_polars():
    frame = pl.DataFrame(
        {
            "a": [1, None, 3],
            "c": pl.Series(["x", "y", None], dtype=pl.Categorical),
            "n": [[1], [], None],
            "z": pl.Series([0, 1, None]).cast(pl.Datetime("us", "Asia/Tokyo")),
        }
    )
    assert isinstance(hs.decris(frame), pl.DataFrame)
    assert isinstance(hs.decris(frame.lazy()), pl.DataFrame)
    assert types(frame) == {"a": "int", "c": "category", "n": "list", "z": "datetime"}


def test_polars_python_objects_go_by_their_values():
    objects = pl.Series([uuid.UUID(int=1), {1}], dtype=pl.Object)
    assert types(pl.DataFrame({"a": [1, 2], "o": objects})) == {
        "a": "int",
        "o": "mixed",
    }


def test_pyarrow_gives_pyarrow():
    words = pa.array(["x", "x"]).dictionary_encode()
    table = pa.table({"a": pa.array([1, None]), "d": words})
    described = hs.decris(table)
    assert isinstance(described, pa.Table)
    assert described.column("type").to_pylist() == ["int", "category"]
    assert types(table.to_batches()[0]) == {"a": "int", "d": "category"}
    assert types(table.to_reader()) == {"a": "int", "d": "category"}


def test_a_column_that_arrow_refuses_goes_by_its_values():
    which = pa.array([0, 1], pa.int8())
    union = pa.UnionArray.from_sparse(which, [pa.array([1, 2]), pa.array(["a", "b"])])
    table = pa.Table.from_arrays([pa.array([1, 2]), union], names=["a", "a"])
    described = hs.decris(table)
    assert described.column("column").to_pylist() == ["a", "a"]
    assert described.column("type").to_pylist() == ["int", "mixed"]


def test_objects_with_only_an_arrow_array():
    class Batch:
        def __init__(self, batch):
            self.batch = batch

        def __arrow_c_array__(self, requested_schema=None):
            return self.batch.__arrow_c_array__(requested_schema)

    batch = Batch(pa.record_batch({"a": [1, None], "b": ["x", "y"]}))
    assert types(batch) == {"a": "int", "b": "text"}
    table = hs.Table.from_arrow(batch)
    assert table.to_dicts() == [{"a": 1, "b": "x"}, {"a": None, "b": "y"}]


def test_duckdb_gives_the_default_library():
    relation = duckdb.sql("select 1::bigint as a, 'x' as b, 1.50::decimal(9,2) as c")
    assert isinstance(hs.decris(relation), pd.DataFrame)
    assert types(relation) == {"a": "int", "b": "text", "c": "decimal"}


def test_records_are_all_looked_at():
    records: list[dict[str, object]] = [{"a": number} for number in range(500)]
    records[499]["late"] = "here"
    rows = hs.decris(records).set_index("column")
    assert rows.loc["late", "type"] == "text"
    assert rows.loc["late", "missing"] == pytest.approx(499 / 500)


def test_a_path_is_loaded(orders):
    rows = hs.decris(orders)
    assert len(rows) == 10
    assert hs.decris(str(orders))["type"].tolist() == rows["type"].tolist()


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (7, "int"),
        ({"a": [1]}, "dict"),
        (None, "NoneType"),
        (pd.Series([1]), "pandas Series"),
        (pl.Series([1]), "polars Series"),
        (pa.array([1]), "pyarrow Int64Array"),
        (pd.DataFrame, "type"),
    ],
)
def test_anything_else_is_refused_by_name(value, found):
    with pytest.raises(TypeError) as caught:
        hs.decris(value)
    assert isinstance(caught.value, hs.Error)
    assert caught.value.message.endswith(f"found {found}")
    assert "a list of dicts" in caught.value.message


def test_a_list_with_something_else_names_the_position():
    with pytest.raises(hs.TypeMismatchError, match="found int at position 1"):
        hs.decris([{"a": 1}, 2])


def test_nesting_has_a_bound():
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(hs.TypeMismatchError, match="levels"):
        hs.decris([{"a": deep}])
