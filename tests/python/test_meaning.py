"""A value is the same value in every column, function and library: each of many kinds against each other one.

`meaning` says the rule once more, in Python's own words. HEADSTART_FRAMES_TRIED=0 tries a share of the pairs that need a
call each, any other number all of them.
"""

import datetime as dt
import enum
import itertools
import math
import os
import pathlib
import random
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headstart as hs

ALL = os.environ.get("HEADSTART_FRAMES_TRIED", "0") != "0"


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Word(enum.StrEnum):
    A = "a"


UTC = dt.UTC
TOKYO = dt.timezone(dt.timedelta(hours=9))
ID = uuid.UUID(int=5)
VALUES = [
    *[0, 1, -1, True, False, 2**53, 2**53 + 1, 2**63, 2**63 - 1, -(2**63), 2**64],
    *[-(2**64), 2**70, 10**39, 10**40, 10**41, 10**300, 10**5000, Level.LOW],
    *[0.0, -0.0, 1.0, 0.5, 0.1, 1e16, 2.0**53, 2.0**63, 2.0**64, 2.0**70, 1e23, 1e300],
    *[5e-324, float("inf"), float("-inf"), np.float32(0.1), np.float32(1), np.int8(1)],
    *[np.uint64(2**63), np.bool_(True), np.longdouble(1)],
    *[
        Decimal("-0.00"),
        Decimal("1.00"),
        Decimal("0.1"),
        Decimal("1E+23"),
        Decimal("1E+90"),
    ],
    *[Decimal("1E+400"), Decimal(2**64), Decimal("Infinity"), Decimal(10) ** 5000],
    *["", "1", "1.0", "a", Word.A, "true", "2024-01-05", "2024-01-05 00:00:00", "inf"],
    *["\x02datetime\x03", '"a"', "[1]", '{"a":1}', "null", "NaN", str(2**64), str(ID)],
    *[b"", b"a", bytearray(b"a"), b"61", "61", '\x02bytes\x03"61"'],
    *[
        dt.date(2024, 1, 5),
        dt.datetime(2024, 1, 5),
        dt.datetime(2024, 1, 5, tzinfo=UTC),
    ],
    *[
        dt.datetime(2024, 1, 5, 9, tzinfo=TOKYO),
        dt.date(1, 1, 1),
        dt.datetime(9999, 12, 31),
    ],
    *[pd.Timestamp("2024-01-05"), pd.Timestamp("2024-01-05 00:00:00.000000001")],
    *[pd.Timestamp("2024-01-05 00:00:00.000000001", tz="UTC"), pd.Timestamp(0)],
    *[np.datetime64("2024-01-05"), np.datetime64("2024-01-05T00:00:00.000000001")],
    *[dt.time(0), dt.time(9, 30), dt.time(9, 30, tzinfo=UTC), "09:30:00", "00:00:00"],
    *[
        dt.timedelta(0),
        dt.timedelta(days=1),
        pd.Timedelta(days=1),
        np.timedelta64(1, "D"),
    ],
    *[pd.Timedelta(1, "ns"), np.timedelta64(1, "ns"), "1 day 00:00:00"],
    *[ID, uuid.UUID(int=6), pathlib.PurePosixPath("a"), pathlib.PureWindowsPath("a")],
    *[Fraction(1, 2), Fraction(1), 1 + 0j, Colour.RED, "Colour.RED", range(2), object],
    *[pd.Period("2024-01"), pd.Interval(0, 1), "2024-01", "(0, 1]"],
    *[
        [],
        [1],
        [1.0],
        ["1"],
        (1,),
        np.array([1]),
        [True],
        [1, 2],
        [2, 1],
        [[1]],
        [None],
    ],
    *[[float("nan")], [dt.date(2024, 1, 5)], ["2024-01-05"], [ID], [str(ID)], [2**64]],
    *[{}, {"a": 1}, {"a": 1.0}, {"a": "1"}, {"a": None}, {"a": float("nan"), "b": 1}],
    *[
        {"b": 1},
        {"a": 1, "b": 2},
        {"b": 2, "a": 1},
        {"a": {"b": [1, {}]}},
        {1: 2},
        {"1": 2},
    ],
    *[{1.0: 2}, {True: 2}, {None: 2}, {(1, 2): 2}, {"[1,2,]": 2}, {"null": 2}, {ID: 2}],
    *[
        set(),
        {1, 2},
        frozenset((2, 1)),
        {"a", "b", "c"},
        {"c", "b", "a"},
        {1: {2}},
        [{2}],
    ],
    *[None, float("nan"), pd.NaT, pd.NA, Decimal("NaN")],
]
THIRD = [None, "an unrelated text", 7, ID, dt.date(2000, 2, 2), ["x", 1]]
DAY = dt.datetime(1970, 1, 1)


