"""joins at the border of Python: rows are taken in the frame's own library, every column keeps its type."""

import datetime
import decimal

import numpy
import pandas
import polars
import pyarrow
import pytest

import headstart as hs


def said(capsys):
    return capsys.readouterr().out.splitlines()


def test_the_hint_of_the_error_makes_it_pass(capsys):
    a = pandas.DataFrame({"k": [1, 2, 3, 4]})
    b = pandas.DataFrame({"k": [2, 2], "v": ["x", "y"]})
    with pytest.raises(hs.MergeError) as raised:
        hs.joins(a, b, "k")
    assert isinstance(raised.value, ValueError)
    assert "k 2 (1 row of a, 2 of b); 4 rows of a would become 5" in str(raised.value)
    validate = raised.value.hint.split('"')[1]
    assert hs.joins(a, b, "k", validate=validate)["k"].tolist() == [1, 2, 2, 3, 4]


def test_an_inner_join_that_hides_growth_names_the_key(capsys):
    a = pandas.DataFrame({"k": [1, 2, 3, 4]})
    b = pandas.DataFrame({"k": [1, 1, 1]})
    assert len(hs.joins(a, b, "k", "inner")) == 3
    assert "rows of a multiplied: k 1 (1 row of a, 3 of b), hidden" in said(capsys)[1]


