"""Whether a value changed is found out without a pickle where that is sound: every change shows, and what is the same stays so."""

from __future__ import annotations

import mmap
import os
import pickle
import random
import sys

import pytest

pytest.importorskip("cloudpickle")

from headstart._headstart import change_digest, plain_digest
from headstart.kernel.checkpoints import memory, pickling

MOST = 64 << 20


def look(value):
    seen = memory.look(value, MOST)
    return None if seen is None else seen.key


def digest(value):
    plain = plain_digest(value)
    return None if plain is None else plain[0]


def test_values_that_differ_in_anything_have_other_hashes():
    shared = [1]
    values = [
        *(
            0,
            1,
            True,
            False,
            1.0,
            -0.0,
            0.0,
            None,
            "",
            "1",
            b"",
            b"1",
            1j,
            2**70,
            -(2**70),
        ),
        *(
            [],
            (),
            {},
            set(),
            frozenset(),
            bytearray(),
            [[]],
            [()],
            [1, 2],
            [2, 1],
            [12],
        ),
        *(
            ["ab"],
            ["a", "b"],
            ["a", "", "b"],
            [b"ab"],
            ("ab",),
            {"ab"},
            {"a": "b"},
            {"b": "a"},
        ),
        *(
            {1: 2, 3: 4},
            {3: 4, 1: 2},
            [shared, shared],
            [[1], [1]],
            "é",
            "e\u0301",
            "x" * 5000,
        ),
        *(
            "x" * 5001,
            ["x" * 5000],
            float("nan"),
            float("inf"),
            bytearray(b"1"),
            [None],
            [[None]],
        ),
    ]
    hashes = [digest(value) for value in values]
    assert None not in hashes and len(set(hashes)) == len(values)
    # Pickled and read again they are the same.
    assert [digest(pickle.loads(pickle.dumps(value))) for value in values] == hashes


def test_what_is_not_plain_is_left_to_the_pickle():
    class Text(str):
        __slots__ = ()

    class List(list):
        pass

    deep: list = []
    for _ in range(200):
        deep = [deep]
    for value in (
        Text("a"),
        List(),
        [Text("a")],
        {"a": List()},
        {Text("a"): 1},
        [object()],
        print,
        deep,
        "\udc80",
        2**200,
    ):
        assert plain_digest(value) is None


def test_objects_that_others_refer_to_are_told_and_no_others():
    inner, alone = [1], [[2]]
    value = [inner, alone.pop(), {"k": inner}]
    _, _, shared = plain_digest(value)
    # `inner` has a name; what the list alone has cannot be met elsewhere.
    assert set(shared) == {id(value), id(inner)}
    _, _, shared = plain_digest((inner,))
    assert set(shared) == {id(inner)}
    ring: list = []
    ring.append(ring)
    assert set(plain_digest(ring)[2]) == {id(ring)}


def test_random_changes_of_plain_values_show():
    chance = random.Random(3)

    def make(depth: int):
        kind = chance.randrange(4 if depth else 9)
        if kind == 0 and depth:
            return [make(depth - 1) for _ in range(chance.randrange(4))]
        if kind == 1 and depth:
            return {str(n): make(depth - 1) for n in range(chance.randrange(4))}
        if kind == 2 and depth:
            return tuple(make(depth - 1) for _ in range(chance.randrange(4)))
        return chance.choice(
            [chance.randrange(3), chance.choice("ab"), None, 0.5, True, b"x"]
        )

    for _ in range(300):
        one, other = make(3), make(3)
        same = repr(one) == repr(other)
        assert (digest(one) == digest(other)) == same, (one, other)


def test_one_text_in_many_places_is_small():
    from headstart.kernel.checkpoints.freeze import Freezer

    class Save:
        def add(self, names, *_):
            return {"names": names}

    most = 1 << 20
    names = {
        "few": ["a text of some length"] * 100_000,
        "many": [str(n) * 9 for n in range(50_000)],
    }
    assert plain_digest(names["few"])[1] > most
    frozen = Freezer({}, value=most).freeze(names, Save())
    assert [one.name for one in frozen.skipped] == ["many"]


