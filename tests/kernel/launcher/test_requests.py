"""Every request has its answer, and no line whatever ends the launcher."""

import json
import time
from pathlib import Path

import pytest

ON = "print('on', flush=True)\n"


def test_hello_says_which_version_this_is(host):
    hello = host.ask("hello", version=1)
    assert (hello["version"], hello["name"]) == (1, "headstart")
    assert hello["headstart"].count(".") == 2


def test_opening_again_is_the_same_kernel(host):
    first, second = host.open(), host.open()
    assert {k: first[k] for k in ("generation", "pid", "connection_file")} == {
        k: second[k] for k in ("generation", "pid", "connection_file")
    }
    connection = json.loads(Path(first["connection_file"]).read_text())
    assert connection["transport"] == "ipc" and connection["key"]


@pytest.mark.parametrize(
    "kind, fields",
    [
        ("run", {"code": "1"}),
        ("status", {}),
        ("cancel", {"run": 1}),
        ("wait", {"run": 1}),
        ("read", {"run": 1, "from_line": 1}),
        ("release", {}),
        ("restart", {}),
    ],
)
def test_a_session_that_was_not_opened_is_unknown(host, kind, fields):
    answer = host.ask(kind, session="nobody", **fields)
    assert (answer["type"], answer["kind"]) == ("error", "unknown_session")
    assert "nobody" in answer["message"]


def test_one_cell_at_a_time(host):
    name = host.begin(ON + "import time\ntime.sleep(60)")
    ran = host.run("never = 1")
    assert (ran.end["type"], ran.kind) == ("error", "busy")
    waiting = [
        host.send("run", code=f"order = {i}; order", queue=True) for i in range(3)
    ]
    status = host.ask("status")
    assert (status["state"], status["queued"]) == ("running", 3)
    assert status["run"]["id"] == name and "time.sleep" in status["run"]["code"]
    host.stop(name)
    assert [host.finish(w).output for w in waiting] == ["0\n", "1\n", "2\n"]
    assert host.run("'never' in globals()").output == "False\n"
    ends = [e["id"] for e in host.events if e["type"] == "result"][-4:-1]
    assert ends == waiting


def test_a_timeout_ends_the_call_and_not_the_cell(host, tmp_path):
    gate = tmp_path / "gate"
    code = f"import os, time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.01)\nx = 41\nx"
    began = time.monotonic()
    ran = host.run(code, timeout_s=0.3)
    assert (ran.end["type"], ran.kind) == ("error", "timeout")
    assert 0.3 <= time.monotonic() - began < 30
    name = ran.end["id"]
    assert host.ask("status")["run"]["id"] == name
    answer = host.ask("wait", run=name, timeout_s=0.1)
    assert (answer["type"], answer["kind"]) == ("error", "timeout")
    assert host.run("1").kind == "busy"
    waiting = host.send("wait", run=name)
    gate.touch()
    result = host.answer(waiting, "wait")
    assert (result["type"], result["run"], result["output"]) == ("result", name, "41\n")
    # The caller was told once.
    ends = [
        e
        for e in host.events
        if e.get("id") == name and e["type"] in ("result", "error")
    ]
    assert len(ends) == 1
    again = host.ask("wait", run=name)
    assert again["output"] == "41\n" and again["status"] == "ok"


def test_the_result_of_a_cell_can_be_had_again(host):
    ran = host.run("print('a')\n41")
    again = host.ask("wait", run=ran.end["id"])
    same = {k: v for k, v in ran.end.items() if k not in ("id", "at")}
    assert {k: v for k, v in again.items() if k in same} == same
    assert host.ask("wait", run="nobody")["kind"] == "unknown_run"


def test_a_timeout_of_a_cell_that_waits_for_another(host):
    first = host.begin(ON + "import time; time.sleep(60)")
    ran = host.run("y = 5; y", queue=True, timeout_s=0.2)
    assert ran.kind == "timeout"
    waiting = host.send("wait", run=ran.end["id"])
    host.stop(first)
    assert host.answer(waiting, "wait")["output"] == "5\n"


