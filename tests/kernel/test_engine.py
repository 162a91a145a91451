"""Checkpoints of real kernels: what a branch had is what comes back, and nothing else."""

from __future__ import annotations

import pytest

pytest.importorskip("cloudpickle")

from engine import Engine


@pytest.fixture(scope="module")
def engine(tmp_path_factory, starting):
    """One kernel that saves, for the tests of this file."""
    folder = tmp_path_factory.mktemp("engine")
    with starting(folder) as start:
        yield Engine(start, folder / "checkpoints")


@pytest.fixture
def root(engine):
    """The engine's kernel, at its start."""
    engine.back()
    return engine


@pytest.fixture
def another(start, tmp_path, engine):
    """A new kernel on the store of the first."""
    return lambda: Engine(start, engine.root)


def test_each_leaf_of_a_tree_comes_back(root):
    engine = root
    first = engine.cell("a = [1]; b = {'k': a}; big = list(range(1000)); s = [big]")
    second = engine.cell("a.append(2); only = 1")
    third = engine.cell("b['k'].append(3); del only")
    big = engine.value("id(big)")
    restored = engine.back(second, first)
    assert restored.told["from"] == second
    assert restored.cell["code"] == "a.append(2); only = 1"
    assert restored.cell["status"] == "ok" and restored.faults == []
    assert restored.held == ["big", "s"] and restored.removed == []
    assert sorted(restored.names) == ["a", "b", "only"]
    assert engine.value("a, only, b['k'] is a, id(big)") == f"([1, 2], 1, True, {big})"
    other = engine.cell("a.append('other'); leaf = 7")
    engine.back()
    assert (
        engine.value("[n for n in ('a', 'b', 'big', 'leaf') if n in globals()]") == "[]"
    )
    assert engine.value("hs.__name__") == "'headstart'"
    assert engine.back(third).told["from"] == third
    assert (
        engine.value("a, b, 'leaf' in globals()")
        == "([1, 2, 3], {'k': [1, 2, 3]}, False)"
    )
    restored = engine.back(other, second, first)
    assert restored.removed == []
    assert engine.value("a, leaf, only") == "([1, 2, 'other'], 7, 1)"


def test_another_kernel_goes_on_where_the_first_was(root, another):
    held = root.cell("a = [1]; b = [a]\ndef f(): return k\nk = 1")
    fresh = another()
    assert sorted(fresh.back(held).names) == ["a", "b", "f", "k"]
    assert fresh.value("b[0] is a, f()") == "(True, 1)"
    fresh.cell("k = 2")
    assert fresh.value("f()") == "2"


def test_a_cell_that_failed_is_saved_too(root):
    ran = root.run("x = 1\n1 / 0")
    assert ran.error == "ZeroDivisionError"
    assert root.told(root.held)["names"] == 1
    held = root.held
    root.back()
    assert root.back(held).cell["status"] == "error"


def test_what_a_console_did_is_part_of_the_next(root):
    root.cell("a = 1")
    root.kernel.run("typed = [2]")
    held = root.cell("b = 3")
    root.back()
    assert root.back(held).names == ["a", "b", "typed"]


def test_the_next_older_one_is_used_where_the_newest_is_gone(root):
    first = root.cell("a = 1")
    second = root.cell("a = 2")
    (root.root / "manifests" / second).unlink()
    restored = root.back(second, first)
    assert restored.told["from"] == first
    assert [fault[0] for fault in restored.faults] == [second]
    assert root.value("a") == "1"


def test_what_is_live_is_named_and_the_rest_comes_back(root):
    held = root.cell(
        "import asyncio, os, socket, sqlite3, threading\n"
        "generator = (n for n in [1])\n"
        "writing = open('written', 'w'); reading = open(os.devnull)\n"
        "sock = socket.socket(); lock = threading.Lock()\n"
        "connection = sqlite3.connect(':memory:')\n"
        "task = asyncio.ensure_future(asyncio.sleep(0))\n"
        "nested = {'deep': [(reading,)]}\n"
        "x = {'kept': [1]}"
    )
    reasons = root.reasons(held)
    words = {
        "generator": "a generator",
        "writing": "an open file",
        "reading": "an open file",
        "sock": "a socket",
        "lock": "a lock",
        "connection": "a connection to sqlite",
        "task": "a task",
        "nested": "holds an open file",
    }
    assert {
        name: word for name, word in words.items() if word in reasons[name]
    } == words
    root.kernel.run(
        "sock.close(); connection.close(); writing.close(); reading.close()"
    )
    root.back()
    restored = root.back(held)
    assert restored.reasons == reasons
    assert root.value("x, 'lock' in globals()") == "({'kept': [1]}, False)"


def test_functions_see_the_globals_that_they_come_back_to(root, another):
    held = root.cell(
        "import functools\nk = 1\ndef f(): return k\n"
        "class A:\n    def m(self): return k\n"
        "def outer():\n    def inner(): return k\n    return inner\n"
        "hidden = [{f}, functools.partial(f), A().m, outer(), lambda: k]"
    )
    fresh = another()
    fresh.back(held)
    fresh.cell("k = 99")
    assert fresh.value("[list(hidden[0])[0](), *(one() for one in hidden[1:])]") == str(
        [99] * 5
    )
    assert (
        fresh.value("list(hidden[0])[0] is f, type(hidden[2].__self__) is A")
        == "(True, True)"
    )


