"""Workbooks that we save, as other programs see them, and the other way round: openpyxl and pandas, and
LibreOffice where `soffice` is installed."""

import csv
import datetime
import shutil
import subprocess
import zipfile
from pathlib import Path

import openpyxl
import pandas
import pytest

import headstart as hs

ROWS = 5000
LOOKS = [
    "=1+1",
    "+33",
    "00042",
    " x ",
    "a\nb",
    "<&>",
    "_x0041_",
    "é東😀",
    "TRUE",
    "None",
]


@pytest.fixture(scope="module")
def frame() -> pandas.DataFrame:
    numbers = range(ROWS)
    start = pandas.Timestamp("2026-01-01 08:00:00")
    return pandas.DataFrame(
        {
            "n": numbers,
            "x": [number / 7 for number in numbers],
            "gap": pandas.array(
                [None if number % 3 else number for number in numbers], dtype="Int64"
            ),
            "text": [LOOKS[number % len(LOOKS)] for number in numbers],
            "words": [f"word {number}" if number % 5 else None for number in numbers],
            "flag": [number % 2 == 0 for number in numbers],
            "day": pandas.date_range("2026-01-01", periods=ROWS, unit="us"),
            "at": [
                start + pandas.Timedelta(milliseconds=250 * number)
                for number in numbers
            ],
            "code": [f"{number:05}" for number in numbers],
            "id": [10**17 + number for number in numbers],
        }
    )


@pytest.fixture(scope="module")
def saved(frame: pandas.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("xlsx") / "saved.xlsx"
    hs.sauve(path, frame)
    return path


def expected(frame: pandas.DataFrame, row: int) -> list[object]:
    """The values of a row as Python has them; ids have more digits than a cell keeps."""
    values = frame.iloc[row].tolist()
    plain = [
        None
        if pandas.isna(value)
        else value.to_pydatetime()
        if isinstance(value, pandas.Timestamp)
        else value
        for value in values
    ]
    plain[-1] = str(plain[-1])
    return plain


def test_openpyxl_finds_every_value_with_its_format(
    saved: Path, frame: pandas.DataFrame
) -> None:
    book = openpyxl.load_workbook(saved)
    sheet = book.active
    assert sheet is not None
    assert sheet.title == "Sheet1"
    assert (sheet.max_row, sheet.max_column) == (ROWS + 1, len(frame.columns))
    rows = sheet.iter_rows(values_only=True)
    assert list(next(rows)) == list(frame.columns)
    for number, row in enumerate(rows):
        assert list(row) == expected(frame, number)
    formats = [cell.number_format for cell in sheet[2]]
    assert formats == [
        "General",
        "General",
        "General",
        "@",
        "General",
        "General",
        "yyyy-mm-dd",
        "yyyy-mm-dd hh:mm:ss.000",
        "@",
        "@",
    ]
    assert all(cell.font.b for cell in sheet[1])
    assert not any(cell.font.b for cell in sheet[2])
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == f"A1:J{ROWS + 1}"
    # Wide enough for the value and the arrow of the filter.
    assert 10 <= sheet.column_dimensions["G"].width <= 14
    assert 22 <= sheet.column_dimensions["H"].width <= 26
    assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)


def test_pandas_reads_the_same_values(saved: Path, frame: pandas.DataFrame) -> None:
    read = pandas.read_excel(saved, dtype={"code": str, "id": str}, na_filter=False)
    assert read["code"].tolist() == frame["code"].tolist()
    assert read["id"].tolist() == frame["id"].astype(str).tolist()
    for name in ("n", "x", "text", "flag", "day", "at"):
        assert read[name].tolist() == frame[name].tolist(), name


def test_our_reader_reads_the_same_frame(saved: Path, frame: pandas.DataFrame) -> None:
    read = hs.charge(saved)
    for name in frame.columns.drop("id"):
        left, right = read[name], frame[name]
        assert left.isna().tolist() == right.isna().tolist(), name
        assert left.dropna().tolist() == right.dropna().tolist(), name
    assert read["id"].tolist() == frame["id"].astype(str).tolist()
    assert str(read["gap"].dtype) == "Int64"