def test_progress_comes_while_a_cell_runs(host):
    name = host.begin(ON + "import time\nwhile True: time.sleep(0.01)")
    first = host.wait_for(lambda e: e["type"] == "progress" and e["id"] == name, 10)
    second = host.wait_for(
        lambda e: e["type"] == "progress" and e["id"] == name and e is not first, 10
    )
    assert 0 < first["elapsed_ms"] < second["elapsed_ms"]
    assert second["memory_bytes"] > 10 << 20 and second["cpu_percent"] >= 0
    host.stop(name)


def test_status_says_what_the_session_is_at(host):
    host.run("%reset -f")
    host.run("a = b = c = 1")
    status = host.ask("status")
    assert (status["state"], status["queued"], status["names"]) == ("idle", 0, 3)
    assert status["generation"] == 1 and status["pid"] > 0
    assert status["cwd"] == str(host.home.resolve())
    assert status["python"].startswith("/")
    assert "run" not in status


def test_a_restart_gives_a_new_kernel(start):
    host = start()
    first = host.open()
    host.run("x = 41")
    ready = host.ask("restart")
    assert (ready["type"], ready["generation"]) == ("ready", 2)
    assert ready["pid"] != first["pid"]
    assert host.run("'x' in globals()").output == "False\n"
    name = host.begin(ON + "sum(range(10**12))")
    began = time.monotonic()
    assert host.ask("restart")["generation"] == 3
    assert time.monotonic() - began < 30
    ran = host.finish(name)
    assert ran.types[-2:] in (["cell-end", "result"], ["cell-end", "error"])
    assert (ran.state or ran.kind) == "lost"
    assert host.run("1").output == "1\n"


DEEP = 100_000
BAD = {
    "no JSON": b"hello",
    "half an object": b'{"type": "run"',
    "two objects": b'{"type":"status","id":"a"}{"type":"status","id":"b"}',
    "a list": b"[1, 2]",
    "a number": b"7",
    "no type": b'{"id": "x1"}',
    "a type that is none": b'{"id": "x2", "type": 7}',
    "an unknown type": b'{"id": "x3", "type": "fly"}',
    "no code": b'{"id": "x4", "type": "run"}',
    "code that is none": b'{"id": "x5", "type": "run", "code": ["1"]}',
    "a session that is none": b'{"id": "x6", "type": "status", "session": 7}',
    "a session with a path": b'{"id": "x7", "type": "status", "session": "../../etc"}',
    "a session without a name": b'{"id": "x8", "type": "open", "session": ""}',
    "a session of dots": b'{"id": "x9", "type": "open", "session": ".."}',
    "a session that is long": b'{"id": "y1", "type": "open", "session": "'
    + b"s" * 5000
    + b'"}',
    "a timeout that is none": b'{"id": "y2", "type": "run", "code": "1", "timeout_s": "soon"}',
    "a timeout of the past": b'{"id": "y3", "type": "run", "code": "1", "timeout_s": -1}',
    "a timeout without end": b'{"id": "y4", "type": "run", "code": "1", "timeout_s": 1e999}',
    "a variable that is none": b'{"id": "y5", "type": "open", "session": "q", "env": {"A": 1}}',
    "a variable with =": b'{"id": "y6", "type": "open", "session": "q", "env": {"A=B": "1"}}',
    "a variable with NUL": b'{"id": "y7", "type": "open", "session": "q", "env": {"A": "a\\u0000b"}}',
    "bytes": bytes(range(256)).replace(b"\n", b""),
    "no UTF-8": b'{"id": "y8", "type": "run", "code": "\xff\xfe"}',
    "a lone surrogate": b'{"id": "y9", "type": "run", "code": "\\ud800"}',
    "deep": b"[" * DEEP + b"]" * DEEP,
    "deep in a field": b'{"id": "z1", "type": "status", "x": '
    + b"[" * DEEP
    + b"]" * DEEP
    + b"}",
    "a control character": b'{"id": "z2", "type": "run", "code": "a\nb"}'.replace(
        b"\n", b"\x01"
    ),
    "NULs": b"\0" * 10_000,
}


@pytest.mark.parametrize("name", BAD)
def test_a_line_that_is_no_request_is_told_and_nothing_else_happens(host, name):
    host.run("x = 41")
    at = len(host.events)
    host.write(BAD[name] + b"\n")
    answer = host.wait_for(lambda e: e["type"] == "error", since=at)
    expected = (
        ("start", "bad_request") if '"open"' in str(BAD[name]) else ("bad_request",)
    )
    assert answer["kind"] in expected, answer
    assert answer["message"] and len(answer["message"]) < 1000
    assert host.run("x").output == "41\n"


