"""verifie: what holds, what fails, and why what is no condition fails."""

import asyncio
import functools
import itertools
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import headstart as hs


def run(checks, capsys):
    """The lines and the error of a call."""
    error = None
    try:
        assert hs.verifie(checks) is None
    except hs.CheckError as raised:
        error = raised
    return capsys.readouterr().out.splitlines(), error


def reason(condition, capsys) -> str:
    """The reason why one condition fails."""
    lines, error = run({"c": condition}, capsys)
    assert error is not None
    assert len(lines) == 1
    assert lines[0].startswith("FAIL c")
    told = lines[0].removeprefix("FAIL c").removeprefix(": ")
    assert error.failures == {"c": told}
    assert told in str(error)
    return told


def test_seven_checks_seven_lines_one_error(capsys):
    def fail():
        raise ValueError("no such table")

    generator = (number > 0 for number in [1, 2])
    lines, error = run(
        {
            "true": True,
            "false": False,
            "series": pd.Series([True, False]),
            "generator": generator,
            "tuple": (False, "msg"),
            "missing": pd.NA,
            "raises": fail,
        },
        capsys,
    )
    assert lines[:2] == ["ok true", "FAIL false: it is false"]
    assert [line.split(":")[0] for line in lines[2:]] == [
        "FAIL series",
        "FAIL generator",
        "FAIL tuple",
        "FAIL missing",
        "FAIL raises",
    ]
    assert isinstance(error, AssertionError)
    assert isinstance(error, hs.Error)
    assert str(error).startswith("6 of 7 checks failed:\n")
    assert list(error.failures) == [
        "false",
        "series",
        "generator",
        "tuple",
        "missing",
        "raises",
    ]
    assert all(f"\n  {name}" in str(error) for name in error.failures)
    assert "raised ValueError: no such table" in str(error)
    assert list(generator) == [True, True]


ONE_TRUE = [
    True,
    np.bool_(True),
    np.array(True),
    np.array([[True]]),
    np.array([True], dtype=object),
    pd.Series([True]),
    pd.Series([True], dtype="boolean"),
    pd.Series([True], dtype="bool[pyarrow]", index=["x"]),
    pd.Series([True], dtype=object),
    pd.Index([True]),
    pd.array([True], dtype="boolean"),
    pd.DataFrame({"a": [True]}),
    pl.Series([True]),
    pl.DataFrame({"a": [True]}),
    pa.scalar(True),
    pa.array([True]),
    pa.chunked_array([[True]]),
    pa.table({"a": [True]}),
    pc.all(pa.array([True, True])),
    lambda: True,
    lambda: np.bool_(True),
    lambda: pl.Series([True]),
    functools.partial(isinstance, 1, int),
    pd.Series([True, True]).all,
    lambda *args, key=True: key,
]


@pytest.mark.parametrize("condition", ONE_TRUE, ids=lambda value: type(value).__name__)
def test_one_true_value_holds(condition, capsys):
    assert run({"c": condition}, capsys) == (["ok c"], None)


ONE_FALSE = [
    False,
    np.bool_(False),
    np.array([False]),
    pd.Series([False], dtype="boolean"),
    pl.Series([False]),
    pl.DataFrame({"a": [False]}),
    pa.scalar(False),
    pa.array([False]),
    lambda: False,
    lambda: np.bool_(False),
]


@pytest.mark.parametrize("condition", ONE_FALSE, ids=lambda value: type(value).__name__)
def test_one_false_value_is_false(condition, capsys):
    assert reason(condition, capsys) == "it is false"


def many(size: int, false: list[int]) -> list[bool]:
    return [place not in false for place in range(size)]


def test_many_bools_are_counted_and_placed(capsys):
    flags = many(1204, [7, 90, 411])
    assert (
        reason(pd.Series(flags), capsys)
        == "got a Series of 1,204 values, 3 False at rows 7, 90, 411: use .all()"
    )
    # By position, whatever the index says.
    assert "at row 1:" in reason(pd.Series([True, False], index=["x", "y"]), capsys)
    assert "at rows 7, 90, 411:" in reason(pl.Series(flags), capsys)
    assert "at positions 7, 90, 411:" in reason(np.array(flags), capsys)
    told = reason(pa.chunked_array([flags[:100], flags[100:]]), capsys)
    assert "3 False at positions 7, 90, 411: use pyarrow.compute.all()" in told
    assert "5 False at rows 0, 1, 2, ...:" in reason(pd.Series([False] * 5), capsys)
    assert "2 values, all True: use .all()" in reason(pd.Series([True] * 2), capsys)
    gaps = [True, None, False, None]
    for series in (
        pd.Series(gaps, dtype="boolean"),
        pd.Series(gaps, dtype=object),
        pl.Series(gaps),
    ):
        assert "1 False at row 2, 2 missing: .all() would skip" in reason(
            series, capsys
        )
    assert "1 False at position 2, 2 missing" in reason(pa.array(gaps), capsys)


