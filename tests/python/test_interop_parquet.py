"""parquet and arrow between libraries: theirs read by headstart, ours read by them, values equal."""

import datetime
import decimal
import zoneinfo
from pathlib import Path
from typing import Any

import pytest

import headstart as hs

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
polars = pytest.importorskip("polars")
parquet = pytest.importorskip("pyarrow.parquet")

UTC = datetime.UTC
PARIS = zoneinfo.ZoneInfo("Europe/Paris")


def table() -> Any:
    """A column of every type that Arrow and parquet share, with a gap in each."""
    moment = datetime.datetime(2026, 1, 31, 23, 59, 59, 999_999)
    columns: dict[str, Any] = {
        "bool": [True, None, False],
        "i8": pyarrow.array([-128, None, 127], pyarrow.int8()),
        "u8": pyarrow.array([0, None, 255], pyarrow.uint8()),
        "i16": pyarrow.array([-(2**15), None, 2**15 - 1], pyarrow.int16()),
        "u32": pyarrow.array([0, None, 2**32 - 1], pyarrow.uint32()),
        "i64": [-(2**63), None, 2**63 - 1],
        "u64": pyarrow.array([0, None, 2**64 - 1], pyarrow.uint64()),
        "f32": pyarrow.array([1.5, None, -0.0], pyarrow.float32()),
        "f64": [5e-324, None, float("inf")],
        "text": ["00042", None, "é\0"],
        "bytes": [b"\x00\xff", None, b""],
        "date": [datetime.date(1, 1, 1), None, datetime.date(9999, 12, 31)],
        "us": [moment, None, datetime.datetime(1500, 3, 1)],
        "utc": pyarrow.array([moment, None, moment], pyarrow.timestamp("us", tz="UTC")),
        "paris": pyarrow.array(
            [moment, None, moment], pyarrow.timestamp("us", tz="Europe/Paris")
        ),
        "time": [datetime.time(23, 59, 59, 999_999), None, datetime.time(0)],
        "duration": pyarrow.array(
            [datetime.timedelta(days=-1), None, datetime.timedelta(microseconds=1)],
            pyarrow.duration("us"),
        ),
        "dec": pyarrow.array(
            [decimal.Decimal("-0.01"), None, decimal.Decimal(10**35)],
            pyarrow.decimal128(38, 2),
        ),
        "category": pyarrow.array(["b", None, "a"]).dictionary_encode(),
        "list": [[1, None], None, []],
        "struct": [{"a": 1, "b": "x"}, None, {"a": None, "b": ""}],
        "nested": [[{"a": [1]}], None, [{"a": None}, None]],
    }
    return pyarrow.table(columns)


def values(frame: Any) -> dict[str, list[Any]]:
    """The values of any frame as plain Python, dictionaries by their values."""
    if isinstance(frame, pandas.DataFrame):
        frame = pyarrow.Table.from_pandas(frame, preserve_index=False)
    elif not isinstance(frame, pyarrow.Table):
        frame = pyarrow.table(frame)
    return frame.to_pydict()


def charge(path: Path, library: str = "pyarrow") -> Any:
    with_library = hs.options.frames
    hs.options.frames = library
    try:
        return hs.charge(str(path))
    finally:
        hs.options.frames = with_library


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
@pytest.mark.parametrize(
    "options",
    [
        {"compression": codec}
        for codec in ("none", "snappy", "gzip", "brotli", "lz4", "zstd")
    ]
    + [
        {"data_page_version": "2.0"},
        {"use_dictionary": False},
        {"row_group_size": 1},
        {"store_schema": False},
        {"version": "1.0"},
        {"use_byte_stream_split": ["f64"], "use_dictionary": False},
        {
            "column_encoding": {
                "i64": "DELTA_BINARY_PACKED",
                "text": "DELTA_BYTE_ARRAY",
            },
            "use_dictionary": False,
        },
    ],
    ids=str,
)
def test_what_pyarrow_writes(
    tmp_path: Path, options: dict[str, Any], library: str
) -> None:
    path = tmp_path / "a.parquet"
    whole = table()
    if not options.get("store_schema", True):
        # Without Arrow's own schema nobody knows that these are durations.
        whole = whole.drop_columns(["duration"])
    parquet.write_table(whole, path, **options)
    assert values(charge(path, library)) == values(parquet.read_table(path))


