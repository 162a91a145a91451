"""A kernel that dies is told as it was, once, and the next cell works."""

import os
import signal

import pytest
from processes import Watch

DEATHS = {
    "exit 17": ("import os\nos._exit(17)", "17"),
    "segfault": ("import ctypes\nctypes.string_at(0)", "SIGSEGV"),
    "killed": ("import os\nos.kill(os.getpid(), 9)", "SIGKILL"),
    "abort": ("import os\nos.abort()", "SIGABRT"),
}


@pytest.mark.parametrize("name", DEATHS)
def test_a_kernel_that_dies_in_a_cell(start, name):
    code, reason = DEATHS[name]
    host = start()
    host.run("x = 41")
    assert host.ask("checkpoint")["type"] == "checkpoint"
    ran = host.run("print('before', flush=True)\n" + code)
    assert (ran.end["type"], ran.kind) == ("error", "lost")
    assert reason in ran.message
    # What was printed just before may have gone with it.
    kinds = [kind for kind in ran.types if kind != "output"]
    assert kinds == ["cell-start", "cell-end", "error"]
    (lost,) = [event for event in host.events if event["type"] == "lost"]
    assert lost["generation"] == 1 and reason in lost["reason"]
    if name == "segfault":
        assert "Segmentation fault" in lost["stderr_tail"]
    ran = host.run("x")
    assert (ran.output, ran.generation, ran.state) == ("41\n", 2, "kept")
    # What it printed can still be had.
    first = next(event["id"] for event in host.events if event["type"] == "cell-end")
    assert host.ask("read", run=first, from_line=1)["type"] == "lines"


def test_a_kernel_that_is_killed_while_it_is_idle(start):
    host = start(env={"HEADSTART_PERSISTENCE": "0"})
    for generation in (1, 2, 3):
        at = len(host.events)
        host.run("x = 41")
        os.kill(host.ask("status")["pid"], signal.SIGKILL)
        lost = host.wait_for(lambda e: e["type"] == "lost", since=at)
        assert lost["generation"] == generation and "SIGKILL" in lost["reason"]
        assert host.ask("status")["state"] == "down"
        ran = host.run("'x' in globals()")
        assert (ran.output, ran.generation) == ("False\n", generation + 1)


def test_three_deaths_in_a_row_and_the_next_call_works_each_time(start):
    host = start()
    for generation in (1, 2, 3):
        ran = host.run("import os; os._exit(17)")
        assert (ran.kind, "17" in ran.message) == ("lost", True)
        lost = [event for event in host.events if event["type"] == "lost"]
        assert [event["generation"] for event in lost] == list(range(1, generation + 1))
    ran = host.run("6 * 7")
    assert (ran.status, ran.output, ran.generation) == ("ok", "42\n", 4)


def test_after_more_deaths_in_a_row_a_call_says_so_and_the_one_behind_tries_again(
    start,
):
    host = start()
    for _ in range(4):
        assert host.run("import os; os._exit(17)").kind == "lost"
    ran = host.run("1")
    assert ran.kind == "lost" and ran.of("cell-start") == []
    assert host.run("6 * 7").output == "42\n"
    # A cell that came to its end begins the count anew.
    for _ in range(3):
        assert host.run("import os; os._exit(17)").kind == "lost"
    assert host.run("6 * 7").output == "42\n"


@pytest.mark.parametrize("code", ["exit()", "quit", "import sys; sys.exit(3)"])
def test_exit_ends_the_cell_and_no_more(host, code):
    host.run("x = 41")
    pid = host.ask("status")["pid"]
    ran = host.run(code)
    assert ran.end["type"] == "result" and ran.state == "kept"
    assert [notice["kind"] for notice in ran.notices] == ["exit"]
    assert "headstart" not in ran.output
    assert host.run("x").output == "41\n"
    assert host.ask("status")["pid"] == pid


def test_what_it_said_last_on_standard_error_is_told(start):
    host = start()
    host.run("import os\nos.write(2, b'first\\n' * 50_000 + b'the last line\\n'); None")
    host.run("os._exit(3)")
    (lost,) = [event for event in host.events if event["type"] == "lost"]
    assert lost["stderr_tail"].endswith("the last line")
    assert len(lost["stderr_tail"]) < 20_000


def test_children_that_hold_its_pipes_hide_no_death(start):
    host = start()
    ran = host.run(
        "import os, subprocess\n"
        "child = subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
        "open('child', 'w').write(str(child.pid))\nos._exit(17)",
        within=30,
    )
    assert ran.kind == "lost"
    watch = Watch({int((host.home / "child").read_text())})
    # It belonged to a kernel that is gone, and nobody could end it any more.
    assert host.run("1").output == "1\n"
    watch.ended(5)


def test_cells_that_wait_run_on_the_next_kernel(start):
    host = start()
    first = host.send("run", code="import os; os._exit(17)")
    second = host.send("run", code="6 * 7", queue=True)
    assert host.finish(first).kind == "lost"
    ran = host.finish(second)
    assert (ran.status, ran.output, ran.generation) == ("ok", "42\n", 2)


def test_a_kernel_that_is_killed_while_it_starts(start):
    host = start(opened=False)
    name = host.send("open", startup_code=["import time; time.sleep(1000)"])
    os.kill(host.kernel(), signal.SIGKILL)
    answer = host.answer(name, "open")
    assert (answer["type"], answer["kind"]) == ("error", "start")
    assert "SIGKILL" in answer["message"]
    host.open()
    assert host.run("1").output == "1\n"