@pytest.mark.parametrize("library", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_a_code_never_meets_a_number(library):
    a, b = library({"id": ["00042"]}), library({"id": [42]})
    with pytest.raises(hs.TypeMismatchError) as raised:
        hs.joins(a, b, "id")
    assert "found text in a and int in b" in str(raised.value)
    assert '"00042" and 42' in raised.value.hint


def pandas_frame():
    """A column of every type that pandas has, three rows."""
    return pandas.DataFrame(
        {
            "k": [10, 20, 30],
            "int": numpy.array([1, 2, 2**60 + 1]),
            "small": numpy.array([1, 2, 3], dtype="uint8"),
            "nullable": pandas.array([1, None, 2**63 - 1], dtype="Int64"),
            "float": [0.1, numpy.nan, -0.0],
            "single": numpy.array([0.1, 1, 2], dtype="float32"),
            "complex": [1j, 2j, 3j],
            "bool": [True, False, True],
            "boolean": pandas.array([True, None, False], dtype="boolean"),
            "text": ["a", None, "é"],
            "python": pandas.array(
                ["a", None, "b"], dtype=pandas.StringDtype("python")
            ),
            "object": [{"a": 1}, (1, 2), "x"],
            "days": [datetime.date(2026, 1, day) for day in (1, 2, 3)],
            "moments": pandas.to_datetime(["2026-01-01", None, "2026-01-03"]),
            "objects": pandas.Series(
                [datetime.datetime(2026, 1, 1), datetime.datetime(2026, 1, 2), None],
                dtype=object,
            ),
            "zoned": pandas.to_datetime(["2026-01-01"] * 3).tz_localize("Europe/Paris"),
            "delta": pandas.to_timedelta([1, 2, 3], unit="s"),
            "category": pandas.Categorical(
                ["u", "v", None], categories=["v", "u", "w"]
            ),
            "ordered": pandas.Categorical([1, 2, 1], ordered=True),
            "period": pandas.period_range("2026-01", periods=3, freq="M"),
            "interval": pandas.arrays.IntervalArray.from_breaks([0.0, 1.0, 2.0, 3.0]),
            "sparse": pandas.arrays.SparseArray([0.0, 0.0, 1.0]),
            "arrow": pandas.array(
                [[1, 2], None, []],
                dtype=pandas.ArrowDtype(pyarrow.list_(pyarrow.int64())),
            ),
            "decimal": pandas.array(
                [decimal.Decimal("1.10"), None, decimal.Decimal("2.00")],
                dtype=pandas.ArrowDtype(pyarrow.decimal128(5, 2)),
            ),
        }
    )


def test_every_pandas_column_comes_back_as_it_was():
    frame = pandas_frame()
    before = frame.copy()
    other = pandas.DataFrame({"k": [30, 10]})
    kept = hs.joins(frame, other, "k")
    pandas.testing.assert_frame_equal(kept, frame)
    # As the other frame, in another order.
    turned = hs.joins(other, frame, "k")
    pandas.testing.assert_frame_equal(turned, frame.iloc[[2, 0]].reset_index(drop=True))
    pandas.testing.assert_frame_equal(frame, before)


def test_a_row_that_misses_changes_no_type_but_numpy_ints_and_bools():
    frame = pandas_frame()
    joined = hs.joins(pandas.DataFrame({"k": [10, 99]}), frame, "k")
    changed = {
        name: str(joined[name].dtype)
        for name in frame
        if name != "k" and joined[name].dtype != frame[name].dtype
    }
    assert changed == {"int": "Int64", "small": "UInt8", "bool": "boolean"}
    first = frame.drop(columns=["int", "small", "bool"]).iloc[:1]
    pandas.testing.assert_frame_equal(joined[first.columns].iloc[:1], first)
    assert joined.iloc[1].drop("k").isna().all()
    assert joined["object"][1] is None
    assert type(joined["objects"][0]) is datetime.datetime


def test_an_interval_of_whole_numbers_stays_whole_beside_a_gap():
    frame = pandas.DataFrame(
        {
            "k": [1],
            "i": pandas.arrays.IntervalArray.from_tuples([(2**53 + 1, 2**53 + 3)]),
        }
    )
    joined = hs.joins(pandas.DataFrame({"k": [1, 2]}), frame, "k")
    assert joined["i"][0].left == 2**53 + 1
    assert joined["i"][1] is None


def test_the_result_shares_nothing_that_can_be_written_to():
    frame = pandas.DataFrame({"k": [1, 2], "v": [1.0, 2.0]})
    other = pandas.DataFrame({"k": [1, 2], "w": [3.0, 4.0]})
    joined = hs.joins(frame, other, "k")
    joined.loc[0, ["v", "w"]] = 99.0
    assert frame["v"].tolist() == [1.0, 2.0]
    assert other["w"].tolist() == [3.0, 4.0]


def test_an_index_is_left_out_and_told(capsys):
    frame = pandas.DataFrame({"k": [1, 2, 3], "v": [1, 2, 3]}).iloc[[2, 0, 1]]
    joined = hs.joins(frame, frame[["k"]], "k")
    assert joined.index.tolist() == [0, 1, 2]
    assert joined["v"].tolist() == [3, 1, 2]
    assert any("the index is not a column" in line for line in said(capsys))


def test_polars_columns_keep_their_types():
    frame = polars.DataFrame(
        {
            "k": [1, 2],
            "^v.*$": [1, 2],
            "list": [[1], []],
            "struct": [{"a": 1}, None],
            "enum": polars.Series(["u", "v"], dtype=polars.Enum(["v", "u"])),
            "category": polars.Series(["u", "v"], dtype=polars.Categorical),
            "wide": polars.Series([2**100, 1], dtype=polars.Int128),
            "object": polars.Series([object(), 1], dtype=polars.Object),
            "decimal": [decimal.Decimal("1.10"), None],
            "nan": [float("nan"), None],
        }
    )
    joined = hs.joins(polars.DataFrame({"k": [2, 3]}), frame, "k")
    assert joined.schema == frame.schema
    assert joined.drop("object").row(0) == frame.drop("object").row(1)
    assert joined.row(1) == (3, *[None] * 9)


def test_pyarrow_columns_keep_their_types():
    frame = pyarrow.table(
        {
            "k": pyarrow.chunked_array([[1], [2, 3]]),
            "view": pyarrow.array(["a", "b", "c"], pyarrow.string_view()),
            "words": pyarrow.array(["x", "y", "x"]).dictionary_encode(),
            "fixed": pyarrow.array([b"ab", None, b"cd"], pyarrow.binary(2)),
            "nested": [[{"a": 1}], None, []],
        }
    )
    joined = hs.joins(pyarrow.table({"k": [3, 9, 1]}), frame, "k")
    assert joined.schema.types == frame.schema.types
    wanted = frame.to_pylist()
    assert joined.to_pylist()[0] == wanted[2]
    assert joined.to_pylist()[2] == wanted[0]
    assert set(joined.to_pylist()[1].values()) == {9, None}
    batch = pyarrow.record_batch({"k": [1]})
    reader = pyarrow.RecordBatchReader.from_batches(batch.schema, [batch])
    assert hs.joins(batch, reader, "k").to_pylist() == [{"k": 1}]


def test_records_and_paths_give_the_default_library(tmp_path, capsys):
    path = tmp_path / "b.csv"
    path.write_text("k,v\n1,x\n")
    joined = hs.joins([{"k": 1}, {"k": 2}], path, "k")
    assert isinstance(joined, pandas.DataFrame)
    assert joined["v"].isna().tolist() == [False, True]
    assert joined.attrs["hs"]["notes"][0]["text"].startswith("left join, 2 rows")
    hs.options.frames = "polars"
    assert isinstance(hs.joins([{"k": 1}], path, "k"), polars.DataFrame)
    # Objects of pandas are not turned into text on the way.
    hs.options.frames = None
    frame = pandas.DataFrame({"k": [1], "o": [{1, 2}]})
    assert hs.joins(path, frame, "k")["o"][0] == {1, 2}
    table = hs.joins(hs.charge(path), frame, "k")
    assert table.attrs["hs"]["notes"][0]["topic"] == "result"


def test_keys_of_two_names_and_a_list_of_them():
    a = pandas.DataFrame({"id": [1, 2], "year": [1, 1], "v": ["a", "b"]})
    b = pandas.DataFrame({"ID": [2, 3], "year": [1, 1], "v": ["c", "d"]})
    joined = hs.joins(a, b, [("id", "ID"), "year"], "outer")
    assert joined.columns.tolist() == ["id", "year", "v_x", "ID", "v_y"]
    assert joined["id"].tolist() == [1, 2, pandas.NA]
    assert joined["ID"].tolist() == [pandas.NA, 2, 3]
    assert joined["year"].tolist() == [1, 1, 1]
    assert len(hs.joins(a, b, ("id", "ID"), "inner")) == 1


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (
            {"key": "idd"},
            hs.KeyMissingError,
            'a: no column "idd"\nhint: did you mean "id"?',
        ),
        ({"key": []}, hs.ArgumentError, "found an empty list"),
        ({"key": None}, hs.TypeMismatchError, "key: expected a column"),
        ({"key": {"id"}}, hs.TypeMismatchError, "key: expected a column"),
        ({"key": ["id", ("id", "id")]}, hs.ArgumentError, "once"),
        ({"key": ("a", "b", "c")}, hs.ArgumentError, "found 3 parts"),
        ({"how": "full"}, hs.ArgumentError, '"outer"'),
        ({"how": None}, hs.TypeMismatchError, "how: expected a word"),
        ({"validate": "1:n"}, hs.ArgumentError, '"many_to_many"'),
        ({"validate": 1}, hs.TypeMismatchError, "validate: expected"),
        ({"suffixes": "_x"}, hs.TypeMismatchError, "suffixes: expected two texts"),
        ({"suffixes": ("_x", 1)}, hs.TypeMismatchError, "suffixes: expected two texts"),
        ({"match_missing": 1}, hs.TypeMismatchError, "match_missing: expected"),
        ({"b": 5}, hs.TypeMismatchError, "found int"),
    ],
)
def test_wrong_arguments_say_what_is_right(arguments, error, words):
    given = {"a": [{"id": 1}], "b": [{"id": 1}], "key": "id"} | arguments
    with pytest.raises(error) as raised:
        hs.joins(**given)
    assert words in str(raised.value)


def test_quiet_says_nothing(capsys):
    hs.options.quiet = True
    hs.joins([{"id": 1}], [{"id": 2}], "id")
    assert said(capsys) == []


def test_large_text_keys_count(capsys):
    rows = 200_000
    text = pandas.Series([f"key {number}" for number in range(rows)], dtype="str")
    a = pandas.DataFrame({"k": text})
    b = pandas.DataFrame(
        {"k": text[::-2].reset_index(drop=True), "n": range(rows // 2)}
    )
    joined = hs.joins(a, b, "k", validate="1:1")
    assert joined["n"].isna().sum() == rows // 2
    assert joined["n"][rows - 1] == 0
    assert said(capsys)[0].startswith(
        "left join, 200,000 rows: 100,000 of 200,000 rows"
    )


def test_rows_that_all_stay_are_not_copied():
    frame = pandas.DataFrame({"k": [1, 2], "v": [1.0, 2.0]})
    joined = hs.joins(frame, frame.iloc[::-1].rename(columns={"v": "w"}), "k")
    shared = numpy.shares_memory(joined["v"].to_numpy(), frame["v"].to_numpy())
    assert shared == (int(pandas.__version__.split(".")[0]) >= 3)
    assert joined["w"].tolist() == [1.0, 2.0]
