"""The key of an outer join: a type that holds the keys of both, categories kept or told."""

import datetime
import decimal

import pandas
import polars
import pyarrow
import pytest

import headstart as hs


def said(capsys):
    return capsys.readouterr().out.splitlines()


def test_categories_of_both_match_by_value_and_stay_categories():
    a = pandas.DataFrame({"k": pandas.Categorical(["x", "y"])})
    b = pandas.DataFrame({"k": pandas.Categorical(["z", "y"]), "v": [1, 2]})
    joined = hs.joins(a, b, "k", "outer")
    assert joined["k"].tolist() == ["x", "y", "z"]
    assert isinstance(joined["k"].dtype, pandas.CategoricalDtype)
    assert joined["v"].tolist() == [pandas.NA, 2, 1]
    text = b.astype({"k": "str"})
    assert hs.joins(a, text, "k", "semi")["k"].tolist() == ["y"]


def test_an_outer_join_keeps_big_keys_beside_floats():
    a = pandas.DataFrame({"k": [2**63 - 1, 1]})
    b = pandas.DataFrame({"k": [1.0, 2.0]})
    joined = hs.joins(a, b, "k", "outer")
    assert joined["k"].tolist() == [2**63 - 1, 1, 2]
    assert joined["k"].dtype == "int64"
    with pytest.raises(hs.TypeMismatchError, match="one type holds exactly"):
        hs.joins(a, pandas.DataFrame({"k": [0.5]}), "k", "outer")


NUMBERS = {
    "uint64 and a negative int64": (
        polars.Series([1, 2], dtype=polars.UInt64),
        polars.Series([2, -3], dtype=polars.Int64),
        polars.Int64,
    ),
    "uint64 and a negative int32": (
        polars.Series([1, 2**40], dtype=polars.UInt64),
        polars.Series([1, -3], dtype=polars.Int32),
        polars.Int64,
    ),
    "a large uint64": (
        polars.Series([1, 2], dtype=polars.Int64),
        polars.Series([2, 2**63 + 1], dtype=polars.UInt64),
        polars.UInt64,
    ),
    "a decimal and an int": (
        polars.Series([decimal.Decimal("1.50")], dtype=polars.Decimal(10, 2)),
        polars.Series([1, 2**62 + 1]),
        polars.Decimal(21, 2),
    ),
    "an int and a decimal": (
        polars.Series([1, 2**62 + 1]),
        polars.Series([decimal.Decimal("1.50")], dtype=polars.Decimal(10, 2)),
        polars.Decimal(21, 2),
    ),
    "an int and a whole decimal": (
        polars.Series([1]),
        polars.Series([decimal.Decimal("2.00")], dtype=polars.Decimal(10, 2)),
        polars.Int64,
    ),
    "a decimal and a float": (
        polars.Series([decimal.Decimal("0.10")], dtype=polars.Decimal(10, 2)),
        polars.Series([0.1, 2.25]),
        polars.Decimal(10, 2),
    ),
    "a float and a decimal": (
        polars.Series([0.125]),
        polars.Series([decimal.Decimal("0.10")], dtype=polars.Decimal(10, 2)),
        polars.Float64,
    ),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_the_key_of_an_outer_join_has_a_type_that_holds_all_values(name):
    one, other, dtype = NUMBERS[name]
    a, b = polars.DataFrame({"number": one}), polars.DataFrame({"number": other})
    joined = hs.joins(a, b, "number", "outer")["number"]
    assert joined.dtype == dtype
    texts = [str(value) for value in joined.to_list()]
    known = {decimal.Decimal(str(value)) for value in [*one, *other]}
    assert len(texts) == len(known)
    assert {decimal.Decimal(text) for text in texts} == known
    for library in ("to_arrow", "to_pandas"):
        frames = getattr(a, library)(), getattr(b, library)()
        again = hs.joins(*frames, "number", "outer")["number"]
        again = again.tolist() if library == "to_pandas" else again.to_pylist()
        assert [decimal.Decimal(str(value)) for value in again] == [
            decimal.Decimal(text) for text in texts
        ]


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (
            polars.Series([2**63 + 1], dtype=polars.UInt64),
            polars.Series([-3]),
            "uint64 in a and int64 in b",
        ),
        (
            polars.Series([2**60 + 1]),
            polars.Series([0.5], dtype=polars.Float32),
            "int64 in a and float32 in b",
        ),
        (
            polars.Series([decimal.Decimal("0.1")], dtype=polars.Decimal(38, 37)),
            polars.Series([10**6]),
            "decimal(38, 37) in a and int64 in b",
        ),
    ],
)
def test_keys_that_no_type_holds_are_refused_by_name(one, other, words):
    turns = [polars.DataFrame, lambda data: polars.DataFrame(data).to_arrow()]
    if not one.dtype.is_decimal():
        # Decimals are objects in pandas, and a column of objects holds any others.
        turns.append(lambda data: polars.DataFrame(data).to_pandas())
    for turn in turns:
        frames = turn({"the id": one}), turn({"the id": other})
        with pytest.raises(hs.TypeMismatchError) as raised:
            hs.joins(*frames, "the id", "outer")
        assert 'key "the id": expected keys that one type holds' in str(raised.value)
        assert words in str(raised.value)
        assert 'types={"the id": "text"}' in raised.value.hint


