"""The file of the ledger: that of Prime Agent and back, broken files, modes, links, full disks, foreign owners."""

import fcntl
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

import headstart as hs
from headstart.ledger import HarnessState
from headstart.ledger import file as ledger_file

ROOT = Path(__file__).parents[2]
#: Written by Prime Agent's own Python.
ORIGINAL = ROOT / "fixtures/ledger/harness_state.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "ledger"
    folder.mkdir()
    return folder


@pytest.fixture
def path(folder: Path) -> Path:
    return folder / "harness_state.json"


def names(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()} - {"harness_state.json.lock"}


def test_a_file_of_prime_agent_loads(folder, path):
    shutil.copy(ORIGINAL, path)
    state = HarnessState(folder)
    assert [entry.id for entry in state.list()] == [
        "müller_söhne",
        "codes_keep_zeros",
        "answer_in_euros",
        "monthly_sums",
        "checker",
    ]
    codes = state.get("memory", "codes_keep_zeros")
    assert (codes.version, codes.path) == (2, "orders")
    assert codes.metadata == {"scope": "local", "rows": 52, "seen": ["00042", "00079"]}
    assert state.get("skill", "monthly_sums").reference["callable"] == "monthly"
    assert [event.id for event in state.refinements] == ["refine_0001", "refine_0002"]
    assert state.record("next", "x").id == "refine_0003"
    # A title finds the entry that Prime Agent made of it.
    assert state.upsert("memory", "Müller & Söhne", "x").version == 2


def test_a_change_leaves_the_rest_of_such_a_file_as_it_is(folder, path):
    shutil.copy(ORIGINAL, path)
    before = path.read_text()
    state = HarnessState(folder)
    state.create("memory", "added", "x")
    state.delete("memory", "added")
    assert path.read_text() == before + "\n"
    state.update("memory", "codes_keep_zeros", content="changed")
    changed = [
        line
        for line, old in zip(
            path.read_text().splitlines(), before.splitlines(), strict=True
        )
        if line != old
    ]
    assert [line.split('"')[1] for line in changed] == [
        "content",
        "updated_at",
        "version",
    ]


#: As its host writes it, with fields of a version to come and records that have no shape.
HOST = {
    "schema": 3,
    "owner": {"session": "abc"},
    "entries": {
        "memory": {
            "known": {
                "id": "other",
                "kind": "skill",
                "title": "Known",
                "content": "Loaded.",
                "path": 5,
                "scope": "elsewhere",
                "version": "2",
                "reference": None,
                "created_at": "2026-09-15T23:04:39.047Z",
                "source": "refine",
                "embedding": [0.25, 1e-07],
            },
            "shapeless": {"title": "no content", "draft": True},
            "odd": 7,
        },
        "prompt": {},
        "skill": {},
        "subagent": {},
        "tool": {"later": {"title": "a kind to come"}},
    },
    "refinements": [
        {"id": "r1", "trigger": "t", "changes": "one", "cost": 0.5},
        {"id": "r2", "trigger": "no changes"},
        "odd",
    ],
}


def test_what_is_not_understood_is_written_back(folder, path):
    path.write_text(json.dumps(HOST))
    state = HarnessState(folder)
    known = state.get("memory", "known")
    assert (known.id, known.kind, known.path) == ("known", "memory", "general")
    assert (known.scope, known.version, known.reference) == ("local", 2, {})
    assert state.get("memory", "shapeless") is None
    assert [event.changes for event in state.refinements] == [["one"]]

    state.create("memory", "new", "entry")
    state.record("new", "event")
    document = json.loads(path.read_text())
    assert document["entries"]["memory"].pop("new")["title"] == "new"
    assert document["refinements"].pop()["trigger"] == "new"
    assert document == HOST

    changed = state.update("memory", "known", content="Changed.")
    assert changed.version == 3
    assert changed.created_at == "2026-09-15T23:04:39.047Z"
    record = json.loads(path.read_text())["entries"]["memory"]["known"]
    assert record["embedding"] == [0.25, 1e-07]
    # A record without shape is no entry: a new one takes its place, and keeps what else was there.
    state.create("memory", "shapeless", "now it has")
    record = json.loads(path.read_text())["entries"]["memory"]["shapeless"]
    assert (record["version"], record["draft"]) == (1, True)
    assert names(folder) == {"harness_state.json"}


