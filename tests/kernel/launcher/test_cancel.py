"""A cell stops when it is told to, and variables are kept; where it cannot, the kernel ends and this is told."""

import os
import time

import pytest
from processes import SLACK, Watch, until_computing, until_state

ON = "print('on', flush=True)\n"

#: Cells that stop by an interrupt, though they would take minutes.
STOPPED = {
    "await": "await asyncio.sleep(60)",
    "gather": "await asyncio.gather(*(asyncio.sleep(60) for _ in range(5)))",
    "gather of blocking steps": "await asyncio.gather(*(asyncio.to_thread(time.sleep, 20) for _ in range(2)))",
    "sleep": "time.sleep(60)",
    "subprocess": "import subprocess\nsubprocess.run(['sleep', '60'])",
    "shell": "!sleep 60",
    "join": "import threading\nt = threading.Thread(target=time.sleep, args=(20,), daemon=True)\n"
    "t.start()\nt.join()",
    "busy loop": "while True: pass",
    "input of a child": "import subprocess\nsubprocess.run(['sh', '-c', 'read x < /dev/zero'])",
}


@pytest.fixture(scope="module", autouse=True)
def prepared(host):
    assert host.run("import asyncio, time\nx = 41").status == "ok"


def test_a_cell_that_awaits_is_back_within_a_second_ten_times_in_a_row(host):
    pid = host.ask("status")["pid"]
    for _ in range(10):
        name = host.begin(ON + STOPPED["await"])
        ran, took = host.stop(name)
        assert (ran.status, ran.ename, ran.state) == (
            "error",
            "KeyboardInterrupt",
            "kept",
        )
        assert took < 1 + SLACK
        assert ran.output.startswith("on\n")
        assert host.run("x").output == "41\n"
    assert host.ask("status")["pid"] == pid


@pytest.mark.parametrize("name", STOPPED)
def test_a_cell_stops_within_three_seconds_and_variables_are_kept(host, name):
    pid = host.ask("status")["pid"]
    ran, took = host.stop(host.begin(ON + STOPPED[name]))
    assert (ran.status, ran.ename, ran.state) == ("error", "KeyboardInterrupt", "kept")
    assert took < 3 + SLACK
    assert host.run("x").output == "41\n"
    assert host.ask("status")["pid"] == pid


def test_a_script_magic_stops_too(host):
    ran, took = host.stop(host.begin("%%bash\necho on\nsleep 60"))
    assert (ran.status, ran.ename, ran.state) == ("error", "KeyboardInterrupt", "kept")
    assert took < 3 + SLACK
    assert host.run("x").output == "41\n"


def test_code_that_takes_the_first_interrupt_for_itself_is_stopped_by_the_second(host):
    code = (
        "try:\n    print('on', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('first')\ntime.sleep(60)"
    )
    ran, took = host.stop(host.begin(code))
    assert (ran.ename, ran.state) == ("KeyboardInterrupt", "kept")
    assert "first" in ran.output
    assert took < 3 + SLACK


def test_code_that_catches_the_interrupt_and_ends_is_ok(host):
    code = (
        "try:\n    print('on', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('caught')\n7"
    )
    ran, took = host.stop(host.begin(code))
    assert (ran.status, ran.state, ran.output) == ("ok", "kept", "on\ncaught\n7\n")
    assert took < 1 + SLACK


def test_what_was_printed_until_then_is_in_the_result(host):
    ran, _ = host.stop(
        host.begin("for i in range(100): print(i)\n" + ON + "time.sleep(60)")
    )
    assert ran.output.splitlines()[:101] == [*(str(i) for i in range(100)), "on"]


#: Cells that no interrupt stops: C code that holds the interpreter, code that takes all interrupts, a stopped process.
#: With what shows from outside that they have come there.
UNSTOPPED = {
    "sum": (ON + "sum(range(10**12))", until_computing),
    "catches all": (
        (
            "while True:\n    try:\n        print('on', flush=True)\n        time.sleep(60)\n"
            "    except BaseException:\n        pass"
        ),
        lambda pid: None,
    ),
    "stopped process": (
        # Nothing that it prints need come out any more.
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
        lambda pid: until_state(pid, "T"),
    ),
}


