"""sauve at the border: what is taken, what is refused, what is printed, what comes back."""

import datetime as dt
import decimal
import gzip
import json
import os
import signal
import threading
import time
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headstart as hs


def again(path, **options):
    hs.options.quiet = True
    try:
        return hs.charge(path, **options)
    finally:
        hs.options.quiet = None


def test_it_says_what_it_wrote_and_returns_nothing(tmp_path, capsys):
    path = tmp_path / "a.csv"
    assert hs.sauve(path, pd.DataFrame({"a": [1, 2], "b": ["x", None]})) is None
    assert capsys.readouterr().out == f"{path}: 2 rows x 2 columns, 11 bytes\n"
    assert path.read_bytes() == b"a,b\n1,x\n2,\n"
    hs.options.quiet = True
    hs.sauve(path, pd.DataFrame({"a": [1]}))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "name", ["a.csv", "a.tsv", "a.jsonl", "a.json", "a.csv.gz", "a.json.zst"]
)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "lazy"])
def test_a_frame_comes_back_equal(tmp_path, name, library):
    frame = pd.DataFrame(
        {
            "id": pd.array([1, None, 2**63 - 1], dtype="Int64"),
            "code": ["00042", "007", None],
            "text": ["a,b", 'say "hi"', "line\nbreak"],
            "share": [0.1, np.nan, 1e300],
            "paid": pd.array([True, None, False], dtype="boolean"),
        }
    )
    frame["code"] = frame["code"].astype("str")
    made = pl.from_pandas(frame)
    given = {
        "pandas": frame,
        "polars": made,
        "pyarrow": made.to_arrow(),
        "lazy": made.lazy(),
    }
    path = tmp_path / name
    hs.sauve(path, given[library])
    pd.testing.assert_frame_equal(again(path), frame, check_column_type=False)


def test_days_of_pandas_stay_days_in_text(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("day,moment\n2026-01-31,2026-01-31 08:00:00\n,\n")
    frame = again(path)
    assert str(frame["day"].dtype) == "datetime64[us]"
    hs.sauve(tmp_path / "b.csv", frame)
    assert (tmp_path / "b.csv").read_bytes() == path.read_bytes()
    hs.sauve(tmp_path / "c.csv", pl.from_pandas(frame))
    assert "2026-01-31 00:00:00," in (tmp_path / "c.csv").read_text()


def test_every_kind_of_pandas_column_has_a_form(tmp_path, capsys):
    frame = pd.DataFrame(
        {
            "zoned": pd.date_range("2026-01-01", periods=2, tz="Europe/Paris"),
            "span": pd.to_timedelta([1, None], unit="s"),
            "price": [decimal.Decimal("1.10"), None],
            "lists": [[1, 2], []],
            "dicts": [{"a": 1}, None],
            "category": pd.Categorical(["x", None]),
            "bins": pd.cut([1, 2], 2),
            "month": pd.period_range("2026-01", periods=2, freq="M"),
            "ids": [uuid.UUID(int=1), None],
            "mixed": pd.Series([1, "1"], dtype=object),
            "time": [dt.time(8, 30), None],
            "arrow": pd.array([1, None], dtype=pd.ArrowDtype(pa.int32())),
        }
    )
    hs.sauve(tmp_path / "a.csv", frame)
    assert (tmp_path / "a.csv").read_text().splitlines()[1] == (
        '2025-12-31 23:00:00+00:00,00:00:01,1.10,"[1,2]","{""a"":1}",x,"(0.999, 1.5]",2026-01,'
        "00000000-0000-0000-0000-000000000001,1,08:30:00,1"
    )
    said = capsys.readouterr().out
    for told in (
        "Europe/Paris",
        '"span" (duration)',
        '"price"',
        '"lists" (list, as JSON)',
    ):
        assert told in said
    assert len(said.splitlines()) <= 6
    hs.sauve(tmp_path / "a.jsonl", frame)
    first = json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])
    assert (first["lists"], first["dicts"], first["mixed"]) == ([1, 2], {"a": 1}, 1)
    second = json.loads((tmp_path / "a.jsonl").read_text().splitlines()[1])
    assert second["mixed"] == "1"
    assert "kept as JSON text" not in capsys.readouterr().out


