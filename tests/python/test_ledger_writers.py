"""The ledger under many hands: random calls against a plain dict, writers side by side, writers that are killed."""

import json
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from headstart.ledger import KINDS, HarnessState

ROOT = Path(__file__).parents[2]
PRELUDE = (
    f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    "from headstart.ledger import HarnessState\n"
    "state, name = HarnessState(sys.argv[1]), sys.argv[2]\n"
    "print('ready', flush=True)\n"
    "sys.stdin.readline()\n"
)


def start(code: str, folder: Path, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-S", "-c", PRELUDE + code, folder, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def side_by_side(code: str, folder: Path, *names: str) -> None:
    """Runs the code in as many processes, which begin together."""
    children = [start(code, folder, name) for name in names]
    try:
        for child in children:
            assert child.stdout.readline() == "ready\n"
        for child in children:
            child.stdin.write("go\n")
            child.stdin.flush()
        for child in children:
            child.communicate(timeout=120)
            assert child.returncode == 0
    finally:
        for child in children:
            child.kill()
            child.wait()


def test_two_processes_that_upsert_200_entries_each_end_with_400(tmp_path):
    code = (
        "for number in range(200):\n"
        "    state.upsert('memory', f'{name} {number}', f'content {number}')\n"
    )
    side_by_side(code, tmp_path, "one", "two")
    entries = HarnessState(tmp_path).entries["memory"]
    assert entries.keys() == {
        f"{name}_{number}" for name in ("one", "two") for number in range(200)
    }
    assert {entry.version for entry in entries.values()} == {1}


def test_changes_of_one_entry_side_by_side_all_count(tmp_path):
    code = (
        "for number in range(60):\n"
        "    state.upsert('memory', 'shared', f'{name} {number}')\n"
        "    state.record(name, str(number))\n"
    )
    side_by_side(code, tmp_path, "one", "two", "three")
    state = HarnessState(tmp_path)
    assert state.get("memory", "shared").version == 180
    events = state.refinements
    assert len({event.id for event in events}) == 180
    for name in ("one", "two", "three"):
        changes = [event.changes for event in events if event.trigger == name]
        assert changes == [[str(number)] for number in range(60)]


def test_of_processes_that_create_one_entry_one_succeeds(tmp_path):
    code = (
        "won = 0\n"
        "for number in range(40):\n"
        "    try:\n"
        "        state.create('skill', f's{number}', name)\n"
        "        won += 1\n"
        "    except ValueError:\n"
        "        pass\n"
        "state.record(name, str(won), id=name)\n"
    )
    side_by_side(code, tmp_path, "one", "two", "three")
    state = HarnessState(tmp_path)
    won = {event.id: int(event.changes[0]) for event in state.refinements}
    assert sum(won.values()) == len(state.list("skill")) == 40
    for name, count in won.items():
        owned = [entry for entry in state.list("skill") if entry.content == name]
        assert len(owned) == count


def test_threads_lose_nothing(tmp_path):
    state = HarnessState(tmp_path)

    def write(name: int) -> None:
        for number in range(20):
            state.upsert("memory", f"{name} {number}", "content")
            assert state.get("memory", f"{name}_{number}") is not None

    threads = [threading.Thread(target=write, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(HarnessState(tmp_path).list("memory")) == 120


def test_a_reader_beside_writers_never_sees_less_than_before(tmp_path):
    code = (
        "for number in range(150):\n"
        "    state.upsert('memory', str(number), 'content ' * number)\n"
    )
    state = HarnessState(tmp_path)
    child = start(code, tmp_path, "one")
    try:
        assert child.stdout.readline() == "ready\n"
        child.stdin.write("go\n")
        child.stdin.flush()
        seen = [0]
        deadline = time.monotonic() + 60
        while seen[-1] < 150 and time.monotonic() < deadline:
            seen.append(len(state.list("memory")))
        assert seen[-1] == 150
        assert seen == sorted(seen)
        assert len(set(seen)) > 10
    finally:
        child.kill()
        child.communicate()


def test_a_writer_that_is_killed_leaves_a_whole_file_and_no_lock(tmp_path, kills):
    """`--kills 200` looks longer: kills at random moments of saves of some 100 KB."""
    code = (
        "import itertools\n"
        "for number in itertools.count():\n"
        "    made = state.upsert('memory', f'{name} {number}', 'x' * 2000)\n"
        "    print(made.id, flush=True)\n"
    )
    state = HarnessState(tmp_path)
    chance = random.Random(7)
    met = 0
    for number in range(2 * kills):
        child = start(code, tmp_path, f"run{number}")
        assert child.stdout.readline() == "ready\n"
        child.stdin.write("go\n")
        child.stdin.flush()
        told = [child.stdout.readline() for _ in range(chance.randrange(1, 12))]
        time.sleep(chance.random() * 0.004)  # some moment of the save that follows
        child.send_signal(signal.SIGKILL)
        told += child.communicate()[0].splitlines()
        met += (tmp_path / ".harness_state.json.tmp").exists()

        json.loads((tmp_path / "harness_state.json").read_bytes())
        found = {entry.id for entry in HarnessState(tmp_path).list("memory")}
        mine = {id for id in found if id.startswith(f"run{number}_")}
        assert {line.strip() for line in told} <= mine
        assert len(mine) <= len(told) + 1
        state.record("killed", str(number))
        assert {one.name for one in tmp_path.iterdir()} == {
            "harness_state.json",
            "harness_state.json.lock",
        }
        if number % 8 == 7:
            for id in found:
                state.delete("memory", id)
    assert len(state.refinements) == 2 * kills
    print(f"{met} of {2 * kills} kills met a file that was not in its place yet")


TITLES = ["orders", "Orders!", "Größe", "東京", "a" * 90, "x y", "?"]
TEXTS = ["", "plain", "ä\n\t\u2028\0", '"quoted" \\', "😀", "x" * 5000]


def value(chance: random.Random, depth: int = 3) -> object:
    """Some value of JSON."""
    pick = chance.randrange(8 if depth else 6)
    if pick == 6:
        return [value(chance, depth - 1) for _ in range(chance.randrange(3))]
    if pick == 7:
        return mapping(chance, depth - 1)
    return [
        None,
        chance.random() < 0.5,
        chance.randrange(-(10**20), 10**20),
        chance.choice([0.1, -0.0, 1e300, 5e-324, chance.random()]),
        chance.choice(TEXTS),
        chance.choice(TITLES),
    ][pick]


def mapping(chance: random.Random, depth: int = 3) -> dict:
    keys = [chance.choice([*TEXTS, *TITLES]) for _ in range(chance.randrange(4))]
    return {key: value(chance, depth) for key in keys}


class Model:
    """What the ledger should hold, as a dict of (kind, id) to fields."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], dict] = {}

    def write(self, kind: str, id: str, given: dict, expected: bool | None) -> bool:
        before = self.entries.get((kind, id))
        if expected is not None and expected != (before is not None):
            return False
        start = {
            "path": "general",
            "reference": {},
            "arguments": {},
            "metadata": {},
            "version": 0,
        }
        after = {**(before or start), **given}
        after["version"] += 1
        self.entries[kind, id] = after
        return True


@pytest.mark.parametrize("seed", range(6))
def test_random_calls_give_what_a_dict_would(tmp_path, seed):
    chance = random.Random(seed)
    beyond = {"later": [1, {"x": None}], "schema": 1}
    (tmp_path / "harness_state.json").write_text(json.dumps(beyond))
    # Several states of one file: each must see what the others wrote.
    states = [HarnessState(tmp_path) for _ in range(3)]
    ids = {title: states[0].upsert("prompt", title, "").id for title in TITLES}
    for id in set(ids.values()):
        assert states[0].delete("prompt", id)
    model, recorded = Model(), []
    for _ in range(150):
        state, kind = chance.choice(states), chance.choice(KINDS)
        title = chance.choice(TITLES)
        id = chance.choice([ids[title], "own id", "ä/../b"])
        given = {
            name: make(chance)
            for name, make in {
                "content": lambda chance: chance.choice(TEXTS),
                "title": lambda chance: chance.choice(TITLES),
                "path": lambda chance: chance.choice(TEXTS),
                "reference": mapping,
                "arguments": mapping,
                "metadata": mapping,
            }.items()
            if chance.random() < 0.5
        }
        call = chance.choice(["create", "update", "upsert", "delete", "record"])
        if call == "delete":
            there = model.entries.pop((kind, id), None) is not None
            assert state.delete(kind, id) is there
        elif call == "record":
            recorded.append(title)
            state.record(title, [id])
        else:
            expected = {"create": False, "update": True, "upsert": None}[call]
            if call != "update":
                given = {"title": title, "content": "", **given}
            if model.write(kind, id, given, expected):
                getattr(state, call)(kind, id=id, **given)
            else:
                with pytest.raises(ValueError, match="id: expected"):
                    getattr(state, call)(kind, id=id, **given)
        reader = chance.choice([*states, HarnessState(tmp_path)])
        found = {(entry.kind, entry.id): entry for entry in reader.list()}
        assert found.keys() == model.entries.keys()
        for key, fields in model.entries.items():
            shown = vars(found[key])
            assert {name: shown[name] for name in fields} == fields
            assert reader.get(*key) == found[key]
        assert [event.trigger for event in reader.refinements] == recorded
    document = json.loads((tmp_path / "harness_state.json").read_bytes())
    assert document["later"] == beyond["later"]
    assert {
        (kind, id): record["version"]
        for kind, records in document["entries"].items()
        for id, record in records.items()
    } == {key: fields["version"] for key, fields in model.entries.items()}