def test_frames_and_arrays_of_many(capsys):
    frame = pd.DataFrame({"a": [True, False], "b": [False, False]})
    assert (
        reason(frame, capsys)
        == "got a DataFrame of 2 x 2 values, 3 False: use .all(axis=None)"
    )
    assert frame.all(axis=None) is not None
    assert "2 x 2 values, 3 False" in reason(pl.from_pandas(frame), capsys)
    assert "2 x 2 values, 3 False" in reason(pa.table(frame), capsys)
    assert "2 x 2 values, 3 False" in reason(frame.to_numpy(), capsys)
    numbers = pd.DataFrame({"a": [1], "b": ["x"]})
    assert "a DataFrame of 1 x 2 values (int64, str)" in reason(numbers, capsys)
    assert "an array of 2 values (int64)" in reason(np.array([1, 0]), capsys)
    assert "a Series of 2 values (int64)" in reason(pd.Series([1, 0]), capsys)
    assert "a Series of 0 values, expected" in reason(pd.Series([], dtype=bool), capsys)


NO_BOOLS = [
    (None, "got None, expected True or False"),
    (pd.NA, "got <NA>, a missing value"),
    (pd.NaT, "got NaT, a missing value"),
    (float("nan"), "got nan, a missing value"),
    (np.datetime64("NaT"), "a missing value"),
    (pa.scalar(None, pa.bool_()), "a missing value"),
    (pd.Series([None], dtype="boolean"), "a Series of one missing value"),
    (pl.Series([None], dtype=pl.Boolean), "a Series of one missing value"),
    (pd.Series([1]), "a Series of one value, 1, expected True or False"),
    (np.array(1), "an array of one value, 1"),
    (0, "got 0 (int), expected True or False: compare it"),
    (1, "got 1 (int), expected True or False: compare it"),
    (np.int64(0), "got 0 (numpy int64), expected True or False: compare it"),
    (1.0, "got 1.0 (float)"),
    ("True", "got the text 'True', expected True or False"),
    ("", "got the text '', expected True or False"),
    ((False, "msg"), "a tuple of 2 items, (False, 'msg'): a tuple is never false"),
    ([True, False], "a list of 2 items, 1 False: use all(...)"),
    ([], "got a list of 0 items"),
    ({"a": True}, "got a dict of 1 item"),
    ({True}, "got a set of 1 item"),
    (itertools.count(), "a count, which was not consumed: use all(...)"),
    (map(bool, [1]), "a map, which was not consumed: use all(...)"),
    (pl.LazyFrame({"a": [True]}), "a LazyFrame, which was not collected"),
    (pl.col("a") > 0, "an Expr, which was not evaluated"),
    (pc.field("a") > 0, "an Expression, which was not evaluated"),
    (bool, "got the class bool"),
    (b"True", "got b'True' (bytes)"),
    (lambda: None, "returned None, expected True or False: is a return missing?"),
    (lambda: 1, "returned 1 (int)"),
    (lambda: pd.NA, "returned <NA>, a missing value"),
    (lambda: (True, "msg"), "returned a tuple of 2 items"),
    (lambda: lambda: True, "returned the function, expected True or False: call it"),
    (
        lambda: pd.Series([True, False]),
        "returned a Series of 2 values, 1 False at row 1",
    ),
    (lambda df: True, "got a function that needs arguments (df)"),
    (pd.Series([1, 2]).ge, "got a function that needs arguments (other)"),
    (lambda: 1 / 0, "raised ZeroDivisionError: division by zero"),
    (lambda: (yield True), "returned a generator, which was not consumed"),
]