@pytest.mark.parametrize(
    "content",
    [
        b"not json at all",
        b'{"schema": 1, "entries": {"memory": {"a": {"ti',
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe{\x00",
        b"\x80\x81",
        b"[" * 100_000,
        b'{"n": ' + b"9" * 5_000 + b"}",
        b"\0" * 300,
    ],
    ids=lambda content: repr(content[:20]),
)
def test_a_broken_file_is_empty_and_kept_when_the_next_save_heals_it(
    folder, path, content, capsys
):
    path.write_bytes(content)
    os.utime(path, (1, 1))  # long ago: nobody is about to write the rest
    state = HarnessState(folder)
    assert state.list() == []
    assert state.list() == []
    told = capsys.readouterr().out
    assert told.count("\n") == 1  # once
    assert f"{path}: found " in told
    assert path.read_bytes() == content  # reading heals nothing

    state.upsert("memory", "a", "healed")
    told = capsys.readouterr().out
    (aside,) = names(folder) - {"harness_state.json"}
    assert aside in told
    assert (folder / aside).read_bytes() == content
    assert stat.S_IMODE((folder / aside).stat().st_mode) == 0o600
    assert HarnessState(folder).get("memory", "a").content == "healed"
    assert capsys.readouterr().out == ""

    path.write_bytes(content)
    os.utime(path, (1, 1))
    state.upsert("memory", "a", "again")
    assert names(folder) == {"harness_state.json", aside}  # kept once


def test_an_empty_file_is_an_empty_ledger(folder, path, capsys):
    path.touch()
    os.utime(path, (1, 1))
    assert HarnessState(folder).upsert("memory", "a", "b").version == 1
    assert "no bytes in it" in capsys.readouterr().out
    assert names(folder) == {"harness_state.json"}


@pytest.mark.parametrize(
    "document",
    [
        {"entries": []},
        {"entries": {"memory": [], "prompt": {"a": {"title": "t", "content": "c"}}}},
        {"refinements": {"a": 1}},
    ],
)
def test_parts_of_another_shape_are_kept_aside(folder, path, document, capsys):
    path.write_text(json.dumps(document))
    state = HarnessState(folder)
    assert state.get("memory", "a") is None
    state.upsert("memory", "a", "b")
    (aside,) = names(folder) - {"harness_state.json"}
    assert json.loads((folder / aside).read_text()) == document
    assert aside in capsys.readouterr().out
    if "prompt" in document.get("entries", ()):
        assert state.get("prompt", "a").content == "c"
    state.record("t", "c")
    assert len(names(folder)) == 2


def test_a_file_that_is_just_being_written_is_waited_for(folder, path, monkeypatch):
    # Long, so that a slow machine changes nothing.
    monkeypatch.setattr(ledger_file, "STILL_SECONDS", 60.0)
    monkeypatch.setattr(ledger_file, "LONGEST_LOOK_SECONDS", 60.0)
    whole = ORIGINAL.read_bytes()
    path.write_bytes(whole[:1000])
    seen = []
    started = threading.Event()

    def read() -> None:
        started.set()
        seen.append(len(HarnessState(folder).list()))

    reader = threading.Thread(target=read)
    reader.start()
    assert started.wait(10)
    path.write_bytes(whole)
    reader.join(60)
    assert seen == [5]


def test_numbers_that_only_python_writes_survive(folder, path):
    # Prime Agent's Python writes NaN, which is no JSON; it was there, so it stays.
    path.write_text('{"entries": {}, "score": NaN, "big": 123456789012345678901234}')
    HarnessState(folder).upsert("memory", "a", "b")
    assert '"score": NaN' in path.read_text()
    assert "123456789012345678901234" in path.read_text()


def test_every_save_is_seen_by_who_looks_at_the_time_alone(folder, path):
    state, other = HarnessState(folder), HarnessState(folder)
    times = []
    for number in range(60):
        if number == 30:  # a clock that is ahead, or one that has not ticked since
            os.utime(path, (times[-1] / 1e9 + 100, times[-1] / 1e9 + 100))
            times.append(path.stat().st_mtime_ns)
        state.upsert("memory", "a", str(number))
        times.append(path.stat().st_mtime_ns)
        assert other.get("memory", "a").content == str(number)
    assert times == sorted(set(times))


def test_a_file_that_was_changed_or_removed_elsewhere_is_read_again(folder, path):
    state = HarnessState(folder)
    state.upsert("memory", "a", "b")
    document = json.loads(path.read_text())
    document["entries"]["memory"]["a"]["content"] = "c"
    kept = path.stat()
    path.write_text(json.dumps(document))
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns + 1))
    assert state.get("memory", "a").content == "c"
    path.unlink()
    assert state.get("memory", "a") is None
    assert state.upsert("memory", "a", "d").version == 1


def test_folders_and_files_are_private(tmp_path):
    mask = os.umask(0)
    try:
        state = HarnessState(tmp_path / "made/for/this")
        state.upsert("memory", "a", "b")
    finally:
        os.umask(mask)
    made = [tmp_path / "made", tmp_path / "made/for", tmp_path / "made/for/this"]
    assert {stat.S_IMODE(one.stat().st_mode) for one in made} == {0o700}
    files = [stat.S_IMODE(one.stat().st_mode) for one in made[-1].iterdir()]
    assert files == [0o600, 0o600]


def test_a_file_that_others_could_read_becomes_private(folder, path):
    shutil.copy(ORIGINAL, path)
    path.chmod(0o644)
    HarnessState(folder).record("t", "c")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["harness_state.json", "harness_state.json.lock"])