def test_names_that_repeat_or_are_no_text(tmp_path, capsys):
    frame = pd.DataFrame([[1, "a", 2.5]])
    frame.columns = pd.Index(["x", "x", 7], dtype=object)
    hs.sauve(tmp_path / "a.csv", frame)
    assert (tmp_path / "a.csv").read_text() == "x,x,7\n1,a,2.5\n"
    assert 'blank or repeat: "x" as "x.1"' in capsys.readouterr().out
    hs.sauve(tmp_path / "a.json", frame)
    assert json.loads((tmp_path / "a.json").read_text()) == [
        {"x": 1, "x.1": "a", "7": 2.5}
    ]


def test_an_index_is_left_out_and_told(tmp_path, capsys):
    hs.sauve(tmp_path / "a.csv", pd.DataFrame({"a": [1]}, index=["x"]))
    assert (tmp_path / "a.csv").read_text() == "a\n1\n"
    assert "reset_index()" in capsys.readouterr().out


def test_records_keep_their_keys_and_nesting_in_json(tmp_path):
    records: list[dict[str, object]] = [{"b": 1, "a": [{"x": None}]}, {"a": {}}, {}]
    for name, lines in (("a.json", False), ("a.jsonl", True)):
        path = tmp_path / name
        hs.sauve(path, records)
        text = path.read_text()
        read = (
            [json.loads(line) for line in text.splitlines()]
            if lines
            else json.loads(text)
        )
        assert read == records
        assert [list(record) for record in read] == [["b", "a"], ["a"], []]
    hs.sauve(tmp_path / "a.csv", records)
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == "b,a"


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.5, None, True], "b": {"c": "é\n"}},
        [1, "x", None],
        [],
        {},
        7,
        2**80,
        None,
        True,
        [[{"deep": [[]]}]],
    ],
)
def test_any_plain_value_goes_into_json(tmp_path, value):
    path = tmp_path / "a.json"
    hs.sauve(path, value)
    assert json.loads(path.read_text()) == value


def test_values_beside_those_of_json(tmp_path, capsys):
    path = tmp_path / "a.json"
    hs.sauve(
        path,
        {
            "d": dt.date(2026, 1, 31),
            "x": float("nan"),
            "y": float("inf"),
            3: (1,),
            "n": np.int64(5),
        },
    )
    assert json.loads(path.read_text()) == {
        "d": "2026-01-31",
        "x": None,
        "y": None,
        "3": [1],
        "n": 5,
    }
    said = capsys.readouterr().out
    assert "1 infinite value is written as null" in said
    assert "1 key is written as text" in said


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.csv", "text", "sauve saves data, not text"),
        ("a.json", b"bytes", "sauve saves data, not text"),
        ("a.json", "text", "sauve saves data, not text"),
        ("a.csv", {"a": 1}, "found dict"),
        ("a.csv", [1, 2], "found int at position 0"),
        ("a.csv", 7, "found int"),
        ("a.csv", None, "found NoneType"),
        ("a.csv", pd.Series([1]), "found pandas Series"),
        ("a.json", pl.Series([1]), "found polars Series"),
        ("a.csv", {"a": pd.DataFrame({"x": [1]})}, "found a dict of frames"),
        ("a.json", {"a": pd.DataFrame({"x": [1]})}, "found a dict of frames"),
        ("a.json", {"a": [1, object()]}, 'at "a.1": expected dicts'),
        ("a.json", {"a": b"x"}, 'at "a": JSON has no form for bytes'),
        ("a.jsonl", {"a": 1}, "expected a frame or a list of dicts for jsonl"),
        (
            "a.csv",
            pd.DataFrame({"b": [None, b"x"]}),
            'column "b", row 2: csv has no form for bytes',
        ),
        (
            "a.jsonl",
            pl.DataFrame({"b": [[b"x"]]}),
            'column "b", row 1: jsonl has no form for bytes',
        ),
        ("a.csv", pd.DataFrame(), "expected at least one column"),
    ],
)
def test_what_has_no_form_is_refused_and_the_old_file_stays(
    tmp_path, name, data, words
):
    path = tmp_path / name
    path.write_text("old")
    with pytest.raises(hs.TypeMismatchError) as caught:
        hs.sauve(path, data)
    assert words in str(caught.value)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [name]


