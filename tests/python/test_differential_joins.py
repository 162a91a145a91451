"""joins against pandas merge and polars join on random frames: pairs of rows, values, types, validation.

Both libraries say which rows match; missing keys, which pandas matches, are taken out where joins does not match them. The
values of the result are looked up in the frames that went in. Some frames in a normal run; `HEADSTART_FRAMES_TRIED=5000` tries
more.
"""

import datetime
import itertools
import math
import os
import random

import pandas
import polars
import pytest

import headstart as hs

FRAMES = int(os.environ.get("HEADSTART_FRAMES_TRIED", "60"))
START = datetime.datetime(2026, 1, 1)
HOWS = ["left", "inner", "right", "outer", "semi", "anti"]
VALIDATES = {"1:1": "one_to_one", "1:m": "1:m", "m:1": "many_to_one", "m:m": "m:m"}
# Values of a key, and the types of pandas that hold them with and without gaps.
KEYS = {
    "int": (
        [-1, 0, 1, 2, 3, 2**53, 2**53 + 1, 2**63 - 1],
        ("int64", "Int64"),
        polars.Int64,
    ),
    "near": (list(range(6)), ("int32", "Int32"), polars.Int32),
    "float": (
        [-0.5, 0.0, 1.0, 2.0, 3.5, 1e300],
        ("float64", "float64"),
        polars.Float64,
    ),
    "text": (
        ["", " ", "a", "A", "a ", "00042", "42", "longer than a view holds it"],
        ("str", "str"),
        polars.String,
    ),
    "category": (["x", "y", "z", "xy"], ("category", "category"), polars.Categorical),
    "day": (
        [START + datetime.timedelta(days=day) for day in range(5)],
        ("datetime64[us]", "datetime64[us]"),
        polars.Datetime("us"),
    ),
    "bool": ([True, False], ("bool", "boolean"), polars.Boolean),
}
# Keys of two types that match by value.
MIXES = [("int", "near"), ("near", "float"), ("text", "category")]
EXTRAS = {
    "n": ([0, 7, -(2**62) - 1, 2**53 + 1], "int64"),
    "f": ([0.1, -0.0, 1e-300], "float64"),
    "s": (["", "é", "NA", "x" * 40], "str"),
    "t": ([True, False], "bool"),
    "d": ([START, START + datetime.timedelta(microseconds=1)], "datetime64[us]"),
    "c": (["u", "v"], "category"),
    "o": ([(1, 2), "text", 5, b"bytes"], "object"),
}


class Frame:
    """A random frame as columns of Python values, `None` where one is missing."""

    def __init__(self, draw, side, kinds, rows, gaps):
        self.rows = rows
        self.columns = {}
        self.kinds = {}
        for number, kind in enumerate(kinds):
            values, types, _ = KEYS[kind]
            column = [draw.choice(values) for _ in range(rows)]
            if gaps:
                column = [None if draw.random() < 0.2 else value for value in column]
            self.columns[f"k{number}"] = column
            self.kinds[f"k{number}"] = (kind, types[gaps])
        for name, (values, dtype) in EXTRAS.items():
            if draw.random() < 0.5:
                shared = name if draw.random() < 0.3 else f"{name}_{side}"
                self.columns[shared] = [draw.choice(values) for _ in range(rows)]
                self.kinds[shared] = (None, dtype)

    def keys(self, names):
        return list(zip(*(self.columns[name] for name in names), strict=True))

    def pandas(self):
        return pandas.DataFrame(
            {
                name: pandas.Series(column, dtype=self.kinds[name][1])
                for name, column in self.columns.items()
            }
        )

    def polars(self):
        columns = []
        for name, column in self.columns.items():
            kind, dtype = self.kinds[name]
            if dtype == "object":
                continue
            wanted = KEYS[kind][2] if kind else None
            if wanted is None and dtype == "category":
                wanted = polars.Categorical
            if wanted is None and not column:
                wanted = {"int64": polars.Int64, "str": polars.String}.get(dtype)
            columns.append(polars.Series(name, column, dtype=wanted))
        return polars.DataFrame(columns)

    def pyarrow(self):
        return self.polars().to_arrow()

    def records(self):
        names = list(self.columns)
        rows = zip(*self.columns.values(), strict=True)
        return [dict(zip(names, row, strict=True)) for row in rows]


