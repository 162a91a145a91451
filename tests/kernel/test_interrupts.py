"""SIGINT stops the cell, wherever it is, and only the cell."""

import os
import signal

import pytest

#: Cells that would take minutes, each telling when it is under way.
CELLS = {
    "await": "print('on', flush=True)\nawait asyncio.sleep(60)",
    "gather": "print('on', flush=True)\n"
    "await asyncio.gather(*(asyncio.sleep(60) for _ in range(5)))",
    "gather of threads": "print('on', flush=True)\n"
    "await asyncio.gather(*(asyncio.to_thread(time.sleep, 8) for _ in range(2)))",
    "one thread": "print('on', flush=True)\nawait asyncio.to_thread(time.sleep, 8)",
    "task group": "async def part():\n    await asyncio.sleep(60)\n"
    "async with asyncio.TaskGroup() as group:\n"
    "    group.create_task(part()); group.create_task(part())\n"
    "    print('on', flush=True)",
    "async for": "async def ticks():\n    while True:\n        yield await asyncio.sleep(0.01)\n"
    "print('on', flush=True)\nasync for _ in ticks():\n    pass",
    "await that never rests": "print('on', flush=True)\nwhile True:\n    await asyncio.sleep(0)",
    "sleep in a cell that awaits": "await asyncio.sleep(0)\nprint('on', flush=True)\ntime.sleep(60)",
    "a task that holds the loop": "async def hold():\n    print('on', flush=True)\n    while True: pass\n"
    "await asyncio.gather(hold(), asyncio.sleep(60))",
    "sleep": "print('on', flush=True)\ntime.sleep(60)",
    "busy loop": "print('on', flush=True)\nwhile True: pass",
    "subprocess": "import subprocess\nprint('on', flush=True)\nsubprocess.run(['sleep', '60'])",
    "join": "import threading\ndone = threading.Event()\nt = threading.Thread(target=done.wait, daemon=True)\n"
    "t.start()\nprint('on', flush=True)\ntry:\n    t.join()\nfinally:\n    done.set()",
    "queue": "import queue\nprint('on', flush=True)\nqueue.Queue().get()",
    "bash": "%%bash\necho on\nsleep 60",
    "shell": "!echo on; sleep 60",
    "system": "import os\nos.system('echo on; sleep 60')\nraise KeyboardInterrupt",
    "print": "print('on', flush=True)\nfor i in range(10**9): print(end='')",
    "print and flush": "print('on', flush=True)\nfor i in range(10**9): print('.', end='', flush=True)",
    "second statement": "print('on', flush=True)\nfor i in range(10**9): i * i\ntime.sleep(60)",
}


@pytest.fixture(scope="module", autouse=True)
def prepared(kernel):
    assert kernel.run("import asyncio, time\nx = 41").status == "ok"


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_stops_as_interrupted(kernel, name):
    msg_id = kernel.send(CELLS[name])
    seen = kernel.until(msg_id, "on")
    kernel.interrupt()
    ran = kernel.finish(msg_id, seen, within=30)
    assert (ran.status, ran.error) == ("error", "KeyboardInterrupt")
    assert [error["ename"] for error in ran.of("error")] == ["KeyboardInterrupt"]
    # It ends at the user's line, not in the handler of the signal.
    assert "interrupts.py" not in "".join(ran.of("error")[0]["traceback"])
    assert kernel.run("x", within=30).results == ["41"]


def test_ten_times_in_a_row_and_tasks_beside_the_cell_go_on(kernel):
    kernel.run(
        "ticks = 0\n"
        "async def tick():\n"
        "    global ticks\n"
        "    while True:\n"
        "        ticks += 1\n"
        "        await asyncio.sleep(0.001)\n"
        "beside = asyncio.create_task(tick())"
    )
    for _ in range(10):
        msg_id = kernel.send(CELLS["await"])
        seen = kernel.until(msg_id, "on")
        kernel.interrupt()
        assert kernel.finish(msg_id, seen, within=30).error == "KeyboardInterrupt"
    assert kernel.run("x").results == ["41"]
    ran = kernel.run(
        "before = ticks\nwhile ticks < before + 3:\n    await asyncio.sleep(0.001)\nbeside.done()"
    )
    assert ran.results == ["False"]
    kernel.run("beside.cancel()")


def test_the_interrupt_request_of_the_protocol_does_the_same(kernel):
    msg_id = kernel.send(CELLS["await"])
    seen = kernel.until(msg_id, "on")
    request = kernel.client.session.msg("interrupt_request", {})
    kernel.client.control_channel.send(request)
    assert kernel.finish(msg_id, seen, within=30).error == "KeyboardInterrupt"