def test_sheets_by_name_are_seen_by_openpyxl(tmp_path: Path) -> None:
    path = tmp_path / "two.xlsx"
    frames = {
        "Größe & <Ümlaut> €": pandas.DataFrame({"a": [1]}),
        "b": pandas.DataFrame({"t": ["x"], "empty": [None]}),
    }
    hs.sauve(path, frames)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == list(frames)
    assert book["b"]["A2"].value == "x"
    assert book["b"]["B2"].value is None


def test_times_and_durations_are_times_in_openpyxl(tmp_path: Path) -> None:
    path = tmp_path / "times.xlsx"
    times = [datetime.time(8, 30), datetime.time(23, 59, 59), None]
    lengths = [datetime.timedelta(hours=30, minutes=5), datetime.timedelta(0), None]
    hs.sauve(path, pandas.DataFrame({"clock": times, "length": lengths}))
    sheet = openpyxl.load_workbook(path).active
    assert sheet is not None
    rows = list(sheet.iter_rows(min_row=2, values_only=True))
    assert rows == [
        (times[0], lengths[0]),
        (times[1], lengths[1]),
    ]
    assert sheet["B2"].number_format == "[h]:mm:ss"


def test_equal_frames_give_equal_bytes(saved: Path, frame: pandas.DataFrame) -> None:
    again = saved.with_name("again.xlsx")
    hs.sauve(again, frame)
    assert again.read_bytes() == saved.read_bytes()
    with zipfile.ZipFile(saved) as archive:
        assert archive.testzip() is None


soffice = shutil.which("soffice")
needs_soffice = pytest.mark.skipif(soffice is None, reason="soffice is not installed")


def convert(path: Path, wanted: str, folder: Path) -> Path:
    """The file as LibreOffice saves it in another format."""
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = [str(soffice), profile, "--headless", "--convert-to", wanted]
    command += ["--outdir", str(folder), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return folder / f"{path.stem}.{wanted.partition(':')[0]}"


@needs_soffice
def test_libreoffice_shows_the_values(
    saved: Path, frame: pandas.DataFrame, tmp_path: Path
) -> None:
    # Every cell as shown, in quotes when it is text: separator, quote, UTF-8, first line, formats of
    # columns, language, quote all texts, numbers as shown.
    shown = convert(
        saved, "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true", tmp_path
    )
    with shown.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == list(frame.columns)
    assert len(rows) == ROWS + 1
    for number in (0, 1, 2, 7, 8, ROWS - 1):
        row = dict(zip(rows[0], rows[number + 1], strict=True))
        assert row["n"] == str(number)
        assert row["text"] == LOOKS[number % len(LOOKS)]
        assert row["words"] == (f"word {number}" if number % 5 else "")
        assert row["flag"] == ("TRUE" if number % 2 == 0 else "FALSE")
        assert row["day"] == frame["day"][number].strftime("%Y-%m-%d")
        at = frame["at"][number].strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
        assert row["at"] == at
        assert row["code"] == f"{number:05}"
        assert row["id"] == str(10**17 + number)


@needs_soffice
def test_what_libreoffice_saves_anew_is_read_the_same(
    saved: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "anew"
    folder.mkdir()
    again = convert(saved, "xlsx", folder)
    ours, theirs = hs.charge(saved), hs.charge(again)
    assert list(ours.columns) == list(theirs.columns)
    for name in ours.columns:
        left, right = ours[name], theirs[name]
        assert left.isna().tolist() == right.isna().tolist(), name
        pairs = zip(left.dropna(), right.dropna(), strict=True)
        if name == "x":
            # LibreOffice keeps 15 digits.
            assert all(abs(a - b) <= 1e-14 * abs(a) for a, b in pairs)
        else:
            assert all(a == b for a, b in pairs), name
