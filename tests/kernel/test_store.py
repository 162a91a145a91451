"""The store of checkpoints at the border of Python: pickles and their buffers in, the same out, without the GIL and
without copies in Python. What it promises about disks and processes is tested in `crates/hs-kernel/src/store/tests`."""

from __future__ import annotations

import ctypes
import json
import os
import pickle
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from headstart._headstart import Save, Store, StoreError, store_digest

MIB = 1 << 20


def ident(number: int) -> str:
    return f"{number:032x}"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "checkpoints"))


def add(save: Save, name: str, value: object):
    buffers: list[pickle.PickleBuffer] = []
    text = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return save.add([name], {name: type(value).__name__}, True, text, buffers)


def keep(store: Store, number: int, parent: int | None = None, **values: object):
    save = store.begin(ident(number), None if parent is None else ident(parent))
    groups = {name: add(save, name, value) for name, value in values.items()}
    save.commit()
    return groups


def restored(store: Store, number: int) -> dict[str, object]:
    values = {}
    for place, group in store.groups(ident(number)):
        text, buffers = store.read(ident(number), place)
        values[group["names"][0]] = pickle.loads(text, buffers=buffers)
    return values


def test_arrays_come_back_writable_in_the_memory_that_was_read(store: Store) -> None:
    rng = np.random.default_rng(1)
    values = {
        "large": rng.random(3 * MIB // 8 + 1),
        "fortran": np.asfortranarray(rng.integers(0, 9, (300, 200))),
        "empty": np.empty((0, 3)),
        "small": np.arange(3),
        "dates": np.array(["2024-01-01", "NaT"], dtype="datetime64[s]"),
        "plain": {"a": [1, "x", None]},
    }
    keep(store, 1, **values)
    found = restored(store, 1)
    assert list(found) == list(values)
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(found[name], value)
            assert found[name].dtype == value.dtype
            assert found[name].flags.f_contiguous == value.flags.f_contiguous
            assert found[name].flags.writeable
    assert found["plain"] == values["plain"]
    number, group = next(
        one for one in store.groups(ident(1)) if one[1]["names"] == ["large"]
    )
    text, buffers = store.read(ident(1), number)
    assert isinstance(text, bytes) and isinstance(buffers[0], bytearray)
    array = pickle.loads(text, buffers=buffers)
    array[0] = 7.0
    assert np.frombuffer(buffers[0])[0] == 7.0
    assert group["bytes"] == len(text) + array.nbytes


def test_what_is_said_of_a_checkpoint_is_json(store: Store) -> None:
    save = store.begin(ident(2), ident(1))
    group = add(save, "x", np.arange(1000))
    about = {
        "session": "main",
        "cell": {"code": "x", "number": 3},
        "skipped": [{"name": "f", "reason": "a file"}],
        "extra": {"cwd": "/tmp"},
    }
    save.commit(json.dumps(about))
    found = json.loads(store.manifest(ident(2)))
    assert found.items() >= {**about, "startup": False, "parent": ident(1)}.items()
    [only] = found["groups"]
    assert only["key"] == group["key"].hex()
    assert only["names"] == ["x"] and only["types"] == {"x": "ndarray"}
    assert only["bytes"] == group["bytes"] > 8000


def test_the_same_values_have_the_same_key(store: Store) -> None:
    array = np.arange(MIB)
    save = store.begin(ident(1))
    one, same = add(save, "x", array), add(save, "y", array.copy())
    array[77] += 1
    other = add(save, "x", array)
    assert one["key"] == same["key"] != other["key"]
    assert one != same and one["types"] == {"x": "ndarray"} and one["one"]


def test_values_that_did_not_change_are_taken_over(store: Store) -> None:
    array = np.random.default_rng(1).random(MIB)
    groups = keep(store, 1, x=array)
    before = store.size()
    save = store.begin(ident(2), ident(1))
    save.reuse(groups["x"])
    save.commit()
    assert store.size() - before <= 8192
    assert store.groups(ident(2)) == [(0, groups["x"])] == store.groups(ident(1))
    np.testing.assert_array_equal(restored(store, 2)["x"], array)


def test_memory_may_change_once_it_was_added(store: Store) -> None:
    array = np.random.default_rng(1).random(MIB)
    copy = array.copy()
    save = store.begin(ident(1))
    add(save, "x", array)
    array[:] = 0
    done = threading.Event()
    told: list[StoreError | None] = []

    def tell(error: StoreError | None) -> None:
        told.append(error)
        done.set()

    save.commit_in_background("{}", tell)
    assert done.wait(60) and store.flush(60)
    assert told == [None]
    np.testing.assert_array_equal(restored(store, 1)["x"], copy)


def test_what_another_thread_writes_to_is_saved_as_it_was_at_one_moment(
    store: Store,
) -> None:
    array = np.zeros(4 * MIB, np.uint8)
    address, stop = array.ctypes.data, threading.Event()

    def write() -> None:
        value = 0
        while not stop.is_set():
            value = (value + 1) % 256
            ctypes.memset(address, value, array.nbytes)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(1, 16):
            keep(store, number, x=array)
    finally:
        stop.set()
        writer.join()
    for number in range(1, 16):
        # Each chunk is proved by its hash: this raises if one is not what its name says.
        assert len(restored(store, number)["x"]) == array.nbytes


def test_other_threads_run_while_it_hashes_and_writes(store: Store) -> None:
    array = np.random.default_rng(1).random(8 * MIB)
    counted, stop = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    try:
        save = store.begin(ident(1))
        buffers: list[pickle.PickleBuffer] = []
        text = pickle.dumps(array, protocol=5, buffer_callback=buffers.append)
        at_start = counted
        save.add(["x"], {}, True, text, buffers)
        added = counted
        save.commit()
        committed = counted
        store.read(ident(1), 0)
        read = counted
    finally:
        stop.set()
        counter.join()
    # With the GIL held none of the calls would let the other thread count at all.
    assert added > at_start and committed > added and read > committed


def test_errors_say_their_kind(store: Store, tmp_path: Path) -> None:
    def kind(call) -> str:
        with pytest.raises(StoreError) as raised:
            call()
        return raised.value.kind

    assert kind(lambda: store.begin("../../x")) == "id"
    assert kind(lambda: store.begin(ident(1), "../../x")) == "id"
    assert kind(lambda: store.manifest(ident(1))) == "missing"
    keep(store, 1, x=1)
    assert kind(lambda: store.begin(ident(1))) == "exists"
    assert kind(lambda: store.read(ident(1), 5)) == "missing"
    small = Store(str(tmp_path / "small"), limit_bytes=MIB)
    save = small.begin(ident(1))
    assert kind(lambda: add(save, "x", np.zeros(2 * MIB))) == "limit"
    loose = tmp_path / "loose"
    loose.mkdir(mode=0o755)
    loose.chmod(0o755)
    assert kind(lambda: Store(str(loose))) == "refused"
    assert stat.S_IMODE(loose.stat().st_mode) == 0o755 and not list(loose.iterdir())


def test_a_pickle_may_be_any_memory(store: Store) -> None:
    save = store.begin(ident(1))
    text = bytearray(pickle.dumps("x" * 1000))
    save.add(["x"], {}, True, memoryview(text), [])
    text[:] = bytes(len(text))
    save.commit()
    assert restored(store, 1) == {"x": "x" * 1000}


def test_misuse_is_an_error_of_python(store: Store) -> None:
    save = store.begin(ident(1))
    with pytest.raises(BufferError, match="in one piece"):
        save.add(["x"], {}, True, b"", [memoryview(bytes(10))[::2]])
    with pytest.raises(TypeError):
        save.add(["x"], {}, True, b"", ["text"])
    for group in ({"names": ["x"]}, {"stored": "x"}):
        with pytest.raises((KeyError, TypeError)):
            save.reuse(group)
    with pytest.raises(ValueError, match="expected JSON"):
        save.commit('{"sesion": "main"}')
    save.commit()
    for call in (save.commit, lambda: save.add(["x"], {}, True, b"", [])):
        with pytest.raises(ValueError, match="this save is over"):
            call()
    save.abort()


def test_a_failed_save_in_the_background_is_told(store: Store) -> None:
    first, second = store.begin(ident(1)), store.begin(ident(1))
    told: list[StoreError | None] = []
    first.commit_in_background("{}", told.append)
    second.commit_in_background("{}", told.append)
    assert store.flush(60)
    assert told[0] is None
    assert isinstance(told[1], StoreError) and told[1].kind == "exists"


def test_branches_poison_and_collections(store: Store) -> None:
    keep(store, 1, x=np.arange(1000), y=2)
    keep(store, 2, 1, x=np.arange(1000), y=3)
    first, faults = store.first_readable([ident(9), ident(2), ident(1)])
    assert first == ident(2)
    assert [one for one, _ in faults] == [ident(9)]
    assert store.poisoned(ident(2), 0) is None
    store.mark(ident(2), 0, "main 1")
    assert store.poisoned(ident(1), 0) == "main 1"
    store.quarantine(ident(2), 0, "it ended the kernel")
    assert [number for number, _ in store.groups(ident(1))] == [1]
    assert list(restored(store, 2)) == ["y"]
    store.mark(ident(2), 1, "main 1")
    store.unmark(ident(2), 1)
    assert store.poisoned(ident(2), 1) is None
    store.hold([ident(1)])
    gone, _, left = store.collect([ident(2)])
    assert gone == 0 and left == store.size()


def test_a_digest_tells_memory_apart() -> None:
    array = np.arange(3 * MIB)
    digest = store_digest(array)
    assert len(digest) == 32
    assert store_digest(array.copy()) == digest == store_digest(array.tobytes())
    array[-1] += 1
    assert store_digest(array) != digest
    assert store_digest(b"") != store_digest(b"\0")
    with pytest.raises(BufferError):
        store_digest(array[::2])


def test_a_forked_process_is_told_to_open_its_own(store: Store, tmp_path: Path) -> None:
    keep(store, 1, x=1)
    child = os.fork()
    if child == 0:
        try:
            store.begin(ident(2))
        except StoreError as error:
            own = Store(str(tmp_path / "checkpoints"))
            found = error.kind == "misuse" and restored(own, 1) == {"x": 1}
            os._exit(0 if found else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_interpreter_that_ends_in_the_middle_of_a_save_ends_well(
    tmp_path: Path,
) -> None:
    root = str(tmp_path / "checkpoints")
    code = f"""
import os
from headstart._headstart import Store
store = Store({root!r})
for number in range(5):
    save = store.begin(f"{{number:032x}}")
    save.add(["x"], {{}}, True, b"", [os.urandom(4 << 20)])
    save.commit_in_background("{{}}", lambda error: None)
"""
    run = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, "")
    store = Store(root)
    for name in os.listdir(f"{root}/manifests"):
        assert len(store.read(name, 0)[1][0]) == 4 << 20
