"""Values that are slow, deep or interrupt themselves as they are saved: told, and the kernel and its other values go on."""

from __future__ import annotations

import pytest

pytest.importorskip("cloudpickle")

from engine import Engine
from test_checkpoints import Kernel

from headstart.kernel.checkpoints import pace


@pytest.fixture
def engine(start, tmp_path):
    return Engine(start, tmp_path / "checkpoints")


@pytest.fixture
def another(start, tmp_path):
    """A new kernel on the same store."""
    return lambda: Engine(start, tmp_path / "checkpoints")


def names(checkpoint):
    return {name for group in checkpoint for name in group["names"]}


def test_slow_values_do_not_hold_each_cell_up(monkeypatch):
    monkeypatch.setattr(pace, "PATIENCE", 0.5)
    monkeypatch.setattr(pace, "HURRY", 0.1)
    kernel = Kernel()
    kernel.run("quick = [1]; x = 1")
    kernel.cell(
        "import time\n"
        "_calls = []\n"
        "for n in range(8):\n"
        "    class Slow:\n"
        "        def __getstate__(self): _calls.append(1); time.sleep(0.2); return {}\n"
        "    globals()[f's{n}'] = Slow()\n"
        "del Slow\n"
        "z = [2]; y = 3"
    )
    checkpoint, skipped = kernel.save()
    assert len(kernel["_calls"]) <= 3
    assert {"quick", "x", "y", "s0"} <= names(checkpoint)
    words = "the values before it took longer than 0.5 s"
    assert skipped["s7"] == skipped["z"] == words
    for _ in range(9):
        kernel["_calls"].clear()
        checkpoint, skipped = kernel.save()
        assert len(kernel["_calls"]) <= 1
        assert {"quick", "x", "y"} <= names(checkpoint)
        assert {f"s{n}" for n in range(8)} <= names(checkpoint) | set(skipped)
    # Each is known now.
    assert kernel["_calls"] == [] and "z" in names(checkpoint)
    assert all("to pickle" in reason for reason in skipped.values())
    # One that was replaced, or has time again, is looked at.
    kernel.cell("s0 = [1]")
    assert "s0" in names(kernel.save()[0])
    monkeypatch.setattr(pace, "PATIENCE", 60)
    monkeypatch.setattr(
        pace.time, "monotonic", lambda now=pace.time.monotonic: now() + 61
    )
    assert {f"s{n}" for n in range(8)} <= names(kernel.save()[0])


def test_deep_values_do_not_end_the_kernel(engine, another):
    held = engine.cell(
        "import sys; sys.setrecursionlimit(200_000)\n"
        "class N: pass\n"
        "class R:\n"
        "    def __reduce__(self): return (N, (), {'next': self.next})\n"
        "def deep(kind, levels):\n"
        "    one = None\n"
        "    for _ in range(levels):\n"
        "        if kind is list: one = [one]\n"
        "        elif kind is tuple: one = (one,)\n"
        "        elif kind is dict: one = {'k': one}\n"
        "        elif kind is frozenset: one = frozenset((one,))\n"
        "        else:\n"
        "            new = kind(); new.next = one; one = new\n"
        "    return one\n"
        "for _kind in (list, tuple, dict, frozenset, N, R):\n"
        "    for _levels in (300, 1500, 3000, 4900, 9900, 60_000):\n"
        "        globals()[f'{_kind.__name__}_{_levels}'] = deep(_kind, _levels)\n"
        "x = 1"
    )
    told = engine.reasons(held)
    assert set(told.values()) == {"nested too deeply"}
    assert {name for name in told if name.endswith("_60000")} == {
        f"{kind}_60000" for kind in ("list", "tuple", "dict", "frozenset", "N", "R")
    }
    assert engine.value("x, sys.getrecursionlimit()") == "(1, 200000)"
    fresh = another()
    fresh.kernel.run("import sys; sys.setrecursionlimit(200_000)")
    restored = fresh.back(held)
    assert restored.reasons == told
    kept = "sum(name.endswith('_300') for name in globals())"
    assert fresh.value(f"{kept}, sys.getrecursionlimit()") == "(6, 200000)"


def test_an_interrupt_that_a_value_raises_itself_is_a_fault_of_the_value(
    engine, another
):
    held = engine.cell(
        "class Comes:\n"
        "    def __init__(self): self.x = 1\n"
        "    def __setstate__(self, state): raise KeyboardInterrupt\n"
        "class Goes:\n"
        "    def __reduce__(self): raise KeyboardInterrupt\n"
        "comes, goes, a = Comes(), Goes(), [1]"
    )
    text = "cannot be pickled: KeyboardInterrupt was raised"
    assert engine.reasons(held) == {"goes": text}
    restored = another().back(held)
    text = "did not come back: KeyboardInterrupt was raised"
    assert restored.reasons["comes"] == text and "a" in restored.names


def test_long_names_are_told_in_one_short_line(engine, another):
    held = engine.cell(
        "globals()['no\\n' * 50_000] = open('/dev/null'); globals()['y' * 100_000] = [5]\n"
        "class Bad:\n    def __setstate__(self, state): raise SystemExit\n"
        "globals()['bad\\n' * 50_000] = bad = Bad(); bad.x = 1"
    )
    restored = another().back(held)
    told = [*engine.reasons(held), *restored.names, *restored.reasons]
    assert len(told) == 1 + 2 + 3
    assert all(len(name) <= 200 and "\n" not in name for name in told)
    assert restored.reasons["bad"] == "did not come back: SystemExit was raised"
