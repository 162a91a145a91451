"""No output is lost or changed: late readers, surrogates, broken streams, child processes, figures."""

import base64
import queue
import sys
import time

import pytest


def test_a_client_that_reads_late_gets_every_line(start):
    kernel = start(transport="ipc")
    # 6,000 messages, three times what ZeroMQ keeps by itself.
    msg_id = kernel.send(
        "for i in range(0, 60_000, 10):\n"
        "    print(*range(i, i + 10), sep='\\n', flush=True)"
    )
    # The reply comes on another channel: by now all is printed, and nothing of it was read.
    assert kernel.client.get_shell_msg(timeout=60)["content"]["status"] == "ok"
    text = ""
    while True:
        message = kernel.message()
        if message["parent_header"].get("msg_id") != msg_id:
            continue
        if message["msg_type"] == "stream":
            text += message["content"]["text"]
        if message["content"].get("execution_state") == "idle":
            break
    assert text.splitlines() == [str(i) for i in range(60_000)]


@pytest.mark.parametrize("lone", [r"\udc80", r"\ud800", r"\ud83d\ude00x"[:6]])
def test_lone_surrogates_become_escapes(kernel, lone):
    assert kernel.run(f"print('a{lone}z é')").text() == f"a{lone}z é\n"
    assert kernel.run(f"'{lone}'").results == [f"'{lone}'"]
    ran = kernel.run(f"raise ValueError('a{lone}z')")
    assert ran.reply["evalue"] == f"a{lone}z"
    assert [error["evalue"] for error in ran.of("error")] == [f"a{lone}z"]
    ran = kernel.run(f"display({{'text/plain': 'a{lone}z'}}, raw=True)")
    assert ran.of("display_data")[0]["data"]["text/plain"] == f"a{lone}z"
    assert kernel.run("1").results == ["1"]


def test_an_exception_without_a_text_is_told(kernel):
    ran = kernel.run(
        "class Mute(Exception):\n    def __str__(self): return 1 / 0\nraise Mute"
    )
    assert ran.error == "Mute"
    assert [error["ename"] for error in ran.of("error")] == ["Mute"]
    assert "__str__ raises ZeroDivisionError" in ran.reply["evalue"]


BAD = (
    "import sys\nclass Bad:\n    def write(self, text): raise OSError('full')\n"
    "    def flush(self): raise OSError('full')\nsys.{name} = Bad()"
)


@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.{name}.close()",
        "import sys; sys.{name} = None",
        "import sys; del sys.{name}",
        "import sys; sys.{name} = open('/dev/null', 'w'); sys.{name}.close()",
        "import sys; sys.{name} = open('/dev/null')",
        "import sys; sys.{name} = object()",
        BAD,
    ],
)
@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_broken_stream_is_back_for_the_next_cell(kernel, code, name):
    ran = kernel.run(code.format(name=name))
    assert ran.status == "ok"
    assert [notice["kind"] for notice in ran.notices] == ["streams"]
    assert name in ran.notices[0]["text"]
    ran = kernel.run(f"import sys; print('here', file=sys.{name})")
    assert (ran.status, ran.text(name), ran.notices) == ("ok", "here\n", [])


def test_an_error_is_told_where_the_cell_has_broken_the_streams(kernel):
    ran = kernel.run("import sys\nsys.stdout = sys.stderr = None\n1 / 0")
    assert ran.error == "ZeroDivisionError"
    assert [error["ename"] for error in ran.of("error")] == ["ZeroDivisionError"]


def test_a_closed_stream_is_closed_for_the_rest_of_its_cell(kernel):
    ran = kernel.run("import sys\nprint('before')\nsys.stdout.close()\nprint('behind')")
    assert (ran.error, ran.text()) == ("ValueError", "before\n")
    assert "closed file" in ran.reply["evalue"]


def test_a_stream_that_works_stays_where_the_user_put_it(kernel):
    kernel.run("import io, sys\nkept, sys.stdout = sys.stdout, io.StringIO()")
    ran = kernel.run("print('inside')")
    assert (ran.text(), ran.notices) == ("", [])
    ran = kernel.run("text, sys.stdout = sys.stdout.getvalue(), kept\ntext")
    assert ran.results == ["'inside\\n'"]


def test_output_of_children_belongs_to_their_cell_and_keeps_its_letters(kernel):
    # 3,000 bytes of two-byte letters behind one byte: cut by every read of an even size.
    code = "import subprocess\nsubprocess.run(['printf', 'x' + 'é' * 1500])\nNone"
    for _ in range(5):
        assert kernel.run(code).text() == "x" + "é" * 1500
    ran = kernel.run("import os\nos.system('echo one; echo two >&2')\nNone")
    assert (ran.text(), ran.text("stderr")) == ("one\n", "two\n")


@pytest.mark.parametrize(
    "code",
    [
        "print('x' * 4_999_999)",
        "for _ in range(5000): print('x' * 999)",
        "import subprocess\nsubprocess.run('yes | head -c 5000000', shell=True); None",
    ],
)
def test_much_output_comes_whole_in_messages_that_are_not_large(kernel, code):
    ran = kernel.run(code)
    pieces = [c["text"] for c in ran.of("stream")]
    assert sum(map(len, pieces)) == 5_000_000
    assert max(map(len, pieces)) <= 2 * (1 << 18)