@pytest.mark.parametrize("name", UNSTOPPED)
def test_a_cell_that_does_not_stop_is_killed_with_its_children(start, name):
    host = start()
    host.run("import subprocess, time\nx = 41")
    assert host.ask("checkpoint")["type"] == "checkpoint"
    children = host.run(
        "group = subprocess.Popen(['sleep', '1000'])\n"
        "own = subprocess.Popen(['sh', '-c', 'setsid sleep 1000 & echo $!'], stdout=subprocess.PIPE,"
        " start_new_session=True)\n"
        "print(group.pid, int(own.stdout.readline()))"
    )
    first = host.ask("status")
    watch = Watch({int(word) for word in children.output.split()} | {first["pid"]})
    code, until = UNSTOPPED[name]
    cell = host.begin(code) if "print" in code else host.send("run", code=code)
    until(first["pid"])
    ran, took = host.stop(cell)
    assert 3 <= took < 5 + SLACK
    assert (ran.status, ran.ename, ran.state) == ("error", "KeyboardInterrupt", "lost")
    assert ran.output.startswith("on\n" if "print" in code else "")
    assert ran.generation == first["generation"]
    # The children are gone by then; what is left of the time is for this process to see it.
    watch.ended(0.5)
    order = [
        event["type"]
        for event in host.events
        if event["type"] in ("lost", "cell-end", "result")
    ][-3:]
    assert order == ["lost", "cell-end", "result"]
    (notice,) = (n["text"] for n in ran.end["notices"] if n["kind"] == "lost")
    assert "with the variables of the last checkpoint" in notice
    ran = host.run("x")
    assert (ran.output, ran.generation) == ("41\n", first["generation"] + 1)


def test_the_answer_to_cancel_says_whether_something_was_found(host):
    assert host.ask("cancel", run="nobody")["found"] is False
    name = host.begin(ON + "time.sleep(60)")
    answer = host.ask("cancel", run=name)
    assert (answer["run"], answer.get("found", True)) == (name, True)
    assert host.finish(name).ename == "KeyboardInterrupt"
    # Too late: it has ended, and the next cell is not hit.
    assert host.ask("cancel", run=name)["found"] is False
    assert host.run("time.sleep(0.1); x").output == "41\n"


def test_a_cancel_may_have_the_id_of_the_run_and_no_other(host):
    name = host.begin(ON + "time.sleep(60)")
    host.send("cancel", id=name)
    assert host.finish(name).ename == "KeyboardInterrupt"


def test_cancelling_again_and_again_stops_one_cell_only(host):
    name = host.begin(ON + "time.sleep(60)")
    host.write(b"".join(host.line("cancel", run=name)[1] for _ in range(50)))
    assert host.finish(name).state == "kept"
    assert host.run("time.sleep(0.2); x").output == "41\n"


def test_cancel_and_the_next_cell_in_the_same_tick(host):
    for _ in range(20):
        first = host.begin(ON + "await asyncio.sleep(60)")
        cancel = host.line("cancel", run=first)[1]
        second, run = host.line("run", code="time.sleep(0.01); x", queue=True)
        host.write(cancel + run)
        assert host.finish(first).ename == "KeyboardInterrupt"
        ran = host.finish(second)
        assert (ran.status, ran.output) == ("ok", "41\n")


def test_a_cell_and_its_cancel_in_the_same_tick(host):
    for code in ("await asyncio.sleep(60)", "time.sleep(60)") * 10:
        first, run = host.line("run", code=code)
        host.write(run + host.line("cancel", run=first)[1])
        ran = host.finish(first, within=10)
        assert (ran.ename, ran.state) == ("KeyboardInterrupt", "kept")
        assert host.run("x").output == "41\n"


def test_a_cell_that_waits_can_be_taken_back(host):
    first = host.begin(ON + "await asyncio.sleep(60)")
    second = host.send("run", code="never = 1", queue=True)
    third = host.send("run", code="x", queue=True)
    host.send("cancel", run=second)
    ran = host.finish(second)
    assert (ran.status, ran.ename, ran.state) == ("error", "KeyboardInterrupt", "kept")
    assert ran.of("cell-start") == []
    host.send("cancel", run=first)
    assert host.finish(third).output == "41\n"
    assert host.run("'never' in globals()").output == "False\n"


def test_a_cell_is_cancelled_while_the_kernel_starts(start):
    host = start(opened=False)
    host.send("open")
    name = host.send("run", code="import time; time.sleep(60)", queue=True)
    host.send("cancel", run=name)
    assert host.finish(name).ename == "KeyboardInterrupt"
    assert host.run("1").output == "1\n"


def test_children_of_an_interrupted_cell_end_with_it(host):
    name = host.begin(
        "import subprocess\nchild = subprocess.Popen(['sleep', '1000'])\n"
        "print(child.pid)\n" + ON + "time.sleep(60)"
    )
    host.stop(name)
    ran = host.run("child.wait(timeout=5)")
    assert ran.output == "-2\n"


def test_a_kernel_that_stopped_the_cell_but_does_not_answer_is_not_called_kept(start):
    """What says `kept` is an answer of the kernel, not the end of the cell."""
    host = start()
    host.run(
        "import asyncio, time\n"
        "async def cell():\n"
        "    try:\n        print('on', flush=True)\n        await asyncio.sleep(60)\n"
        "    finally:\n        asyncio.get_running_loop().call_soon(stuck)\n"
        "def stuck():\n"
        "    while True:\n"
        "        try:\n            time.sleep(60)\n"
        "        except BaseException:\n            pass\n"
    )
    began = time.monotonic()
    ran, _ = host.stop(host.begin("await cell()"))
    assert ran.state == "lost"
    assert time.monotonic() - began < 45
    assert host.run("1").output == "1\n"
    assert os.path.exists(f"/proc/{host.guard}")
