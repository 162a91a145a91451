"""What people write who come from other libraries: each answer says what is wrong, and what to write instead."""

import datetime
import inspect

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.compute
import pytest

import headstart as hs

ORDERS = pd.DataFrame({"id": [1, 2, 3], "region": ["N", "S", "N"]})


def fault(call, *args, **kwargs):
    with pytest.raises(hs.Error) as caught:
        call(*args, **kwargs)
    return caught.value


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([True, None], dtype="boolean"),
        pd.Series([True, None], dtype=object),
        pl.Series([True, None]),
        pyarrow.array([True, None]),
        np.array([np.nan, True], dtype=object),
        np.ma.array([True, True], mask=[0, 1]),
        pd.DataFrame({"a": pd.Series([True, None], dtype="boolean")}),
        pl.DataFrame({"a": [True, None]}),
    ],
    ids=lambda values: f"{type(values).__module__}.{type(values).__name__}",
)
def test_the_hint_for_missing_values_keeps_the_failure(values):
    error = fault(hs.verifie, {"c": values})
    assert "1 missing" in error.failures["c"]
    way = error.failures["c"].rpartition("use ")[2]
    written = way.replace("...", "values")
    written = written if "values" in written else f"values{written}"
    known = {"values": values, "pl": pl, "pyarrow": pyarrow}
    [reason] = fault(hs.verifie, {"c": eval(written, known)}).failures.values()
    assert reason == "it is false" or "a missing value" in reason


def test_a_plain_false_says_so(capsys):
    assert fault(hs.verifie, {"all": False}).failures == {"all": "it is false"}
    assert capsys.readouterr().out == "FAIL all: it is false\n"


def test_conditions_as_text_are_for_the_shell():
    error = fault(hs.verifie, {"q": "qty > 0"})
    assert "for the shell" in error.failures["q"]
    assert 'hs.verifie({"' in fault(hs.verifie, ORDERS, {"q": True}).hint


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        (ORDERS.region == "N", "filter first"),
        (ORDERS.region, 'key="region"'),
        (pl.col("id") > 1, 'key="id"'),
        (np.array([True, False, True]), "filter first"),
        (pyarrow.chunked_array([[1, 2]]), 'key="id"'),
    ],
)
def test_a_column_of_values_is_no_name(key, hint):
    for call in (
        lambda: hs.combien(ORDERS, key),
        lambda: hs.compare(ORDERS, ORDERS, key),
        lambda: hs.joins(ORDERS, ORDERS, key),
    ):
        error = fault(call)
        assert error.message.startswith("key: expected a column by its name, found a ")
        assert hint in error.hint


def test_names_in_a_series_or_array_are_names():
    wanted = hs.combien(ORDERS, ["id", "region"])
    for names in (pd.Series(["id", "region"]), np.array(["id", "region"])):
        pd.testing.assert_frame_equal(hs.combien(ORDERS, names), wanted)
    pd.testing.assert_frame_equal(hs.combien(ORDERS, ORDERS.columns), wanted)


def test_the_index_is_no_column_and_the_hint_makes_it_one():
    indexed = ORDERS.set_index("id")
    for call in (
        lambda df: hs.combien(df, "id"),
        lambda df: hs.compare(ORDERS, df, "id"),
        lambda df: hs.joins(df, ORDERS, "id"),
    ):
        error = fault(call, indexed)
        assert isinstance(error, hs.KeyMissingError)
        assert "df.reset_index()" in error.hint
        call(indexed.reset_index())


@pytest.mark.parametrize(
    ("call", "found", "hint"),
    [
        (lambda: hs.joins(ORDERS, ORDERS, on="id"), "on=", 'key="id"'),
        (lambda: hs.joins(ORDERS, ORDERS, left_on="id"), "left_on=", "key=("),
        (lambda: hs.joins(ORDERS, ORDERS), "no key", None),
        (lambda: hs.combien(ORDERS), "no key", None),
        (lambda: hs.compare(ORDERS, ORDERS, "id", atol=1), "atol=", "tol="),
        (lambda: hs.compare(ORDERS, ORDERS, "id", ignored=()), "ignored=", "ignore=?"),
        (lambda: hs.charge("a.csv", sep=";"), "sep=", "delimiter="),
    ],
)
def test_a_call_that_does_not_fit_says_how_it_is_written(call, found, hint):
    error = fault(call)
    assert isinstance(error, hs.ArgumentError) and isinstance(error, TypeError)
    assert error.message.startswith("expected hs.")
    assert error.message.endswith(f"found {found}")
    assert error.hint is None if hint is None else hint in error.hint


def test_a_type_error_of_the_work_itself_is_left_alone():
    def fails():
        raise TypeError("mine")

    assert "TypeError: mine" in fault(hs.verifie, {"c": fails}).failures["c"]
    assert list(inspect.signature(hs.joins).parameters)[:3] == ["a", "b", "key"]


def test_the_last_frame_that_ipython_shows_is_the_users():
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell.instance()
    shell.run_cell("import headstart as hs", store_history=False)
    from contextlib import redirect_stdout
    from io import StringIO

    out = StringIO()
    try:
        with redirect_stdout(out):
            shell.run_cell(
                "import pandas; hs.combien(pandas.DataFrame({'a': [1]}), 'b')",
                store_history=False,
            )
    finally:
        type(shell).clear_instance()
    said = out.getvalue()
    assert "KeyMissingError" in said and 'hint: the columns are "a"' in said
    assert "hs.combien" in said
    assert "errors.py" not in said and "with_traceback" not in said


def test_what_is_missing_does_not_change_the_type_of_a_long_column(capsys):
    day = datetime.date(2024, 1, 1)
    days = [day] * 500 + [float("nan"), None, pd.NaT] + [day] * 600
    frame = pd.DataFrame({"d": pd.Series(days, dtype=object)})
    for n in (4, 2000):
        hs.montre(frame, n)
        assert capsys.readouterr().out.split("\n")[2].split()[-1] == "date"
