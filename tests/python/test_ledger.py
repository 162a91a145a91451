"""The ledger as its callers see it: where it lies, what each call gives, what is refused and why."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import headstart as hs
from headstart.ledger import HarnessState, get_harness_state

ROOT = Path(__file__).parents[2]
LOCAL, EVERYONE, SESSION = (
    "RLM_HARNESS_STATE_DIR",
    "RLM_GLOBAL_HARNESS_STATE_DIR",
    "RLM_SESSION_DIR",
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No variable set, and a home of its own."""
    for name in (LOCAL, EVERYONE, SESSION):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def state(tmp_path: Path) -> HarnessState:
    return HarnessState(tmp_path / "ledger")


def written(state: HarnessState) -> dict:
    return json.loads(state.file_path.read_bytes())


def test_the_folder_is_the_first_that_the_environment_names(tmp_path, monkeypatch):
    folders = {name: tmp_path / name for name in (LOCAL, EVERYONE, SESSION)}
    for name, folder in folders.items():
        monkeypatch.setenv(name, str(folder))
    found = []
    for name in (LOCAL, EVERYONE, SESSION):
        found.append((get_harness_state().file_path.parent, get_harness_state().scope))
        monkeypatch.setenv(name, "  ")  # set to nothing is not set
    found.append((get_harness_state().file_path.parent, get_harness_state().scope))
    assert found == [
        (folders[LOCAL], "local"),
        (folders[EVERYONE], "global"),
        (folders[SESSION] / "harness", "local"),
        (tmp_path / "home/.prime/agent/harness", "global"),
    ]


def test_the_ledger_of_all_sessions_is_found_beside_that_of_this_one(
    tmp_path, monkeypatch, home
):
    monkeypatch.setenv(LOCAL, str(tmp_path / "mine"))
    monkeypatch.setenv(SESSION, str(tmp_path / "session"))
    everyone = get_harness_state(global_=True)
    assert everyone.file_path.parent == home / ".prime/agent/harness"
    monkeypatch.setenv(EVERYONE, "~/shared")
    everyone = get_harness_state(global_=True)
    assert everyone.file_path == home / "shared/harness_state.json"
    assert everyone.upsert("memory", "a", "for all").scope == "global"
    assert get_harness_state().upsert("memory", "a", "for me").scope == "local"
    assert get_harness_state().get("memory", "a").content == "for me"


def test_one_folder_is_one_state_under_all_its_names(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert get_harness_state(tmp_path / "link") is get_harness_state(tmp_path / "real")


def test_an_entry_is_created_changed_in_part_and_deleted(state):
    made = state.create("memory", "Codes keep zeros", "00042", path="orders")
    assert (made.id, made.kind, made.version) == ("codes_keep_zeros", "memory", 1)
    assert (made.scope, made.source, made.path) == ("local", "agent", "orders")
    assert made.created_at == made.updated_at
    changed = state.update("memory", made.id, content="00042 is not 42")
    assert (changed.title, changed.path) == ("Codes keep zeros", "orders")
    assert (changed.version, changed.content) == (2, "00042 is not 42")
    assert changed.created_at == made.created_at < changed.updated_at
    assert state.get("memory", made.id) == changed
    assert state.entries["memory"] == {made.id: changed}
    assert state.delete("memory", made.id) is True
    assert state.delete("memory", made.id) is False
    assert state.get("memory", made.id) is None
    assert state.list() == []


def test_upsert_keeps_what_is_not_given_and_takes_what_is_given_empty(state):
    given = {"reference": {"type": "python"}, "arguments": {"n": 1}, "metadata": {}}
    state.upsert("skill", "Sums", "By month.", "sums", "orders", *given.values())
    kept = state.upsert("skill", "Sums", "By week.", id="sums")
    assert (kept.path, kept.reference) == ("orders", {"type": "python"})
    assert (kept.arguments, kept.metadata, kept.version) == ({"n": 1}, {}, 2)
    emptied = state.upsert("skill", "Sums", "By week.", id="sums", arguments={})
    assert (emptied.reference, emptied.arguments) == ({"type": "python"}, {})


def test_kinds_do_not_share_ids(state):
    state.create("memory", "Same", "a memory")
    state.create("prompt", "Same", "a note")
    assert state.delete("memory", "same")
    assert state.get("prompt", "same").content == "a note"


@pytest.mark.parametrize(
    ("title", "id"),
    [
        ("Codes keep zeros!", "codes_keep_zeros"),
        ("  __a--b__ ", "a_b"),
        ("Größe №7", "größe_7"),
        ("東京商店", "東京商店"),
        ("!?", "memory"),
        ("x" * 100, "x" * 80),
    ],
)
def test_an_id_is_made_of_letters_and_digits_of_the_title(state, title, id):
    assert state.create("memory", title, "content").id == id


def test_entries_come_by_kind_path_title_and_id(state):
    for kind, path, title in (
        ("subagent", "a", "x"),
        ("memory", "b", "a"),
        ("memory", "a", "z"),
        ("memory", "a", "c"),
    ):
        state.create(kind, title, "content", path=path)
    found = [(entry.kind, entry.path, entry.title) for entry in state.list()]
    assert found == sorted(found)
    assert len(found) == 4
    assert [entry.kind for entry in state.list("subagent")] == ["subagent"]


def test_existing_and_missing_entries_are_told(state):
    state.create("memory", "orders", "content")
    with pytest.raises(ValueError, match="expected a new memory, found 'orders'"):
        state.create("memory", "orders", "other")
    with pytest.raises(ValueError, match="did you mean 'orders'"):
        state.update("memory", "order", content="other")
    with pytest.raises(ValueError, match="create"):
        state.update("prompt", "orders", content="other")
    assert state.get("memory", "orders").version == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda state: state.get("memories", "a"),
        lambda state: state.list("memories"),
        lambda state: state.create("memories", "a", "b"),
        lambda state: state.update("memories", "a"),
        lambda state: state.upsert("memories", "a", "b"),
        lambda state: state.delete("memories", "a"),
        lambda state: state.upsert(None, "a", "b"),
        lambda state: state.upsert(["memory"], "a", "b"),
    ],
)
def test_an_unknown_kind_is_a_value_error_and_writes_nothing(state, call):
    with pytest.raises(ValueError, match="prompt, memory, skill or subagent"):
        call(state)
    assert not state.file_path.parent.exists()