def test_arguments_are_checked(tmp_path):
    frame = pd.DataFrame({"a": [1]})
    for arguments, kind in [
        ((7, frame), TypeError),
        ((b"a.csv", frame), TypeError),
        ((tmp_path / "a", frame), ValueError),
        ((tmp_path / "a.parquet.gz", frame), ValueError),
        ((tmp_path / "no" / "a.csv", frame), FileNotFoundError),
        ((tmp_path, frame), ValueError),
    ]:
        with pytest.raises(kind) as caught:
            hs.sauve(*arguments)
        assert isinstance(caught.value, hs.Error)
        assert caught.value.hint
    with pytest.raises(hs.ArgumentError, match="sheet means nothing"):
        hs.sauve(tmp_path / "a.csv", frame, sheet="Jan")
    with pytest.raises(hs.TypeMismatchError, match="overwrite"):
        hs.sauve(tmp_path / "a.csv", frame, overwrite="no")


def test_a_file_stays_when_it_may_not_be_replaced(tmp_path):
    path = tmp_path / "a.csv"
    frame = pd.DataFrame({"a": [1]})
    hs.sauve(path, frame, overwrite=False)
    with pytest.raises(FileExistsError) as caught:
        hs.sauve(path, frame.assign(a=2), overwrite=False)
    assert isinstance(caught.value, hs.FilePresentError)
    assert "leave out overwrite=False" in str(caught.value)
    assert path.read_text() == "a\n1\n"


def test_the_home_folder_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    hs.sauve("~/a.csv.gz", [{"a": 1}])
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()) == b"a\n1\n"


def test_the_data_is_not_changed(tmp_path):
    frame = pd.DataFrame(
        {"a": [1, None], "d": pd.to_datetime(["2026-01-01", None])}, index=[3, 4]
    )
    before = frame.copy(deep=True)
    hs.sauve(tmp_path / "a.csv", frame)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl.gz"])
def test_ctrl_c_leaves_the_old_file(tmp_path, name):
    path = tmp_path / name
    path.write_text("old")
    frame = pl.DataFrame({f"c{column}": range(1_000_000) for column in range(40)})
    asked = []

    def press():
        asked.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.1, press).start()
        with pytest.raises(KeyboardInterrupt):
            hs.sauve(path, frame)
        # Half a second on a machine of its own; all of the work takes several.
        assert time.monotonic() - asked[0] < 2
    finally:
        signal.signal(signal.SIGINT, before)
    assert path.read_text() == "old"
    deadline = time.monotonic() + 10
    while os.listdir(tmp_path) != [name] and time.monotonic() < deadline:
        time.sleep(0.02)
    assert os.listdir(tmp_path) == [name]
    hs.sauve(path, [{"a": 1}])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_told():
    with pytest.raises(hs.ReadError, match="the disk is full"):
        frame = pl.DataFrame({"a": range(100_000)})
        os.symlink("/dev/full", link := f"/tmp/hs-full-{os.getpid()}.csv")
        try:
            hs.sauve(link, frame)
        finally:
            os.unlink(link)


