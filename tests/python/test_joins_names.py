"""What the columns of a join are called, and how keys are named, whatever labels pandas has."""

import numpy
import pandas
import pytest

import headstart as hs


def said(capsys):
    return capsys.readouterr().out.splitlines()


def test_labels_that_are_no_text_or_repeat():
    frame = pandas.DataFrame([[1, 2, 3, 4]], columns=[0, "x", "x", ("a", 1)])
    other = pandas.DataFrame([[1, 5, 6]], columns=[0, "x", "y"])
    joined = hs.joins(frame, other, 0)
    assert joined.columns.tolist() == [0, "x_x", "x_x_", ("a", 1), "x_y", "y"]
    assert joined.iloc[0].tolist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(
        hs.ArgumentError, match="a: expected one column 'x', found 2"
    ) as raised:
        hs.joins(frame, other, "x")
    kept = eval(raised.value.hint.partition(" keeps")[0], {"a": frame})
    assert hs.joins(kept, other, "x")["y"].isna().tolist() == [True]
    several = pandas.DataFrame([[1, 2]], columns=[("k", ""), ("v", "a")])
    several.columns = pandas.MultiIndex.from_tuples(several.columns)
    joined = hs.joins(several, several.iloc[:, :1], ("k", ""))
    assert joined.columns.equals(several.columns)


def test_labels_that_read_alike_are_no_one_column(capsys):
    frame = pandas.DataFrame([[1, 2, 3]], columns=[1, "1", "k"])
    other = pandas.DataFrame([[5, 2, 3]], columns=[1, "1", "k"])
    joined = hs.joins(frame, other, "k")
    assert joined.columns.tolist() == ["1_x", "1_x_", "k", "1_y", "1_y_"]
    assert joined.iloc[0].tolist() == [1, 2, 3, 5, 2]
    assert any("'1_x_'" in line or '"1_x_"' in line for line in said(capsys))
    # Each of them is a key by its own label, also as numpy and a list write it.
    for key, rows in ((1, 0), (numpy.int64(1), 0), ([1], 0), ("1", 1), (["1"], 1)):
        assert len(hs.joins(frame, other, key, "inner")) == rows, key
    # What is left of the other frame never has the label of the key.
    joined = hs.joins(frame[[1, "k"]], other, (1, "1"))
    assert joined.columns.tolist() == [1, "k_x", "1_y", "k_y"]
    assert len(hs.joins(frame[["1"]], other[[1]], 1)) == 1


def test_a_suffix_of_a_label_of_several_parts_goes_where_pandas_puts_it():
    frame = pandas.DataFrame(
        [[1, 2, 3]],
        columns=pandas.MultiIndex.from_tuples([("k", ""), ("v", "a"), ("w", "")]),
    )
    joined = hs.joins(frame, frame.iloc[:, :2], [("k", "")])
    merged = frame.merge(frame.iloc[:, :2], on=[("k", "")])
    assert joined.columns.equals(merged.columns)


def test_an_index_that_is_not_from_0_by_1_is_told_everywhere(capsys):
    frame = pandas.DataFrame({"k": range(3000)})
    calls = [
        lambda frame: hs.joins(frame, frame, "k", "semi"),
        lambda frame: hs.compare(frame, frame, "k"),
        lambda frame: hs.combien(frame, "k"),
        lambda frame: hs.decris(frame),
        lambda frame: hs.montre(frame),
    ]
    for plain, given in (
        (True, frame),
        (True, frame.iloc[:10]),
        (True, frame.iloc[5:5]),
        (True, frame.iloc[:1].iloc[::-1]),
        (False, frame.iloc[::-1]),
        (False, frame.iloc[::2]),
        (False, frame.iloc[5:]),
    ):
        for number, call in enumerate(calls):
            call(given)
            told = "the index is not a column" in capsys.readouterr().out
            assert told != plain, (given.index, number)


def test_a_clash_of_names_is_told(capsys):
    a = [{"id": 1, "v": 10, "v_right": 20}]
    b = [{"id": 1, "v": 30}]
    joined = hs.joins(a, b, "id", suffixes=(None, "_right"))
    assert joined.to_dict("records") == [
        {"id": 1, "v": 10, "v_right": 20, "v_right_": 30}
    ]
    assert any('"v_right_"' in line for line in said(capsys))
