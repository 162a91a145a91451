"""The types of interroge: its values in every library against those of Google's own client, on one server."""

import datetime as dt
import json
import math
from decimal import Decimal
from typing import Any

import pytest
from google.cloud.bigquery import Client, QueryJobConfig
from scripted_bigquery import ScriptedBigQuery

import headstart as hs

LIBRARIES = ["pandas", "polars", "pyarrow"]
CAP = "1 GiB"

pytestmark = pytest.mark.usefixtures("bigquery")


def asked(sql: str, library: str) -> Any:
    hs.options.frames = library
    return hs.interroge(sql, cap=CAP)


def rows(frame: Any, library: str) -> list[dict[str, Any]]:
    """The rows as dicts of Python values, missing ones None."""
    if library == "polars":
        return frame.to_dicts()
    if library == "pyarrow":
        return frame.to_pylist()
    columns = {name: cells(frame[name]) for name in frame.columns}
    return [
        dict(zip(columns, values, strict=True))
        for values in zip(*columns.values(), strict=True)
    ]


def cells(column: Any) -> list[Any]:
    """The values of a pandas column as Python has them. Missing floats stay NaN: pandas has no other."""
    values = column.tolist()
    if column.dtype == object or column.dtype == "float64":
        return values
    plain = [
        getattr(value, "to_pydatetime", lambda value=value: value)() for value in values
    ]
    return [
        None if missing else value
        for value, missing in zip(plain, column.isna(), strict=True)
    ]


def google(sql: str) -> list[dict[str, Any]]:
    """What Google's client gives for the same."""
    client = Client(project="p1")
    result = client.query(sql, job_config=QueryJobConfig(maximum_bytes_billed=2**30))
    return [dict(row.items()) for row in result.result()]


def same(ours: Any, theirs: Any) -> bool:
    """True for equal values of equal meaning: a bool is no number, a float no decimal."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(
            same(ours[key], theirs[key]) for key in ours
        )
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float) and math.isnan(ours):
        return math.isnan(theirs)
    return type(ours) is type(theirs) and ours == theirs


def assert_same(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> None:
    assert len(ours) == len(theirs)
    for number, (our, their) in enumerate(zip(ours, theirs, strict=True)):
        assert list(our) == list(their)
        for name in our:
            assert same(our[name], their[name]), (
                f"row {number}, {name}: {our[name]!r} is not {their[name]!r}"
            )


def as_google_has_them(
    found: list[dict[str, Any]], library: str
) -> list[dict[str, Any]]:
    """Our rows of `d.types` with what we keep as text parsed, and pandas' days as days."""
    for number, row in enumerate(found):
        # 77 digits are text everywhere, and JSON is.
        row["big"] = row["big"] and Decimal(row["big"])
        row["j"] = row["j"] and json.loads(row["j"])
        if library == "pandas":
            row["d"] = row["d"] and row["d"].date()
            # A float that is missing is NaN there, as the one that is none.
            if number == 3:
                assert math.isnan(row["f"])
                row["f"] = None
    return found


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_type_is_what_googles_client_gives(library: str):
    theirs = google("SELECT all_types")
    ours = rows(asked("SELECT all_types", library), library)
    intervals = [row.pop("iv") for row in ours]
    # Google's client makes objects of another library of them.
    assert intervals == [
        "1-2 3 4:5:6.789",
        "-1-2 -3 -4:5:6",
        "0-0 0 0:0:0.000001",
        None,
    ]
    for row in theirs:
        del row["iv"]
    assert len(theirs[0]) == 18
    assert_same(as_google_has_them(ours, library), theirs)


@pytest.mark.parametrize("library", LIBRARIES)
def test_records_in_lists_in_records(library: str):
    sql = "SELECT * FROM d.orders"
    assert_same(rows(asked(sql, library), library), google(sql))


@pytest.mark.parametrize("library", LIBRARIES)
def test_moments_whose_microseconds_no_float_holds(library: str):
    sql = "SELECT * FROM d.moments"
    ours = rows(asked(sql, library), library)
    assert_same(ours, google(sql))
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    micros = [
        (next(iter(row.values())) - epoch) // dt.timedelta(microseconds=1)
        for row in ours
    ]
    assert micros[:4] == [-19954383398377106, 1577934245123456, 0, 253402300799999999]