def test_a_relation_and_a_native_table_are_frames(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    hs.sauve(tmp_path / "a.csv", duckdb.sql("select 1::bigint as a, 'x' as b"))
    assert (tmp_path / "a.csv").read_text() == "a,b\n1,x\n"
    table = hs.Table.from_arrow(pa.table({"a": [1]}))
    hs.sauve(tmp_path / "b.csv", table)
    assert (tmp_path / "b.csv").read_text() == "a\n1\n"


def test_times_beside_midnight_do_not_become_midnight(tmp_path):
    path = tmp_path / "a.xlsx"
    moments = pd.Series(["2026-01-01 12:00", "9999-12-31 23:59:59.999999"])
    frame = pd.DataFrame(
        {
            "time": [dt.time(23, 59, 59, 999999), dt.time(12, 0, 0, 1)],
            "until": moments.astype("datetime64[us]"),
        }
    )
    hs.sauve(path, frame)
    back = again(path)
    assert back["time"].tolist() == frame["time"].tolist()
    assert back["until"].tolist() == frame["until"].tolist()


@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet", "a.arrow"])
def test_whole_numbers_of_128_bits_keep_every_digit(tmp_path, name):
    path = tmp_path / name
    numbers = pl.Series([2**100, None, -5], dtype=pl.Int128)
    hs.sauve(path, pl.DataFrame({"c": numbers}))
    back = again(path)["c"]
    assert str(back[0]) == str(2**100)
    assert pd.isna(back[1])
    assert str(back[2]) == "-5"


def test_bytes_inside_a_list_or_dict_are_refused_in_a_workbook(tmp_path):
    path = tmp_path / "a.xlsx"
    for value in ({"a": b"x"}, [b"x"]):
        with pytest.raises(hs.TypeMismatchError, match='row 2, column "c".*bytes'):
            hs.sauve(path, [{"c": None}, {"c": value}])
    assert not path.exists()


def test_what_becomes_of_values_on_the_way_in_is_told_for_json_too(tmp_path, capsys):
    huge = pd.Series([10**30, -1], dtype=object)
    hs.sauve(tmp_path / "a.json", pd.DataFrame({"z": huge}))
    assert '"z"' in capsys.readouterr().out
    hs.sauve(tmp_path / "b.xlsx", pd.DataFrame({"o": [1, "a"]}))
    assert "JSON text" not in capsys.readouterr().out


def test_categories_that_are_not_kept_are_told(tmp_path, capsys):
    levels = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"level": pd.Series(["high", "low", None], dtype=levels)})
    for name in ("a.parquet", "a.arrow"):
        hs.sauve(tmp_path / name, frame)
        assert capsys.readouterr().out.splitlines()[1:] == [
            'column "level": the order of its categories is not kept',
            'column "level": 1 category without a row not kept',
        ]
    hs.sauve(tmp_path / "a.csv", frame)
    assert "order" not in capsys.readouterr().out
    enum = pl.DataFrame({"level": pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"]))})
    hs.sauve(tmp_path / "b.parquet", enum)
    assert "(Enum)" in capsys.readouterr().out


def test_objects_that_become_something_else_are_told(tmp_path, capsys):
    ids = [uuid.UUID(int=1), uuid.UUID(int=2), None]
    frame = pd.DataFrame({"id": ids, "tags": [{"x"}, {"y"}, None]})
    hs.sauve(tmp_path / "a.parquet", frame)
    said = capsys.readouterr().out
    assert 'column "id": 2 objects taken as text (first: UUID)' in said
    assert 'column "tags": 2 sets taken as lists' in said
    dicts = pd.DataFrame({"d": [{"a": 1}, {"b": 2}, {"a": 1, "b": 2}, None]})
    hs.sauve(tmp_path / "b.parquet", dicts)
    assert (
        'column "d": 2 dicts lack keys of others, taken as missing'
        in capsys.readouterr().out
    )
    hs.sauve(tmp_path / "c.parquet", pd.DataFrame({"d": [{"a": 1}, {"a": None}]}))
    assert "lack" not in capsys.readouterr().out