def test_refinements_are_recorded_in_order(state):
    first = state.record("a join lost rows", ["update memory:keys", "create skill:x"])
    second = state.record("by hand", "one", evidence="seen", outcome="well")
    third = state.record("named", [], id="refine_0004")
    fourth = state.record("after it", "x")
    assert [event.id for event in state.refinements] == [
        "refine_0001",
        "refine_0002",
        "refine_0004",
        "refine_0005",
    ]
    assert state.refinements == [first, second, third, fourth]
    assert second.changes == ["one"]
    assert written(state)["refinements"][1]["evidence"] == "seen"


def test_the_overview_counts_what_it_does_not_show(state):
    for number in range(5):
        state.upsert("memory", f"note {number}", "long\ncontent " * 40)
    state.upsert("skill", "sums", "By month.", reference={"import": "tools.sums"})
    for number in range(7):
        state.record(f"trigger {number}", ["a", "b"])
    text = state.overview(max_entries_per_kind=2)
    lines = text.splitlines()
    assert lines[0] == f"ledger (local): {state.file_path}"
    assert "memory: 5" in lines
    assert "  and 3 more" in lines
    assert (
        '  [sums] sums (general, v1) ref={"import": "tools.sums"}: By month.' in lines
    )
    assert "refinements: 7" in lines
    assert lines[-1] == "  [refine_0007] trigger 6: a, b"
    assert "trigger 1:" not in text
    assert max(map(len, lines)) < 400


def test_ids_may_carry_the_scope_that_prime_agent_shows(state, tmp_path):
    state.create("memory", "a", "mine", id="local:a")
    assert written(state)["entries"]["memory"].keys() == {"a"}
    assert state.get("memory", "local:a").content == "mine"
    assert state.update("memory", "local:a", content="new").id == "a"
    with pytest.raises(ValueError, match="global_=True"):
        state.get("memory", "global:a")
    with pytest.raises(ValueError, match="this global ledger"):
        HarnessState(tmp_path, scope="global").delete("memory", "local:a")
    assert state.create("memory", "b", "x", id="local:").id == "local:"