def test_names_of_startup_and_builtins(root):
    first = root.cell("hs = 'mine'; len = 3; print_ = print")
    assert root.told(first)["names"] == 3
    second = root.cell("del len; hs = 'again'")
    root.back()
    assert root.value("hs.__name__, len([1])") == "('headstart', 1)"
    root.back(first)
    assert root.value("hs, len") == "('mine', 3)"
    root.back(second)
    assert root.value("hs, len([1])") == "('again', 1)"
    root.cell("del hs")
    root.back()
    assert root.value("hs.__name__") == "'headstart'"


def test_a_reset_is_a_cell_like_any_other(root):
    first = root.cell("a = 1")
    reset = root.cell("%reset -f")
    assert root.told(reset)["names"] == 0
    assert root.value("hs.__name__, 'a' in globals()") == "('headstart', False)"
    root.back(first)
    assert root.value("a, hs.__name__") == "(1, 'headstart')"
    assert root.back(reset).removed == ["a"]


def test_what_startup_code_made_is_neither_saved_nor_cleared(start, tmp_path):
    engine = Engine(start, tmp_path / "checkpoints")
    message = engine.send({"code": "made = [1]"}, {"startup": True}, silent=True)
    engine.kernel.finish(message)
    first = engine.cell("x = made")
    assert engine.told(first)["names"] == 1
    engine.cell("del made")
    engine.back()
    assert engine.value("made, 'x' in globals()") == "([1], False)"


def test_deletions_persist(root):
    root.cell("a = 1; b = 2")
    held = root.cell("del a")
    root.back()
    root.back(held)
    assert root.value("'a' in globals(), b") == "(False, 2)"


def test_classes_come_back_as_they_were(root):
    first = root.cell("class A:\n    x = 1\n    def m(self): return 'old'\na = A()")
    second = root.cell("A.x = 2; A.extra = 5; A.m = lambda self: 'new'")
    root.back(first)
    assert (
        root.value("A.x, hasattr(A, 'extra'), a.m(), type(a) is A")
        == "(1, False, 'old', True)"
    )
    root.back(second)
    assert root.value("A.x, A.extra, a.m()") == "(2, 5, 'new')"
    # Also where nothing has changed since it came back.
    root.cell("pass")
    assert root.told(root.held)["error"] is None
    root.back(first)
    assert root.value("A.x, a.m()") == "(1, 'old')"


def test_enums_of_cells_come_back(root):
    held = root.cell(
        "import enum\nclass Colour(enum.Enum):\n    RED = 1\nred = Colour.RED"
    )
    root.back()
    root.back(held)
    assert root.value("red is Colour.RED, Colour(1) is red") == "(True, True)"


def test_a_change_through_a_module_is_seen(root):
    numpy = pytest.importorskip("numpy")
    assert numpy
    first = root.cell(
        "import sys, types, numpy as np\n"
        "z = np.zeros(1000); sys.modules['keeper'] = keeper = types.ModuleType('keeper')\n"
        "keeper.alias = z; del keeper"
    )
    second = root.cell("__import__('keeper').alias[3] = 1")
    root.back(first)
    assert root.value("float(z.sum())") == "0.0"
    root.back(second)
    assert root.value("float(z[3])") == "1.0"


def test_views_of_an_array_are_copies_and_told(root):
    pytest.importorskip("numpy")
    held = root.cell("import numpy as np; a = np.arange(9); b = a[2:5]")
    # Nothing came back: they are what they were.
    assert root.back(held).copies == []
    root.back()
    assert root.back(held).copies == ["b"]
    assert root.value("b.tolist(), np.shares_memory(a, b)") == "([2, 3, 4], False)"
    again = root.cell("pass")
    assert root.reasons(again) == {}
    root.back()
    assert root.back(again).copies == []


def test_five_names_of_one_large_object_are_stored_once(root):
    before = _bytes(root.root)
    held = root.cell(
        "import os; one = os.urandom(63 << 20); two = three = four = five = one"
    )
    assert root.reasons(held) == {}
    grown = _bytes(root.root) - before
    assert 63 << 20 <= grown < 64 << 20
    root.back()
    root.back(held)
    assert (
        root.value("len(one), one is two is three is four is five")
        == f"({63 << 20}, True)"
    )


def test_too_large_a_value_is_skipped_unasked(root):
    held = root.cell(
        "class Big:\n"
        "    def __init__(self): self.data = bytes(65 << 20)\n"
        "    def __reduce__(self): open('asked', 'w').close(); return (int, ())\n"
        "big = Big(); x = 1"
    )
    assert root.reasons(held) == {"big": "larger than 64 MiB"}
    assert root.value("__import__('os').path.exists('asked')") == "False"


def _bytes(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
