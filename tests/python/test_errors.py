"""Errors: class, message in one line, hint, place."""

import pickle
import sys
import traceback
from pathlib import Path

import pytest

import headstart as hs
from headstart import _headstart
from headstart.errors import CLASSES


def test_every_kind_of_the_native_code_has_a_class():
    assert set(CLASSES) == set(_headstart.error_kinds())
    assert len(set(CLASSES.values())) == len(CLASSES)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        ("missing", FileNotFoundError),
        ("io", OSError),
        ("format", ValueError),
        ("sheet", LookupError),
        ("column", KeyError),
        ("argument", ValueError),
        ("type", TypeError),
        ("internal", RuntimeError),
    ],
)
def test_classes_are_the_natural_builtins_too(kind, builtin):
    assert issubclass(CLASSES[kind], builtin)
    assert issubclass(CLASSES[kind], hs.Error)
    error = CLASSES[kind]("what", where="a.csv, line 2", hint="do this")
    assert str(error) == "a.csv, line 2: what\nhint: do this"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.hint, type(again)) == (str(error), "do this", type(error))


def test_a_missing_file_names_the_close_one(tmp_path):
    (tmp_path / "orders.csv").write_text("a\n1\n")
    with pytest.raises(FileNotFoundError) as caught:
        hs.charge(tmp_path / "order.csv")
    error = caught.value
    path = str(tmp_path / "order.csv")
    assert isinstance(error, hs.FileMissingError)
    assert str(error) == f'{path}: no such file\nhint: did you mean "orders.csv"?'
    assert (error.message, error.place) == ("no such file", {"source": path})
    assert error.hint == 'did you mean "orders.csv"?'
    assert error.__cause__ is None
    assert error.__context__ is None


def test_a_missing_column_reads_as_a_message(orders):
    with pytest.raises(KeyError) as caught:
        hs.charge(orders, columns=["amuont"])
    assert isinstance(caught.value, hs.KeyMissingError)
    told = 'no column "amuont"\nhint: did you mean "amount"?'
    assert str(caught.value).endswith(told)
    last = traceback.format_exception(caught.value)[-1]
    assert last.startswith("headstart.errors.KeyMissingError: ")


def test_a_missing_sheet_lists_the_others(orders):
    with pytest.raises(LookupError) as caught:
        hs.charge(orders, "nope")
    assert isinstance(caught.value, hs.SheetError)
    assert '"2025"' in str(caught.value)


def test_broken_files_are_format_errors(orders):
    for name in ("empty.csv", "picture.csv", "page.xls", "truncated.xlsx"):
        with pytest.raises(hs.FormatError) as caught:
            hs.charge(orders.parent / "broken" / name)
        assert name in str(caught.value)
        assert len(str(caught.value).split("\n")) <= 2


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"path": 7}, hs.TypeMismatchError, "path: expected str"),
        ({"path": b"a.csv"}, hs.TypeMismatchError, "found bytes"),
        ({"path": "a", "delimiter": ";;"}, hs.ArgumentError, "one character"),
        ({"path": "a", "rows": -1}, hs.ArgumentError, "rows: expected 0 or more"),
        ({"path": "a", "rows": "3"}, hs.TypeMismatchError, "rows"),
        # More rows than any file has: the argument is taken.
        ({"path": "a", "rows": 2**70}, hs.FileMissingError, "no such file"),
        ({"path": "a", "sheet": 1.5}, hs.TypeMismatchError, "sheet"),
        ({"path": "a", "sheet": True}, hs.TypeMismatchError, "sheet"),
        ({"path": "a", "columns": [1]}, hs.TypeMismatchError, "columns"),
        ({"path": "a", "columns": 5}, hs.TypeMismatchError, "columns: expected a list"),
        ({"path": "a", "types": 7}, hs.TypeMismatchError, "types: expected a dict"),
        ({"path": "a", "types": ["b"]}, hs.TypeMismatchError, "types: expected a dict"),
        ({"path": "a", "types": {1: "int"}}, hs.TypeMismatchError, "types: expected a"),
        ({"path": "a", "types": {"b": list}}, hs.TypeMismatchError, "found list"),
        ({"path": "a", "types": {"b": 1}}, hs.TypeMismatchError, "found 1"),
        ({"path": "a", "types": "wibble"}, hs.ArgumentError, "datetime, time, decimal"),
        ({"path": "a", "types": {"b": "date:%Q"}}, hs.ArgumentError, "no directive"),
        (
            {"path": "a", "types": {"b": "float:12"}},
            hs.ArgumentError,
            "shows its marks",
        ),
    ],
)
def test_arguments_are_checked(arguments, error, words):
    with pytest.raises(error, match=words):
        hs.charge(**arguments)


def test_options_are_checked_against_the_file(orders):
    path = orders.parent / "orders.csv"
    rules = [
        ({"columns": ["code", "code"]}, '"code" is named twice'),
        ({"header": 99}, "only 53 lines\\nhint: leave out header=, or header=0"),
        ({"encoding": "utf9"}, "did you mean utf8"),
        ({"encoding": "cp12522"}, "did you mean cp1252"),
    ]
    for options, words in rules:
        with pytest.raises(hs.ArgumentError, match=words):
            hs.charge(path, **options)
    for label in ("latin-1", "utf_8", "UTF-8-SIG"):
        hs.charge(path, encoding=label, rows=1)
    with pytest.raises(hs.ArgumentError, match="columns means nothing"):
        hs.charge(orders.parent / "orders.toml", columns=["code"])


def test_an_option_that_means_nothing_is_refused(orders):
    with pytest.raises(hs.ArgumentError, match="delimiter means nothing"):
        hs.charge(orders, delimiter=";")


@pytest.mark.parametrize(
    "call",
    [
        lambda: hs.charge("nowhere.csv"),
        lambda: hs.decris("nowhere.csv"),
        lambda: hs.decris(7),
        lambda: hs.montre([1], n=-1),
    ],
)
def test_a_traceback_ends_at_the_callers_line(call):
    with pytest.raises(hs.Error) as caught:
        call()
    frames = traceback.extract_tb(caught.value.__traceback__)
    package = str(Path(hs.__file__).parent)
    below = [frame.name for frame in frames if frame.filename.startswith(package)]
    assert below == ["call"]
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_library_that_is_not_installed_is_told_before_the_work(
    by, monkeypatch, orders, capsys
):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(hs.ArgumentError) as caught:
        if by == "option":
            hs.options.frames = "polars"
        monkeypatch.setenv("HEADSTART_FRAMES", "polars")
        hs.charge(orders)
    assert "polars is not installed" in str(caught.value)
    assert caught.value.hint == "pip install polars"
    assert capsys.readouterr().out == ""