class Live:
    pass


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"frame": Live()}, "metadata['frame']"),
        ({"rows": [1, {"deep": Live}]}, "metadata['rows'][1]['deep']"),
        ({"raw": b"bytes"}, "metadata['raw']"),
        ({"set": {1}}, "metadata['set']"),
        ({1: "a"}, "metadata"),
        ({None: "a"}, "metadata"),
        (Live(), "metadata"),
        ([], "metadata"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(state, value, place):
    with pytest.raises(TypeError) as told:
        state.upsert("memory", "a", "b", metadata=value)
    assert str(told.value).startswith(f"{place}: expected")
    assert told.value.hint
    assert not state.file_path.exists()


def test_a_live_object_leads_to_checkpoints(state):
    for call in (
        lambda: state.upsert("memory", "a", "b", metadata={"frame": Live()}),
        lambda: state.upsert("memory", "a", Live()),
        lambda: state.upsert("memory", "a", "b", reference=Live()),
        lambda: state.record("a", [Live()]),
    ):
        with pytest.raises(hs.TypeMismatchError, match="checkpoints"):
            call()
    with pytest.raises(hs.TypeMismatchError, match="json.dumps"):
        state.upsert("memory", "a", {"content": 1})


NUMBERS = {
    "nan": float("nan"),
    "inf": float("inf"),
    "big": 10**1000,
    "huge": -(10**5000),
}


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_a_number_that_other_readers_cannot_take_is_refused(state, number):
    with pytest.raises(ValueError, match=r"metadata\['n'\]: expected"):
        state.upsert("memory", "a", "b", metadata={"n": number})


def test_values_that_hold_themselves_or_go_too_deep_are_refused(state):
    ring: dict = {}
    ring["again"] = ring
    deep: list = []
    for _ in range(200):
        deep = [deep]
    for value in (ring, {"deep": deep}):
        with pytest.raises(ValueError, match="at most 100 levels"):
            state.upsert("memory", "a", "b", metadata=value)


def test_what_is_given_is_what_is_read_again(state):
    class Name(str):
        pass

    given = {"t": (1, 2.5, None, True), "s": Name("ä\n\u2028"), "half": "\ud83d"}
    made = state.upsert("memory", "a", Name("b"), metadata=given)
    again = HarnessState(state.file_path.parent).get("memory", "a")
    assert made == again
    assert again.metadata == {
        "t": [1, 2.5, None, True],
        "s": "ä\n\u2028",
        "half": "\ud83d",
    }
    assert type(made.content) is type(made.metadata["s"]) is str


def test_entries_are_copies(state):
    given = {"list": [1]}
    state.upsert("memory", "a", "b", metadata=given)
    given["list"].append(2)
    state.get("memory", "a").metadata["list"].append(3)
    state.entries["memory"].clear()
    assert state.get("memory", "a").metadata == {"list": [1]}
    with pytest.raises(AttributeError):
        state.get("memory", "a").content = "lost"


@pytest.mark.parametrize(
    "call",
    [
        lambda state: state.create("memory", None, "b"),
        lambda state: state.upsert("memory", "a", None),
        lambda state: state.update("memory", None, content="b"),
        lambda state: state.get("memory", 7),
        lambda state: state.upsert("memory", "a", "b", id=7),
        lambda state: state.upsert("memory", "a", "b", path=7),
        lambda state: state.record(None, []),
    ],
)
def test_texts_that_are_none_are_refused(state, call):
    with pytest.raises(TypeError, match="expected str"):
        call(state)
    assert not state.file_path.exists()


def test_reading_makes_nothing(state):
    assert state.list() == state.refinements == []
    assert state.overview().count(": 0") == 5
    assert state.delete("memory", "a") is False
    assert not state.file_path.parent.exists()


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"
    return subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def test_importing_headstart_imports_no_ledger_and_the_ledger_no_library(tmp_path):
    code = (
        "import headstart as hs\n"
        "print('headstart.ledger' in sys.modules)\n"
        "hs.ledger.get_harness_state().upsert('memory', 'a', 'b')\n"
        "from headstart.ledger import get_harness_state\n"
        "print(get_harness_state().get('memory', 'a').content)\n"
        "print({name.partition('.')[0] for name in sys.modules}\n"
        "      - set(sys.stdlib_module_names) - {'__main__'})"
    )
    done = run(code, RLM_HARNESS_STATE_DIR=str(tmp_path))
    assert done.stdout.splitlines() == ["False", "b", "{'headstart'}"]


def test_names_that_headstart_does_not_have_are_told():
    with pytest.raises(AttributeError, match="'headstart' has no attribute 'ledgers'"):
        _ = hs.ledgers
