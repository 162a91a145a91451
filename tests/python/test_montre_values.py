"""montre of every kind of value: under 6,000 characters, quick, and nothing consumed or raised."""

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import io
import itertools
import time
import types

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headstart as hs

#: CPU seconds of one view; the goal is 0.05, the rest is for a busy machine.
SECONDS = 0.25


@pytest.fixture
def show(capsys):
    def run(value, n=40):
        start = time.process_time()
        assert hs.montre(value, n) is value
        took = time.process_time() - start
        text = capsys.readouterr().out
        assert len(text) <= 6000, len(text)
        assert took < SECONDS, f"{took:.3f} s"
        return text

    return run


@pytest.fixture(scope="module", autouse=True)
def libraries():
    """What the first frame imports is not part of a view."""
    hs.montre(pd.DataFrame({"a": ["x"]}))
    hs.montre(pl.DataFrame({"a": ["x"]}))


class Broken:
    def __repr__(self):
        raise ValueError("no repr")


class Leaves:
    def __repr__(self):
        raise SystemExit(3)


class Colours:
    def __repr__(self):
        return "\x1b[31mred\x1b[0m\r\x07"


class Order:
    def __init__(self):
        self.number = 7
        self.items = list(range(1_000_000))


@dataclasses.dataclass
class Point:
    x: int
    tail: object = None


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def test_a_wide_frame_names_every_column(show):
    frame = pd.DataFrame({f"column_{number}": [1.5] * 50 for number in range(200)})
    for wide in (frame, pl.from_pandas(frame), pa.table(frame)):
        text = show(wide)
        assert "50 rows x 200 columns" in text
        names = {word for word in text.split() if word.startswith("column_")}
        assert names == set(frame.columns)


def test_a_long_frame_is_not_converted_whole(show):
    rows = 1_000_000
    numbers = np.arange(rows)
    frame = pd.DataFrame({"n": numbers, "half": numbers / 2})
    frame["text"] = pd.Series(["00042"] * rows)
    frame["object"] = pd.Series([{"a": 1}] * rows, dtype=object)
    text = show(frame, 4)
    lines = [line.split() for line in text.splitlines()]
    assert lines[0][:5] == ["1,000,000", "rows", "x", "4", "columns,"]
    assert "more than" in text
    assert lines[2] == ["int", "float", "text", "object"]
    assert [line[0] for line in lines[3:]] == ["0", "1", "...", "999998", "999999"]
    assert '"00042"' in text
    assert "rows 2 to 999,997 hidden" in text
    # An index is told as with a short frame, and a plain one is not.
    assert "index" not in text
    assert "reset_index() first" in show(frame.set_index("text"), 4)
    plain = frame[["n", "text"]]
    for other in (pl.from_pandas(plain), pa.Table.from_pandas(plain)):
        text = show(other, 4)
        assert "1,000,000 rows x 2 columns" in text
        assert "999999  999999" in text


def test_the_types_of_a_long_frame_are_those_of_all_its_rows(show):
    values = ["a"] * 5000
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    assert show(frame, 4).splitlines()[2].split() == ["text"]
    values[2500] = 7
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    assert show(frame, 4).splitlines()[2].split() == ["object"]


def test_a_relation_is_read_no_further_than_shown(show):
    connection = duckdb.connect()
    endless = connection.sql("select range as n from range(10000000000)")
    text = show(endless, 4)
    assert "the first 4 rows of a duckdb relation, which was not read on" in text
    assert "4 rows x 1 column" in text
    few = connection.sql("select range as n from range(3)")
    assert show(few).startswith("3 rows x 1 column")
    assert few.fetchall() == [(0,), (1,), (2,)]


def test_large_containers_and_texts(show):
    assert "dict, 100,000 keys" in show({f"key{i}": "v" * 100 for i in range(100_000)})
    text = show("lorem ipsum " * 25_000)
    assert text.startswith("str, 300,000 characters:\n'lorem")
    assert "295,000 more characters" in text
    assert "list, 200,000 items" in show([{"a": i} for i in range(200_000)])
    assert "set, 1,000,000 items" in show(set(range(1_000_000)))
    assert "deque, 1,000 items" in show(collections.deque(range(1000)))
    assert "array, 1,000 items" in show(array.array("i", range(1000)))
    big = dict.fromkeys(range(1_000_000))
    for part in (big.keys(), big.values(), big.items()):
        assert "1,000,000 items" in show(part)
    assert "range, 1,000,000,000 items" in show(range(10**9))
    shown = show(bytes(range(256)) * 2000)
    assert "510,800 more bytes" in shown
    assert shown.count("\\x00\\x01\\x02") >= 2
    assert "bytearray, 3 bytes: b'abc'" in show(bytearray(b"abc"))


