"""montre of any value: bounded, honest about sizes, never failing, returning the value."""

import dataclasses
import itertools

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headstart as hs


@pytest.fixture
def show(capsys):
    """Shows a value and gives what was printed."""

    def run(value, n=40):
        assert hs.montre(value, n) is value
        text = capsys.readouterr().out
        assert len(text) <= 6100, len(text)
        return text

    return run


def test_frames_of_every_library_show_the_same_rows(show):
    data = {"code": ["00042", "a"], "n": [1, 2]}
    frames = [
        pd.DataFrame(data),
        pl.DataFrame(data),
        pa.table(data),
        [{"code": "00042", "n": 1}, {"code": "a", "n": 2}],
    ]
    shown = [show(frame) for frame in frames]
    assert len({text.splitlines()[-1] for text in shown}) == 1
    assert all("2 rows x 2 columns" in text for text in shown)
    assert all('"00042"' in text for text in shown)


def test_an_index_that_is_no_plain_range_is_told(show):
    frame = pd.DataFrame({"a": [1, 2]}, index=["x", "y"])
    assert show(frame).count("reset_index() first") == 1
    assert "index" not in show(frame.reset_index(drop=True))


def test_a_long_frame_shows_its_ends(show):
    text = show(pd.DataFrame({"x": range(1000)}), 4)
    assert "1,000 rows x 1 column" in text
    numbers = {line.split()[0] for line in text.splitlines() if line.strip()}
    assert {"0", "1", "998", "999"} <= numbers
    assert "500" not in numbers


def test_things_that_are_read_once_are_not_consumed(show):
    numbers = (number for number in range(3))
    assert "not consumed" in show(numbers)
    assert list(numbers) == [0, 1, 2]
    counter = itertools.count()
    show(counter)
    assert next(counter) == 0
    reader = pa.table({"a": [1, 2]}).to_reader()
    assert "a: int64" in show(reader)
    assert reader.read_all().num_rows == 2


def test_a_lazy_frame_is_not_collected(show):
    def fail(*_):
        raise AssertionError("collected")

    lazy = pl.LazyFrame({"a": [1]}).select(pl.col("a").map_batches(fail))
    assert "not collected" in show(lazy)


def test_a_relation_is_a_frame(show):
    assert "2 rows" in show(duckdb.sql("select * from range(2)"))


def test_sizes_heads_and_tails(show):
    assert show([]).strip() == "list, 0 items"
    lines = show(list(range(10_000)), 4).splitlines()
    assert lines[0] == "list, 10,000 items"
    assert [line.split() for line in lines[1:]] == [
        ["0", "0"],
        ["1", "1"],
        ["...", "9,996", "more"],
        ["9998", "9998"],
        ["9999", "9999"],
    ]
    text = show({f"k{i}": i for i in range(100)}, 2)
    assert "dict, 100 keys" in text
    assert "'k99'" in text
    assert "set, 3 items" in show({1, 2, 3})
    assert "str, 20,000 characters" in show("x" * 20_000)
    assert "bytes, 20,000 bytes" in show(b"x" * 20_000)


def test_arrays_and_series(show):
    assert "numpy ndarray, 1,000 x 3, float64" in show(np.zeros((1000, 3)))
    assert "numpy ndarray, one value, int64: 7" in show(np.array(7))
    named = pd.Series([10, 20, 30], index=["x", "y", "z"], name="a")
    lines = show(named, 2).splitlines()
    assert lines[0] == "pandas Series 'a', 3 values, int64"
    assert lines[1].split() == ["'x'", "10"]
    assert lines[-1].split() == ["'z'", "30"]
    assert "polars Series 'a', 3 values, Int64" in show(pl.Series("a", [1, 2, 3]))
    assert "2 values" in show(pa.array([1, None]))


def test_long_items_stay_within_the_budget(show):
    show(["x" * 10_000] * 1000, n=1000)
    show([["y" * 300] * 50] * 100, n=100)
    show({"k" * 5000: "v" * 5000})
    show([10**5000, -(10**100_000)])
    show(np.zeros((3, 100_000)))
    show("é\n" * 20_000)
    show(b"\xff" * 5900)
    show(pd.DataFrame({f"column {i}": ["z" * 100] * 100 for i in range(60)}))


def test_special_values(show):
    assert show(None) == "None\n"
    assert "'a\\x1b[31m'" in show("a\x1b[31m")

    @dataclasses.dataclass
    class Point:
        x: int
        y: str = "up"

    text = show(Point(1))
    assert "Point, 2 fields" in text
    assert "'up'" in text


def test_broken_objects_are_shown_not_raised(show):
    class Broken:
        def __repr__(self):
            raise ValueError("no repr")

    class BrokenLength(list):
        def __len__(self):
            raise RuntimeError("no length")

    class Liar:
        def __getattr__(self, name):
            return self

    assert "ValueError while showing it: no repr" in show(Broken())
    assert "no repr" in show([1, Broken()])
    assert "RuntimeError" in show(BrokenLength())
    show(Liar())
    loop: list[object] = []
    loop.append(loop)
    show(loop)


def test_n_is_checked():
    with pytest.raises(hs.ArgumentError):
        hs.montre([1], -1)
    with pytest.raises(hs.TypeMismatchError):
        hs.montre([1], "4")
    assert hs.montre([1, 2], 0) == [1, 2]
