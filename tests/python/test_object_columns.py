"""What is said and given where columns hold Python objects: classes by their names, values as they are, no form of a value."""

import datetime
import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import headstart as hs

ID, OTHER = uuid.UUID(int=5), uuid.UUID(int=6)
DAY = datetime.date(2024, 1, 5)


def objects(name, values):
    return pd.DataFrame({name: pd.Series(values, dtype=object)})


def numbered(values):
    return objects("x", values).assign(id=range(len(values)))


def test_keys_of_a_class_never_meet_their_text(capsys):
    ids, texts = objects("id", [ID, OTHER]), objects("id", [str(ID), "x"])
    for call in (hs.joins, hs.compare):
        for a, b in ((ids, texts), (texts, ids)):
            with pytest.raises(hs.TypeMismatchError) as error:
                call(a, b, "id")
            left, right = ("UUID", "text") if a is ids else ("text", "UUID")
            side = "a" if a is ids else "b"
            assert str(error.value) == (
                f'key "id": expected one type on both sides, found {left} in a and {right} in b\n'
                f'hint: if their text is meant: {side}["id"].astype(str) in pandas'
            )
    joined = hs.joins(ids.astype(str), texts, "id", how="semi")
    assert joined["id"].tolist() == [str(ID)]
    with pytest.raises(hs.TypeMismatchError) as error:
        hs.joins(ids, objects("id", [DAY]), "id")
    assert "found UUID in a and date in b\nhint: convert one" in str(error.value)


def test_ints_beyond_64_bits_are_numbers(capsys):
    big = numbered([2**64, 5])
    joined = hs.joins(big, pd.DataFrame({"x": [2.0**64, 5.0]}), "x", how="semi")
    assert joined["x"].tolist() == [2**64, 5]
    exact = objects("x", [Decimal(2**64)])
    assert hs.joins(big, exact, "x", how="semi")["x"].tolist() == [2**64]
    with pytest.raises(hs.TypeMismatchError, match="found int in a and text in b"):
        hs.joins(big, objects("x", [str(2**64)]), "x")
    capsys.readouterr()
    found = hs.compare(big, numbered([2**64 + 1, -(2**70)]), "id", tol=1)
    assert found["x_b"].tolist() == [-(2**70)]
    assert capsys.readouterr().out.splitlines()[0] == (
        "1 same (1 within the tolerance), 1 changed (x 1)"
    )


def test_a_tolerance_holds_for_numbers_among_other_values(capsys):
    a, b = numbered([1.0, 5, "t", None, DAY]), numbered([1.4, 5.6, "u", 1, DAY])
    found = hs.compare(a, b, "id", tol={"x": 0.5})
    assert found["id"].tolist() == [1, 2, 3]
    assert hs.compare(a, b, "id")["id"].tolist() == [0, 1, 2, 3]
    texts = numbered(["a", "b", "c", "d", "e"])
    with pytest.raises(hs.TypeMismatchError, match="mixed in a and text in b"):
        hs.compare(a, texts, "id", tol={"x": 0.5})


def test_types_inside_are_told_where_they_differ(capsys):
    a = pl.DataFrame({"id": [1], "x": [[1]], "y": [{"p": 1, "q": "a"}]})
    b = pd.DataFrame({"id": [1], "x": [[1.0]], "y": [{"q": "a", "p": 1, "r": None}]})
    assert len(hs.compare(a, b, "id")) == 0
    assert capsys.readouterr().out.splitlines() == [
        "identical: 1 row, 2 columns compared",
        "types differ: x (list of int in a, list of float in b)",
    ]
    assert len(hs.compare(numbered([ID]), numbered([str(ID)]), "id")) == 1
    line = capsys.readouterr().out.splitlines()[1]
    assert line == "types differ: x (UUID in a, text in b, never equal)"


def test_a_column_without_a_value_goes_with_any_key():
    nothing = pl.DataFrame({"k": pl.Series([None], dtype=pl.Categorical), "v": [1]})
    some = pl.DataFrame({"k": [1], "v": [2]})
    assert hs.compare(nothing, some, "k")["state"].to_list() == ["only a", "only b"]
    nan = pl.DataFrame({"k": [float("nan")], "v": [1]})
    text = pl.DataFrame({"k": ["a"], "v": [2]})
    assert hs.compare(nan, text, "k")["state"].to_list() == ["only a", "only b"]
    assert len(hs.joins(nan, text, "k")) == 1


