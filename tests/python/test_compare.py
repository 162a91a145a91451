"""compare through Python: states, values of the frames' own libraries, missing, types, tolerances, errors."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headstart as hs

OLD = {"id": [4, 1, 3, 2], "name": ["d", "a", "c", "b"], "amount": [4.0, 1.0, 3.0, 2.0]}
NEW = {
    "extra": [0, 0, 0, 0],
    "amount": [5.0, 2.5, 1.0, 3.5],
    "name": ["e", "B", "a", "c"],
    "id": [5, 2, 1, 3],
}
LIBRARIES = [pd.DataFrame, pl.DataFrame, pa.table]


def rows(frame) -> list[dict]:
    """The rows of a result, missing as None, in any library."""
    table = (
        frame if isinstance(frame, pd.DataFrame) else pl.DataFrame(frame).to_pandas()
    )
    table = table.astype(object).where(table.notna(), None)
    return table.to_dict("records")


@pytest.mark.parametrize("other", LIBRARIES)
@pytest.mark.parametrize("wrap", LIBRARIES)
def test_what_differs_in_any_library_and_order(wrap, other, capsys):
    found = hs.compare(wrap(OLD), other(NEW), "id")
    assert capsys.readouterr().out == (
        "1 same, 2 changed (amount 2, name 1), 1 only a, 1 only b; columns only in b: extra\n"
    )
    assert type(found) is type(wrap(OLD))
    names = ["state", "id", "changed", "name_a", "name_b", "amount_a", "amount_b"]
    wanted = [
        ("only a", 4, None, "d", None, 4.0, None),
        ("changed", 3, "amount", "c", "c", 3.0, 3.5),
        ("changed", 2, "name, amount", "b", "B", 2.0, 2.5),
        ("only b", 5, None, None, "e", None, 5.0),
    ]
    assert rows(found) == [dict(zip(names, row, strict=True)) for row in wanted]


@pytest.mark.parametrize("wrap", LIBRARIES)
def test_what_is_identical_is_an_empty_frame_and_said(wrap, capsys):
    found = hs.compare(wrap(OLD), wrap(OLD), "id")
    assert capsys.readouterr().out == "identical: 4 rows, 2 columns compared\n"
    assert len(found) == 0
    assert list(getattr(found, "column_names", found.columns)) == [
        "state",
        "id",
        "changed",
    ]


def test_ints_stay_ints_where_a_row_is_on_one_side():
    a = pd.DataFrame({"id": [1, 2], "x": [2**53 + 1, 7], "b": [True, False]})
    b = pd.DataFrame({"id": [2, 3], "x": [2**53 + 3, 8], "b": [True, True]})
    found = hs.compare(a, b, "id")
    assert found["x_a"].dtype == "Int64"
    assert found["b_b"].dtype == "boolean"
    assert found["id"].dtype == "int64"
    assert found["x_a"].tolist() == [2**53 + 1, 7, pd.NA]
    assert found["x_b"].tolist() == [pd.NA, 2**53 + 3, 8]
    both = hs.compare(a, b.assign(id=[2, 1]), "id")
    assert both["x_a"].dtype == "int64"


def test_values_come_from_the_frames_themselves():
    a = pd.DataFrame(
        {
            "id": pd.Categorical(["x", "y"]),
            "o": pd.Series([{"k": 1}, [1, "a"]], dtype=object),
            "p": pd.period_range("2026-01", periods=2, freq="M"),
            "c": pd.Categorical(["u", "v"]),
        }
    )
    b = a.copy()
    b["o"] = pd.Series([{"k": 2}, [1, "b"]], dtype=object)
    b["p"] = pd.period_range("2026-02", periods=2, freq="M")
    b["c"] = pd.Categorical(["v", "u"])
    found = hs.compare(a, b, "id")
    assert found["id"].dtype == a["id"].dtype
    assert found["o_a"][0] is a["o"][0]
    assert found["o_b"][1] is b["o"][1]
    assert found["p_a"].dtype == a["p"].dtype
    assert found["c_b"].dtype == b["c"].dtype


def test_missing_equals_missing_only():
    a = pd.DataFrame({"id": [1, 2, None], "x": [np.nan, 0.0, 1.0]})
    b = pl.DataFrame({"id": [1, 2, None], "x": [None, None, 1.0]})
    found = hs.compare(a, b, "id")
    assert rows(found) == [
        {"state": "changed", "id": 2.0, "changed": "x", "x_a": 0.0, "x_b": None}
    ]
    floats = pl.DataFrame({"id": [1, 2], "x": [float("nan"), None]})
    assert len(hs.compare(floats, floats.reverse(), "id")) == 0
    assert len(hs.compare(floats, floats.with_columns(x=pl.lit(None)), "id")) == 0


def test_values_are_equal_across_widths_units_and_libraries(capsys):
    moments = pd.to_datetime(["2026-01-01 00:00:00.000", "2026-01-02 03:04:05.678"])
    a = pd.DataFrame(
        {
            "id": np.array([1, 2], dtype="int8"),
            "f": [1, 2],
            "big": np.array([2**63, 5], dtype="uint64"),
            "t": moments.astype("datetime64[ms]"),
            "c": pd.Categorical(["u", "v"]),
            "z": moments.tz_localize("UTC").tz_convert("Europe/Paris"),
            "d": [decimal.Decimal("1.50"), decimal.Decimal(2)],
        }
    )
    b = pl.DataFrame(
        {
            "id": [1.0, 2.0],
            "f": [1.0, 2.0],
            "big": [float(2**63), 5.0],
            "t": pl.Series(moments).cast(pl.Datetime("ns")),
            "c": ["u", "v"],
            "z": pl.Series(moments.tz_localize("UTC").tz_convert("Asia/Tokyo")),
            "d": [1.5, 2.0],
        }
    )
    assert len(hs.compare(a, b, "id")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "identical: 2 rows, 6 columns compared"
    assert lines[1].startswith("types differ: f (int in a, float in b), ")
    assert len(lines) == 2
    exact = pl.DataFrame({"id": [1], "x": [2**53 + 1]})
    rounded = pl.DataFrame({"id": [1], "x": [float(2**53)]})
    assert len(hs.compare(exact, rounded, "id")) == 1


def test_text_never_equals_a_number_or_a_date(capsys):
    a = pd.DataFrame({"id": [1], "s": [5], "d": [dt.date(2024, 1, 2)]})
    b = pd.DataFrame({"id": [1], "s": ["5"], "d": ["2024-01-02"]})
    found = hs.compare(a, b, "id")
    assert found["changed"].tolist() == ["s, d"]
    assert capsys.readouterr().out.splitlines()[1] == (
        "types differ: s (int in a, text in b, never equal), "
        "d (date in a, text in b, never equal)"
    )


def test_a_key_that_repeats_is_refused_with_side_keys_and_counts():
    a = pd.DataFrame({"id": [1, 2], "day": ["x", "y"]})
    b = pd.DataFrame({"id": [1, 1, 2, 2, 2], "day": ["x", "y", "x", "y", "y"]})
    with pytest.raises(hs.ArgumentError) as caught:
        hs.compare(a, b, "id")
    assert caught.value.message.endswith(
        "found b: 2 values of id have more than one row: 1 (2 rows), 2 (3 rows)"
    )
    with pytest.raises(
        ValueError, match=r"b: 1 value of id, day .*\(2, y\) \(2 rows\)"
    ):
        hs.compare(a, b, ["id", "day"])
    with pytest.raises(hs.ArgumentError, match="found a: 2 values"):
        hs.compare(b, a, "id")


def test_keys_that_can_never_match_are_refused():
    a = pd.DataFrame({"id": ["00042"]})
    b = pd.DataFrame({"id": [42]})
    with pytest.raises(
        hs.TypeMismatchError, match="found text in a and int in b"
    ) as caught:
        hs.compare(a, b, "id")
    assert 'types={"id": "int"} when a is loaded' in str(caught.value)


def test_nothing_in_common_claims_nothing(capsys):
    a = pd.DataFrame({"id": [1, 2], "a": [1, 1]})
    b = pd.DataFrame({"id": [3, 4], "b": [1, 1]})
    found = hs.compare(a, b, "id")
    assert found["state"].tolist() == ["only a", "only a", "only b", "only b"]
    assert capsys.readouterr().out == (
        "0 rows in common, 2 only a, 2 only b; columns only in a: a; columns only in b: b\n"
    )
    hs.compare(a[:0], a[:0], "id")
    assert capsys.readouterr().out == "no rows on either side, nothing to compare\n"


def test_tolerances(capsys):
    a = pd.DataFrame({"id": [1, 2, 3], "x": [1.0, 2.0, np.inf], "n": [10, 20, 30]})
    b = pd.DataFrame({"id": [1, 2, 3], "x": [1.001, 2.1, np.inf], "n": [11, 25, 30]})

    def changed(**options):
        return dict(
            zip(
                *hs.compare(a, b, "id", **options)[["id", "changed"]].T.values,
                strict=True,
            )
        )

    assert changed(tol=0.01) == {1: "n", 2: "x, n"}
    assert changed(tol={"n": 5}) == {1: "x", 2: "x"}
    assert changed(rtol=0.2) == {}
    assert "no difference: 3 rows (2 within the tolerance)" in capsys.readouterr().out
    assert changed(tol={"x": 0.01}, rtol={"n": 0.1}, only=["x", "n"]) == {2: "x, n"}
    assert changed(tol=0) == {1: "x, n", 2: "x, n"}
    missing = b.assign(x=[1.0, np.nan, -np.inf], n=a["n"])
    assert hs.compare(a, missing, "id", tol=1e9)["id"].tolist() == [2, 3]


@pytest.mark.parametrize("wrong", ["0.1", True, [1], {"x": "1"}, {"x": None}])
def test_a_tolerance_that_is_no_number_is_refused(wrong):
    frame = pd.DataFrame({"id": [1], "x": [1.0]})
    with pytest.raises(hs.TypeMismatchError, match="tol: expected a number"):
        hs.compare(frame, frame, "id", tol=wrong)


def test_names_that_are_not_there_are_refused():
    frame = pd.DataFrame({"id": [1], "amount": [1.0], "name": ["a"]})
    for options, error, text in [
        ({"tol": {"amuont": 1}}, hs.KeyMissingError, 'hint: did you mean "amount"'),
        ({"tol": {"name": 1}}, hs.TypeMismatchError, 'found "name" of text'),
        ({"tol": -1}, hs.ArgumentError, "0 or more, found -1"),
        (
            {"rtol": float("nan")},
            hs.ArgumentError,
            "rtol: expected a number, 0 or more",
        ),
        ({"tol": {}}, hs.ArgumentError, "tol: expected a column"),
        ({"ignore": ["amuont"]}, hs.KeyMissingError, "ignore: no column"),
        ({"only": "amuont"}, hs.KeyMissingError, "only: no column"),
        ({"ignore": "id"}, hs.ArgumentError, "besides the key"),
    ]:
        with pytest.raises(error) as caught:
            hs.compare(frame, frame, "id", **options)
        assert text in str(caught.value)
    with pytest.raises(hs.KeyMissingError, match='b: no column "id"'):
        hs.compare(frame, frame.drop(columns="id"), "id")
    with pytest.raises(hs.ArgumentError, match="found none"):
        hs.compare(frame, frame, [])


def test_columns_are_left_out_by_any_list_of_names():
    a = pd.DataFrame({"id": [1], "x": [1], "y": [1], 7: [1]})
    b = a + [0, 1, 1, 1]
    assert hs.compare(a, b, "id", ignore="x")["changed"].tolist() == ["y, 7"]
    assert hs.compare(a, b, "id", ignore=a.columns[1:3])["changed"].tolist() == ["7"]
    assert hs.compare(a, b, "id", only=("y",))["changed"].tolist() == ["y"]
    assert hs.compare(a, b, "id", ignore=[7, "x"])["changed"].tolist() == ["y"]


def test_columns_of_one_name_belong_together_in_their_order():
    a = pd.DataFrame([[1, 2, 3]], columns=["id", "x", "x"])
    b = pd.DataFrame([[1, 2, 4]], columns=["id", "x", "x"])
    found = hs.compare(a, b, "id")
    assert found.iloc[0].tolist() == ["changed", 1, "x", 3, 4]


def test_names_of_the_result_give_way(capsys):
    a = pd.DataFrame({"state": ["x"], "changed": [1], "v": [1]})
    b = a.assign(v=2)
    found = hs.compare(a, b, ["state", "changed"])
    assert list(found.columns) == [
        "state_",
        "state",
        "changed",
        "changed_",
        "v_a",
        "v_b",
    ]
    assert '"state_"' in capsys.readouterr().out


def test_keys_of_two_types_come_exact():
    a = pd.DataFrame({"id": [1, 2**53 + 1]})
    b = pd.DataFrame({"id": [1.0, 2.0]})
    found = hs.compare(a, b, "id")
    assert found["id"].tolist() == [2**53 + 1, 2]
    halves = hs.compare(a, pd.DataFrame({"id": [1.0, 0.5]}), "id")
    assert halves["id"].tolist() == ["9007199254740993", "0.5"]


def test_paths_and_records(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("id,code\n1,00042\n2,00043\n")
    found = hs.compare(
        path, [{"id": 1, "code": "42"}, {"id": 2, "code": "00043"}], "id"
    )
    assert rows(found)[0]["code_a"] == "00042"
    assert capsys.readouterr().out.splitlines()[-1] == "1 same, 1 changed (code 1)"
    path.write_text("id\n1\n1\n2\n2\n")
    with pytest.raises(hs.ArgumentError, match=r"found b \(.*a.csv\): 2 values of id"):
        hs.compare([{"id": 1}], path, "id")


def test_the_frames_are_not_changed(capsys):
    a, b = pd.DataFrame(OLD, index=list("wxyz")), pd.DataFrame(NEW)
    before = (a.copy(deep=True), b.copy(deep=True))
    found = hs.compare(a, b, "id")
    found.loc[:, "name_a"] = "changed"
    assert capsys.readouterr().out.startswith("a: the index is not a column")
    pd.testing.assert_frame_equal(a, before[0])
    pd.testing.assert_frame_equal(b, before[1])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ignore": ["v"]}, "1 in both, ignore leaves no column of both to compare"),
        ({"only": ["w"]}, "1 in both, only leaves no column of both to compare"),
        (
            {"only": ["v"], "ignore": ["v"]},
            "1 in both, only and ignore leave no column of both to compare",
        ),
    ],
)
def test_options_that_leave_nothing_are_named(options, words, capsys):
    hs.compare([{"k": 1, "v": 2, "w": 3}], [{"k": 1, "v": 3}], "k", **options)
    assert capsys.readouterr().out.startswith(words)


def test_a_tolerance_for_the_key_says_that_it_is_the_key():
    with pytest.raises(hs.ArgumentError, match='columns besides the key, found "k"'):
        hs.compare([{"k": 1, "v": 2}], [{"k": 1, "v": 3}], "k", tol={"k": 1})


def test_a_name_of_the_result_itself_is_no_column_of_yours(capsys):
    a = pd.DataFrame([[1, 2, 3]], columns=["k", "v", "v"])
    b = pd.DataFrame([[1, 4, 5]], columns=["k", "v", "v"])
    result = hs.compare(a, b, "k")
    assert result.columns.tolist()[3:] == ["v_a", "v_b", "v_a_", "v_b_"]
    out = capsys.readouterr().out
    assert "of yours" not in out
    assert '"v_a" is a column of the result already, the next is "v_a_"' in out
