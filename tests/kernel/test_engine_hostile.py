"""Checkpoints where values are hostile and the store cannot be used: the kernel and its cells go on."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

pytest.importorskip("cloudpickle")

from engine import Engine


@pytest.fixture
def engine(start, tmp_path):
    return Engine(start, tmp_path / "checkpoints")


@pytest.fixture
def another(start, tmp_path):
    """A new kernel on the same store."""
    return lambda: Engine(start, tmp_path / "checkpoints")


# Values whose code misbehaves as they are saved.


def test_code_of_values_reaches_nothing_as_it_is_saved(engine):
    ran = engine.run(
        "import sys\n"
        "class Prints:\n    def __reduce__(self): print('seen'); sys.stderr.write('seen'); return (int, ())\n"
        "class Raises:\n    def __reduce__(self): raise ValueError('no\\udc80')\n"
        "class Exits:\n    def __reduce__(self): raise SystemExit(3)\n"
        "class Worse:\n    def __reduce__(self): raise BaseException\n"
        "class Unsaid(Exception):\n    def __str__(self): raise SystemExit\n"
        "class Speechless:\n    def __reduce__(self): raise Unsaid\n"
        "class Lies:\n    __class__ = property(lambda self: exit())\n"
        "a, b, c, d, e, f = Prints(), Raises(), Exits(), Worse(), Speechless(), Lies()\n"
        "x = 1"
    )
    reasons = engine.reasons(engine.held)
    assert set(reasons) >= {"b", "c", "d", "e"}
    assert "ValueError: no\\udc80" in reasons["b"] and "SystemExit" in reasons["c"]
    assert reasons["e"] == "cannot be pickled: Unsaid"
    later = engine.run("print('mine')")
    assert (ran.text() + ran.text("stderr"), later.text()) == ("", "mine\n")
    assert engine.value("x") == "1"


def test_a_thread_prints_while_values_are_pickled(engine):
    ran = engine.run(
        "import threading, sys\n"
        "going, stop = threading.Event(), threading.Event()\n"
        "class Waits:\n"
        "    def __reduce__(self):\n"
        "        print('not this'); _go.set(); _done.wait(10); return (int, ())\n"
        "_go, _done = threading.Event(), threading.Event()\n"
        "def _prints(): _go.wait(10); print('by the thread', flush=True); _done.set()\n"
        "_thread = threading.Thread(target=_prints); _thread.start()\n"
        "value = Waits()"
    )
    assert ran.status == "ok"
    printed, end = "", time.monotonic() + 60
    while "by the thread\n" not in printed:
        message = engine.kernel.message(end)
        if message["msg_type"] == "stream":
            printed += message["content"]["text"]
    assert printed == "by the thread\n"


SLOW = (
    "import time\n"
    "class Slow:\n    def __reduce__(self): time.sleep(60)\n"
    "class Swallows:\n"
    "    def __reduce__(self):\n"
    "        while True:\n"
    "            try: time.sleep(60)\n"
    "            except BaseException: pass\n"
)


def test_what_takes_too_long_is_left_out_and_not_tried_again_at_once(engine):
    began = time.monotonic()
    held = engine.cell(SLOW + "slow = Slow(); swallows = Swallows(); x = 1")
    assert time.monotonic() - began < 45
    reasons = engine.reasons(held)
    assert reasons["slow"] == reasons["swallows"] == "took longer than 2 s to pickle"
    assert engine.told(held)["names"] == 4
    began = time.monotonic()
    held = engine.cell("x = 2")
    # Tried again they take four seconds.
    assert time.monotonic() - began < 3.5
    assert engine.reasons(held) == reasons


def test_an_interrupt_ends_a_value_that_hangs(engine):
    message, held = engine.ask(SLOW + "slow = Slow(); x = 1")
    ran = engine.kernel.finish(message)
    assert ran.status == "ok"
    began = time.monotonic()
    engine.kernel.interrupt()
    reasons = engine.reasons(held)
    assert reasons["slow"] in ("interrupted", "took longer than 2 s to pickle")
    assert time.monotonic() - began < 45
    assert engine.value("x") == "1"


def test_output_that_a_cell_redirected_stays_redirected(engine):
    engine.cell("import io, sys; _kept = sys.stdout; sys.stdout = io.StringIO()")
    engine.run("print('into it')")
    engine.run("_text = sys.stdout.getvalue(); sys.stdout = _kept")
    assert engine.value("_text") == "'into it\\n'"


# The store.


def refused(engine, words: str) -> None:
    for number in range(2):
        ran = engine.run(f"x = {number}\nx")
        assert ran.results == [str(number)] and ran.notices == []
        told = engine.told(engine.held)
        assert words in told["error"] and told["names"] == 0


def test_a_store_that_is_a_link_is_refused(engine, tmp_path):
    target = tmp_path / "target"
    target.mkdir(mode=0o700)
    engine.root.symlink_to(target)
    refused(engine, "link")
    assert list(target.iterdir()) == []
    # The next one is tried again.
    engine.root.unlink()
    engine.cell("y = 1")


def test_a_store_that_others_may_enter_is_refused(engine):
    engine.root.mkdir(mode=0o755)
    engine.root.chmod(0o755)
    refused(engine, "0755")
    assert list(engine.root.iterdir()) == []
    engine.root.chmod(0o700)
    engine.cell("y = 1")


def test_an_id_that_is_a_path_is_refused(engine, tmp_path):
    for ident, parent in (("../../x", None), ("0" * 32, "../../x")):
        message, _ = engine.ask("x = 1", ident, parent)
        assert engine.kernel.finish(message).status == "ok"
        assert "../../x" in engine.told(ident)["error"]
    restored = engine.back("../../x")
    assert restored.told["from"] is None and "../../x" in restored.faults[0][1]
    assert not list(tmp_path.rglob("x"))


def test_a_full_disk_is_told_and_what_was_saved_stays(engine):
    first = engine.cell("import os, resource, signal; a = os.urandom(100_000); b = [a]")
    # As large as files may become; the signal would end the process.
    limit = "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, ({}, resource.RLIM_INFINITY))"
    engine.run(limit.format(50_000) + "\nc = os.urandom(200_000)")
    assert "ulimit -f" in engine.told(engine.held)["error"]
    full = engine.held
    engine.run("d = 1")
    assert engine.told(engine.held)["error"]
    held = engine.cell(limit.format("resource.RLIM_INFINITY"))
    assert engine.told(held)["names"] == 6 + 1
    saved = engine.value("hash(c)")
    engine.back(full, first)
    assert engine.value("'c' in globals()") == "False"
    engine.back(held)
    assert engine.value("hash(c)") == saved


def test_a_store_that_was_removed_is_made_anew(engine):

    engine.cell("import os; a = os.urandom(100_000)")
    # In one step: what was done last may still be written down.
    engine.root.rename(engine.root.parent / "removed")
    engine.run("b = 1")
    engine.told(engine.held)
    held = engine.cell("c = 2")
    assert engine.told(held)["names"] == 4
    engine.back()
    engine.back(held)
    assert engine.value("len(a), b, c") == "(100000, 1, 2)"


def test_what_is_being_saved_is_saved_before_the_kernel_ends(engine, another):
    engine.run("import os; a = [os.urandom(1 << 20) for _ in range(40)]")
    held = engine.held
    engine.kernel.client.shutdown()
    assert engine.kernel.manager.provisioner.process.wait(timeout=60) == 0
    fresh = another()
    fresh.back(held)
    assert fresh.value("len(a)") == "40"


# Values that misbehave as they come back.

POISON = {
    "exits": "__import__('os')._exit(1)",
    "crashes": "__import__('os').kill(__import__('os').getpid(), 11)",
}


def poison(**bodies: str) -> str:
    return "".join(
        f"class C_{name}:\n"
        "    def __init__(self): self.x = 1\n"
        f"    def __setstate__(self, state):\n        {body}\n"
        f"{name} = C_{name}()\n"
        for name, body in bodies.items()
    )


def marks(engine) -> list[str]:
    return [file.name for file in (engine.root / "marks").iterdir()]


def gone(engine) -> None:
    """The kernel has ended."""
    engine.kernel.manager.provisioner.process.wait(timeout=60)


def test_three_values_that_end_the_kernel_cost_three_kernels(engine, another):
    three = poison(one=POISON["exits"], two=POISON["crashes"], zzz=POISON["exits"])
    held = engine.cell(three + "a = [1]; z = {'k': a}")
    died = []
    for number in range(3):
        fresh = another()
        fresh.ask_back(held, by=f"k{number}", died=died)
        gone(fresh)
        died.append(f"k{number}")
    fresh = another()
    restored = fresh.back(held, by="k3", died=died)
    words = "it ended or blocked the kernel that restored it"
    assert {
        name: restored.reasons[name] for name in ("one", "two", "zzz")
    } == dict.fromkeys(("one", "two", "zzz"), words)
    assert fresh.value("a, z['k'] is a, 'one' in globals()") == "([1], True, False)"
    # For good, also where nobody says who died.
    again = another().back(held, by="k9")
    assert again.reasons["one"] == words


def test_a_mark_of_a_host_that_was_killed_does_not_count(engine, another):
    held = engine.cell(
        poison(odd="import os; os.path.exists('bad') and os._exit(1)") + "a = 1"
    )
    fresh = another()
    fresh.kernel.run("open('bad', 'w').close()")
    fresh.ask_back(held, by="k1")
    gone(fresh)
    fresh = another()
    fresh.kernel.run("import os; os.unlink('bad'); del os")
    restored = fresh.back(held, by="k2", died=["somebody else"])
    assert restored.reasons == {} and "odd" in restored.names


def test_a_value_that_hangs_is_stopped_named_and_taken_out(engine, another):
    forever = "import time\n        while True:\n            try: time.sleep(60)\n            except BaseException: pass"
    held = engine.cell(poison(bad=forever) + "good = [1]")
    fresh = another()
    message = fresh.ask_back(held)
    began = time.monotonic()
    fresh.kernel.finish(message)
    assert time.monotonic() - began < 45
    assert fresh.value("good, 'bad' in globals()") == "([1], False)"
    restored = another().back(held)
    # With its class, which it is one group with.
    words = "took longer than 10 s to come back"
    assert restored.reasons == {"bad": words, "C_bad": words}


def test_a_restore_that_is_interrupted_leaves_all_as_it_was(engine):
    waits = "import time; open('began', 'w').close(); time.sleep(60)"
    first = engine.cell("class A: x = 1\na = A()")
    held = engine.cell(poison(slow=waits) + "a.more = 1; A.x = 2")
    engine.cell("del slow; a.more = [3]; A.x = 3; mine = [1]")
    before = engine.value("id(a), id(A), id(mine)")
    message = engine.ask_back(held)
    end = time.monotonic() + 60
    while not (engine.root.parent / "began").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    engine.kernel.interrupt()
    ran = engine.kernel.finish(message, within=30)
    assert (ran.status, ran.error) == ("error", "KeyboardInterrupt")
    assert engine.value("id(a), id(A), id(mine)") == before
    assert engine.value("A.x, a.more, isinstance(a, A)") == "(3, [3], True)"
    # A value that was not to blame is not taken out.
    assert engine.back(first).reasons == {}
    assert marks(engine) == []


def test_a_slow_restore_holds_no_other_session_up(engine, another):
    waits = "import time; open('began', 'w').close(); time.sleep(60)"
    held = engine.cell(poison(slow=waits))
    other = another()
    other.cell("x = 1")
    fresh = another()
    message = fresh.ask_back(held)
    end = time.monotonic() + 60
    while not (engine.root.parent / "began").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    began = time.monotonic()
    other.cell("y = [x] * 1000")
    # The restore is given up after ten seconds.
    assert time.monotonic() - began < 8
    fresh.kernel.interrupt()
    assert fresh.kernel.finish(message).error == "KeyboardInterrupt"


def test_a_kernel_that_is_killed_as_it_saves_leaves_whole_checkpoints(engine, another):
    from headstart._headstart import Store

    chance, kernel = random.Random(5), engine
    kernel.cell("import os")
    for _ in range(4):
        for _ in range(3):
            kernel.run(
                "a, b = os.urandom(6 << 20), [os.urandom(3000) for _ in range(300)]"
            )
        time.sleep(chance.uniform(0, 0.1))
        os.kill(kernel.kernel.pid, signal.SIGKILL)
        gone(kernel)
        store = Store(str(engine.root))
        names = [file.name for file in (engine.root / "manifests").iterdir()]
        for name in names:
            assert store.first_readable([name]) == (name, [])
            for number, _ in store.groups(name):
                store.read(name, number)
        kernel = another()
        kernel.back(*names)
        assert kernel.value("os.sep") == "'/'"


def test_a_value_that_fails_costs_only_itself(engine):
    held = engine.cell(
        poison(
            bad="raise ValueError('no')",
            worse="raise SystemExit",
            prints="print('seen')",
        )
        + "good = [1]"
    )
    engine.back()
    restored = engine.back(held)
    assert "ValueError: no" in restored.reasons["bad"]
    assert "SystemExit" in restored.reasons["worse"]
    assert set(restored.names) >= {"good", "prints", "C_prints"}
    assert restored.ran.text() == ""
    # What failed once may come back another time.
    assert marks(engine) == []


def test_plain_values_are_not_marked(engine):
    pytest.importorskip("numpy")
    held = engine.cell(
        "import numpy as _np; a = _np.arange(9); b = {'x': [1, 'y', {2}]}\ndef f(): return a"
    )
    engine.back()
    before = os.stat(engine.root / "marks").st_mtime_ns
    assert engine.back(held).names == ["a", "b", "f"]
    assert os.stat(engine.root / "marks").st_mtime_ns == before
    held = engine.cell("class A: pass\nc = A()")
    engine.back()
    engine.back(held)
    assert os.stat(engine.root / "marks").st_mtime_ns > before
