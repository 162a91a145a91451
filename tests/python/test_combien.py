"""combien through Python: groups, their order, the account of the rest, keys in the frame's own library."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headstart as hs


def groups(frame, *keys, **options) -> list[tuple]:
    """The rows of the result as tuples, in any library."""
    counted = hs.combien(frame, *keys, **options)
    if isinstance(counted, pd.DataFrame):
        return [tuple(row) for row in counted.itertuples(index=False)]
    return [tuple(row.values()) for row in pl.DataFrame(counted).to_dicts()]


def test_the_largest_group_first_then_the_first_to_appear(capsys):
    frame = pd.DataFrame({"x": ["d", "b", "a", "b", "c", "c", "e", "a"]})
    counted = hs.combien(frame, "x", n=3)
    assert list(counted.columns) == ["x", "n", "share"]
    assert counted["x"].tolist() == ["b", "a", "c"]
    assert counted["n"].tolist() == [2, 2, 2]
    assert counted["share"].tolist() == [0.25] * 3
    assert capsys.readouterr().out == "and 2 other groups, 2 rows (25.0 %)\n"
    assert hs.combien(frame, "x", n=None)["x"].tolist() == ["b", "a", "c", "d", "e"]
    assert capsys.readouterr().out == ""
    assert len(hs.combien(frame, "x", n=0)) == 0
    assert capsys.readouterr().out == "and 5 other groups, 8 rows (100 %)\n"


def test_what_is_not_shown_is_counted(capsys):
    frame = pl.DataFrame({"x": [*range(1000), *[0] * 9]})
    assert hs.combien(frame, "x").height == 20
    assert capsys.readouterr().out == "and 980 other groups, 980 rows (97.1 %)\n"


def test_missing_empty_and_blank_are_three_groups():
    values = ["", None, " ", float("nan"), pd.NA, pd.NaT, ""]
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    counted = hs.combien(frame, "x")
    assert counted["n"].tolist() == [4, 2, 1]
    assert counted["x"][0] is None
    assert counted["x"].tolist()[1:] == ["", " "]


def test_numbers_are_one_group_by_value_and_text_is_another():
    values = [1, 1.0, "1", True, np.int8(1), decimal.Decimal("1.0")]
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    counted = hs.combien(frame, "x")
    assert counted["n"].tolist() == [4, 1, 1]
    assert counted["x"].tolist() == [1, "1", True]
    assert type(counted["x"][0]) is int


def test_big_ints_are_exact():
    values = pd.array([2**63 - 1, 2**63 - 2, None, 2**63 - 1], dtype="Int64")
    counted = hs.combien(pd.DataFrame({"x": values}), "x")
    assert counted["n"].tolist() == [2, 1, 1]
    assert counted["x"].dtype == "Int64"
    assert counted["x"].tolist() == [2**63 - 1, 2**63 - 2, pd.NA]


def test_cells_that_cannot_be_hashed_count_by_their_json_text():
    cells = [[1, 2], {"a": 1}, [1, 2], {"a": 2}, [1.0, 2.0], [], None]
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    counted = hs.combien(frame, "x")
    assert counted["n"].tolist()[0] >= 2
    assert counted["x"][0] is frame["x"][0]
    assert len(counted) in (5, 6)


def test_several_keys_are_combinations():
    frame = pd.DataFrame({"a": [1, 1, 2, 1], "b": ["x", None, "x", "x"], "c": 0})
    assert groups(frame, "b", "a")[0] == ("x", 1, 2, 0.5)
    assert groups(frame, ["b", "a"])[0] == ("x", 1, 2, 0.5)
    assert len(groups(frame, "b", "a")) == 3


@pytest.mark.parametrize("wrap", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_result_is_in_the_library_of_the_frame(wrap):
    frame = wrap({"x": [3, 1, 3]})
    counted = hs.combien(frame, "x")
    assert type(counted) is type(frame)
    assert groups(frame, "x") == [(3, 2, 2 / 3), (1, 1, 1 / 3)]


def test_records_and_paths_give_the_default_library(orders, capsys):
    assert isinstance(hs.combien([{"a": 1}], "a"), pd.DataFrame)
    counted = hs.combien(orders, "month", n=1)
    assert counted["n"].tolist() == [5]
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith('orders.xlsx: 45 rows x 10 columns, sheet "2025"')
    assert lines[-1] == "and 10 other groups, 40 rows (88.9 %)"
    hs.options.frames = "polars"
    try:
        assert isinstance(hs.combien(orders, "month"), pl.DataFrame)
    finally:
        hs.options.frames = None
    table = hs.Table.from_arrow(pl.DataFrame({"a": [1]}))
    assert isinstance(hs.combien(table, "a"), hs.Table)


def test_keys_keep_the_types_of_pandas():
    columns = {
        "category": pd.Categorical(["b", "a", None], categories=["z", "b", "a"]),
        "bins": pd.cut([1, 9, 20], [0, 5, 10]),
        "month": pd.period_range("2026-01", periods=3, freq="M"),
        "zoned": pd.date_range("2026-01-01", periods=3, tz="Europe/Paris"),
        "small": np.array([1, 2, 3], dtype="int8"),
        "gaps": pd.array([1, None, 3], dtype="UInt16"),
        "arrow": pd.array([1, None, 3], dtype=pd.ArrowDtype(pa.int32())),
        "span": pd.to_timedelta([1, 2, None], unit="s"),
        "days": pd.Series([dt.date(2026, 1, 1), None, dt.time(8)], dtype=object),
        "text": ["a", None, ""],
    }
    frame = pd.DataFrame(columns)
    for name in frame:
        counted = hs.combien(frame, name)
        assert counted[name].dtype == frame[name].dtype
        pd.testing.assert_series_equal(counted[name], frame[name], check_index=False)


def test_keys_keep_the_types_of_polars_and_pyarrow():
    words = pl.Series("x", ["b", "a", None], dtype=pl.Enum(["a", "b"]))
    assert hs.combien(words.to_frame(), "x").schema["x"] == pl.Enum(["a", "b"])
    table = pa.table({"x": pa.array(["b", "a", None]).dictionary_encode()})
    assert hs.combien(table, "x").schema.field("x").type == table.schema.field("x").type
    lazy = pl.LazyFrame({"x": [1, 1]})
    assert hs.combien(lazy, "x")["n"].to_list() == [2]


def test_a_key_called_n_keeps_its_name(capsys):
    frame = pd.DataFrame({"n": [1, 1], "share": ["a", "a"]})
    counted = hs.combien(frame, "n", "share")
    assert list(counted.columns) == ["n", "share", "n_", "share_"]
    assert counted.iloc[0].tolist() == [1, "a", 2, 1.0]
    [line] = capsys.readouterr().out.splitlines()
    assert '"n_"' in line
    assert '"share_"' in line


def test_labels_of_pandas_that_are_no_text():
    frame = pd.DataFrame([[1, 2, 3], [1, 2, 4]], columns=[7, "7.5", ("a", 1)])
    counted = hs.combien(frame, 7)
    assert list(counted.columns) == [7, "n", "share"]
    assert list(hs.combien(frame, ("a", 1)).columns) == [("a", 1), "n", "share"]
    levels = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_product([["a"], [1, 2]]))
    assert hs.combien(levels, ("a", 2)).iloc[0].tolist() == [2, 1, 1]


def test_no_rows_and_all_missing(capsys):
    empty = pd.DataFrame({"x": pd.array([], dtype="Int64"), "y": pd.Categorical([])})
    counted = hs.combien(empty, "x", "y")
    assert counted.shape == (0, 4)
    assert counted["x"].dtype == "Int64"
    assert capsys.readouterr().out == "no rows to count\n"
    counted = hs.combien(pd.DataFrame({"x": [None, None]}), "x")
    assert counted["n"].tolist() == [2]
    assert counted["x"].isna().all()


def test_wrong_columns_are_named(capsys):
    frame = pd.DataFrame({"city": [1], "country": [2]})
    with pytest.raises(hs.KeyMissingError, match='no column "coutnry"') as caught:
        hs.combien(frame, "coutnry")
    assert caught.value.hint == 'did you mean "country"?'
    with pytest.raises(hs.ArgumentError, match='found "city" twice'):
        hs.combien(frame, "city", "city")
    with pytest.raises(hs.ArgumentError, match="found none"):
        hs.combien(frame, [])
    with pytest.raises(hs.KeyMissingError) as caught:
        hs.combien(frame, "city", 10)
    assert caught.value.hint == "n=10"
    for wrong in (frame, {"a": 1}, None):
        with pytest.raises(hs.TypeMismatchError, match="key: expected"):
            hs.combien(frame, wrong)
    for wrong in (-1, "all", 1.5, True):
        with pytest.raises(hs.Error, match="n: expected"):
            hs.combien(frame, "city", n=wrong)
    twice = pd.DataFrame([[1, 2]], columns=["x", "x"])
    with pytest.raises(hs.ArgumentError, match='one column called "x", found 2'):
        hs.combien(twice, "x")
    assert capsys.readouterr().out == ""


def test_only_the_keys_are_converted(monkeypatch):
    from headstart.frames import from_pandas

    seen: list[str] = []
    convert = from_pandas._column

    def spy(name, series, *how):
        seen.append(name)
        return convert(name, series, *how)

    monkeypatch.setattr(from_pandas, "_column", spy)
    hs.combien(pd.DataFrame({"a": [1], "b": [2], "c": [object()]}), "b")
    assert seen == ["b"]


def test_the_frame_is_not_changed_and_an_index_is_told(capsys):
    frame = pd.DataFrame({"a": [1, 1, 2]}, index=[5, 6, 7])
    before = frame.copy(deep=True)
    counted = hs.combien(frame, "a")
    counted.loc[0, "a"] = 99
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == {}
    assert "reset_index() first" in capsys.readouterr().out
    assert any("index" in note["text"] for note in counted.attrs["hs"]["notes"])


def test_more_than_there_can_be_is_all():
    frame = pd.DataFrame({"k": range(50)})
    for many in (10**30, 2**63 - 1):
        assert len(hs.combien(frame, "k", n=many)) == 50
    with pytest.raises(hs.ArgumentError, match="n: expected 0 or more, found -1"):
        hs.combien(frame, "k", n=-1)
