"""What a session remembers: `search`, `export`, `import`, `message`, and who may see it."""

import json
import stat
import time

import pytest


def found(host, query, **fields) -> list[dict]:
    answer = host.ask("search", query=query, **fields)
    assert answer["type"] == "found", answer
    return answer["hits"]


def test_cells_and_messages_are_found_with_where_they_come_from(host):
    ran = host.run("total_amount = 41\nprint('needle in', total_amount)")
    hits = found(host, "needle")
    assert len(hits) == 1
    (hit,) = hits
    assert hit["snippet"] == "print('needle in', total_amount)"
    assert (hit["kind"], hit["status"], hit["in"]) == ("cell", "ok", "code")
    assert hit["cell"] == ran.execution_count
    assert hit["checkpoint"] == ran.checkpoint
    assert hit["session"].startswith("main.")
    assert 0 <= time.time() - hit["time"] < 60
    # What stands in the output alone, and half a name.
    assert found(host, "41 needle")
    assert found(host, "tal_amo")
    assert found(host, "nowhere") == []
    failed = host.run("raise KeyError('amuont')")
    (hit,) = found(host, "amuont")
    assert (hit["status"], hit["cell"]) == ("error", failed.execution_count)
    host.ask("message", role="user", text="why is there an amuont?")
    kinds = {hit["kind"] for hit in found(host, "amuont")}
    assert kinds == {"cell", "message"}
    assert len(found(host, "amuont", limit=1)) == 1
    assert host.ask("search", query="")["of"] >= 3


@pytest.mark.parametrize(
    "query", ['"foo(bar', "a AND", "*", "-x", "NEAR(", "a:b", "'; --", "\U0001f980", ""]
)
def test_every_text_is_a_query(host, query):
    assert host.ask("search", query=query)["type"] == "found"


def test_a_cell_that_died_with_its_kernel_is_remembered(start):
    host = start()
    host.run("print('before'); import os; os._exit(3)")
    (hit,) = found(host, "_exit")
    assert hit["status"] == "lost"
    assert host.run("1").generation == 2


def test_an_export_comes_back_equal(start, tmp_path):
    host = start()
    host.run("s = 'a\\0b\\ud800'\nprint(s)\nprint('```')")
    host.run("1 / 0")
    host.ask("message", role="user", text="hello\nthere")
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    answer = host.ask("export", path=str(first))
    assert (answer["type"], answer["rows"]) == ("exported", 3)
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in first.read_text().splitlines()]
    assert lines[0] == {"headstart": "context", "version": 1}
    assert [line["kind"] for line in lines[1:]] == ["cell", "cell", "message"]
    assert lines[2]["ename"] == "ZeroDivisionError"
    # Not over a file that is there, unless asked.
    again = host.ask("export", path=str(first))
    assert (again["type"], again["kind"]) == ("error", "bad_request")
    assert "there is such a file already" in again["message"]
    assert host.ask("export", path=str(first), overwrite=True)["rows"] == 3
    other = start()
    assert other.ask("import", path=str(first))["rows"] == 3
    assert other.ask("import", path=str(first))["rows"] == 0
    other.ask("export", path=str(second))
    assert second.read_bytes() == first.read_bytes()
    assert found(other, "ZeroDivisionError")[0]["session"] == lines[1]["session"]
    shown = tmp_path / "a.md"
    host.ask("export", format="markdown", path=str(shown))
    assert "````text\n" in shown.read_text()
    first.write_text("no export\n")
    answer = other.ask("import", path=str(first))
    assert "line 1: expected an export" in answer["message"]
    assert "absolute path" in host.ask("export", path="a.jsonl")["message"]


def test_a_session_sees_its_own_cells_only(start):
    host = start(opened=False)
    host.open(session="a")
    host.open(session="b")
    host.run("secret = 1", session="a")
    assert found(host, "secret", session="b") == []
    assert len(found(host, "secret", session="a")) == 1
    # Those of a host are no context that others could ask for.
    answer = host.ask("search", query="secret", of="a", session="b")
    assert "expected the context of a session a, found none" in answer["message"]
    answer = host.ask("search", query="secret", of="../a", session="b")
    assert answer["kind"] == "bad_request"


def test_what_a_host_remembers_is_gone_with_it(start):
    host = start()
    host.run("x = 1")
    assert len(found(host, "x")) == 1
    file = host.folder() / "context.db"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    host.close()
    assert not file.exists()