def test_an_endless_print_is_sent_while_it_runs(kernel):
    """Whoever reads can end it early: what waits in the kernel is little."""
    msg_id = kernel.send("while True: print('x' * 999)")
    seen = [kernel.message() for _ in range(8)]
    kernel.interrupt()
    ran = kernel.finish(msg_id, seen, within=30)
    assert ran.error == "KeyboardInterrupt"
    assert max(len(c["text"]) for c in ran.of("stream")) <= 2 * (1 << 18)


def test_a_child_that_never_stops_writing_does_not_hold_up_the_answer(kernel):
    ran = kernel.run(
        "import subprocess\nendless = subprocess.Popen(['sh', '-c', 'while :; do echo y; sleep 0.001; done'])",
        within=30,
    )
    assert ran.status == "ok"
    kernel.run("endless.kill(); endless.wait()", within=30)


@pytest.mark.parametrize(
    "backend", [None, "agg", "no_such_backend", "module://nothing.here"]
)
def test_figures_are_inline_whatever_the_environment_says(start, backend):
    kernel = start(env={} if backend is None else {"MPLBACKEND": backend})
    assert kernel.run("import sys; 'matplotlib' in sys.modules").results == ["False"]
    ran = kernel.run(
        "import matplotlib.pyplot as plt\nprint('drawn')\nfigure = plt.figure(figsize=(2, 1))\n"
        "plt.plot([1, 3, 2]);"
    )
    assert ran.status == "ok", ran.reply
    pictures = [c["data"]["image/png"] for c in ran.of("display_data")]
    assert len(pictures) == 1
    assert base64.b64decode(pictures[0]).startswith(b"\x89PNG\r\n\x1a\n")
    kinds = [m["msg_type"] for m in ran.messages]
    assert kinds.index("stream") < kinds.index("display_data")


LATE = {
    "thread": "import threading\nthreading.Thread(target=late).start()",
    "thread of a thread": "import threading\n"
    "threading.Thread(target=lambda: threading.Thread(target=late).start()).start()",
    "timer": "import threading\nthreading.Timer(0, late).start()",
    "pool": "from concurrent.futures import ThreadPoolExecutor\n"
    "pool = ThreadPoolExecutor(1)\npool.submit(late); None",
    "pool of an earlier cell": "pool.submit(late); None",
    "executor of the loop": "import asyncio\n"
    "asyncio.get_running_loop().run_in_executor(pool, late); None",
    "to_thread": "background = asyncio.create_task(asyncio.to_thread(late))",
    "task": "async def later():\n    await asyncio.to_thread(gate.wait)\n    print('late', flush=True)\n"
    "background = asyncio.create_task(later())",
    "call_later": "def call():\n    if gate.is_set(): print('late', flush=True)\n"
    "    else: asyncio.get_running_loop().call_later(0.01, call)\n"
    "asyncio.get_running_loop().call_later(0.01, call); None",
    "display in a thread": "import threading\n"
    "threading.Thread(target=lambda: (gate.wait(), display({'text/plain': 'late'}, raw=True))).start()",
}


@pytest.mark.parametrize("name", LATE)
def test_late_output_carries_the_cell_that_began_it(kernel, name):
    kernel.run("import threading\ngate = threading.Event()")
    kernel.run("def late():\n    gate.wait()\n    print('late', flush=True)")
    begun = kernel.send(LATE[name])
    assert kernel.finish(begun).status == "ok"
    # Another cell runs while the thread prints.
    other = kernel.send(
        "print('other', flush=True)\ngate.set()\nimport time\ntime.sleep(0.05)"
    )
    found, idle, end = {}, False, time.monotonic() + 20
    while not idle or "late" not in found:
        message = kernel.message(end)
        content = message["content"]
        text = content.get("text") or content.get("data", {}).get("text/plain", "")
        for word in ("late", "other"):
            if word in text:
                found[word] = message["parent_header"]["msg_id"]
        idle = idle or (
            content.get("execution_state") == "idle"
            and message["parent_header"].get("msg_id") == other
        )
    assert found == {"late": begun, "other": other}
    with pytest.raises(queue.Empty):
        while True:
            kernel.client.get_shell_msg(timeout=0)


def test_a_crash_is_told_on_the_real_standard_error(tmp_path, start):
    log = tmp_path / "stderr.txt"
    kernel = start(
        argv=[
            "/bin/sh",
            "-c",
            f'exec "$0" -m headstart.kernel -f "$1" 2>"{log}"',
            sys.executable,
            "{connection_file}",
        ]
    )
    kernel.send("import ctypes\nctypes.string_at(0)")
    kernel.manager.provisioner.process.wait(timeout=30)
    assert "Segmentation fault" in log.read_text()


def test_what_was_flushed_is_out_before_code_that_holds_the_interpreter(kernel):
    """Where that code is killed, nothing could send it any more."""
    kernel.run("import ctypes\nhold = ctypes.PyDLL(None).usleep")
    for _ in range(8):
        # Who has the interpreter keeps it until it waits for something.
        msg_id = kernel.send(
            "import sys\nbefore = sys.getswitchinterval()\nsys.setswitchinterval(10)\n"
            "print('on', flush=True)\nhold(900_000)\nsys.setswitchinterval(before)"
        )
        seen = kernel.until(msg_id, "on")
        arrived = time.monotonic()
        assert kernel.finish(msg_id, seen).status == "ok"
        assert time.monotonic() - arrived > 0.4