def pairs_of_pandas(a, b, names, match_missing, validate=None):
    """The pairs of rows that match, by pandas; raises what pandas raises."""
    sides = []
    for frame, row in ((a, "row_a"), (b, "row_b")):
        keys = frame.pandas()[names].assign(**{row: range(frame.rows)})
        for name in names:
            # Categories of two frames would be matched by their codes' types, not by value.
            if isinstance(keys[name].dtype, pandas.CategoricalDtype):
                keys[name] = keys[name].astype("str")
        sides.append(keys if match_missing else keys.dropna(subset=names))
    merged = sides[0].merge(sides[1], on=names, validate=validate)
    return set(zip(merged["row_a"].tolist(), merged["row_b"].tolist(), strict=True))


def pairs_of_polars(a, b, names, match_missing):
    sides = []
    for frame, row in ((a, "row_a"), (b, "row_b")):
        keys = frame.polars().select(names)
        for name in names:
            kinds = {a.kinds[name][0], b.kinds[name][0]}
            if "float" in kinds:
                keys = keys.with_columns(polars.col(name).cast(polars.Float64))
            elif "near" in kinds:
                keys = keys.with_columns(polars.col(name).cast(polars.Int64))
            elif "category" in kinds:
                keys = keys.with_columns(polars.col(name).cast(polars.String))
        sides.append(keys.with_row_index(row))
    joined = sides[0].join(sides[1], on=names, nulls_equal=match_missing)
    return set(zip(joined["row_a"].to_list(), joined["row_b"].to_list(), strict=True))


def expected_rows(a, b, pairs, how):
    """Pairs of row numbers in the order that the docs promise, `None` for no row."""
    with_a = dict.fromkeys(range(a.rows), ())
    with_b = dict.fromkeys(range(b.rows), ())
    for row_a, row_b in sorted(pairs):
        with_a[row_a] += (row_b,)
        with_b[row_b] += (row_a,)
    if how == "semi":
        return [(row, None) for row in with_a if with_a[row]]
    if how == "anti":
        return [(row, None) for row in with_a if not with_a[row]]
    if how == "right":
        return [
            (other, row) for row in with_b for other in (sorted(with_b[row]) or (None,))
        ]
    rows = [
        (row, other)
        for row in with_a
        for other in with_a[row] or ((None,) if how != "inner" else ())
    ]
    if how == "outer":
        rows += [(None, row) for row in with_b if not with_b[row]]
    return rows


def plain(value):
    """A value as Python has it; whatever is missing is `None`."""
    if value is None or value is pandas.NaT or value is pandas.NA:
        return None
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, pandas.Timestamp):
        return value.to_pydatetime()
    return value.item() if hasattr(value, "item") else value


def columns_of(result):
    if isinstance(result, pandas.DataFrame):
        columns = {
            name: result[name].astype(object).tolist() for name in result.columns
        }
    elif isinstance(result, polars.DataFrame):
        columns = result.to_dict(as_series=False)
    else:
        columns = result.to_pydict()
    return {
        name: [plain(value) for value in column] for name, column in columns.items()
    }


def same(left, right, strict):
    if strict and type(left) is not type(right):
        return False
    return left == right and str(left) == str(right) if strict else left == right


def one_key(draw):
    if draw.random() < 0.3:
        return draw.choice(MIXES)
    kind = draw.choice(list(KEYS))
    return kind, kind