@pytest.mark.parametrize("exists", [True, False])
def test_a_link_in_the_place_of_a_file_is_refused(tmp_path, folder, name, exists):
    target = tmp_path / "precious"
    if exists:
        target.write_text("precious")
    (folder / name).symlink_to(target)
    with pytest.raises(hs.ReadError, match="found a link") as told:
        HarnessState(folder).upsert("memory", "a", "b")
    assert "RLM_HARNESS_STATE_DIR" in told.value.hint
    assert target.exists() == exists
    if exists:
        assert target.read_text() == "precious"
    assert (folder / name).is_symlink()


def test_a_link_to_a_file_is_not_read(tmp_path, folder, path):
    shutil.copy(ORIGINAL, tmp_path / "elsewhere.json")
    path.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(OSError, match="found a link"):
        HarnessState(folder).list()


def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(tmp_path, folder):
    target = tmp_path / "precious"
    target.write_text("precious")
    (folder / ".harness_state.json.tmp").symlink_to(target)
    HarnessState(folder).upsert("memory", "a", "b")
    assert target.read_text() == "precious"
    assert names(folder) == {"harness_state.json"}


def test_a_second_name_of_a_file_is_left_alone(tmp_path, folder, path):
    target = tmp_path / "precious.json"
    target.write_text('{"mine": 1}')
    os.link(target, path)
    HarnessState(folder).upsert("memory", "a", "b")
    assert target.read_text() == '{"mine": 1}'


def test_a_linked_folder_is_the_folder(tmp_path, folder, path):
    (tmp_path / "link").symlink_to(folder)
    HarnessState(tmp_path / "link").upsert("memory", "a", "b")
    assert HarnessState(folder).get("memory", "a").content == "b"
    assert (tmp_path / "link").is_symlink()


def test_a_folder_that_becomes_a_link_is_not_followed(tmp_path, folder):
    state = HarnessState(folder)
    state.upsert("memory", "a", "b")
    folder.rename(tmp_path / "away")
    (tmp_path / "other").mkdir()
    folder.symlink_to(tmp_path / "other")
    with pytest.raises(hs.ReadError):
        state.upsert("memory", "a", "c")
    assert list((tmp_path / "other").iterdir()) == []


@pytest.mark.parametrize("name", ["harness_state.json", "harness_state.json.lock"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_refused_at_once(folder, name, make):
    make(folder / name)
    with pytest.raises(hs.ReadError):
        HarnessState(folder).upsert("memory", "a", "b")


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path):
    (tmp_path / "file").write_text("x")
    for state in (HarnessState(tmp_path / "file"), HarnessState(tmp_path / "file/in")):
        with pytest.raises(hs.ReadError, match="Not a directory"):
            state.list()
        with pytest.raises(hs.ReadError, match="Not a directory"):
            state.upsert("memory", "a", "b")


def test_who_waits_too_long_for_the_lock_is_told(folder, monkeypatch):
    state = HarnessState(folder)
    state.upsert("memory", "a", "b")
    monkeypatch.setattr(ledger_file, "PATIENCE_SECONDS", 0.05)
    with open(folder / "harness_state.json.lock") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(hs.ReadError, match="found it locked for longer"):
            state.upsert("memory", "a", "c")
        assert state.get("memory", "a").content == "b"  # readers wait for nobody
    assert state.upsert("memory", "a", "c").version == 2


def run(code: str, *arguments: str | Path) -> str:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_a_full_disk_leaves_the_old_file(folder, path):
    state = HarnessState(folder)
    state.upsert("memory", "a", "old")
    before = path.read_bytes()
    code = (
        "import resource\n"
        "import headstart as hs\n"
        "state = hs.ledger.HarnessState(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    state.upsert('memory', 'a', 'new' * 10_000)\n"
        "except hs.ReadError as error:\n"
        "    print(error)\n"
        "print(state.get('memory', 'a').content)\n"
    )
    assert run(code, folder).splitlines() == [f"{path}: File too large", "old"]
    assert path.read_bytes() == before
    assert names(folder) == {"harness_state.json"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can play two users")
@pytest.mark.parametrize("foreign", ["folder", "file", "lock"])
def test_what_another_user_owns_is_refused(foreign):
    code = (
        "import os\n"
        "import headstart as hs\n"
        "state = hs.ledger.HarnessState(sys.argv[1])\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "try:\n"
        "    state.upsert('memory', 'a', 'b')\n"
        "except hs.ReadError as error:\n"
        "    print(error)\n"
    )
    with tempfile.TemporaryDirectory(dir="/tmp") as shared:
        Path(shared).chmod(0o1777)
        folder = Path(shared) / "ledger"
        folder.mkdir()
        folder.chmod(0o1777)
        victim = {
            "folder": folder,
            "file": folder / "harness_state.json",
            "lock": folder / "harness_state.json.lock",
        }[foreign]
        if victim != folder:
            victim.write_text('{"entries": {"memory": {}}}')
            victim.chmod(0o666)
        os.chown(victim, 65533, 65533)
        told = run(code, folder)
        assert f"{victim}: expected a ledger of user 65534, found one of" in told
        assert "65533" in told