def test_arrays_are_told_apart_by_all_that_is_kept_of_them():
    np = pytest.importorskip("numpy")
    flat = np.arange(6)
    read_only = flat.copy()
    read_only.flags.writeable = False
    values = [
        *(
            flat,
            flat.reshape(2, 3),
            flat.reshape(3, 2),
            np.asfortranarray(flat.reshape(2, 3)),
        ),
        *(
            flat.astype("i4"),
            flat.astype("f8"),
            flat.view("M8[s]"),
            flat.view("m8[s]"),
            flat.view("M8[D]"),
        ),
        *(
            flat.view(">i8"),
            flat.view([("a", "i8")]),
            flat.view([("b", "i8")]),
            read_only,
            np.array(5),
        ),
        *(np.array(["a", "b"]), np.array([b"a", b"b"])),
    ]
    keys = [look(value) for value in values]
    assert None not in keys and len(set(keys)) == len(values)
    assert look(flat.copy()) == keys[0]
    flat[5] = 7
    assert look(flat) != keys[0]
    for value in (
        np.array([object()]),
        flat[::2],
        np.empty((0, 3)),
        np.ma.array([1]),
    ):
        assert look(value) is None


def test_frames_are_told_apart_by_their_memory():
    np = pytest.importorskip("numpy")
    pl = pytest.importorskip("polars")
    make = lambda: {
        "a": [1, 2, None],
        "b": ["x", "a text that is long", None],
        "c": [[1], [], [2, 3]],
    }
    frame = pl.DataFrame(make())
    key = look(frame)
    assert key is not None and key == look(pl.DataFrame(make())) == look(frame.clone())
    others = [
        frame.with_columns(a=pl.Series([1, 3, None])),
        frame.with_columns(b=pl.Series(["x", "a text that is lonG", None])),
        frame.with_columns(c=pl.Series([[1], [2], [3]])),
        *(
            frame.rename({"a": "z"}),
            frame.head(2),
            frame.cast({"a": pl.Int32}),
            frame.select("b", "a", "c"),
        ),
        frame.with_columns(d=1),
    ]
    keys = [look(other) for other in others]
    assert len({key, *keys}) == 1 + len(others)
    assert None not in (look(frame["a"]), look(frame["c"])) and look(
        frame["a"]
    ) != look(frame.select("a"))
    # polars takes over the memory of an array: who writes to that changes the frame, at the same address.
    array = np.arange(5.0)
    taken = pl.DataFrame({"a": array})
    key, value = look(taken), taken["a"][0]
    array[0] = 99
    assert (look(taken) != key) == (taken["a"][0] != value)


def test_tables_of_arrow_are_told_apart_by_their_memory():
    np = pytest.importorskip("numpy")
    pa = pytest.importorskip("pyarrow")
    array = np.arange(5.0)
    table = pa.table({"a": array, "b": list("abcde")})
    key = look(table)
    assert key == look(pa.table({"a": array.copy(), "b": list("abcde")}))
    assert key != look(table.slice(1)) and key != look(table.rename_columns(["x", "b"]))
    assert look(pa.table({"d": pa.array(["x", "y"]).dictionary_encode()})) is not None
    column = look(table["a"])
    array[2] = -1
    assert (
        look(table) != key
        and None not in (column, look(table["a"]))
        and look(table["a"]) != column
    )


def test_a_frame_of_polars_comes_back_in_parts_by_column():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {
            "a": [1, None, 3],
            "b": ["x", None, ""],
            "c": [[1.5], [], None],
            "d": pl.Series([1, 2, 3]).cast(pl.Datetime("us", "UTC")),
            "e": pl.Series(["u", "v", "u"]).cast(pl.Categorical),
            "f": [{"x": 1}, {"x": None}, None],
        }
    )
    for value in (frame, frame.clear(), frame.select(), frame["b"], frame["e"]):
        pickled = pickling.dumps(value, {})
        copies = [bytearray(buffer) for buffer in pickled.buffers]
        back = pickling.loads(pickled.data, copies, {}).value
        assert type(back) is type(value) and back.equals(value)
        if isinstance(value, pl.DataFrame):
            assert back.schema == value.schema and len(pickled.buffers) == value.width
    before = pickling.dumps(frame, {}).buffers
    after = pickling.dumps(frame.with_columns(a=pl.Series([9, 9, 9])), {}).buffers
    assert [one == other for one, other in zip(before, after, strict=True)] == [
        False
    ] + [True] * 5