@pytest.mark.parametrize("line", [b"", b"   ", b"\r", b"\t\r"])
def test_an_empty_line_is_nothing(host, line):
    at = len(host.events)
    host.write(line + b"\n")
    assert host.ask("status")["state"] == "idle"
    # What was run before may be saved just now.
    kinds = [e["type"] for e in host.events[at:] if e["type"] != "saved"]
    assert kinds == ["status"]


def test_a_line_with_the_end_of_another_system(host):
    name, line = host.line("run", code="41")
    host.write(line.replace(b"\n", b"\r\n"))
    assert host.finish(name).output == "41\n"


@pytest.mark.parametrize(
    "name", [0, -1, 1.5, "", "a\nb", None, True, [1], {"a": 1}, "é" * 500, 10**30]
)
def test_an_id_of_any_kind_comes_back(host, name):
    at = len(host.events)
    host.write(json.dumps({"type": "run", "id": name, "code": "41"}).encode() + b"\n")
    end = host.wait_for(lambda e: e["type"] in ("result", "error"), since=at)
    # A run that nobody can name may be refused; whatever is answered repeats the id.
    assert end.get("id") == name or (name is None and "id" not in end) or name == 10**30
    assert host.ask("status")["state"] in ("idle", "running")


def test_a_run_whose_id_is_taken_does_not_hide_the_other(host):
    first = host.begin(ON + "import time; time.sleep(60)")
    host.write(host.line("run", id=first, code="2", queue=True)[1])
    answer = host.wait_for(
        lambda e: e.get("id") == first and e["type"] in ("error", "result"), 5
    )
    assert answer["type"] == "error" and answer["kind"] in ("bad_request", "busy")
    at = len(host.events)
    host.send("cancel", run=first)
    result = host.wait_for(
        lambda e: e.get("id") == first and e["type"] == "result", since=at
    )
    assert result["error"]["ename"] == "KeyboardInterrupt"


def test_a_huge_line_is_taken_or_told(start):
    host = start()
    host.run("x = 41")
    ran = host.run("#" + "y" * (16 << 20) + "\nx", within=120)
    assert ran.output == "41\n"
    at = len(host.events)
    host.write(b"z" * (64 << 20) + b"\n", within=120)
    answer = host.wait_for(lambda e: e["type"] == "error", 60, since=at)
    assert answer["kind"] == "bad_request"
    assert host.run("x").output == "41\n"


def test_a_line_that_never_ends_does_not_fill_the_memory(start):
    from processes import resident

    host = start()
    guard = host.guard
    chunk = b"y" * (8 << 20)
    for _ in range(60):
        host.write(chunk)
    assert resident(guard) < 400 << 20
    host.write(b"\n")
    assert host.run("41").output == "41\n"


def test_a_line_in_pieces(host):
    name, line = host.line("run", code="x = 'é'; x")
    for at in range(len(line)):
        host.write(line[at : at + 1])
    assert host.finish(name).output == "'é'\n"


def test_a_request_without_a_line_end_before_the_end(start):
    """It is whole: a host that writes and closes has asked."""
    host = start(opened=False)
    watch = host.watch()
    host.write(b'{"type": "hello", "id": "last"}')
    host.process.stdin.close()
    watch.ended(5)
    assert host.process.wait(10) == 0
    host.threads[0].join(10)
    assert [e["type"] for e in host.events if e.get("id") == "last"] in (["hello"], [])


def test_a_thousand_requests_in_one_write(host):
    lines = [host.line("status") for _ in range(1000)]
    host.write(b"".join(line for _, line in lines))
    for name, _ in lines:
        assert host.answer(name, "status")["state"] == "idle"


def test_a_hundred_cells_in_one_write_run_in_order(host):
    host.run("seen = []")
    lines = [host.line("run", code=f"seen.append({i})", queue=True) for i in range(100)]
    host.write(b"".join(line for _, line in lines))
    assert all(host.finish(name).status == "ok" for name, _ in lines)
    assert host.run("seen == list(range(100))").output == "True\n"
