"""Records, a list of dicts: the same rules as for JSON files."""

import datetime as dt
import decimal
import math
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import headstart as hs
from headstart import _headstart


def table(records: list[dict[object, object]]) -> _headstart.Table:
    return _headstart.records(records)


def told(records: list[dict[object, object]]) -> list[str]:
    return [note["text"] for note in table(records).notes]


def test_keys_come_in_the_order_in_which_they_are_first_seen() -> None:
    records: list[dict[object, object]] = [{"b": 1}, {}, {"a": 2, "b": 3}, {"c": 4}]
    found = table(records)
    assert found.columns == ["b", "a", "c"]
    assert found.to_dicts() == [
        {"b": 1, "a": None, "c": None},
        {"b": None, "a": None, "c": None},
        {"b": 3, "a": 2, "c": None},
        {"b": None, "a": None, "c": 4},
    ]


def test_missing_values_of_every_kind_and_empty_ones_stay_apart() -> None:
    values = [None, math.nan, pd.NA, pd.NaT, [], {}, [None]]
    lists = table([{"x": value} for value in values if not isinstance(value, dict)])
    assert lists.column_values(0) == [None, None, None, None, [], [None]]
    dicts = table([{"x": {}}, {"x": None}, {"x": {"k": None}}])
    assert dicts.column_values(0) == [{"k": None}, None, {"k": None}]


def test_whole_numbers_are_exact_at_any_size() -> None:
    small = table([{"n": 2**63 - 1}, {"n": None}, {"n": -(2**63)}])
    assert small.types == ["int"]
    assert small.column_values(0) == [2**63 - 1, None, -(2**63)]
    unsigned = table([{"n": 2**64 - 1}, {"n": 0}])
    assert unsigned.column_values(0) == [2**64 - 1, 0]
    beyond: list[dict[object, object]] = [{"n": 2**64}, {"n": 5}]
    assert table(beyond).column_values(0) == ["18446744073709551616", "5"]
    assert told(beyond) == [
        'column "n": whole numbers beyond 64 bits, kept as text of their digits'
    ]


def test_values_that_do_not_go_together_become_json_text() -> None:
    records: list[dict[object, object]] = [
        {"x": 1},
        {"x": {"z": 1, "a": [dt.date(2026, 1, 2)]}},
        {"x": "é"},
        {},
    ]
    assert table(records).column_values(0) == [
        "1",
        '{"z":1,"a":["2026-01-02"]}',
        '"é"',
        None,
    ]
    assert told(records) == ['column "x": int, object and text, kept as JSON text']


def test_keys_that_are_one_as_text_keep_the_last_value_and_are_told() -> None:
    assert told([{"a": 0}, {1: "first", "1": "last"}]) == [
        '1 repeated key, the last value is kept (first: "1" in record 2)'
    ]
    inside: list[dict[object, object]] = [{"x": {1: "first", "b": 2, "1": "last"}}]
    assert table(inside).column_values(0) == [{"1": "last", "b": 2}]
    assert told(inside) == [
        '1 repeated key in dicts inside, the last value is kept (first: "1")'
    ]


def test_digits_in_text_stay_text() -> None:
    found = table([{"code": "00042"}, {"code": "7"}])
    assert found.types == ["text"]
    assert found.column_values(0) == ["00042", "7"]


def test_a_few_keys_in_common_are_enough() -> None:
    records: list[dict[object, object]] = [
        {"id": row, f"k{row % 400}": row} for row in range(2_000)
    ]
    found = table(records)
    assert (len(found), len(found.columns)) == (2_000, 401)
    assert found.column_values(400)[399:401] == [399, None]
    assert found.column_values(1)[:2] == [0, None]


def test_what_is_no_dict_is_named_with_its_position() -> None:
    with pytest.raises(hs.TypeMismatchError, match="found int at position 1"):
        _headstart.records([{"a": 1}, 2])  # type: ignore[list-item]


def test_values_of_every_type_keep_their_rows_where_others_lack_the_key() -> None:
    values = {
        "int": [1, 2],
        "wide": [2**64 - 1, 2],
        "float": [0.5, 1.5],
        "bool": [True, False],
        "text": ["a longer text than twelve bytes", ""],
        "bytes": [b"a", b"\xff"],
        "day": [dt.date(2026, 1, 1), dt.date(1, 1, 1)],
        "moment": [dt.datetime(2026, 1, 1, 8), dt.datetime(2026, 1, 2, 8)],
        "time": [dt.time(8), dt.time(9)],
        "span": [dt.timedelta(1), dt.timedelta(2)],
        "decimal": [decimal.Decimal("1.10"), decimal.Decimal("2.05")],
        "list": [[1], []],
        "dict": [{"a": 1}, {"a": 2}],
        "mixed": [1, "x"],
    }
    for kind, (first, second) in values.items():
        key: object = kind
        found = table([{"id": 0}, {key: first}, {"id": 1}, {"id": 2}, {key: second}])
        shown = ["1", '"x"'] if kind == "mixed" else [first, second]
        assert found.columns == ["id", kind]
        assert found.column_values(1) == [None, shown[0], None, None, shown[1]], kind
        assert found.column_values(0) == [0, None, 1, 2, None]


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="needs Linux's /proc"
)
def test_rare_keys_take_memory_for_what_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "rare.jsonl"
    path.write_text("".join(f'{{"key {row}": {row}}}\n' for row in range(5_000)))
    script = f"""
from pathlib import Path
from headstart.charge import load
def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(dict(line.split(":", 1) for line in lines)["VmHWM"].split()[0]) / 1024
before = peak()
table, _ = load({str(path)!r})
assert table.shape == (5_000, 5_000)
print(peak() - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    # 25 million values of 8 bytes would be 200 MB.
    assert float(done.stdout.splitlines()[-1]) < 150
