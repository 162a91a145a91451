"""Types by wish, and why a column has its type."""

import datetime
import decimal
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headstart as hs

HS = Path(sys.executable).parent / "hs"
FILES = Path(__file__).resolve().parents[2] / "fixtures"

TEXT = """id;d;amount;paid;at;note
007;03/04/2021;1.234,50;yes;18:05;NA
8;05/06/2021;-0,5;NO;7:30;
9;NA;;1;;x
"""


@pytest.fixture
def local(tmp_path):
    path = tmp_path / "local.csv"
    path.write_text(TEXT)
    return path


def table(path, **options):
    hs.options.frames = "pyarrow"
    try:
        return hs.charge(path, **options)
    finally:
        hs.options.frames = None


def test_words_patterns_examples_and_classes(local, capsys):
    types = {
        "id": int,
        "d": "date:%d/%m/%Y",
        "amount": "float:1.234,56",
        "paid": bool,
        "at": "time:%H:%M",
        "note": str,
    }
    loaded = table(local, types=types)
    assert loaded.to_pydict() == {
        "id": [7, 8, 9],
        "d": [datetime.date(2021, 4, 3), datetime.date(2021, 6, 5), None],
        "amount": [1234.5, -0.5, None],
        "paid": [True, False, True],
        "at": [datetime.time(18, 5), datetime.time(7, 30), None],
        "note": ["NA", None, "x"],
    }
    told = 'words such as NA read as missing: "d" 1 (first: line 4)'
    assert told in capsys.readouterr().out
    exact = table(local, types={"amount": "decimal:1.234,56"})["amount"].to_pylist()
    assert exact == [decimal.Decimal("1234.50"), decimal.Decimal("-0.50"), None]


CLASSES = [str, int, float, bool, decimal.Decimal]
CLASSES += [datetime.date, datetime.datetime, datetime.time]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_is_a_type_also_without_values(tmp_path, kind):
    path = tmp_path / "empty.csv"
    path.write_text("a,b\n,1\n,2\n")
    column = table(path, types={"a": kind})["a"]
    assert column.null_count == 2
    filled = {str: "x", int: 1, float: 0.5, bool: True, decimal.Decimal: 1}
    sample = pa.array([filled[kind]]) if kind in filled else None
    if kind is str:
        assert pa.types.is_string_view(column.type) or pa.types.is_large_string(
            column.type
        )
    elif kind is decimal.Decimal:
        assert pa.types.is_decimal(column.type)
    elif sample is not None:
        assert column.type == sample.type
    else:
        assert pa.types.is_temporal(column.type)


def test_one_type_for_all(local):
    loaded = table(local, types="text")
    assert all(
        isinstance(value, str | None)
        for row in loaded.to_pylist()
        for value in row.values()
    )
    assert loaded["amount"].to_pylist() == ["1.234,50", "-0,5", None]
    assert loaded["id"].to_pylist() == ["007", "8", "9"]


def test_the_hint_of_an_undecided_column_is_code_that_works(local, capsys):
    hs.charge(local)
    [line] = [line for line in capsys.readouterr().out.splitlines() if "types=" in line]
    types = eval(line.partition("types=")[2])
    assert types == {"d": "date:%d/%m/%Y"}
    assert str(hs.charge(local, types=types)["d"].dtype) == "datetime64[us]"
    done = subprocess.run(
        [HS, "charge", local], capture_output=True, text=True, check=True
    )
    assert "--types d=date:%d/%m/%Y" in done.stderr


def test_a_misfit_names_line_value_and_way_out(local):
    with pytest.raises(hs.FormatError) as caught:
        hs.charge(local, types={"note": "int"})
    assert str(caught.value).endswith(
        'line 4, column "note": expected int, found "x"\n'
        'hint: look at its values as text: types={"note": "text"}'
    )
    assert caught.value.place["row"] == 4
    with pytest.raises(hs.KeyMissingError, match='did you mean "amount"'):
        hs.charge(local, types={"amuont": "int"})


@pytest.mark.parametrize("name", ["csv", "jsonl", "json", "xlsx", "xls", "xlsb", "ods"])
def test_every_format_takes_types(name):
    types = {"order_id": "text", "quantity": "float", "code": "int", "paid": "text"}
    sheet = "2026" if name in ("xlsx", "xls", "xlsb", "ods") else None
    loaded = table(FILES / f"orders.{name}", sheet=sheet, types=types).slice(0, 1)
    [row] = loaded.select(["order_id", "quantity", "code", "paid"]).to_pylist()
    assert row["quantity"] == 1.0 and isinstance(row["quantity"], float)
    assert (row["code"], row["paid"]) == (42, "true")
    assert row["order_id"].isdigit()