@pytest.mark.filterwarnings("ignore:You are merging on int and float columns")
@pytest.mark.parametrize("seed", range(FRAMES))
def test_a_join_of_random_frames(seed, capsys):
    draw = random.Random(seed)
    keys = [one_key(draw) for _ in range(draw.choice([1, 1, 2]))]
    names = [f"k{number}" for number in range(len(keys))]
    gaps = draw.random() < 0.5
    rows = [draw.choice([0, 1, 3, 8, 20]) for _ in range(2)]
    a = Frame(draw, "a", [kind for kind, _ in keys], rows[0], gaps)
    b = Frame(draw, "b", [kind for _, kind in keys], rows[1], gaps)
    libraries = ["pandas", "polars", "pyarrow"]
    library, other = draw.choice(libraries), draw.choice(libraries)
    # Of objects only pandas keeps the values.
    for frame in (a, b):
        if {library, other} != {"pandas"}:
            for name in [
                name for name in frame.columns if frame.kinds[name][1] == "object"
            ]:
                del frame.columns[name]
    match_missing = draw.random() < 0.3
    pairs = pairs_of_pandas(a, b, names, match_missing)
    assert pairs == pairs_of_polars(a, b, names, match_missing)
    given = getattr(a, library)(), getattr(b, other)()
    key = names if len(names) > 1 or draw.random() < 0.5 else names[0]
    for how in HOWS:
        wanted = expected_rows(a, b, pairs, how)
        if how in ("left", "inner") and len(wanted) > a.rows:
            with pytest.raises(hs.MergeError, match='validate="[1m]:m"'):
                hs.joins(*given, key, how, match_missing=match_missing)
        result = hs.joins(*given, key, how, validate="m:m", match_missing=match_missing)
        said = capsys.readouterr().out
        matched = len({row for row, _ in pairs})
        assert f"{matched} of {a.rows} row" in said, said
        assert f"{how} join, {len(wanted)} row" in said, said
        assert type(result).__module__.startswith(library)
        found = columns_of(result)
        for name, column in expected_columns(a, b, names, wanted, how).items():
            ours = found.pop(name)
            assert len(ours) == len(column)
            strict = name not in names
            for one, two in zip(ours, column, strict=True):
                assert same(one, two, strict), (how, name, one, two)
        assert not found
    for validate, long in VALIDATES.items():
        try:
            pairs_of_pandas(a, b, names, match_missing, validate=long)
        except pandas.errors.MergeError:
            with pytest.raises(hs.MergeError):
                hs.joins(*given, key, "outer", validate, match_missing=match_missing)
        else:
            hs.joins(*given, key, "outer", long, match_missing=match_missing)


def expected_columns(a, b, names, wanted, how):
    columns = {}
    right = how not in ("semi", "anti")
    shared = set(a.columns) & set(b.columns) - set(names) if right else set()
    for frame, place, suffix in ((a, 0, "_x"), (b, 1, "_y")):
        if frame is b and not right:
            continue
        for name, column in frame.columns.items():
            values = [
                None if row[place] is None else column[row[place]] for row in wanted
            ]
            if name in names:
                values = [
                    a.columns[name][row_a]
                    if row_a is not None
                    else b.columns[name][row_b]
                    for row_a, row_b in wanted
                ]
            columns[f"{name}{suffix}" if name in shared else name] = values
    return columns


def test_every_mix_of_libraries_and_records(tmp_path):
    draw = random.Random(1)
    a = Frame(draw, "a", ["int"], 6, False)
    b = Frame(draw, "b", ["int"], 6, False)
    for frame in (a, b):
        for name in list(frame.columns):
            if name.startswith(("o", "c", "d")):
                del frame.columns[name]
    path = tmp_path / "b.parquet"
    b.polars().write_parquet(path)
    lefts = [a.pandas(), a.polars(), a.polars().lazy(), a.pyarrow(), a.records()]
    rights = [b.pandas(), b.polars(), b.pyarrow(), b.records(), path]
    first = None
    for left, right in itertools.product(lefts, rights):
        joined = columns_of(hs.joins(left, right, "k0", "outer", "m:m"))
        first = first or joined
        assert joined == first
