"""What of a namespace is kept, and how it comes back: the half of checkpoints that lives in the kernel, without a store."""

from __future__ import annotations

import builtins
import hashlib
import random
from types import SimpleNamespace

import pytest

pytest.importorskip("cloudpickle")

from headstart.kernel.checkpoints import pickling
from headstart.kernel.checkpoints.freeze import Freezer
from headstart.kernel.checkpoints.names import Names
from headstart.kernel.checkpoints.restore import Lost, restore


class Kernel:
    """A namespace with cells and checkpoints, which are kept in memory as bytes."""

    def __init__(self, stored=None, startup: str = "", **limits) -> None:
        self.namespace = {
            "__name__": "__main__",
            "__builtins__": builtins,
            "hs": "headstart",
        }
        self.cell(startup)
        self.names = Names(self.namespace)
        self.freezer = Freezer(
            self.namespace,
            startup=self.names.startup,
            **limits,
        )
        self.stored = {} if stored is None else stored
        self.written: list[str] = []

    def cell(self, code: str) -> None:
        exec(code, self.namespace)  # noqa: S102 - what a kernel does

    def save(self):
        """A checkpoint, and why names are not in it."""
        skipped = self.frozen().skipped
        return self.checkpoint, {one.name: one.reason for one in skipped}

    def frozen(self):
        """What the freezer says of a checkpoint."""
        checkpoint, self.written = [], []

        def add(names, types, one, data, buffers):
            parts = bytes(data), [bytes(buffer) for buffer in buffers]
            name = hashlib.sha256(repr(parts).encode()).hexdigest()
            self.stored[name] = parts
            self.written.extend(names)
            checkpoint.append({"names": names, "one": one, "object": name})
            return checkpoint[-1]

        save = SimpleNamespace(reuse=checkpoint.append, add=add)
        self.checkpoint = checkpoint
        return self.freezer.freeze(self.names.of(self.namespace), save)

    def run(self, code: str):
        self.cell(code)
        return self.save()[0]

    def back(self, checkpoint):
        def load(_number, group):
            data, buffers = self.stored[group["object"]]
            copies = [bytearray(buffer) for buffer in buffers]
            try:
                return pickling.loads(
                    data, copies, self.namespace, startup=self.names.startup
                )
            except Exception as error:  # noqa: BLE001
                raise Lost(f"{type(error).__name__}: {error}") from None

        groups = list(enumerate(checkpoint))
        nothing = lambda: None
        return restore(
            groups, load, self.namespace, self.names, self.freezer, nothing, nothing
        )

    def __getitem__(self, name):
        return self.namespace[name]

    def __contains__(self, name):
        return name in self.namespace


@pytest.fixture
def kernel():
    return Kernel()


def test_each_leaf_of_a_tree_comes_back_as_it_was(kernel):
    first = kernel.run("a = [1]; b = {'k': a}; big = list(range(1000)); big.append([])")
    second = kernel.run("a.append(2); only = 1")
    third = kernel.run("b['k'].append(3); del only")
    big = id(kernel["big"])
    done = kernel.back(first)
    assert (kernel["a"], kernel["b"]["k"] is kernel["a"]) == ([1], True)
    assert sorted(done.names) == ["a", "b"] and done.held == ["big"]
    assert id(kernel["big"]) == big
    kernel.back(second)
    assert (kernel["a"], kernel["only"]) == ([1, 2], 1)
    done = kernel.back(third)
    assert kernel["b"] == {"k": [1, 2, 3]} and done.removed == ["only"]
    kernel.back([])
    assert kernel.names.of(kernel.namespace) == {} and kernel["hs"] == "headstart"