def test_a_hostile_class_is_not_asked():
    class Meta(type):
        __hash__ = None

        @property
        def __module__(cls):
            raise SystemExit

    class Odd(metaclass=Meta):
        pass

    from headstart.kernel.checkpoints.freeze import Freezer

    class Save:
        def add(self, names, *_):
            return {"names": names}

    frozen = Freezer({}).freeze({"odd": Odd(), "x": 1}, Save())
    assert [one.name for one in frozen.skipped] == ["odd"]
    assert list(frozen.saved) == [("x",)]
    assert sys.getrefcount(Odd) > 1


MEMORY = 1 << 20


def settled(memory) -> bytes:
    """The hash of memory after so many looks that the last ones need not read it."""
    for _ in range(8):
        seen = change_digest(memory, lasting=True)
    return seen


def as_read(memory) -> bytes:
    return change_digest(bytes(memory))


@pytest.mark.parametrize("place", [0, 5000, MEMORY // 2, MEMORY - 1])
def test_a_write_into_memory_that_was_looked_at_often_is_seen(place):
    memory = bytearray(MEMORY)
    settled(memory)
    memory[place] = 1
    assert change_digest(memory, lasting=True) == as_read(memory)


def test_what_the_system_writes_for_the_process_is_seen(tmp_path):
    (tmp_path / "file").write_bytes(b"x" * MEMORY)
    memory = bytearray(MEMORY)
    settled(memory)
    with open(tmp_path / "file", "rb", buffering=0) as file:
        assert file.readinto(memory) == MEMORY
    assert (
        change_digest(memory, lasting=True) == as_read(memory) == as_read(b"x" * MEMORY)
    )


def test_memory_that_is_taken_away_under_its_address_is_seen():
    memory = mmap.mmap(-1, MEMORY, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory[:] = b"x" * MEMORY
    settled(memory)
    memory.madvise(mmap.MADV_DONTNEED)
    assert change_digest(memory, lasting=True) == as_read(bytes(MEMORY))


@pytest.mark.parametrize("private", [False, True])
def test_what_comes_into_the_memory_of_a_file_is_seen(tmp_path, private):
    path = tmp_path / "file"
    path.write_bytes(bytes(MEMORY))
    with open(path, "r+b") as file:
        access = mmap.ACCESS_COPY if private else mmap.ACCESS_WRITE
        memory = mmap.mmap(file.fileno(), MEMORY, access=access)
    settled(memory)
    with open(path, "r+b") as file:
        file.seek(MEMORY // 2)
        file.write(b"by another way")
    assert b"by another way" in memory[:]
    assert change_digest(memory, lasting=True) == as_read(memory)


def test_what_another_process_writes_to_common_memory_is_seen():
    memory = mmap.mmap(-1, MEMORY)
    settled(memory)
    child = os.fork()
    if not child:
        memory[MEMORY // 2] = 1
        os._exit(0)
    os.waitpid(child, 0)
    assert memory[MEMORY // 2] == 1
    assert change_digest(memory, lasting=True) == as_read(memory)


def test_a_process_that_was_split_off_looks_at_its_own_memory():
    memory = bytearray(MEMORY)
    before = settled(memory)
    child = os.fork()
    if not child:
        memory[MEMORY // 2] = 1
        seen = settled(memory) == as_read(memory) != before
        os._exit(0 if seen else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    # What it did is nothing to its parent.
    assert change_digest(memory, lasting=True) == before
    memory[MEMORY // 2] = 2
    assert change_digest(memory, lasting=True) == as_read(memory) != before


def test_memory_that_grows_in_place_or_moves_is_seen():
    memory = bytearray(MEMORY * 4)
    for size in range(MEMORY * 4, MEMORY * 8, MEMORY // 2):
        settled(memory)
        memory.extend(b"x" * (size - len(memory)))
        memory[size // 2] ^= 1
        assert change_digest(memory, lasting=True) == as_read(memory)