def test_a_cell_may_take_a_cancel_for_itself_and_the_next_interrupt_stops_it(kernel):
    # Printed by the loop: by then the cell is in its await for sure.
    msg_id = kernel.send(
        "asyncio.get_running_loop().call_soon(lambda: print('on', flush=True))\n"
        "try:\n"
        "    await asyncio.sleep(60)\n"
        "except asyncio.CancelledError:\n"
        "    print('kept', flush=True)\n"
        "await asyncio.sleep(60)"
    )
    seen = kernel.until(msg_id, "on")
    kernel.interrupt()
    seen += kernel.until(msg_id, "kept")
    kernel.interrupt()
    assert kernel.finish(msg_id, seen, within=30).error == "KeyboardInterrupt"
    assert kernel.run("x").results == ["41"]


def test_code_that_catches_the_interrupt_goes_on(kernel):
    msg_id = kernel.send(
        "try:\n    print('on', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('caught')\n'end'"
    )
    seen = kernel.until(msg_id, "on")
    kernel.interrupt()
    ran = kernel.finish(msg_id, seen, within=30)
    assert (ran.status, ran.results) == ("ok", ["'end'"])
    assert ran.text() == "on\ncaught\n"


def test_a_cancel_that_is_no_interrupt_stays_a_cancel(kernel):
    ran = kernel.run("t = asyncio.create_task(asyncio.sleep(60))\nt.cancel()\nawait t")
    assert ran.error == "CancelledError"


def test_a_second_signal_while_the_first_is_handled(kernel):
    """A volley: the cell reports once, and neither the kernel nor the next cell is hit."""
    for name in ("await", "sleep", "busy loop"):
        msg_id = kernel.send(CELLS[name])
        seen = kernel.until(msg_id, "on")
        for _ in range(20):
            os.kill(kernel.pid, signal.SIGINT)
        assert kernel.finish(msg_id, seen, within=30).error == "KeyboardInterrupt"
        ran = kernel.run("x", within=30)
        assert (ran.status, ran.results) == ("ok", ["41"]), name


def test_an_interrupt_inside_the_sending_waits_for_its_end(kernel):
    """Where it did not, Python took the sending thread for dead, and two threads wrote to one socket."""
    ran = kernel.run(
        "import os, signal\n"
        "thread = get_ipython().kernel.iopub_thread.thread\n"
        "alive = thread.is_alive\n"
        "def hit():\n"
        "    thread.is_alive = alive\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return alive()\n"
        "thread.is_alive = hit\n"
        "display({'text/plain': 'whole'}, raw=True)\n"
        "print('not reached')"
    )
    assert ran.error == "KeyboardInterrupt"
    assert [c["data"]["text/plain"] for c in ran.of("display_data")] == ["whole"]
    assert ran.text() == ""


def test_signals_between_cells_hit_nothing(kernel):
    for _ in range(50):
        os.kill(kernel.pid, signal.SIGINT)
    assert kernel.run("x").results == ["41"]


def test_signals_at_any_moment_leave_every_cell_with_an_answer(kernel):
    """Also where a cell ends just now: each request is answered, and what an ok says is true."""
    kernel.run("count = 0")
    ok = 0
    for index in range(150):
        code = "count += 1" if index % 2 else "await asyncio.sleep(0); count += 1"
        msg_id = kernel.send(code)
        if index % 3:
            kernel.message()  # Busy: it has begun.
        os.kill(kernel.pid, signal.SIGINT)
        ran = kernel.finish(msg_id, within=30)
        assert ran.status == "ok" or ran.error == "KeyboardInterrupt"
        ok += ran.status == "ok"
    ran = kernel.run("x, count")
    x, count = ran.results[0].strip("()").split(", ")
    # An interrupt between the addition and the end of the cell is an interrupted cell.
    assert x == "41"
    assert ok <= int(count) <= 150


def test_a_later_cell_of_a_queue_is_not_hit(kernel):
    first = kernel.send(CELLS["await"], stop_on_error=False)
    second = kernel.send("x", stop_on_error=False)
    seen = kernel.until(first, "on")
    kernel.interrupt()
    assert kernel.finish(first, seen, within=30).error == "KeyboardInterrupt"
    assert kernel.finish(second, within=30).results == ["41"]