def test_functions_see_the_namespace_that_they_come_back_to(kernel):
    checkpoint = kernel.run(
        "import functools\n"
        "k = 1\n"
        "def f(): return k\n"
        "class A:\n    def m(self): return k\n"
        "def counter():\n"
        "    n = 0\n"
        "    def up():\n        nonlocal n; n += 1; return n\n"
        "    def get(): return n\n"
        "    return up, get\n"
        "up, get = counter()\n"
        "def outer():\n    def inner(n): return 1 if n < 2 else n * inner(n - 1)\n    return inner\n"
        "inner = outer()\n"
        "hidden = [{f}, functools.partial(f), A().m, {'k': A}, lambda: k]\n"
    )
    fresh = Kernel(kernel.stored)
    assert fresh.back(checkpoint).skipped == []
    fresh.cell("k = 99")
    (in_set,), partial, method, named, anonymous = fresh["hidden"]
    assert [in_set(), partial(), method(), named["k"]().m(), anonymous()] == [99] * 5
    assert in_set is fresh["f"] and named["k"] is fresh["A"]
    assert (fresh["up"](), fresh["get"]()) == (1, 1)
    assert fresh["inner"](5) == 120


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("v = (i for i in [1])", "a generator"),
        ("v = open('/dev/null')", "an open file"),
        ("v = open('/dev/null', 'rb')", "an open file"),
        ("import socket; v = socket.socket()", "a socket"),
        ("import threading; v = threading.Lock()", "a lock"),
        ("import sqlite3; v = sqlite3.connect(':memory:')", "a connection to sqlite"),
        ("v = memoryview(b'a')", "a view of memory"),
        ("async def c(): pass\nv = c()", "a coroutine"),
        ("v = globals()", "the namespace itself"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_live_is_named_and_the_rest_is_kept(kernel, code, word):
    kernel.cell(code + "\nnested = [{'deep': (v,)}]\nx = 5")
    checkpoint, skipped = kernel.save()
    assert word in skipped["v"]
    if "namespace" not in word:
        assert f"holds {word}" in skipped["nested"]
    fresh = Kernel(kernel.stored)
    fresh.back(checkpoint)
    assert fresh["x"] == 5 and "v" not in fresh
    kernel.cell("del v, nested")


def test_streams_in_memory_are_values(kernel):
    checkpoint = kernel.run("import io; s = io.StringIO('ab'); s.read(1)")
    kernel.back([])
    kernel.back(checkpoint)
    assert kernel["s"].read() == "b"


def test_a_value_that_is_too_large_is_not_asked():
    kernel = Kernel(value=1 << 20, cell=3 << 20)
    kernel.cell(
        "class Big:\n"
        "    def __init__(self): self.data = b'x' * (2 << 20)\n"
        "    def __reduce__(self): raise SystemExit\n"
        "    def __sizeof__(self): raise SystemExit\n"
        "big = Big(); one = b'y' * (900 << 10); two = three = four = five = one"
    )
    checkpoint, skipped = kernel.save()
    assert list(skipped) == ["big"] and "larger than 1 MiB" in skipped["big"]
    groups = [group["names"] for group in checkpoint]
    assert ["five", "four", "one", "three", "two"] in groups
    kernel.cell(
        "m = [b'%d' % n * (900 << 10) for n in range(1)]; n = b'n' * (900 << 10)"
    )
    kernel.cell("o = b'o' * (900 << 10); p = b'p' * (900 << 10)")
    assert "values that this cell changed" in " ".join(kernel.save()[1].values())


def test_unchanged_values_are_not_written_again(kernel):
    numpy = pytest.importorskip("numpy")
    kernel.run("import numpy; z = numpy.zeros(1000); i = 0; t = [1]; alias = {'z': z}")
    kernel.run("i += 1")
    assert kernel.written == ["i"]
    kernel.run("pass")
    assert kernel.written == []
    # Through a name that the cell does not mention.
    hold = kernel["z"]
    hold[3] = 1
    checkpoint, _ = kernel.save()
    assert kernel.written == ["alias", "z"]
    fresh = Kernel(kernel.stored)
    fresh.back(checkpoint)
    assert fresh["alias"]["z"] is fresh["z"] and numpy.array_equal(fresh["z"], hold)
    fresh["z"][0] = 7
    assert fresh["alias"]["z"][0] == 7


def test_what_names_have_in_common_can_change_alone(kernel):
    kernel.run("x, y = [1], [2]; a = [x, y]; b = [x, y]; del x, y")
    checkpoint = kernel.run("b[1] = [2]")
    assert kernel.written == ["a", "b"]
    kernel.back([])
    kernel.back(checkpoint)
    a, b = kernel["a"], kernel["b"]
    assert a[0] is b[0] and a[1] is not b[1]


def test_what_does_not_come_back_is_named_and_the_rest_is_there(kernel):
    checkpoint = kernel.run(
        "class Bad:\n    def __setstate__(self, state): raise ValueError('no')\n"
        "bad = Bad(); bad.x = 1; good = [1]"
    )
    fresh = Kernel(kernel.stored)
    done = fresh.back(checkpoint)
    reasons = {one.name: one.reason for one in done.skipped}
    assert "ValueError: no" in reasons["bad"] and fresh["good"] == [1]


def test_names_that_were_there_before_are_the_users_once_they_are_other_values(kernel):
    checkpoint = kernel.run("hs = 'mine'; len = 3; _hidden = 4")
    assert sorted(name for group in checkpoint for name in group["names"]) == [
        "hs",
        "len",
    ]
    kernel.back([])
    assert kernel["hs"] == "headstart" and "len" not in kernel
    kernel.back(checkpoint)
    assert (kernel["hs"], kernel["len"]) == ("mine", 3)


def test_random_cells_come_back_at_every_checkpoint():
    chance = random.Random(7)
    for _ in range(20):
        kernel, shown, checkpoints = Kernel(), [], []
        kernel.cell("v = [[n] for n in range(6)]\na, b, c, d, e, f = v\ndel v")
        for _ in range(12):
            one, other = chance.sample("abcdef", 2)
            step = chance.choice(
                [
                    f"{one}.append({chance.randrange(9)})",
                    f"{one}.append({other})",
                    f"{one} = {other}",
                    f"{one} = [{other}, {chance.randrange(9)}]",
                    f"{one} = 5 if isinstance({one}, int) else [5]",
                    f"{one} = []",
                ]
            )
            kernel.cell(step)
            checkpoints.append(kernel.save()[0])
            shown.append(_shape(kernel))
        order = list(range(len(checkpoints)))
        chance.shuffle(order)
        for place in order:
            kernel.back(checkpoints[place])
            assert _shape(kernel) == shown[place]


def _shape(kernel: Kernel) -> list:
    """The values of all names with what they share: each list has a number, given when it is met first."""
    met: dict[int, int] = {}

    def walk(value):
        if not isinstance(value, list):
            return value
        if id(value) in met:
            return ("again", met[id(value)])
        met[id(value)] = len(met)
        return [walk(one) for one in value]

    return [walk(kernel[name]) for name in "abcdef"]
