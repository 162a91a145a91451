"""Which names belong together: those that have something in common that shows when it changes, and no others."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("cloudpickle")

from test_checkpoints import Kernel

from headstart._headstart import plain_digest


def groups(checkpoint):
    return sorted(tuple(group["names"]) for group in checkpoint)


# Something that changes, in something that does not: a list in a tuple has one referrer, and the tuple has two.


@pytest.mark.parametrize(
    ("made", "changed", "shown"),
    [
        ("a = (1, [2]); b = a", "a[1].append(3)", "b[1] == [2, 3]"),
        ("t = ([1],); a = {'t': t}; b = [t]; del t", "a['t'][0].append(2)", "b[0][0] == [1, 2]"),
        ("t = ([1], {}); b = {'x': t}", "b['x'][0].append(5)", "t[0] == [1, 5]"),
        ("t = (((([1],),),),); a = [t]; b = [t[0][0]]; del t", "a[0][0][0][0][0].append(2)", "b[0][0][0] == [1, 2]"),
        ("t = ([1],); a = [t[0], (t[0],), t]; b = [t]; del t", "a[0].append(2)", "b[0][0] == [1, 2]"),
        ("class K: pass\nk = K(); k.t = ([1],); b = [k.t]", "k.t[0].append(5)", "b[0][0] == [1, 5]"),
        ("def f(x, kept=[]): kept.append(x)\nd = f.__defaults__", "f(1)", "d == ([1],)"),
        ("e = ValueError([1]); a = e.args", "e.args[0].append(2)", "a == ([1, 2],)"),
        ("import functools\np = functools.partial(print, [1]); a = p.args", "p.args[0].append(3)", "a == ([1, 3],)"),
        ("rows = [(1, [2]), (2, [3])]; by = {r[0]: r for r in rows}; del rows[1]", "by[1][1].append(9)", "rows == [(1, [2, 9])]"),
        ("import types\nd = {}; m = types.MappingProxyType(d); u = [m]", "d['k'] = 1", "u[0] is m and m['k'] == 1"),
        ("def make():\n    held = ([],)\n    return (lambda x: held[0].append(x)), held\nadd, held = make()", "add(1)", "held == ([1],)"),
    ],
)  # fmt: skip
def test_what_is_in_something_fixed_stays_shared(made, changed, shown):
    kernel = Kernel()
    checkpoint = kernel.run(made)
    fresh = Kernel(kernel.stored)
    fresh.back(checkpoint)
    fresh.cell(f"{changed}\nassert {shown}")


def test_random_values_of_lists_and_tuples_stay_shared():
    chance = random.Random(8)
    for _ in range(150):
        known = [[0], [1], [2]]
        for _ in range(12):
            parts = [chance.choice(known) for _ in range(chance.randrange(1, 3))]
            kind = chance.choice([list, tuple, tuple, lambda them: {"k": them[0]}])
            known.append(kind(parts))
        kernel = Kernel()
        kernel.namespace.update(zip("abcdef", chance.sample(known, 6), strict=True))
        del known, parts
        checkpoint, skipped = kernel.save()
        assert not skipped
        fresh = Kernel(kernel.stored)
        fresh.back(checkpoint)
        assert ties(fresh) == ties(kernel)


def ties(kernel):
    """Which lists and dicts of all names are the same objects."""
    met: dict[int, int] = {}
    told = []

    def walk(value):
        if isinstance(value, tuple):
            told.append(len(value))
        elif isinstance(value, list | dict):
            told.append(met.setdefault(id(value), len(met)))
        for one in value.values() if isinstance(value, dict) else value:
            if not isinstance(one, int):
                walk(one)

    for name in "abcdef":
        walk(kernel[name])
    return told


def test_tuples_of_fixed_values_tie_nothing():
    pair = (1, ("a", 2.5), frozenset((1,)))
    holder = [pair]
    assert set(plain_digest(holder)[2]) == {id(holder)}
    kernel = Kernel()
    checkpoint = kernel.run("p = (1, ('a', 2)); a = [p]; b = {'k': p}; c = (p,)")
    assert groups(checkpoint) == [("a",), ("b",), ("c",), ("p",)]


# What everybody has.


PANDAS = {
    "numbers": "pd.DataFrame({'a': [1.0, 2.0]})",
    "mixed": "pd.DataFrame({'a': [1, 2], 's': ['a', 'b'], 'f': [0.5, 1]})",
    "many levels": "pd.DataFrame({'a': [1]}, index=pd.MultiIndex.from_tuples([(1, 'a')]))",
    "series": "pd.Series([1.0])",
    "texts": "pd.Series(['x'])",
    "string": "pd.Series(['x'], dtype='string')",
    "category": "pd.Series(['x'], dtype='category')",
    "zone": "pd.Series(pd.to_datetime(['2021']).tz_localize('UTC'))",
    "another zone": "pd.Series(pd.to_datetime(['2021']).tz_localize('Europe/Berlin'))",
    "nullable": "pd.Series([1, None], dtype='Int64')",
    "periods": "pd.period_range('2020', periods=2, freq='M')",
    "intervals": "pd.Series(pd.interval_range(0, 2))",
    "differences": "pd.Series(pd.to_timedelta(['1s']))",
    "sparse": "pd.Series([0, 1], dtype='Sparse[int]')",
    "scalars": "[pd.Timestamp('2020', tz='UTC'), pd.Timedelta('1s'), pd.NaT, pd.NA]",
}


@pytest.mark.parametrize("kind", PANDAS)
def test_values_of_pandas_have_nothing_in_common(kind):
    pd = pytest.importorskip("pandas")
    kernel = Kernel()
    kernel.namespace["pd"] = pd
    for number in range(4):
        kernel.cell(f"d{number} = {PANDAS[kind]}")
    checkpoint, skipped = kernel.save()
    assert not skipped
    assert groups(checkpoint) == [("d0",), ("d1",), ("d2",), ("d3",), ("pd",)]
    kernel.run(f"d2 = [{PANDAS[kind]}, 1]")
    assert kernel.written == ["d2"]
    fresh = Kernel(kernel.stored)
    fresh.back(checkpoint)
    for number in range(4):
        assert repr(fresh[f"d{number}"]) == repr(kernel["d0"])


def test_frames_that_share_an_index_stay_together():
    pd = pytest.importorskip("pandas")
    kernel = Kernel()
    kernel.namespace["pd"] = pd
    checkpoint = kernel.run(
        "a = pd.DataFrame({'x': [1], 'y': [2]}); b = [a.index]; c = pd.Series([1])"
    )
    assert groups(checkpoint) == [("a", "b"), ("c",), ("pd",)]


def test_fixed_values_and_what_has_a_name_tie_nothing():
    kernel = Kernel()
    checkpoint = kernel.run(
        "import datetime, decimal, fractions, operator, pathlib, re, uuid, zoneinfo\n"
        "utc = datetime.timezone.utc; now = datetime.datetime.now(utc)\n"
        "fixed = [utc, now, now.date(), now - now, decimal.Decimal(1), fractions.Fraction(1, 2), uuid.uuid4(),\n"
        "         zoneinfo.ZoneInfo('Europe/Berlin'), pathlib.Path('/x'), re.compile('a'), operator.itemgetter(1),\n"
        "         str.upper, len, list[int], int | str, NotImplemented, ..., type(len), re.A, (1, 'a')]\n"
        "for _number, _one in enumerate(fixed):\n"
        "    globals()[f'a{_number}'] = [_one]; globals()[f'b{_number}'] = {'k': _one}\n"
        "del fixed, utc, now"
    )
    assert [group for group in groups(checkpoint) if len(group) > 1] == []


def test_generators_and_figures_have_nothing_in_common():
    numpy = pytest.importorskip("numpy")
    kernel = Kernel()
    kernel.namespace["np"] = numpy
    checkpoint = kernel.run(
        "a, b = (np.random.default_rng(n) for n in (1, 2)); c = np.random.RandomState(1)\n"
        "x, y = [np.float64(1)], [np.int8(2)]; z = [x[0], y[0], np.add]; u = {'add': np.add}"
    )
    assert [group for group in groups(checkpoint) if len(group) > 1] == []
    pytest.importorskip("matplotlib").use("agg")
    checkpoint = kernel.run(
        "import matplotlib.pyplot as plt\n"
        "f, _ = plt.subplots(); g, _ = plt.subplots(); plt.close('all')"
    )
    assert [group for group in groups(checkpoint) if len(group) > 1] == []


def test_a_list_of_a_class_of_a_cell_stays_shared():
    kernel = Kernel()
    checkpoint = kernel.run(
        "class K:\n    kept = []\n    def __getstate__(self): return {'kept': self.kept}\n"
        "k = K(); kept = K.kept"
    )
    assert groups(checkpoint) == [("K", "k", "kept")]


def test_dataclasses_of_cells_come_back():
    kernel = Kernel()
    checkpoint = kernel.run(
        "import dataclasses\n@dataclasses.dataclass\nclass D:\n    x: int = dataclasses.field(default=1, metadata={'unit': 'm'})\n"
        "d = D(2)"
    )
    fresh = Kernel(kernel.stored)
    fresh.back(checkpoint)
    fresh.cell("assert dataclasses.fields(d)[0].metadata['unit'] == 'm' and D(2) == d")
