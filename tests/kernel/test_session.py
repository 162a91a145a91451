"""What a session finds: `hs`, history, and an end that only its owner brings about."""

import os
import select
import sys

import pytest


def test_hs_is_there_before_the_first_cell_and_not_listed(start):
    kernel = start()
    ran = kernel.run(
        "(hs.__name__, [n for n in ('pandas', 'polars', 'pyarrow') if n in __import__('sys').modules])"
    )
    assert ran.results == ["('headstart', [])"]
    kernel.run("y = 1")
    assert kernel.run("%who").text().split() == ["y"]
    kernel.run("hs = 5")
    assert sorted(kernel.run("%who").text().split()) == ["hs", "y"]
    kernel.run("%reset -f")
    assert kernel.run("hs.__name__").results == ["'headstart'"]
    assert "y" not in kernel.run("%who").text().split()


def test_a_view_shows_once(kernel):
    ran = kernel.run("hs.montre([1, 2, 3])")
    assert "list, 3 items" in ran.text()
    assert ran.results == []
    assert kernel.run("_").results == ["[1, 2, 3]"]


def test_history_has_outputs_and_no_file(kernel):
    kernel.run("6 * 7")
    assert "6 * 7\n42\n" in kernel.run("%history -o").text()
    assert kernel.run("get_ipython().history_manager.hist_file").results == [
        "':memory:'"
    ]
    ran = kernel.run("import pathlib; list(pathlib.Path.home().rglob('*.sqlite'))")
    assert ran.results == ["[]"]


@pytest.mark.parametrize(
    "code",
    ["exit", "quit", "exit()", "quit()", "quit(True)", "get_ipython().ask_exit()"],
)
def test_exit_stops_the_cell_and_nothing_else(kernel, code):
    kernel.run("x = 41; behind = False")
    ran = kernel.run(code)
    assert ran.status == "ok"
    assert [notice["kind"] for notice in ran.notices] == ["exit"]
    assert (ran.text(), ran.text("stderr"), ran.of("error")) == ("", "", [])
    # A console that typed it leaves, and knows that the kernel stays.
    assert ran.reply["payload"] == [{"source": "ask_exit", "keepkernel": True}]
    assert kernel.run("x").results == ["41"]


def test_code_behind_exit_does_not_run(kernel):
    ran = kernel.run("behind = False\nif True:\n    exit()\nbehind = True")
    assert ran.status == "ok"
    assert kernel.run("behind").results == ["False"]


@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.exit()",
        "import sys; sys.exit('no')",
        "raise SystemExit(3)",
        "import asyncio; await asyncio.sleep(0); raise SystemExit",
    ],
)
def test_system_exit_is_an_error_of_the_cell(kernel, code):
    ran = kernel.run(code)
    assert (ran.status, ran.error) == ("error", "SystemExit")
    assert [notice["kind"] for notice in ran.notices] == ["exit"]
    assert "To exit" not in ran.text("stderr")
    assert kernel.run("1").results == ["1"]


def test_exit_magics_do_not_end_it(kernel):
    assert "not found" in kernel.run("%exit").text("stderr")
    assert kernel.run("1").results == ["1"]


@pytest.mark.parametrize("allow_stdin", [True, False])
@pytest.mark.parametrize(
    "code, hint",
    [
        ("input('Your name? ')", "answer ="),
        ("import getpass; getpass.getpass()", "os.environ"),
        ("import getpass; getpass.getpass('Key: ')", "os.environ"),
        ("breakpoint()", "answer ="),
    ],
)
def test_input_fails_at_once_and_says_what_to_do(kernel, code, hint, allow_stdin):
    ran = kernel.run(code, within=60, allow_stdin=allow_stdin)
    assert (ran.status, ran.error) == ("error", "StdinNotImplementedError")
    assert hint in ran.reply["evalue"]
    assert not kernel.client.stdin_channel.msg_ready()
    assert kernel.run("1").results == ["1"]


def test_standard_input_is_empty_for_the_kernel_and_its_children(kernel):
    assert kernel.run("import sys; sys.stdin.read()", within=60).results == ["''"]
    assert kernel.run(
        "import subprocess; subprocess.run(['cat']).returncode", within=60
    ).results == ["0"]


def test_a_notice_has_a_text_for_other_front_ends(kernel):
    shown = kernel.run("exit").of("display_data")
    assert len(shown) == 1
    data = shown[0]["data"]
    notice = data["application/vnd.headstart.notice+json"]
    assert set(notice) == {"kind", "text"}
    assert data["text/plain"] == notice["text"]


def test_a_client_can_shut_it_down(start):
    """Also where an interrupted cell has left a thread that sleeps."""
    kernel = start()
    msg_id = kernel.send(
        "import asyncio, time\nprint('on', flush=True)\nawait asyncio.to_thread(time.sleep, 120)"
    )
    seen = kernel.until(msg_id, "on")
    kernel.interrupt()
    assert kernel.finish(msg_id, seen).error == "KeyboardInterrupt"
    kernel.client.shutdown()
    assert kernel.manager.provisioner.process.wait(timeout=30) == 0


def test_it_ends_with_the_parent_that_jupyter_names(start, tmp_path):
    """`JPY_PARENT_PID`, as stock Jupyter sets it."""
    # A shell stands between: it is the parent, and goes away.
    kernel = start(
        argv=[
            "/bin/sh",
            "-c",
            'JPY_PARENT_PID=$$ "$0" -m headstart.kernel -f "$1" & echo $! > pid; wait',
            sys.executable,
            "{connection_file}",
        ]
    )
    pid = int((tmp_path / "pid").read_text())
    watch = os.pidfd_open(pid)
    try:
        assert kernel.run("import os; os.getppid()").results == [str(kernel.pid)]
        kernel.manager.provisioner.process.kill()
        assert select.select([watch], [], [], 30)[0]
    finally:
        os.close(watch)


def test_the_start_imports_only_what_it_needs(start):
    """Each of these is imported when it is used; debugging, dates and clients work as ever."""
    kernel = start()
    unwanted = ["dateutil", "debugpy", "jedi", "matplotlib", "pandas", "psutil"]
    unwanted += ["jupyter_client.manager", "jupyter_client.asynchronous"]
    ran = kernel.run(
        f"import sys; [name for name in {unwanted} if name in sys.modules]"
    )
    assert ran.results == ["[]"]
    ran = kernel.run(
        "import jupyter_client\n"
        "from jupyter_client import *\n"
        "from dateutil.parser import isoparse\n"
        "jupyter_client.KernelManager.__name__, KernelClient.__name__, jupyter_client.__version__ > '8',"
        " isoparse('2026-01-02').year"
    )
    assert ran.results == ["('KernelManager', 'KernelClient', True, 2026)"]
    assert kernel.run("pass").reply["status"] == "ok"


def test_debugging_is_there_when_it_is_asked_for(kernel):
    assert kernel.run("import sys; 'debugpy' in sys.modules").results == ["False"]
    request = kernel.client.session.msg(
        "debug_request",
        {"type": "request", "seq": 1, "command": "debugInfo", "arguments": {}},
    )
    kernel.client.control_channel.send(request)
    reply = kernel.client.get_control_msg(timeout=60)
    assert reply["msg_type"] == "debug_reply"
    assert reply["content"]["success"] is True
    assert kernel.run("1").results == ["1"]