def test_the_types_of_each_library():
    import polars
    import pyarrow

    frame = asked("SELECT all_types", "polars")
    utc = polars.Datetime("us", "UTC")
    inner = {"x": polars.Float64, "y": polars.Decimal(38, 9)}
    record = polars.Struct(
        {
            "name": polars.String,
            "at": utc,
            "tags": polars.List(polars.String),
            "place": polars.Struct(inner),
        }
    )
    text = polars.String
    assert list(frame.schema.items()) == [
        ("i", polars.Int64),
        ("f", polars.Float64),
        ("b", polars.Boolean),
        ("n", polars.Decimal(38, 9)),
        ("big", text),
        ("s", text),
        ("g", text),
        ("j", text),
        ("y", polars.Binary),
        ("d", polars.Date),
        ("t", polars.Time),
        ("dt", polars.Datetime("us")),
        ("ts", utc),
        ("iv", text),
        ("r", polars.Struct({"start": polars.Date, "end": polars.Date})),
        ("rts", polars.Struct({"start": utc, "end": utc})),
        ("money", polars.Decimal(38, 9)),
        ("list", polars.List(polars.Int64)),
        ("recs", polars.List(record)),
    ]
    schema = asked("SELECT all_types", "pyarrow").schema
    assert schema.field("n").type == pyarrow.decimal128(38, 9)
    assert schema.field("ts").type == pyarrow.timestamp("us", "UTC")
    assert schema.field("d").type == pyarrow.date32()
    dtypes = asked("SELECT all_types", "pandas").dtypes
    assert {name: str(dtype) for name, dtype in dtypes.items() if dtype != object} == {
        "i": "Int64",
        "f": "float64",
        "b": "boolean",
        "big": "str",
        "s": "str",
        "g": "str",
        "j": "str",
        "d": "datetime64[us]",
        "dt": "datetime64[us]",
        "ts": "datetime64[us, UTC]",
        "iv": "str",
    }


def test_a_result_without_rows_has_the_same_types():
    some = asked("SELECT * FROM d.types", "polars").schema
    none = asked("SELECT * FROM d.types LIMIT 0", "polars")
    assert none.height == 0
    # No digits, no text of them.
    assert dict(none.schema) | {"big": some["big"]} == dict(some)


def test_what_is_not_of_the_expected_type_is_told(capsys: pytest.CaptureFixture[str]):
    asked("SELECT all_types", "polars")
    assert (
        'column "big": decimals beyond 38 digits, kept as text of their digits'
        in capsys.readouterr().out
    )


def test_a_precision_below_a_microsecond_is_told(capsys: pytest.CaptureFixture[str]):
    ours = asked("SELECT * FROM d.picoseconds", "polars")
    assert ours["at"].to_physical().to_list() == [-19954383398377106, 1577934245123456]
    told = capsys.readouterr().out
    assert 'column "at": of a precision below a microsecond' in told


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_type_that_nobody_knows_is_text_and_told(
    library: str, capsys: pytest.CaptureFixture[str]
):
    sql = "SELECT * FROM d.future"
    ours = rows(asked(sql, library), library)
    with pytest.warns(FutureWarning):
        theirs = google(sql)
    assert_same(ours, theirs)
    assert "is not known, kept as text: column" in capsys.readouterr().out


def test_pages_of_many_rows_are_what_googles_client_gives(bigquery: ScriptedBigQuery):
    bigquery.options(big_rows=5000, page_rows={"big": 700})
    sql = "SELECT * FROM d.big"
    bigquery.clear()
    ours = rows(asked(sql, "pyarrow"), "pyarrow")
    assert len(bigquery.log("GET", "/queries/")) == 8
    assert_same(ours, google(sql))


@pytest.mark.parametrize("library", LIBRARIES)
def test_other_functions_take_what_comes_back(library: str, tmp_path):
    frame = asked("SELECT all_types", library)
    hs.montre(frame)
    assert len(hs.decris(frame)) == 19
    assert len(hs.combien(frame, "big")) == 4
    assert len(hs.compare(frame, frame, "i")) == 0
    assert len(hs.joins(frame, frame, "i")) == 4
    files = [tmp_path / "types.parquet", tmp_path / "types.arrow"]
    for path in files:
        hs.sauve(path, frame)
    wanted = rows(frame, library)
    if library == "pandas":
        # A NaN inside a dict is missing to functions that take frames of pandas, as one beside it is.
        place = wanted[1]["recs"][0]["place"]
        assert math.isnan(place["x"])
        place["x"] = None
    for path in files:
        assert_same(rows(hs.charge(path), library), wanted)