def test_a_named_context_stays_and_has_one_session_at_a_time(start, tmp_path):
    env = {"XDG_DATA_HOME": str(tmp_path / "data")}
    first = start(env=env, opened=False)
    first.open(context="notes")
    first.run("needle = 1")
    first.ask("message", role="user", text="remember the needle")
    file = tmp_path / "data/headstart/context/notes.db"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    second = start(env=env, opened=False)
    answer = second.ask("open", context="notes")
    assert (answer["type"], answer["kind"]) == ("error", "busy")
    assert f"the session main.{first.guard} (process " in answer["message"]
    # It may read it when it asks for it by its name.
    second.open(context="others")
    second.run("y = 1")
    assert found(second, "needle") == []
    assert len(found(second, "needle", of="notes")) == 2
    assert found(first, "needle", of="notes") == found(first, "needle")
    first.close()
    third = start(env=env, opened=False)
    third.open(context="notes")
    assert len(found(third, "needle")) == 2
    status = third.ask("status")["context"]
    assert (status["path"], status["entries"]) == (str(file), 2)


@pytest.mark.parametrize("how", ["open", "variable", "option"])
def test_it_can_be_switched_off(start, how, tmp_path):
    env = {"XDG_DATA_HOME": str(tmp_path / "data")}
    options = {
        "open": ({"env": env}, {"context": "off"}, "context of open"),
        "variable": (
            {"env": env | {"HEADSTART_CONTEXT": "0"}},
            {"context": "notes"},
            "HEADSTART_CONTEXT=0",
        ),
        "option": (
            {"env": env, "options": ("--no-context",)},
            {"context": "notes"},
            "--no-context",
        ),
    }
    starting, opening, who = options[how]
    host = start(**starting, opened=False)
    host.open(**opening)
    assert host.run("x = 1").status == "ok"
    for kind, fields in [
        ("search", {"query": "x"}),
        ("export", {"path": str(tmp_path / "a.jsonl")}),
        ("message", {"role": "user", "text": "x"}),
    ]:
        answer = host.ask(kind, **fields)
        assert (answer["type"], answer["kind"]) == ("error", "unsupported")
        assert who in answer["message"]
    assert "context" not in host.ask("status")
    assert not (host.folder() / "context.db").exists()
    assert not (tmp_path / "data/headstart/context").exists()


def test_a_damaged_file_is_put_aside_and_the_cell_runs(start, tmp_path):
    env = {"XDG_DATA_HOME": str(tmp_path)}
    file = tmp_path / "headstart/context/notes.db"
    file.parent.mkdir(parents=True, mode=0o700)
    file.write_text("no database at all\n" * 100)
    file.chmod(0o600)
    host = start(env=env, opened=False)
    host.open(context="notes")
    assert host.run("needle = 1").status == "ok"
    assert len(found(host, "needle")) == 1
    told = host.wait_for(lambda e: e["type"] == "notice" and e["kind"] == "context")
    assert "notes.db.damaged" in told["text"]
    assert any("notes.db.damaged" in text for text in host.run("2").told)
    assert (file.parent / "notes.db.damaged").read_text().startswith("no database")


def test_a_folder_that_others_may_enter_is_refused_and_a_cell_runs(start, tmp_path):
    env = {"XDG_DATA_HOME": str(tmp_path)}
    folder = tmp_path / "headstart/context"
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    host = start(env=env, opened=False)
    answer = host.ask("open", context="notes")
    assert "found the mode 0755" in answer["message"]
    host.open()
    assert host.run("needle = 1").status == "ok"
    assert len(found(host, "needle")) == 1
    assert list(folder.iterdir()) == []


def test_bad_fields_are_told(host):
    for kind, fields, words in [
        ("search", {}, "missing field `query`"),
        ("search", {"query": "x" * 5000}, "at most 4096 bytes"),
        ("export", {"format": "pdf", "path": "/x"}, "unknown variant `pdf`"),
        ("message", {"role": "", "text": "x"}, "1 to 64 letters"),
        ("message", {"role": "user", "text": "x" * 2_000_000}, "at most 1048576 bytes"),
        ("open", {"context": "../x"}, "context: expected a name"),
        ("import", {"path": "/nowhere"}, "/nowhere"),
    ]:
        answer = host.ask(kind, **fields)
        assert (answer["type"], answer["kind"]) == ("error", "bad_request"), answer
        assert words in answer["message"]
