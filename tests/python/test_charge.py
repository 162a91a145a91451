"""charge, where Python has a part in it."""

import json
import subprocess
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import FILES

import headstart as hs


def test_a_workbook_arrives_with_exact_types(orders, capsys):
    frame = hs.charge(orders)
    assert frame.shape == (45, 10)
    assert frame["postal"].iloc[0] == "01234"
    assert str(frame["quantity"].dtype) == "Int64"
    assert str(frame["ordered"].dtype) == "datetime64[us]"
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f'{orders}: 45 rows x 10 columns, sheet "2025"'


def test_notes_are_kept_as_plain_data(orders):
    notes = hs.charge(orders).attrs["hs"]
    assert json.loads(json.dumps(notes)) == notes
    part = 'sheet "2025"'
    assert notes["origin"] == {"name": str(orders), "format": "xlsx", "part": part}
    assert notes["notes"][0]["topic"] == "loaded"


def test_sheet_columns_and_rows(orders):
    frame = hs.charge(orders, 1, columns=["code", "amount"], rows=3)
    assert list(frame.columns) == ["code", "amount"]
    assert frame.shape == (3, 2)
    assert (
        hs.charge(orders, "2026").shape == hs.charge(orders, sheet=1).shape == (52, 10)
    )


@pytest.mark.parametrize(
    ("library", "frame_class"),
    [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)],
)
def test_the_library_can_be_chosen(orders, monkeypatch, library, frame_class):
    monkeypatch.setenv("HEADSTART_FRAMES", library)
    assert isinstance(hs.charge(orders), frame_class)
    monkeypatch.setenv("HEADSTART_FRAMES", "pandas")
    hs.options.frames = library
    assert isinstance(hs.charge(orders), frame_class)


def test_an_unknown_library_is_refused(monkeypatch, orders):
    with pytest.raises(hs.ArgumentError, match="'pandas', 'polars', 'pyarrow'"):
        hs.options.frames = "dask"
    monkeypatch.setenv("HEADSTART_FRAMES", "dask")
    with pytest.raises(hs.ArgumentError, match="HEADSTART_FRAMES"):
        hs.charge(orders)


def test_quiet(orders, monkeypatch, capsys):
    hs.options.quiet = True
    hs.charge(orders)
    hs.decris(orders)
    hs.options.quiet = None
    monkeypatch.setenv("HEADSTART_QUIET", "1")
    hs.charge(orders)
    assert capsys.readouterr().out == ""
    monkeypatch.setenv("HEADSTART_QUIET", "0")
    hs.charge(orders)
    assert capsys.readouterr().out != ""


def test_without_any_frame_library(orders):
    script = f"""
import sys
for name in ("pandas", "polars", "pyarrow"):
    sys.modules[name] = None
import headstart as hs
table = hs.charge({str(orders)!r})
print(type(table).__name__, table.shape, table.to_dicts()[0]["postal"])
print(hs.decris(table).shape)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert "Table (45, 10) 01234" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("(10, ")


def test_a_document_that_is_no_table_is_a_plain_value(capsys):
    path = FILES / "orders.toml"
    document = hs.charge(path)
    assert isinstance(document, dict)
    assert capsys.readouterr().out == (
        f'{path}: lists of objects at orders: at="orders"\n'
    )
    frame = hs.charge(path, at="orders")
    assert frame["code"].iloc[0] == "00042"
    with pytest.raises(hs.TypeMismatchError, match="expected a table"):
        hs.decris(path)


@pytest.mark.parametrize("name", ["csv", "tsv", "json", "jsonl", "ods", "xls", "xlsb"])
def test_every_format_keeps_codes_and_gaps(name):
    frame = hs.charge(FILES / f"orders.{name}")
    assert frame["code"].iloc[0] == "00042"
    assert str(frame["quantity"].dtype) == "Int64"
    assert str(frame["amount"].dtype) == "float64"


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_nul_in_a_name_is_an_error_and_no_abort(tmp_path, library):
    nested, flat = tmp_path / "a.jsonl", tmp_path / "a.csv"
    nested.write_text('{"x":{"a\\u0000b":3}}\n')
    flat.write_bytes(b"a\x00b,c\nx,y\n")
    hs.options.frames = library
    try:
        for path in (nested, flat):
            with pytest.raises(hs.Error, match="NUL"):
                hs.charge(path)
    finally:
        hs.options.frames = None


def test_hidden_files_match_a_pattern_that_begins_so(tmp_path):
    (tmp_path / ".hidden.csv").write_text("a\n1\n")
    (tmp_path / "b.csv").write_text("a\n2\n")
    assert list(hs.charge(f"{tmp_path}/.h*.csv")["a"]) == [1]
    assert list(hs.charge(f"{tmp_path}/*.csv")["a"]) == [2]