@pytest.mark.parametrize(
    ("condition", "told"),
    NO_BOOLS,
    ids=[str(number) for number in range(len(NO_BOOLS))],
)
def test_what_is_no_condition_fails_with_its_reason(condition, told, capsys):
    assert told in reason(condition, capsys)


def test_coroutines_are_not_run(capsys):
    async def check():
        raise AssertionError("it ran")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "the async function check, which was not run" in reason(check, capsys)
        assert "a coroutine, which was not run" in reason(lambda: check(), capsys)
    coroutine = check()
    assert "a coroutine, which was not run: await it first" in reason(coroutine, capsys)
    with pytest.raises(AssertionError, match="it ran"):
        asyncio.run(coroutine)


def test_broken_objects_fail_their_check_only(capsys):
    class Broken:
        def __bool__(self):
            raise RuntimeError("asked")

        def __repr__(self):
            raise RuntimeError("no repr")

    class Silent(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    class Liar:
        def __getattr__(self, name):
            return self

    def fail():
        raise Silent

    def long():
        raise ValueError("x" * 10_000 + "\n" + "y")

    checks = {
        "broken": Broken(),
        "calls": lambda: Broken(),
        "silent": fail,
        "long": long,
        "liar": Liar(),
        "last": True,
    }
    lines, error = run(checks, capsys)
    assert len(lines) == 6
    assert "no repr" in lines[0]
    assert lines[2] == "FAIL silent: raised Silent"
    assert len(lines[3]) < 300
    assert lines[5] == "ok last"
    assert len(error.failures) == 5


def test_what_ends_the_session_is_not_caught(capsys):
    def stop():
        raise KeyboardInterrupt

    def leave():
        raise SystemExit(3)

    with pytest.raises(KeyboardInterrupt):
        hs.verifie({"first": True, "stop": stop, "never": True})
    assert capsys.readouterr().out == "ok first\n"
    with pytest.raises(SystemExit):
        hs.verifie({"leave": leave})


def test_a_panic_of_a_native_library_is_a_failed_check(capsys):
    class PanicException(BaseException):
        """As polars raises it."""

    def panic():
        raise PanicException("index out of bounds")

    told = reason(panic, capsys)
    assert told == "raised PanicException: index out of bounds"


def test_names_are_one_line_each(capsys):
    lines, error = run({2024: True, "a\nb": True, "": True, ("x", 1): False}, capsys)
    assert lines == ["ok 2024", "ok 'a\\nb'", "ok ''", "FAIL ('x', 1): it is false"]
    assert list(error.failures) == ["('x', 1)"]
    lines, _ = run({"n" * 5000: True}, capsys)
    assert len(lines[0]) < 300


def test_no_checks_and_no_dict():
    with pytest.raises(ValueError, match="expected at least one, found an empty dict"):
        hs.verifie({})
    for wrong in ([True], True, None, "x", pd.Series([True])):
        with pytest.raises(hs.TypeMismatchError, match="expected a dict of name"):
            hs.verifie(wrong)


def test_every_check_has_its_line_however_many(capsys):
    lines, error = run({f"c{number}": number != 50 for number in range(100)}, capsys)
    assert len(lines) == 100
    assert lines[50] == "FAIL c50: it is false"
    assert str(error) == "1 of 100 checks failed:\n  c50: it is false"


def test_quiet_leaves_the_error(capsys):
    hs.options.quiet = True
    hs.verifie({"a": True})
    with pytest.raises(AssertionError, match="1 of 2 checks failed:\n  b"):
        hs.verifie({"a": True, "b": False})
    assert capsys.readouterr().out == ""


def test_the_error_survives_a_pickle():
    with pytest.raises(hs.CheckError) as caught:
        hs.verifie({"a": False, "b": 0})
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.failures) == (str(caught.value), caught.value.failures)
    assert caught.value.__context__ is None


def test_a_masked_value_is_missing(capsys):
    masked = np.ma.array([True], mask=[True])
    some = np.ma.array([True, True, False], mask=[True, False, False])
    whole = np.ma.array([True], mask=[False])
    with pytest.raises(hs.CheckError):
        hs.verifie({"masked": masked, "some": some, "whole": whole})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("FAIL masked: ") and "missing" in lines[0]
    assert lines[1].startswith("FAIL some: ") and "1 missing" in lines[1]
    assert lines[2] == "ok whole"
