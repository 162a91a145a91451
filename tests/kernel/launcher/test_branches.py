"""Checkpoints through the launcher: branches, restores after a loss, poison, off switches, and what is told of them."""

import os
import signal
import time

import pytest

#: A value whose restore does what the code says; the class must be restored before it.
POISON = """
import os, ctypes, time
class P:
    def __getstate__(self): return {{"a": 1}}
    def __setstate__(self, state):
        {0}
p = P()
"""
FOREVER = """
        while True:
            try:
                while True: pass
            except BaseException:
                pass
"""


def saved(host, ran) -> str:
    """The checkpoint of a cell, once it is on the disk."""
    assert ran.checkpoint is not None, ran.end
    file = host.home / ".cache/headstart/checkpoints/manifests" / ran.checkpoint
    end = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < end, f"no {file}"
        time.sleep(0.01)
    return ran.checkpoint


def told(ran, kind: str) -> list[str]:
    """What the notices of this kind in the result say."""
    return [n["text"] for n in ran.end["notices"] if n["kind"] == kind]


def test_a_tree_of_branches_comes_back_exactly(start):
    host = start()
    first = host.run("a = [1]; b = {'k': a}; big = list(range(1000))")
    root = saved(host, first)
    second = host.run("c = 3; a.append(2); before = id(big); before")
    fork = saved(host, second)
    left = host.run("d = 'left'; del c; sorted(n for n in globals() if n in 'abcd')")
    leaf = saved(host, left)
    assert "['a', 'b', 'd']" in left.output
    # From the second cell on, another way.
    right = host.run(
        "(c, a, b['k'] is a, 'd' in globals(), id(big) == before)",
        branch=[fork, root],
    )
    assert "(3, [1, 2], True, False, True)" in right.output
    (text,) = told(right, "restored")
    assert text.startswith(
        "back to cell 2 (`c = 3; a.append(2); before = id(big); before`): "
    )
    assert "c" in text and "removed d" in text and "unchanged" in text
    other = saved(host, host.run("e = c + 1"))
    # To the root, and on to the other leaf.
    empty = host.run(
        "sorted(n for n in ('a', 'b', 'c', 'd', 'e', 'big') if n in globals())",
        branch=[],
    )
    assert empty.output.strip() == "[]", empty.end
    assert told(empty, "restored")[0].startswith("back to the startup state: removed ")
    assert host.run(
        "(d, a, 'c' in globals())", branch=[leaf, fork, root]
    ).output.strip() == ("('left', [1, 2], False)")
    assert host.run("e", branch=[other, fork, root]).output.strip() == "4"
    # What is held needs nothing.
    last = host.run("b['k'] is a", branch=[host.ask("status")["checkpoint"]])
    assert last.output.strip() == "True"
    assert told(last, "restored") == []


def test_a_kernel_that_dies_is_followed_by_one_with_its_variables(start):
    host = start()
    saved(host, host.run("x = 41; f = lambda: x + 1; g = (i for i in 'ab')"))
    died = host.run("import os; x = 0; os._exit(3)")
    assert died.end["kind"] == "lost"
    after = host.run("f()")
    assert after.output.strip() == "42"
    assert after.generation == 2
    (text,) = told(after, "restored")
    assert "cell 1" in text and "g (a generator)" in text
    # Killed while idle; nothing was lost since.
    saved(host, after)
    os.kill(host.kernel(), signal.SIGKILL)
    host.wait_for(lambda e: e["type"] == "lost" and e["generation"] == 2)
    assert host.run("f()").output.strip() == "42"
    # A new kernel that somebody asked for has nothing.
    assert host.ask("restart")["type"] == "ready"
    assert host.run("f()").ename == "NameError"


def test_a_cell_that_had_to_be_killed_costs_only_itself(start):
    host = start()
    saved(host, host.run("x = [1, 2]"))
    code = "x.append(3)\nwhile True:\n  try:\n    print('on', flush=True)\n    while True: pass\n"
    name = host.begin(code + "  except BaseException: pass")
    ran, _ = host.stop(name)
    assert ran.state == "lost" and ran.checkpoint is None
    assert host.run("x").output.strip() == "[1, 2]"