def test_typed_sources_go_through_exact_text(tmp_path):
    path = tmp_path / "a.parquet"
    columns = {
        "i": [1, None],
        "f": [1.0, 0.1],
        "big": pa.array([2**63, 1], pa.uint64()),
        "l": [[1], None],
    }
    pq.write_table(pa.table(columns), path)
    loaded = table(path, types="text").to_pydict()
    assert loaded == {
        "i": ["1", None],
        "f": ["1", "0.1"],
        "big": ["9223372036854775808", "1"],
        "l": ["[1]", None],
    }
    assert table(path, types={"i": "float:1.234,56"})["i"].to_pylist() == [1.0, None]
    with pytest.raises(hs.FormatError, match='"0.1" in row 2'):
        table(path, types={"f": int})


def test_types_settle_what_files_do_not_share(tmp_path):
    (tmp_path / "a.csv").write_text("zip,n\n00042,1\n")
    (tmp_path / "b.csv").write_text("zip\n42\n")
    pattern = tmp_path / "*.csv"
    with pytest.raises(hs.TypeMismatchError) as caught:
        hs.charge(pattern)
    types = eval(str(caught.value).rpartition("types=")[2])
    loaded = table(pattern, types=types)
    assert loaded["zip"].to_pylist() == ["00042", "42"]
    assert table(pattern, types={"zip": int, "n": str})["n"].to_pylist() == ["1", None]
    with pytest.raises(hs.KeyMissingError, match='no column "m"'):
        hs.charge(pattern, types={**types, "m": "int"})
    known = hs.charge(pattern, types=types).attrs["hs"]
    assert known["why"]["n"].startswith("1 whole number, in ")
    assert known["why"]["zip"].startswith("given: text, in ")
    command = [HS, "charge", tmp_path / "a.csv", tmp_path / "b.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "--types zip=text" in done.stderr


def test_a_document_has_no_types():
    with pytest.raises(hs.ArgumentError, match="types means nothing"):
        hs.charge(FILES / "orders.toml", types="text")
    loaded = table(FILES / "orders.toml", at="orders", types={"order_id": "text"})
    assert loaded["order_id"][0].as_py() == "26001"


def test_what_was_decided_is_plain_data(local):
    known = hs.charge(local).attrs["hs"]
    assert json.loads(json.dumps(known)) == known
    assert known["dialect"] == {
        "delimiter": ";",
        "quote": '"',
        "line_end": "LF",
        "header_line": 1,
        "skipped_lines": 0,
    }
    assert known["encoding"]["name"] == "UTF-8"
    assert known["types"]["amount"] == "float"
    assert known["why"]["id"] == 'codes: leading zeros (first: line 2 "007")'
    assert known["why"]["d"].startswith("days in an order that no value proves")
    few = hs.charge(local, columns=["note", "id"]).attrs["hs"]
    assert list(few["why"]) == ["note", "id"] and "codes" in few["why"]["id"]
    book = hs.charge(FILES / "orders.xlsx", "2026").attrs["hs"]
    assert book["sheets"][1] == {"name": "2026", "loaded": True}
    assert book["why"]["postal"] == "zero-padded codes in the cells"
    assert "why" not in hs.decris(hs.charge(local)).attrs["hs"]


def test_explain_in_the_shell(local):
    command = [HS, "charge", local, "--explain", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    known = hs.charge(local).attrs["hs"]
    assert {row["column"]: row["why"] for row in document["data"]} == known["why"]
    assert {row["column"]: row["type"] for row in document["data"]} == known["types"]
    assert any(note.startswith('dialect: delimiter ";"') for note in document["notes"])


def test_at_most_six_lines(tmp_path, capsys):
    days = ["03/04/2021"] * 12
    names = [f"d{number}" for number in range(12)]
    path = tmp_path / "days.csv"
    path.write_text(",".join(names) + "\n" + ",".join(days) + "\n")
    frame = hs.charge(path)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert lines[-1].endswith("and 8 more notes")
    assert len(frame.attrs["hs"]["notes"]) == 13


def test_types_of_columns_that_are_not_asked_for_are_fine(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,2\n")
    frame = hs.charge(path, columns=["x"], types={"y": "text"})
    assert list(frame.columns) == ["x"]
    with pytest.raises(hs.KeyMissingError, match="no column"):
        hs.charge(path, columns=["x"], types={"z": "text"})