def test_objects_come_back_and_no_form_is_seen(capsys, tmp_path):
    values = [ID, str(ID), DAY, str(DAY), 2**70, {1: 2}, {"1": 2}, {3}, [3], b"a", "61"]
    frame = objects("k", [*values, ID])
    counted = hs.combien(frame, "k", n=None)
    assert counted["k"].tolist() == values
    assert counted["n"].tolist() == [2] + [1] * 10
    twice = objects("k", [ID, ID, DAY]).assign(w=[1, 2, 3])
    seen = [hs.decris(frame), counted]
    for call in (
        lambda: hs.joins(frame, twice, "k"),
        lambda: hs.joins(frame, twice, "k", validate="m:1"),
        lambda: hs.joins(frame, twice, "k", how="outer", validate="m:m"),
        lambda: hs.compare(frame, twice, "k"),
        lambda: hs.compare(frame.iloc[:-1], frame.iloc[3:-1], "k"),
        lambda: hs.combien(frame.to_dict("records"), "k", n=None),
        lambda: hs.joins(
            frame.to_dict("records"), frame.to_dict("records"), "k", "anti"
        ),
    ):
        try:
            seen.append(call())
        except hs.Error as error:
            seen.append(str(error))
    hs.sauve(tmp_path / "all.csv", frame)
    hs.montre(frame)
    told = capsys.readouterr().out + (tmp_path / "all.csv").read_text()
    for text in (told, *(str(part) for part in seen)):
        assert "\x02" not in text
        assert "\\u0002" not in text
    for part in seen:
        if isinstance(part, pd.DataFrame):
            assert "\x02" not in part.to_json(default_handler=str)


def test_decris_shows_objects_as_their_text():
    row = hs.decris(objects("k", [ID, OTHER, OTHER])).iloc[0]
    assert (row["type"], row["distinct"]) == ("text", 2)
    assert row["top"] == f"{OTHER} (2), {ID} (1)"
    assert (row["min"], row["max"]) == (str(ID), str(OTHER))
    row = hs.decris(objects("k", [ID, str(ID)])).iloc[0]
    assert (row["distinct"], row["min"]) == (2, str(ID))


def test_texts_with_surrogates_are_not_their_escapes():
    frame = objects("k", ["\ud800", "\\ud800", "\ud800"])
    assert hs.combien(frame, "k")["n"].tolist() == [2, 1]


def test_periods_and_intervals_are_not_their_text():
    periods = pd.DataFrame({"k": pd.period_range("2024-01", periods=2, freq="M")})
    same = objects("k", [pd.Period("2024-01"), None])
    assert len(hs.joins(periods, same, "k", how="semi")) == 1
    with pytest.raises(hs.TypeMismatchError, match="found Period in a and text in b"):
        hs.joins(periods, objects("k", ["2024-01"]), "k")
    kinds = pd.DataFrame({"k": pd.Categorical([ID, OTHER, ID])})
    assert hs.combien(kinds, "k")["n"].tolist() == [2, 1]
    assert len(hs.joins(kinds, objects("k", [ID]), "k", how="semi")) == 2


def test_times_in_arrays_are_times(tmp_path):
    times = [pd.Timestamp("2024-01-05 00:00:00.000000001"), pd.Timestamp("2024-01-06")]
    arrays = numbered([pd.Series(times).to_numpy(), np.array([[times[1].to_numpy()]])])
    lists = numbered([times, [[times[1]]]])
    assert len(hs.compare(arrays, lists, "id")) == 0
    whole = objects("x", [np.array(["2024-01-06"], dtype="datetime64[ns]")])
    path = tmp_path / "times.parquet"
    hs.sauve(path, whole)
    assert pl.read_parquet(path)["x"].to_list() == [[datetime.datetime(2024, 1, 6)]]
    one = numbered([np.array(5), np.array("2024-01-06", dtype="datetime64[ns]")])
    assert len(hs.compare(one, numbered([5, times[1]]), "id")) == 0


def test_objects_below_typed_keys_stay_objects():
    texts, ids = objects("k", ["b", str(ID)]).astype("str"), objects("k", [ID, "b"])
    assert hs.joins(texts, ids, "k", "outer")["k"].tolist() == ["b", str(ID), ID]
    keys = hs.compare(texts.assign(v=1), ids.assign(v=1), "k")["k"]
    assert keys.tolist() == [str(ID), ID]
    ints = pd.DataFrame({"k": [1, 2]})
    assert hs.joins(ints, objects("k", [3, "x", 1]), "k", "outer")["k"].tolist() == [
        *(1, 2, 3),
        "x",
    ]