def test_another_host_goes_on_where_one_was_killed(start):
    host = start()
    ids = [saved(host, host.run(f"x{n} = {n}")) for n in range(3)][::-1]
    other = start(env={"XDG_CACHE_HOME": str(host.home / ".cache")})
    host.kill()
    assert other.run("(x0, x1, x2)", branch=ids).output.strip() == "(0, 1, 2)"
    # The newest is gone: an older one is used, and both are named.
    manifests = host.home / ".cache/headstart/checkpoints/manifests"
    (manifests / ids[0]).unlink()
    ran = other.run("'x2' in globals(), x1", branch=ids)
    assert ran.output.strip() == "(False, 1)"
    (text,) = told(ran, "restored")
    assert "cell 2" in text and ids[0][:8] in text
    # None can be read.
    ran = other.run("'x0' in globals()", branch=["0" * 32, "../../x"])
    assert ran.output.strip() == "False"
    assert "cannot be read" in told(ran, "restored")[0]
    host.clean()


@pytest.mark.parametrize(
    "what",
    ["os._exit(7)", "ctypes.string_at(0)", FOREVER],
    ids=["exit", "segfault", "swallows interrupts"],
)
def test_a_value_that_kills_the_kernel_is_named_and_removed(start, what):
    host = start()
    saved(host, host.run("x = 1; y = [2]"))
    last = saved(host, host.run(POISON.format(what.strip())))
    assert host.ask("restart")["type"] == "ready"
    ran = host.run("(x, y, 'p' in globals())", branch=[last])
    assert ran.output.strip() == "(1, [2], False)"
    assert "p (" in told(ran, "restored")[0]
    # Code that can be stopped costs no kernel.
    kernels = 2 if what == FOREVER else 3
    assert ran.generation == kernels
    assert host.ask("restart")["type"] == "ready"
    assert host.run("(x, y)", branch=[last]).generation == kernels + 1


def test_three_values_that_kill_cost_three_kernels(start):
    host = start()
    # A class each: instances of one class come back together, and fall together.
    for name in ("p1", "p2", "p3"):
        code = POISON.format("os._exit(9)").replace(
            "class P:", f"class {name.upper()}:"
        )
        saved(host, host.run(code.replace("p = P()", f"{name} = {name.upper()}()")))
    last = saved(host, host.run("x = 5; x"))
    assert host.ask("restart")["type"] == "ready"
    code = "x, [n for n in ('p1', 'p2', 'p3') if n in globals()]"
    ran = host.run(code, branch=[last])
    assert ran.output.strip() == "(5, [])"
    (text,) = told(ran, "restored")
    assert all(f"{name} (" in text for name in ("p1", "p2", "p3"))
    # The second one, and three that followed it.
    assert ran.generation == 5


def test_a_restore_that_is_cancelled_runs_again_with_the_next_cell(start):
    host = start()
    code = """
import os, time
class Slow:
    def __getstate__(self): return {"a": 1}
    def __setstate__(self, state):
        if os.path.exists("slow"):
            open("there", "w").close()
            time.sleep(60)
s = Slow(); x = 1
"""
    last = saved(host, host.run(code))
    assert host.ask("restart")["type"] == "ready"
    (host.home / "slow").touch()
    name = host.send("run", code="x", branch=[last])
    end = time.monotonic() + 30
    while not (host.home / "there").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    ran, took = host.stop(name)
    assert ran.ename == "KeyboardInterrupt" and ran.state == "kept" and took < 30
    assert ran.checkpoint is None
    (host.home / "slow").unlink()
    ran = host.run("x, type(s).__name__", branch=[last])
    assert ran.output.strip() == "(1, 'Slow')"
    assert ran.generation == 2


def test_one_session_that_restores_slowly_holds_up_no_other(start):
    host = start()
    code = """
import os, time
class Slow:
    def __getstate__(self): return {"a": 1}
    def __setstate__(self, state):
        if os.path.exists("slow"): open("there", "w").close(); time.sleep(8)
s = Slow()
"""
    last = saved(host, host.run(code))
    host.open(session="b")
    host.run("y = 1", session="b")
    assert host.ask("restart")["type"] == "ready"
    (host.home / "slow").touch()
    slow = host.send("run", code="1", branch=[last])
    end = time.monotonic() + 30
    while not (host.home / "there").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    began = time.monotonic()
    host.run("y += 1", session="b")
    done = host.ask("checkpoint", session="b")
    assert done["type"] == "checkpoint" and done["names"] >= 1
    assert time.monotonic() - began < 7
    assert not any(e.get("id") == slow and e["type"] == "result" for e in host.events)
    host.stop(slow)


