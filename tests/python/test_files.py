"""Several files as one table: lists and patterns, in Python."""

import pandas as pd
import pytest
from conftest import FILES

import headstart as hs

MONTHS = FILES / "months"
NAMES = ["2026-9.csv", "2026-10.csv", "2026-11.csv"]
CODES = ["00042", "00079", "01161", "00042", "00153"]


def test_a_pattern_stacks_by_name_in_the_order_of_numbers(capsys):
    pattern = str(MONTHS / "2026-*.csv")
    frame = hs.charge(pattern)
    assert list(frame.columns) == ["code", "amount", "shipped", "paid", "source"]
    assert list(frame["code"]) == CODES
    assert list(frame["amount"]) == [12.5, 8.0, 40.0, 3.0, 99.95]
    rows = [str(MONTHS / NAMES[file]) for file in (0, 0, 1, 1, 2)]
    assert list(frame["source"]) == rows
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{pattern}: 5 rows x 5 columns, 3 files"
    assert any('column "paid"' in line for line in told)
    assert len(told) <= 6
    assert frame.attrs["hs"]["origin"]["name"] == pattern


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_list_keeps_its_order(kind, monkeypatch):
    monkeypatch.chdir(MONTHS)
    frame = hs.charge(kind([MONTHS / NAMES[2], "2026-1*.csv", NAMES[0]]))
    sources = [str(MONTHS / NAMES[2]), NAMES[1], NAMES[1], NAMES[2], *2 * [NAMES[0]]]
    assert list(frame["source"]) == sources


def test_a_list_of_one_has_a_source_too():
    path = MONTHS / NAMES[0]
    assert list(hs.charge([path])["source"]) == [str(path)] * 2
    assert "source" not in hs.charge(path).columns


def test_a_code_never_meets_a_number():
    with pytest.raises(hs.TypeMismatchError) as caught:
        hs.charge([MONTHS / NAMES[0], MONTHS / "zeros-lost.csv"])
    message = str(caught.value)
    for part in (NAMES[0], "zeros-lost.csv", "code", "text", "00042", "int"):
        assert part in message
    assert 'types={"code": "text"}' in caught.value.hint
    assert caught.value.place["column"] == "code"


def test_every_format_and_the_sheets_of_workbooks(capsys):
    paths = [FILES / f"orders.{name}" for name in ("csv", "parquet", "arrow", "tsv")]
    frame = hs.charge(paths)
    assert frame.shape == (4 * 52, 11)
    one = hs.charge(paths[0])
    for path in paths:
        part = frame[frame["source"] == str(path)].drop(columns="source")
        pd.testing.assert_frame_equal(
            part.reset_index(drop=True), one, check_dtype=False
        )
    books = hs.charge([FILES / "orders.xlsx", FILES / "orders.ods"], sheet="2026")
    assert books.shape == (2 * 52, 11)
    told = capsys.readouterr().out.splitlines()
    assert told[-2] == '2 files: 104 rows x 11 columns, sheet "2026"'
    assert told[-1].startswith(f"{FILES / 'orders.xlsx'}: other sheets: ")
    with pytest.raises(hs.ArgumentError, match="sheet means nothing for a csv file"):
        hs.charge([FILES / "orders.xlsx", FILES / "orders.csv"], sheet="2026")


def test_rows_and_columns_of_the_whole(capsys):
    frame = hs.charge(str(MONTHS / "2026-*.csv"), columns=["amount", "source"], rows=3)
    assert list(frame.columns) == ["amount", "source"]
    assert list(frame["amount"]) == [12.5, 8.0, 40.0]
    assert "the first of 5, 3 files" in capsys.readouterr().out
    with pytest.raises(hs.KeyMissingError, match="amuont"):
        hs.charge(str(MONTHS / "2026-*.csv"), columns=["amuont"])


def test_other_functions_take_patterns_and_lists():
    described = hs.decris(str(MONTHS / "2026-*.csv"))
    assert list(described["column"])[-1] == "source"
    assert len(hs.decris([MONTHS / name for name in NAMES])) == 5


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ([], hs.ArgumentError, "empty list"),
        (["a.csv", 7], hs.TypeMismatchError, "found int in the list"),
        ([b"a.csv"], hs.TypeMismatchError, "found bytes in the list"),
        ({"a.csv"}, hs.TypeMismatchError, "found set"),
        ("no-such-*.csv", hs.FileMissingError, "no file matches the pattern"),
        (["no-such-*.csv"], hs.FileMissingError, "no file matches the pattern"),
        (["no-such.csv"], hs.FileMissingError, "no-such.csv: no such file"),
    ],
)
def test_what_is_no_file_is_told(path, error, words):
    with pytest.raises(error, match=words):
        hs.charge(path)


def test_a_name_that_looks_like_a_pattern(tmp_path):
    (tmp_path / "a[1].csv").write_text("n\n1\n")
    (tmp_path / "a1.csv").write_text("n\n2\n")
    assert list(hs.charge(tmp_path / "a[1].csv")["n"]) == [1]
    assert list(hs.charge(tmp_path / "a[0-9].csv")["n"]) == [2]
