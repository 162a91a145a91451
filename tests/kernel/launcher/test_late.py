"""What a thread prints after its cell has ended: in no other cell's output, and not lost."""

import pytest

LATE = {
    "thread": "threading.Thread(target=late).start()",
    "timer": "threading.Timer(0, late).start()",
    "task": "async def later():\n    await asyncio.to_thread(gate.wait)\n    late()\n"
    "background = asyncio.create_task(later())",
    "child": "import subprocess\n"
    "child = subprocess.Popen(['sh', '-c', 'read x; echo late'], stdin=subprocess.PIPE)",
}


@pytest.fixture(scope="module", autouse=True)
def prepared(host):
    host.run(
        "import asyncio, threading, time\n"
        "def late():\n    gate.wait()\n    print('late', flush=True)\n    done.set()"
    )


def notices(host, since: int) -> list[str]:
    return [e["text"] for e in host.events[since:] if e["type"] == "notice"]


@pytest.mark.parametrize("name", ["thread", "timer", "task"])
def test_late_output_is_a_notice_that_names_its_cell(host, name):
    host.run("gate, done = threading.Event(), threading.Event()")
    at = len(host.events)
    first = host.run(LATE[name])
    assert first.output == ""
    other = host.run(
        "print('before', flush=True)\ngate.set()\nawait asyncio.to_thread(done.wait)\nprint('behind')"
    )
    assert other.output == "before\nbehind\n"
    assert "late" not in other.text()
    said = host.wait_for(
        lambda e: e["type"] == "notice" and "late" in e["text"], 10, at
    )
    assert f"cell {first.execution_count}," in said["text"]
    assert "late" not in first.end["output"]


def test_late_output_while_no_cell_runs(host):
    at = len(host.events)
    host.run(
        "def idle():\n    print('while idle', flush=True)\n"
        "asyncio.get_running_loop().call_later(0.05, idle); None"
    )
    said = host.wait_for(
        lambda e: e["type"] == "notice" and "while idle" in e["text"], 10, at
    )
    assert said["session"] == "main"
    assert host.run("1").output == "1\n"


def test_late_output_of_a_process_is_in_no_cell_that_did_not_begin_it_unlabelled(host):
    """Output of a process has no cell of its own; between cells it must not be lost."""
    host.run(LATE["child"])
    at = len(host.events)
    ran = host.run("child.stdin.write(b'\\n'); child.stdin.close(); child.wait(); None")
    host.wait_for(
        lambda e: e["type"] in ("notice", "output") and "late" in e["text"], 10, at
    )
    assert ran.status == "ok"


def test_much_late_output_costs_no_memory_and_is_counted(host):
    from processes import peak

    processes = [host.guard, *host.supervisors]
    before = sum(peak(pid) for pid in processes)
    at = len(host.events)
    host.run(
        "def much():\n"
        "    for i in range(20_000): print('x' * 999, flush=True)\n"
        "    print('the end', flush=True)\n    done.set()\n"
        "done = threading.Event()\nthreading.Thread(target=much).start()"
    )
    host.run("await asyncio.to_thread(done.wait)")
    host.wait_for(lambda e: e["type"] == "notice", 10, at)
    assert host.run("1").output == "1\n"
    assert sum(peak(pid) for pid in processes) - before < 48 << 20


def test_a_picture_that_comes_late_is_told(host):
    host.run("gate, done = threading.Event(), threading.Event()")
    at = len(host.events)
    first = host.run(
        "from IPython.display import Image, display\n"
        "def draw():\n    gate.wait()\n    display(Image(data=b'\\x89PNG\\r\\n\\x1a\\n', format='png'))\n    done.set()\n"
        "threading.Thread(target=draw).start()"
    )
    other = host.run("gate.set()\nawait asyncio.to_thread(done.wait)")
    assert (first.images, other.images) == ([], [])
    host.wait_for(lambda e: e["type"] == "notice" and "figure" in e["text"], 10, at)
