"""Which part of a workbook is loaded: sheets, all of them, ranges, tables, names."""

import pandas as pd
import pytest

import headstart as hs

FORMATS = ["xlsx", "xls", "xlsb", "ods"]
QUARTERS = ["region", "Q1 orders", "Q1 amount", "Q2 orders", "Q2 amount"]
STOCK = "Stock of it's shop"


@pytest.fixture
def report(orders):
    def path(extension="xlsx"):
        return orders.with_name(f"report.{extension}")

    return path


@pytest.mark.parametrize("extension", FORMATS)
def test_a_merged_header_is_joined(report, extension, capsys):
    frame = hs.charge(report(extension))
    assert list(frame.columns) == QUARTERS
    assert frame.shape == (4, 5)
    assert list(frame["Q1 orders"]) == [12, 15, 18, 21]
    told = capsys.readouterr().out
    assert "skipped 2 rows above the header in row 3" in told
    assert "joined the merged header of rows 3 to 4" in told


@pytest.mark.parametrize("extension", FORMATS)
def test_all_sheets_are_a_dict(report, extension, capsys):
    frames = hs.charge(report(extension), sheet="*")
    assert list(frames)[:2] == ["Sales", STOCK]
    assert all(isinstance(frame, pd.DataFrame) for frame in frames.values())
    assert list(frames["Sales"].columns) == QUARTERS
    assert frames["Sales"].attrs["hs"]["origin"]["part"] == 'sheet "Sales"'
    assert "Empty" not in frames
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 6
    assert f'"Sales" (4 x 5), "{STOCK}" (' in lines[0]
    assert '"Empty" (empty)' in lines[1]


def test_all_sheets_with_columns_and_rows(report, capsys):
    frames = hs.charge(report(), "*", columns=["goods", "rate"], rows=2)
    assert list(frames) == [STOCK]
    assert frames[STOCK].shape == (2, 2)
    assert 'left out "Sales" (none of the columns)' in capsys.readouterr().out
    with pytest.raises(
        hs.KeyMissingError, match="no column 'goodz'|no column \"goodz\""
    ):
        hs.charge(report(), "*", columns=["goodz"])
    typed = hs.charge(report(), "*", types={"pieces": "text"})
    assert typed[STOCK]["pieces"].iloc[0] == "12"


def test_hidden_sheets_are_among_all(orders):
    assert list(hs.charge(orders, "*")) == ["2025", "2026", "rates"]


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_all_sheets_are_frames_of_the_library(orders, library):
    hs.options.frames = library
    frames = hs.charge(orders, "*")
    assert {type(frame).__module__.split(".")[0] for frame in frames.values()} == {
        library
    }


@pytest.mark.parametrize("extension", FORMATS)
@pytest.mark.parametrize(
    "part", [f"{STOCK}!G4:H7", "'Stock of it''s shop'!$G$4:$H$7", f"{STOCK}!g:h"]
)
def test_a_range_begins_with_its_header(report, extension, part):
    frame = hs.charge(report(extension), part)
    assert list(frame.columns) == ["currency", "rate"]
    assert list(frame["rate"]) == [1.0, 0.95, 4.26]


@pytest.mark.parametrize("extension", ["xlsx", "xls", "ods"])
@pytest.mark.parametrize("name", ["Rates", "rates", f"{STOCK}!Rates"])
def test_a_defined_name(report, extension, name):
    frame = hs.charge(report(extension), name)
    assert list(frame["currency"]) == ["EUR", "CHF", "PLN"]


def test_all_from_a_cell_on(report):
    frame = hs.charge(report(), "Sales!B4")
    assert list(frame.columns) == ["orders", "amount", "orders.1", "amount.1"]
    assert len(frame) == 4


def test_the_header_of_a_range_can_be_given(report):
    frame = hs.charge(report(), "Sales!A3:C6", header=0)
    assert list(frame.columns) == ["column_1", "column_2", "column_3"]
    frame = hs.charge(report(), "Sales!A3:C6", header=4)
    assert list(frame.columns) == ["column_1", "orders", "amount"]
    with pytest.raises(hs.ArgumentError, match="inside of A3:C6, found row 1"):
        hs.charge(report(), "Sales!A3:C6", header=1)


def test_what_is_not_there_is_listed(report):
    with pytest.raises(hs.SheetError) as caught:
        hs.charge(report(), "Nope")
    text = str(caught.value)
    for name in ("Sales", STOCK, "Plot", "Empty", "Rates"):
        assert f'"{name}"' in text
    with pytest.raises(hs.SheetError, match="cells of the sheet are in A1:E8"):
        hs.charge(report(), "Sales!M1:N9")
    with pytest.raises(hs.SheetError, match="such as C3:T25"):
        hs.charge(report(), "Sales!M1:")
    with pytest.raises(hs.SheetError, match="found chart"):
        hs.charge(report(), "Plot")


def test_all_sheets_of_several_files_are_refused(orders):
    with pytest.raises(hs.ArgumentError, match="expected one sheet of each file"):
        hs.charge([orders, orders], "*")


def test_all_sheets_mean_nothing_elsewhere(orders):
    with pytest.raises(hs.ArgumentError, match="sheet means nothing for a csv file"):
        hs.charge(orders.with_suffix(".csv"), "*")
