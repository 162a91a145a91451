"""Every fixture of the orders gives the same table, in Python and in the shell."""

import csv
import datetime
import json
import subprocess
import sys
from pathlib import Path

import pandas
import pytest

import headstart as hs

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
HS = Path(sys.executable).parent / "hs"

# What to ask for besides the file, and whether the format has dates.
FILES = {
    "orders.csv": ({}, True),
    "orders.tsv": ({}, True),
    "orders.json": ({}, False),
    "orders.jsonl": ({}, False),
    "orders.toml": ({"at": "orders"}, True),
    "orders.parquet": ({}, True),
    "orders.arrow": ({}, True),
    "orders.xlsx": ({"sheet": "2026"}, True),
    "orders.xlsm": ({"sheet": "2026"}, True),
    "orders.xlsb": ({"sheet": "2026"}, True),
    "orders.xls": ({"sheet": "2026"}, True),
    "orders.ods": ({"sheet": "2026"}, True),
}


def truth() -> list[dict]:
    """The orders as Python's own csv module reads them, typed by hand."""
    with (FIXTURES / "orders.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 52
    for row in rows:
        row["order_id"] = int(row["order_id"])
        row["quantity"] = int(row["quantity"]) if row["quantity"] else None
        row["amount"] = float(row["amount"])
        row["paid"] = row["paid"] == "true"
        row["shipped"] = row["shipped"] or None
    return rows


TRUTH = truth()
TEXTS = ["code", "postal", "customer", "month"]


@pytest.mark.parametrize("name", FILES)
def test_python_gives_the_same_table(name, capsys):
    options, has_dates = FILES[name]
    frame = hs.charge(FIXTURES / name, **options)
    assert list(frame.columns) == list(TRUTH[0])
    for column in TEXTS:
        assert isinstance(frame[column].dtype, pandas.StringDtype), column
        assert frame[column].tolist() == [row[column] for row in TRUTH]
    assert frame["order_id"].dtype == "int64"
    assert frame["quantity"].dtype == "Int64"
    for column in ["order_id", "quantity", "amount", "paid"]:
        values = [None if pandas.isna(value) else value for value in frame[column]]
        assert values == [row[column] for row in TRUTH], column
    for column in ["ordered", "shipped"]:
        if has_dates:
            assert frame[column].dtype == "datetime64[us]", column
            expected = [
                row[column] and datetime.datetime.fromisoformat(row[column])
                for row in TRUTH
            ]
        else:
            expected = [row[column] for row in TRUTH]
        values = [None if pandas.isna(value) else value for value in frame[column]]
        assert values == expected, column
    assert f"{name}: 52 rows x 10 columns" in capsys.readouterr().out


@pytest.mark.parametrize("name", FILES)
def test_shell_gives_the_same_table(name):
    options, has_dates = FILES[name]
    flags = [part for key, value in options.items() for part in (f"--{key}", value)]
    command = [HS, "charge", FIXTURES / name, "--format", "json", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    types = {column["name"]: column["type"] for column in document["columns"]}
    date, datetime_ = ("date", "datetime") if has_dates else ("text", "text")
    assert types == {
        "order_id": "int",
        "code": "text",
        "postal": "text",
        "customer": "text",
        "month": "text",
        "ordered": date,
        "shipped": datetime_,
        "quantity": "int",
        "amount": "float",
        "paid": "bool",
    }
    assert document["rows"] == 52
    rows = [
        {
            key: value.replace("T", " ") if key == "shipped" and value else value
            for key, value in row.items()
        }
        for row in document["data"]
    ]
    assert rows == TRUTH
    assert "52 rows x 10 columns" in done.stderr


def test_bad_lines_are_counted_and_the_first_is_named(capsys):
    hs.charge(FIXTURES / "orders.jsonl")
    assert "skipped 3 bad lines (first: line 9, expected" in capsys.readouterr().out


def test_other_sheets_are_listed_and_the_hidden_one_marked(capsys):
    frame = hs.charge(FIXTURES / "orders.xlsx")
    said = capsys.readouterr().out
    assert len(frame) == 45 and 'sheet "2025"' in said
    assert '"2026"' in said and '"rates" (3 x 2, hidden)' in said


BAD = {
    "no-such.csv": ([], "no such file"),
    "broken/empty.csv": ([], "empty file"),
    "broken/truncated.xlsx": ([], "truncated.xlsx"),
    "broken/encrypted.xlsx": ([], "encrypted"),
    "broken/picture.csv": ([], "a PNG picture"),
    "broken/page.xls": ([], "a web page"),
    "orders.xlsx": (["--sheet", "2024"], '"2025"'),
    "orders.csv": (["--columns", "amuont"], 'did you mean "amount"?'),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_clear_error_in_the_shell(name):
    flags, part = BAD[name]
    done = subprocess.run(
        [HS, "charge", FIXTURES / name, *flags],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert part in done.stderr
    lines = done.stderr.splitlines()
    assert (
        lines[0].startswith("hs: ")
        and lines[1].startswith("hint: ")
        and len(lines) == 2
    )


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_clear_error_in_python(name):
    flags, part = BAD[name]
    options = {flags[0][2:]: flags[1]} if flags else {}
    if "columns" in options:
        options["columns"] = [options["columns"]]
    with pytest.raises(hs.Error) as caught:
        hs.charge(FIXTURES / name, **options)
    assert part in str(caught.value)
    assert caught.value.hint
    assert caught.value.__cause__ is None
    # Nothing below hs: the innermost frame of the traceback is in the package itself.
    frames = caught.traceback
    assert "headstart" in str(frames[-1].path)


def test_a_code_in_the_last_of_a_million_rows_stays_text(tmp_path):
    path = tmp_path / "late.csv"
    rows = "".join(f"{number},{number}\n" for number in range(999_999))
    path.write_text(f"number,code\n{rows}7,00042\n")
    frame = hs.charge(path)
    assert len(frame) == 1_000_000
    assert frame["code"].iloc[-1] == "00042" and frame["code"].iloc[0] == "0"
    assert frame["number"].dtype == "int64" and frame["number"].iloc[-1] == 7