def categories(*words, of=("a", "b", "unused"), ordered=True):
    dtype = pandas.CategoricalDtype(list(of), ordered=ordered)
    return pandas.DataFrame({"k": pandas.Series(list(words), dtype=dtype)})


def test_an_outer_join_keeps_categories_or_tells(capsys):
    a = categories("a", None)
    kept = [
        categories("b"),
        categories("b", of=("z", "b", "a"), ordered=False),
        pandas.DataFrame({"k": ["b", "a"]}),
        pandas.DataFrame({"k": pandas.Series(["b"], dtype=object)}),
    ]
    for b in kept:
        joined = hs.joins(a, b, "k", "outer")["k"]
        assert joined.dtype == a["k"].dtype
        assert joined.dropna().tolist() == ["a", "b"]
        assert "categories" not in capsys.readouterr().out
    b = categories("c", of=("c", "d", "a"))
    joined = hs.joins(a, b, "k", "outer")["k"]
    assert joined.dropna().tolist() == ["a", "c"]
    assert not joined.cat.ordered
    assert joined.cat.categories.tolist() == ["a", "b", "unused", "c", "d"]
    assert 'key "k": the order of its categories is not kept, b has others' in said(
        capsys
    )
    a = categories("a", None, ordered=False)
    joined = hs.joins(a, b, "k", "outer")["k"]
    assert joined.cat.categories.tolist() == ["a", "b", "unused", "c", "d"]
    assert not any("categories" in line for line in said(capsys))
    numbers = categories(1, of=(1, 2**60 + 1))
    halves = categories(0.5, of=(0.5, 2.0))
    with pytest.raises(hs.TypeMismatchError):
        hs.joins(categories(2**60 + 1, of=(2**60 + 1,)), halves, "k", "outer")
    joined = hs.joins(numbers, halves, "k", "outer")["k"]
    assert joined.tolist() == [1, 0.5]
    assert any("the order of its categories" in line for line in said(capsys))


def test_an_outer_join_keeps_an_enum_or_tells(capsys):
    enum = polars.Enum(["b", "a", "unused"])
    a = polars.DataFrame({"k": polars.Series(["a"], dtype=enum)})
    for dtype in (enum, polars.Enum(["b", "c"]), polars.String, polars.Categorical):
        b = polars.DataFrame({"k": polars.Series(["b"], dtype=dtype)})
        joined = hs.joins(a, b, "k", "outer")["k"]
        assert joined.dtype == enum
        assert joined.to_list() == ["a", "b"]
        assert not any("categories" in line for line in said(capsys))
    b = polars.DataFrame({"k": ["c"]})
    joined = hs.joins(a, b, "k", "outer")["k"]
    assert joined.to_list() == ["a", "c"]
    assert any("the order of its categories" in line for line in said(capsys))


def test_an_outer_join_keeps_an_ordered_dictionary_or_tells(capsys):
    def table(words, values):
        array = pyarrow.DictionaryArray.from_arrays(values, words, ordered=True)
        return pyarrow.table({"k": array})

    a = table(["x", "y"], [0])
    joined = hs.joins(a, table(["x", "y"], [1]), "k", "outer")
    assert joined["k"].type.ordered
    assert joined["k"].to_pylist() == ["x", "y"]
    assert not any("categories" in line for line in said(capsys))
    joined = hs.joins(a, table(["y", "x"], [0]), "k", "outer")
    assert not joined["k"].type.ordered
    assert joined["k"].to_pylist() == ["x", "y"]
    assert any("the order of its categories" in line for line in said(capsys))


def test_the_zone_of_an_outer_join_is_that_of_a():
    when = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)
    a = polars.DataFrame({"k": [when]}).with_columns(
        polars.col("k").dt.convert_time_zone("Europe/Paris")
    )
    b = polars.DataFrame({"k": [when, when + datetime.timedelta(hours=1)]})
    joined = hs.joins(a, b, "k", "outer")["k"]
    assert joined.dtype.time_zone == "Europe/Paris"
    assert joined.to_list() == b["k"].to_list()


def test_an_object_key_takes_the_keys_of_any_other_in_pandas():
    a = pandas.DataFrame({"k": pandas.Series([1, "x"], dtype=object)})
    joined = hs.joins(a, pandas.DataFrame({"k": [1, 2]}), "k", "outer")["k"]
    assert joined.tolist() == [1, "x", 2]
    assert [type(value) for value in joined] == [int, str, int]