def test_children_of_the_cell_end_too(kernel):
    msg_id = kernel.send(
        "import subprocess\nchild = subprocess.Popen(['sleep', '60'])\n"
        "print('on', flush=True)\nawait asyncio.sleep(60)"
    )
    seen = kernel.until(msg_id, "on")
    kernel.interrupt()
    assert kernel.finish(msg_id, seen, within=30).error == "KeyboardInterrupt"
    ran = kernel.run("child.wait(timeout=5)")
    assert ran.results == [str(-signal.SIGINT)]


def test_a_handler_of_the_user_lasts_for_its_cell(kernel):
    msg_id = kernel.send(
        "import signal\ngot = []\nsignal.signal(signal.SIGINT, lambda *_: got.append(1))\n"
        "print('on', flush=True)\nwhile not got:\n    time.sleep(0.001)"
    )
    seen = kernel.until(msg_id, "on")
    kernel.interrupt()
    assert kernel.finish(msg_id, seen, within=30).status == "ok"
    msg_id = kernel.send(CELLS["sleep"])
    seen = kernel.until(msg_id, "on")
    kernel.interrupt()
    assert kernel.finish(msg_id, seen, within=30).error == "KeyboardInterrupt"


def test_a_task_that_holds_the_loop_between_cells_is_stopped(kernel):
    msg_id = kernel.send(
        "async def hold():\n    print('held', flush=True)\n    while True: pass\n"
        "stuck = asyncio.create_task(hold())\n"
    )
    # The cell has ended, idle was told, and then the task takes the loop for itself.
    kernel.finish(msg_id, within=30)
    kernel.until(msg_id, "held")
    kernel.interrupt()
    assert kernel.run("x", within=30).results == ["41"]
    assert kernel.run("stuck.done()").results == ["True"]


def test_the_loop_goes_on_where_user_code_stops_it_or_exits(kernel):
    kernel.run("asyncio.get_running_loop().stop()")
    assert kernel.run("x", within=30).results == ["41"]
    kernel.run(
        "import sys\nasync def leave():\n    sys.exit(4)\nleaving = asyncio.create_task(leave())"
    )
    assert kernel.run("x", within=30).results == ["41"]


def test_an_interrupt_behind_the_end_of_a_cell_leaves_it_its_answer(kernel):
    """The loop is held up by the kernel itself, which still waits for the output of children."""
    held = (
        "def drain():\n"
        "    del STREAMS.drain\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    # Longer than the loop may take to answer an interrupt.\n"
        "    time.sleep(0.6)\n"
        "    STREAMS.drain()"
    )
    # Not as code of a cell, in which the interrupt may strike.
    kernel.run(
        "import os, signal\nfrom headstart.kernel.streams import STREAMS\n"
        f"exec(compile({held!r}, 'kernel', 'exec'))"
    )
    ran = kernel.run("STREAMS.drain = drain\n7", within=30)
    assert (ran.status, ran.results) == ("ok", ["7"])
    assert kernel.run("x", within=30).results == ["41"]


@pytest.mark.parametrize("wait", ["time.sleep(60)", "await asyncio.sleep(60)"])
def test_an_interrupt_that_the_wait_itself_does_not_feel(kernel, wait):
    """As in the moment before a call to the system: Python knows of it, and looks when the call has ended."""
    kernel.run("import signal, threading\nmask = signal.pthread_sigmask")
    msg_id = kernel.send(
        "mask(signal.SIG_BLOCK, [signal.SIGINT])\n"
        f"try:\n    print('on', flush=True)\n    {wait}\n"
        "finally:\n    mask(signal.SIG_UNBLOCK, [signal.SIGINT])"
    )
    seen = kernel.until(msg_id, "on")
    kernel.interrupt()
    ran = kernel.finish(msg_id, seen, within=30)
    assert ran.error == "KeyboardInterrupt"
    assert kernel.run("x", within=30).results == ["41"]


def test_who_waits_for_signals_in_another_way_still_does(kernel):
    ran = kernel.run(
        "import os, signal\n"
        "loop, came = asyncio.get_running_loop(), asyncio.Event()\n"
        "loop.add_signal_handler(signal.SIGUSR1, came.set)"
    )
    assert ran.status == "ok"
    ran = kernel.run(
        "os.kill(os.getpid(), signal.SIGUSR1)\nawait came.wait()", within=30
    )
    assert ran.results == ["True"]
    kernel.run("loop.remove_signal_handler(signal.SIGUSR1)")
    msg_id = kernel.send(CELLS["sleep"])
    seen = kernel.until(msg_id, "on")
    kernel.interrupt()
    assert kernel.finish(msg_id, seen, within=30).error == "KeyboardInterrupt"