def test_requests_to_save_and_to_restore(start):
    host = start()
    host.run("x = 1; f = open('a.txt', 'w')")
    done = host.ask("checkpoint")
    assert done["names"] == 1
    assert [one["name"] for one in done["skipped"]] == ["f"]
    assert host.ask("status")["checkpoint"] == done["checkpoint"]
    host.run("x = 2; y = 3")
    back = host.ask("restore", branch=[done["checkpoint"]])
    assert back["type"] == "restored", back
    assert (back["from"], back["names"]) == (done["checkpoint"], ["x"])
    assert sorted(back["removed"]) == ["f", "y"]
    assert host.run("x, 'y' in globals()").output.strip() == "(1, False)"
    assert host.ask("restore", branch=[])["type"] == "restored"
    assert host.run("x").ename == "NameError"
    busy = host.begin("print('on'); import time; time.sleep(30)")
    assert host.ask("checkpoint")["kind"] == "busy"
    host.stop(busy)


def test_the_switches(start, tmp_path):
    off = start(env={"HEADSTART_PERSISTENCE": "0"})
    assert off.run("x = 1").checkpoint is None
    assert off.ask("checkpoint")["kind"] == "unsupported"
    ran = off.run("x", branch=["0" * 32])
    assert ran.output.strip() == "1"
    assert "HEADSTART_PERSISTENCE=0" in told(ran, "restore")[0]
    assert not (off.home / ".cache/headstart").exists()
    host = start(opened=False)
    host.open(session="a", checkpoints="save")
    one = saved(host, host.run("x = 1", session="a"))
    os.kill(host.kernel(), signal.SIGKILL)
    host.wait_for(lambda e: e["type"] == "lost")
    assert host.run("x", session="a").ename == "NameError"
    host.open(session="b", checkpoints="restore")
    ran = host.run("x", session="b", branch=[one])
    assert ran.output.strip() == "1" and ran.checkpoint is None
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".headstart.json").write_text('{"persistence": false}')
    host.open(session="c", cwd=str(folder))
    assert host.run("x = 1", session="c").checkpoint is None
    (folder / ".headstart.json").write_text('{"persistance": false}')
    bad = host.ask("open", session="d", cwd=str(folder))
    assert bad["kind"] == "start" and ".headstart.json" in bad["message"]


@pytest.mark.parametrize("spoilt", ["link", "mode"])
def test_a_store_that_others_can_reach_is_refused_and_told_once(start, spoilt):
    host = start(opened=False)
    root = host.home / ".cache/headstart/checkpoints"
    root.parent.mkdir(parents=True)
    target = host.home / "target"
    target.mkdir()
    if spoilt == "link":
        root.symlink_to(target)
    else:
        root.mkdir(mode=0o755)
        root.chmod(0o755)
    host.open()
    cells = [host.run("x = 1")]
    failed: list[str] = []
    # The word comes with a result behind the save.
    end = time.monotonic() + 30
    while not failed and time.monotonic() < end:
        cells.append(host.run("x += 1"))
        failed = [text for ran in cells for text in told(ran, "checkpoint")]
    cells += [host.run("x") for _ in range(5)]
    failed = [text for ran in cells for text in told(ran, "checkpoint")]
    assert len(failed) == 1 and str(root) in failed[0]
    assert all(ran.status == "ok" for ran in cells)
    assert list(target.iterdir()) == []
    assert spoilt == "link" or list(root.iterdir()) == []


def test_the_end_waits_for_what_is_being_saved(start):
    host = start()
    code = "import os\nbig = [os.urandom(1 << 20) for _ in range(60)]"
    ran = host.run(code)
    assert host.ask("close", 30)["type"] == "closed"
    assert host.process.wait(timeout=10) == 0
    manifest = host.home / ".cache/headstart/checkpoints/manifests" / ran.checkpoint
    assert manifest.exists()


def typed_in_a_console(host, code: str) -> None:
    """Another client of the kernel runs a cell."""
    from jupyter_client import BlockingKernelClient

    file = host.ask("open")["connection_file"]
    client = BlockingKernelClient(connection_file=file)
    client.load_connection_file()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=30)
        client.execute(code, reply=True, timeout=30)
    finally:
        client.stop_channels()