def test_what_polars_and_duckdb_write(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = polars.from_arrow(table())
    frame = frame.with_columns(
        polars.Series(
            "array", [[1, 2], None, [3, 4]], dtype=polars.Array(polars.Int64, 2)
        )
    )
    path = tmp_path / "polars.parquet"
    frame.write_parquet(path)
    assert values(charge(path)) == values(parquet.read_table(path))
    path = tmp_path / "polars.arrow"
    for options in (
        {},
        {"compression": "lz4"},
        {"compat_level": polars.CompatLevel.oldest()},
    ):
        frame.write_ipc(path, **options)
        assert values(charge(path)) == values(frame)
    path = tmp_path / "duckdb.parquet"
    known = table()
    duckdb.from_arrow(known.drop_columns(["duration"])).write_parquet(str(path))
    found, wanted = values(charge(path)), values(parquet.read_table(path))
    assert found == wanted
    duckdb.sql(
        "select map {'a': 1, 'b': null} m, '12:00'::time t, '24:00:00'::time late"
    ).write_parquet(str(path))
    late = charge(path)
    assert late.column("m").to_pylist() == [
        [{"key": "a", "value": 1}, {"key": "b", "value": None}]
    ]
    assert late.column("t").to_pylist() == [datetime.time(12)]
    assert late.column("late").to_pylist() == [datetime.timedelta(days=1)]


def test_int96_in_the_years_that_nanoseconds_hold(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    times = [
        datetime.datetime(1700, 1, 1, 1, 2, 3, 4),
        None,
        datetime.datetime(2262, 1, 1),
    ]
    parquet.write_table(
        pyarrow.table({"t": times, "l": [[times[0]], None, times]}),
        path,
        use_deprecated_int96_timestamps=True,
    )
    loaded = charge(path)
    assert loaded.column("t").to_pylist() == times
    assert loaded.column("l").to_pylist() == [[times[0]], None, times]
    assert loaded.schema.field("t").type == pyarrow.timestamp("us")


def test_categories_of_any_type_stay_categories(tmp_path: Path) -> None:
    frame = pandas.DataFrame(
        {
            "text": pandas.Categorical(["b", "a", None]),
            "number": pandas.Categorical([3, 1, 3]),
        }
    )
    path = tmp_path / "a.parquet"
    frame.to_parquet(path)
    loaded = charge(path, "pandas")
    assert [str(dtype) for dtype in loaded.dtypes] == ["category", "category"]
    assert list(loaded["number"]) == [3, 1, 3]
    assert list(loaded["text"])[:2] == ["b", "a"]


@pytest.fixture
def year_folder(tmp_path: Path) -> Path:
    """A dataset as pyarrow writes it, with the marks that Spark leaves."""
    whole = pyarrow.table(
        {
            "n": [1, 2, 3, 4],
            "year": [2024, 2024, 2025, None],
            "zone": ["01", "a b/c", "01", None],
        }
    )
    folder = tmp_path / "data"
    parquet.write_to_dataset(whole, folder, partition_cols=["year", "zone"])
    (folder / "_SUCCESS").touch()
    (folder / "year=2024" / ".part-0.parquet.crc").write_bytes(b"crc")
    return folder


def test_a_folder_with_keys(
    year_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = hs.charge(year_folder)
    rows = sorted(
        zip(frame["n"], frame["year"].astype(object), frame["zone"], strict=True)
    )
    assert [row[:2] for row in rows[:3]] == [(1, 2024), (2, 2024), (3, 2025)]
    assert [row[2] for row in rows[:3]] == ["01", "a b/c", "01"]
    assert pandas.isna(rows[3][1])
    assert pandas.isna(rows[3][2])
    assert list(frame.columns) == ["n", "year", "zone"]
    assert str(frame["year"].dtype) == "Int64"
    said = capsys.readouterr().out
    assert "4 rows x 3 columns, 4 files" in said
    assert "passed over 2 files, hidden or marks" in said
    pattern = hs.charge(
        str(year_folder / "year=*" / "**" / "*.parquet"), columns=["n", "year"]
    )
    assert list(pattern.columns) == ["n", "year"]
    assert list(hs.charge(f"{year_folder}/**/*.parquet").columns) == [
        "n",
        "year",
        "zone",
        "source",
    ]
    typed = hs.charge(year_folder, types={"zone": "text", "year": "text"})
    assert set(typed["year"].dropna()) == {"2024", "2025"}


def test_a_key_that_is_a_column_of_the_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for year, inside in ((2024, 2024), (2025, 1999)):
        folder = tmp_path / f"year={year}"
        folder.mkdir()
        parquet.write_table(
            pyarrow.table({"year": [inside], "n": [year]}), folder / "a.parquet"
        )
    frame = hs.charge(tmp_path)
    assert list(frame["year"]) == [2024, 1999]
    assert list(frame["year_"]) == [2024, 2025]
    assert 'those of the folders are in "year_"' in capsys.readouterr().out
    (tmp_path / "year=2025" / "a.parquet").unlink()
    assert list(hs.charge(tmp_path).columns) == ["year", "n"]


def test_the_first_rows_of_many_files(
    year_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = hs.charge(year_folder, rows=2, columns=["n"])
    assert len(frame) == 2
    assert "2 rows x 1 column, the first of 4" in capsys.readouterr().out


def test_folders_without_one_format(tmp_path: Path) -> None:
    with pytest.raises(hs.FileMissingError, match="no file that is"):
        hs.charge(tmp_path)
    (tmp_path / "a.csv").write_text("a\n1\n")
    assert list(hs.charge(tmp_path).columns) == ["a"]
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(hs.ArgumentError, match="found 1 csv, 1 jsonl"):
        hs.charge(tmp_path)
    parquet.write_table(pyarrow.table({"b": [1]}), tmp_path / "a.parquet")
    assert list(hs.charge(tmp_path).columns) == ["b"]
    (tmp_path / "_delta_log").mkdir()
    with pytest.raises(hs.FormatError, match="a Delta table"):
        hs.charge(tmp_path)


# Ours, read by them.


@pytest.fixture(params=["pyarrow", "polars", "pandas"])
def given(request: pytest.FixtureRequest) -> Any:
    """The same table in each library; pandas has no types for some of it."""
    whole = table()
    if request.param == "polars":
        return polars.from_arrow(whole)
    return whole.to_pandas() if request.param == "pandas" else whole


def test_pyarrow_reads_what_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    whole = table()
    hs.sauve(path, whole)
    back = parquet.read_table(path)
    assert values(back) == values(whole)
    types = {name: str(back.schema.field(name).type) for name in back.column_names}
    assert types["category"].startswith("dictionary<values=string")
    assert types["paris"] == "timestamp[us, tz=Europe/Paris]"
    assert types["duration"] == "duration[us]"
    assert types["text"] == "string"
    assert types["dec"] == "decimal128(38, 2)"
    found = parquet.ParquetFile(path).metadata
    assert found.row_group(0).column(0).compression == "ZSTD"
    names = [
        found.row_group(0).column(at).path_in_schema for at in range(found.num_columns)
    ]
    assert not any("index" in name for name in names)
    assert "list.list.element" in names


def test_polars_reads_what_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    hs.sauve(path, table())
    wanted = polars.from_arrow(table())
    found = polars.read_parquet(path)
    assert found.drop("category").equals(wanted.drop("category"))
    assert found["category"].cast(str).equals(wanted["category"].cast(str))


def test_duckdb_reads_what_is_saved(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "a.parquet"
    whole = table().drop_columns(["duration"])
    hs.sauve(path, whole)
    assert values(duckdb.read_parquet(str(path)).to_arrow_table()) == values(whole)


def test_what_is_saved_is_loaded_again(tmp_path: Path, given: Any) -> None:
    for name in ("a.parquet", "a.arrow"):
        path = tmp_path / name
        hs.sauve(path, given)
        back = charge(path)
        assert back.num_rows == 3
        found, wanted = values(back), values(table())
        # pyarrow itself makes floats of whole numbers with gaps on the way to pandas.
        exact = () if isinstance(given, pandas.DataFrame) else ("i64", "u64")
        for column in (
            *exact,
            "bool",
            "text",
            "bytes",
            "date",
            "us",
            "utc",
            "time",
            "duration",
            "dec",
            "category",
        ):
            assert found[column] == wanted[column], (name, column)


def test_units_are_microseconds_unless_digits_need_more(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    at = [1_000_000_000, None]
    frame = pyarrow.table(
        {
            "whole": pyarrow.array(at, pyarrow.timestamp("ns")),
            "fine": pyarrow.array([1, None], pyarrow.timestamp("ns")),
            "milli": pyarrow.array(at, pyarrow.timestamp("ms", tz="UTC")),
            "far": pyarrow.array([2**62, None], pyarrow.timestamp("ms")),
            "clock": pyarrow.array(at, pyarrow.time64("ns")),
            "fine clock": pyarrow.array([1, None], pyarrow.time64("ns")),
        }
    )
    hs.sauve(path, frame)
    types = [str(kind) for kind in parquet.read_table(path).schema.types]
    assert types == [
        "timestamp[us]",
        "timestamp[ns]",
        "timestamp[us, tz=UTC]",
        "timestamp[ms]",
        "time64[us]",
        "time64[ns]",
    ]


def test_what_parquet_cannot_carry_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.parquet"
    hs.sauve(path, pandas.DataFrame([[1, 2, 3]], columns=["a", "a", "a.1"]))
    assert (
        'names cannot repeat in parquet: "a" is "a.2" there' in capsys.readouterr().out
    )
    assert parquet.read_table(path).column_names == ["a", "a.2", "a.1"]
    hs.sauve(path, pandas.DataFrame({"m": [1, "x", [2]]}))
    assert 'written as JSON text: "m"' in capsys.readouterr().out
    assert parquet.read_table(path)["m"].to_pylist() == ["1", '"x"', "[2]"]
    hs.sauve(path, pandas.DataFrame({"d": [pandas.Timedelta(1, "s")]}))
    assert "parquet has no durations" in capsys.readouterr().out
    hs.sauve(path, pandas.DataFrame(index=range(3)))
    assert "a table without columns has no rows in parquet" in capsys.readouterr().out


def test_large_tables_have_row_groups_of_a_million(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    rows = 2**20 + 5
    hs.sauve(path, pyarrow.table({"n": range(rows), "t": ["x"] * rows}))
    found = parquet.ParquetFile(path).metadata
    groups = [found.row_group(at).num_rows for at in range(found.num_row_groups)]
    assert groups == [2**20, 5]
    assert parquet.read_table(path)["n"].to_pylist()[-1] == rows - 1
    first = hs.charge(path, rows=3)
    assert list(first["n"]) == [0, 1, 2]