def meaning(value):
    """What a value is: equal for values that are one, and only for those."""
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    match value:
        case np.datetime64() | np.timedelta64():
            whole = value.astype(f"{type(value).__name__}[ns]").astype(int)
            kind = "moment" if isinstance(value, np.datetime64) else "length"
            return (kind, int(whole))
        case float() | np.floating() | Decimal() if not isinstance(
            value, np.longdouble
        ):
            return number(value)
        case bool() | np.bool_():
            return ("bool", bool(value))
        case int() | np.integer():
            return ("number", Fraction(int(value)))
        case str():
            return ("text", str.__str__(value))
        case bytes() | bytearray():
            return ("bytes", bytes(value))
        case dt.datetime():
            return moment(value)
        case dt.date():
            return moment(dt.datetime.combine(value, dt.time()))
        case dt.time() if value.tzinfo is None:
            return ("time", value)
        case dt.timedelta():
            nanos = getattr(value, "nanoseconds", 0)
            whole = dt.timedelta(value.days, value.seconds, value.microseconds)
            return ("length", whole // dt.timedelta(microseconds=1) * 1000 + nanos)
        case list() | tuple() | np.ndarray():
            return ("list", tuple(meaning(item) for item in value))
        case set() | frozenset():
            return ("set", frozenset(meaning(item) for item in value))
        case dict():
            pairs = [(meaning(key), meaning(own)) for key, own in value.items()]
            return ("dict", frozenset(pair for pair in pairs if pair[1] is not None))
    return (type(value), str(value))


def number(value):
    if math.isnan(value):
        return None
    if isinstance(value, Decimal) and value.is_finite():
        return ("number", Fraction(value))
    if math.isinf(value):
        return ("number", float(value))
    value = float(value)
    return ("number", Fraction(value) if value.is_integer() else Fraction(repr(value)))


def moment(value):
    nanos = getattr(value, "nanosecond", 0)
    plain = dt.datetime.combine(value.date(), value.time())
    if value.utcoffset() is not None:
        plain -= value.utcoffset()
    kind = "moment" if value.tzinfo is None else "instant"
    return (kind, (plain - DAY) // dt.timedelta(microseconds=1) * 1000 + nanos)


def objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = [*values, None][:-1] if values else []
    for at, value in enumerate(values):
        array[at] = value
    return pd.Series(array, dtype=object)


def in_pandas(columns):
    return pd.DataFrame({name: objects(own) for name, own in columns.items()})


def in_records(columns):
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def in_polars(columns):
    """Python objects; polars takes the values of enums instead of their members."""
    if any(isinstance(value, enum.Enum) for own in columns.values() for value in own):
        return None
    made = [pl.Series(name, own, dtype=pl.Object) for name, own in columns.items()]
    return pl.DataFrame(made)


def in_arrow(columns):
    """Arrow's own types, as objects where it has none that keeps the values."""
    made = {}
    for name, own in columns.items():
        try:
            array = pa.array(own)
            kept = [meaning(value) for value in array.to_pylist()]
        except (pa.ArrowException, TypeError, OverflowError, ValueError):
            return None
        if kept != [meaning(value) for value in own]:
            return None
        made[name] = array
    return pa.table(made)


LIBRARIES = {
    "pandas": in_pandas,
    "records": in_records,
    "polars": in_polars,
    "arrow": in_arrow,
}
PAIRS = list(itertools.combinations_with_replacement(range(len(VALUES)), 2))


def some(pairs, share, seed):
    return pairs if ALL else random.Random(seed).sample(pairs, len(pairs) // share)


def shown(pair, third=None):
    return f"{VALUES[pair[0]]!r:.60} and {VALUES[pair[1]]!r:.60} beside {third!r}"


@pytest.fixture(autouse=True)
def quiet():
    hs.options.quiet = True
    yield
    hs.options.quiet = None


@pytest.mark.parametrize("third", THIRD, ids=str)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("pandas", "pandas"),
        ("pandas", "records"),
        ("records", "polars"),
        ("pandas", "arrow"),
        ("arrow", "arrow"),
    ],
)
def test_compare(left, right, third):
    """Each pair in two columns of one name, all of them in one call."""
    more = [] if third is None else [third]
    sides = ({"id": [1, 2][: 1 + len(more)]}, {"id": [1, 2][: 1 + len(more)]})
    tried = []
    for pair in some(PAIRS, 60, f"{left}{right}{third}"):
        name = f"{pair[0]} {pair[1]}"
        columns = [{name: [VALUES[at], *more]} for at in pair]
        makes = (LIBRARIES[library] for library in (left, right))
        if any(make(own) is None for make, own in zip(makes, columns, strict=True)):
            continue
        tried.append((pair, name))
        for side, column in zip(sides, columns, strict=True):
            side.update(column)
    # Few values are of one Arrow type with an unrelated one.
    assert len(tried) > 100 or "arrow" in (left, right)
    frames = [
        LIBRARIES[lib](side) for lib, side in zip((left, right), sides, strict=True)
    ]
    found = hs.compare(*frames, "id")
    found = (
        found.to_pylist() if isinstance(found, pa.Table) else found.to_dict("records")
    )
    changed = set()
    for row in found:
        assert (row["state"], row["id"]) == ("changed", 1)
        changed.update(row["changed"].split(", "))
    for pair, name in tried:
        same = meaning(VALUES[pair[0]]) == meaning(VALUES[pair[1]])
        assert (name not in changed) == same, shown(pair, third)


@pytest.mark.parametrize("library", ["pandas", "records", "polars", "arrow"])
def test_all_at_once(library):
    """One column of all values, and one of each kind of value with all others of its kind."""
    columns = [VALUES, list(reversed(VALUES))]
    for kind in {type(value) for value in VALUES}:
        columns.append([value for value in VALUES if type(value) is kind])
    tried = 0
    for values in columns:
        frame = LIBRARIES[library]({"k": values})
        if frame is None:
            continue
        tried += 1
        wanted = {}
        for value in values:
            wanted.setdefault(meaning(value), []).append(value)
        sizes = sorted(map(len, wanted.values()), reverse=True)
        groups = hs.combien(frame, "k", n=None)
        counts = groups["n"].to_pylist() if library == "arrow" else list(groups["n"])
        assert counts == sizes
        described = hs.decris(frame)
        distinct = described["distinct"][0]
        distinct = distinct.as_py() if library == "arrow" else distinct
        assert distinct == len(wanted) - (None in wanted)
    assert tried > 5


@pytest.mark.parametrize("library", ["pandas", "records", "arrow"])
@pytest.mark.parametrize("third", THIRD, ids=str)
def test_combien_and_decris(library, third):
    more = [] if third is None else [third]
    for pair in some(PAIRS, 240, f"{library}{third}"):
        values = [VALUES[at] for at in pair]
        frame = LIBRARIES[library]({"k": [*values, *more]})
        if frame is None:
            continue
        kinds = [meaning(value) for value in [*values, *more]]
        wanted = [kind for at, kind in enumerate(kinds) if kind not in kinds[:at]]
        assert len(hs.combien(frame, "k")) == len(wanted), shown(pair, third)
        described = hs.decris(frame)
        distinct = len([kind for kind in wanted if kind is not None])
        found = described["distinct"][0]
        found = found.as_py() if library == "arrow" else found
        assert found == distinct, shown(pair, third)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("pandas", "pandas"),
        ("records", "records"),
        ("polars", "arrow"),
        ("arrow", "pandas"),
        ("records", "polars"),
    ],
)
@pytest.mark.parametrize("third", THIRD, ids=str)
def test_joins(left, right, third):
    more = [] if third is None else [third]
    for pair in some(PAIRS, 200, f"{left}{right}{third}"):
        columns = [{"k": [VALUES[at], *more]} for at in pair]
        both = zip((left, right), columns, strict=True)
        frames = [LIBRARIES[library](column) for library, column in both]
        if any(frame is None for frame in frames):
            continue
        kinds = [[meaning(value) for value in column["k"]] for column in columns]
        wanted = sum(kind in kinds[1] for kind in kinds[0])
        try:
            found = len(hs.joins(*frames, "k", how="semi", match_missing=True))
        except hs.TypeMismatchError:
            found = 0
        assert found == wanted, shown(pair, third)