def test_a_console_takes_part_in_the_next_checkpoint(start):
    host = start()
    typed_in_a_console(host, "typed = 7")
    last = saved(host, host.run("x = 1"))
    host.ask("restart")
    assert host.run("typed, x", branch=[last]).output.strip() == "(7, 1)"


def test_what_was_typed_in_a_console_outlives_the_kernel(start):
    host = start()
    first = saved(host, host.run("x = 1"))
    manifests = host.home / ".cache/headstart/checkpoints/manifests"
    before = set(os.listdir(manifests))
    typed_in_a_console(host, "typed = 7")
    end = time.monotonic() + 30
    while not set(os.listdir(manifests)) - before:
        assert time.monotonic() < end, "what was typed was not saved"
    os.kill(host.kernel(), signal.SIGKILL)
    host.wait_for(lambda e: e["type"] == "lost")
    assert host.run("typed, x").output.strip() == "(7, 1)"
    # A host that names its branch goes back to that.
    names = "print(sorted(globals().keys() & {'typed', 'x'}))"
    assert host.run(names, branch=[first]).output == "['x']\n"


def test_sizes_that_a_project_sets(start, tmp_path):
    host = start(opened=False)
    text = '{"checkpoints": {"value_mib": 1}}'
    (tmp_path / ".headstart.json").write_text(text)
    host.open(cwd=str(tmp_path))
    host.run("small = b'x' * (900 << 10); large = b'x' * (1100 << 10)")
    done = host.ask("checkpoint")
    assert done["names"] == 1
    assert done["skipped"] == [{"name": "large", "reason": "larger than 1 MiB"}]


def test_a_save_that_fails_leaves_the_kernel_what_it_holds(start):
    host = start()
    first = saved(host, host.run("x = 1"))
    root = host.home / ".cache/headstart/checkpoints"
    root.rename(root.with_name("away"))
    root.symlink_to("nowhere")
    # The store that is open goes on; a new kernel finds none.
    os.kill(host.kernel(), signal.SIGKILL)
    host.wait_for(lambda e: e["type"] == "lost")
    ran = host.run("x = 2", branch=[])
    failed = host.wait_for(lambda e: e["type"] == "saved" and e.get("error"))
    assert (failed["id"], failed["checkpoint"]) == (ran.end["id"], ran.checkpoint)
    assert host.ask("checkpoint")["type"] == "error"
    # The branch of the cell is what the kernel holds, saved or not.
    assert host.run("x", branch=[ran.checkpoint, first]).output.strip() == "2"


def test_each_save_is_told_with_what_it_lacks(start):
    host = start()
    ran = host.run("x = 1; g = (i for i in 'ab')")
    told = host.wait_for(lambda e: e["type"] == "saved")
    assert (told["id"], told["checkpoint"]) == (ran.end["id"], ran.checkpoint)
    assert told["skipped"] == [{"name": "g", "reason": "a generator"}]
    assert told["names"] == 1 and "error" not in told


def test_a_cell_is_taken_back_while_the_one_before_is_being_saved(start):
    host = start()
    host.run("x = 2")
    code = """
import os, time
class Slow:
    def __reduce__(self):
        open('saving', 'w').close()
        time.sleep(1.5)
        return int, (1,)
s = Slow()
"""
    host.run(code)
    name = host.send("run", code="x = 3")
    end = time.monotonic() + 30
    while not (host.home / "saving").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    ran, _ = host.stop(name)
    assert (ran.ename, ran.state) == ("KeyboardInterrupt", "kept")
    # It did not wait for the save; neither the cell nor the save has suffered.
    saved_at = host.place(lambda e: e["type"] == "saved" and e["id"] == "run-3")
    assert host.place(lambda e: e["type"] == "result" and e["id"] == name) < saved_at
    assert host.run("x").output == "2\n"
    told = host.events[saved_at]
    assert (told["names"], told["skipped"]) == (5, []), told


def test_a_value_that_interrupts_itself_does_not_block_the_session(start):
    host = start()
    code = """
class P:
    def __getstate__(self): return 1
    def __setstate__(self, state): raise KeyboardInterrupt
p = P(); k = [1]
"""
    last = saved(host, host.run(code))
    host.ask("restart")
    first = host.run("1", branch=[last])
    assert (first.status, first.output) == ("ok", "1\n"), first.end
    assert told(first, "restored") or told(first, "restore")
    assert host.run("2").output == "2\n"