def test_texts_of_lines_have_their_numbers(show):
    text = "\n".join(f"line {number}" for number in range(1, 301)) + "\n\ttab \n"
    lines = show(text, 4).splitlines()
    assert lines[0].endswith("303 lines") or lines[0].endswith("302 lines")
    assert lines[1].split(maxsplit=1) == ["1", "line 1"]
    assert "'\\ttab '" in lines[-2]
    assert show("a\nb").strip() == "str, 3 characters: 'a\\nb'"


def test_deep_and_cyclic_values(show):
    assert "[[[[... 1 item]]]]" in show(nested(100_000))
    loop: list[object] = [1]
    loop.append(loop)
    assert show(loop).splitlines()[-1].split() == ["1", "[1,", "[...]]"] or (
        "[...]" in show(loop)
    )
    again: dict[str, object] = {}
    again["self"] = again
    assert "{...}" in show(again)
    point = Point(1)
    point.tail = [point]
    assert "Point(...)" in show(point)
    large = Point(1, Point(2, list(range(1_000_000))))
    assert "... 999,988 more" in show(large)


def test_objects_that_misbehave(show):
    assert "no repr" in show(Broken())
    assert "SystemExit while showing it" in show(Leaves())
    assert "no repr" in show({"a": Broken(), "b": Leaves()})
    assert show(Colours()).strip() == "Colours: \\x1b[31mred\\x1b[0m\\r\\x07"

    class Stops:
        def __repr__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hs.montre(Stops())


def test_an_object_without_a_repr_shows_its_attributes(show):
    lines = show(Order()).splitlines()
    assert lines[0] == "Order, 2 attributes"
    assert lines[1].split() == ["number", "7"]
    assert "999,988 more" in lines[2]
    assert "namespace" in show(types.SimpleNamespace(a=1)).lower()


def test_classes_and_functions_say_what_they_take(show):
    assert show(pd.DataFrame).startswith("class pandas.DataFrame(data=None")
    assert show(
        Point
    ).strip() == f"class {__name__}.Point(x: int, tail: object = None)" + (" -> None")
    assert show(len).splitlines()[0] == "function len(obj, /)"

    def count(rows, *, most=5):
        """How many.

        More.
        """

    assert show(count).splitlines()[0].endswith("count(rows, *, most=5)")
    assert show(count).splitlines()[1] == "How many."
    frame = pd.DataFrame({"secret": range(1_000_000)})
    assert "method" in show(frame.head)
    assert "secret" not in show(frame.head)


def test_scalars_say_what_they_are_once(show):
    class Colour(enum.Enum):
        RED = 1

    assert show(5) == "int: 5\n"
    assert show(10**100_000) == "int of 332,193 bits\n"
    assert show(decimal.Decimal("1.10")) == "Decimal('1.10')\n"
    assert show(datetime.date(2026, 1, 31)) == "datetime.date(2026, 1, 31)\n"
    assert show(Colour.RED) == "Colour: <Colour.RED: 1>\n"
    assert show(np.float64(1.5)) == "numpy float64: 1.5\n"
    assert show(pa.scalar(5)) == "pyarrow Int64Scalar: 5\n"
    assert show(None) == "None\n"


def test_arrays_series_and_indexes(show):
    assert show(np.arange(3)).splitlines()[0] == "numpy ndarray, 3 values, int64"
    wide = show(np.zeros((1000, 20)))
    assert "numpy ndarray, 1,000 x 20, float64" in wide
    assert "..." in wide.splitlines()[1]
    assert "2026-01-01" in show(np.array(["2026-01-01"], dtype="datetime64[D]"))
    dates = pd.Series(pd.to_datetime(["2026-01-31 08:00"]), index=["a"])
    assert show(dates).splitlines()[1].split() == ["'a'", "2026-01-31", "08:00:00"]
    assert "pandas MultiIndex, 2 values" in show(
        pd.MultiIndex.from_tuples([(1, "a"), (1, "b")])
    )
    inside = show({"s": pd.Series(range(1000)), "f": pd.DataFrame({"a": [1]})})
    assert len(inside.splitlines()) == 3
    assert "pandas Series, 1,000" in inside


def test_files_and_iterators_are_left_alone(show, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n")
    with path.open() as file:
        assert "not read" in show(file)
        assert file.readline() == "one\n"
    for iterator in (iter([1]), map(str, [1]), zip([1], [2], strict=True)):
        assert "not consumed" in show(iterator)
        assert len(list(iterator)) == 1
    buffer = io.StringIO("text")
    show(buffer)
    assert buffer.read() == "text"
    assert "not consumed" in show(itertools.repeat(1))
