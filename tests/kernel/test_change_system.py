"""Memory that the system moves, or that others write to by ways of their own: the next look at it sees what a reading sees.

Whether a look reads is not asked here: where the system does not tell which pages were written to, all of this holds as well.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import subprocess
import sys
import threading

import pytest

from headstart._headstart import change_digest

if sys.platform != "linux":
    pytest.skip("calls of Linux", allow_module_level=True)

MEMORY = 4 << 20
FIXED, MAY_MOVE, MOVE_TO = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x10, 1, 2
IO_URING_SETUP, IO_URING_ENTER, IO_URING_REGISTER = 425, 426, 427
RINGS, ENTRIES = 0, 0x10000000
READ_INTO_PINNED = 4

libc = ctypes.CDLL(None, use_errno=True)
address, length = ctypes.c_void_p, ctypes.c_size_t
libc.mmap.restype = libc.mremap.restype = address
libc.mmap.argtypes = [address, length, *[ctypes.c_int] * 3, ctypes.c_long]
libc.mremap.argtypes = [address, length, length, ctypes.c_int, address]
libc.munmap.argtypes = [address, length]
libc.madvise.argtypes = [address, length, ctypes.c_int]
libc.syscall.restype = ctypes.c_long


@pytest.fixture
def place():
    """The address of memory of this process alone."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    start = libc.mmap(None, MEMORY, 3, flags, -1, 0)
    ctypes.memset(start, 7, MEMORY)
    yield start
    libc.munmap(start, MEMORY)


def at(start: int, size: int = MEMORY) -> memoryview:
    return memoryview((ctypes.c_ubyte * size).from_address(start)).cast("B")


def move(start: int, size: int, to: int) -> None:
    assert libc.mremap(start, size, size, MAY_MOVE | MOVE_TO, to) == to


def settle(memory) -> None:
    """Looks so often that the next look need not read."""
    for _ in range(140):
        change_digest(memory, lasting=True)


def is_seen(memory) -> bool:
    return change_digest(memory, lasting=True) == change_digest(bytes(memory))


def test_memory_that_moved_away_and_back_is_watched_anew(place):
    half = MEMORY // 2
    low, high = at(place, half), at(place + half, half)
    settle(low)
    settle(high)
    other = libc.mmap(None, half, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    move(place + half, half, other)
    settle(at(other, half))
    # The system makes one mapping of both halves, and forgets that the low one was watched, but not all of it.
    move(other, half, place + half)
    for value in (8, 9):
        ctypes.memset(place, value, MEMORY)
        assert is_seen(low) and is_seen(high)
        settle(low)
        settle(high)


def test_memory_that_moved_is_seen_at_its_new_place(place):
    settle(at(place))
    other = libc.mmap(None, MEMORY, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    move(place, MEMORY, other)
    try:
        for value in (8, 9):
            ctypes.memset(other, value, MEMORY)
            assert is_seen(at(other))
            settle(at(other))
        # And what comes to its old place.
        libc.mmap(place, MEMORY, 3, FIXED, -1, 0)
        assert is_seen(at(place))
    finally:
        libc.munmap(other, MEMORY)


def test_a_write_beside_a_look_is_seen_by_the_next_one():
    def write(memory, looking, steps):
        looking.wait()
        for _ in range(steps):
            pass
        # On a page that has other memory, too.
        memory[0] = 1

    # From before the look begins to after its end, on a machine of any speed.
    for steps in (int(1.3**power) for power in range(20, 50)):
        memory, looking = bytearray(32 << 20), threading.Event()
        for _ in range(2):
            change_digest(memory, lasting=True)
        writer = threading.Thread(target=write, args=(memory, looking, steps))
        writer.start()
        looking.set()
        change_digest(memory, lasting=True)
        writer.join()
        assert is_seen(memory), f"{steps} steps after the look began"


@pytest.mark.parametrize("before", [True, False])
def test_what_the_system_reads_into_pinned_memory_is_seen(place, tmp_path, before):
    """A ring of io_uring keeps the memory itself, past all protection of its pages."""
    size = 8192
    described = ctypes.create_string_buffer(120)
    ring = libc.syscall(IO_URING_SETUP, ctypes.c_uint(1), described)
    if ring < 0:
        pytest.skip("the system allows no io_uring")
    rings = libc.mmap(None, size, 3, mmap.MAP_SHARED, ring, RINGS)
    entries = libc.mmap(None, size, 3, mmap.MAP_SHARED, ring, ENTRIES)
    # Of the queue: head, tail, mask, how many, flags, dropped, array; see io_uring_setup(2).
    _, tail, _, _, _, _, array = struct.unpack_from("7I", described, 40)
    piece = (ctypes.c_uint64 * 2)(place, MEMORY)
    memory = at(place)
    (tmp_path / "file").write_bytes(bytes(range(256)))
    try:
        if not before:
            settle(memory)
        pinned = libc.syscall(IO_URING_REGISTER, ring, 0, ctypes.byref(piece), 1)
        if pinned < 0:
            pytest.skip("the system pins no memory")
        settle(memory)
        with open(tmp_path / "file", "rb") as file:
            told = (READ_INTO_PINNED, 0, 0, file.fileno(), 0, place + MEMORY // 2, 256)
            entry = struct.pack("<BBHiQQI36x", *told)
            ctypes.memmove(entries, entry, len(entry))
            ctypes.c_uint32.from_address(rings + array).value = 0
            ctypes.c_uint32.from_address(rings + tail).value = 1
            one = ctypes.c_uint(1)
            assert libc.syscall(IO_URING_ENTER, ring, one, one, one, None, 0) == 1
        assert memory[MEMORY // 2 + 255] == 255
        assert is_seen(memory)
    finally:
        libc.munmap(rings, size)
        libc.munmap(entries, size)
        os.close(ring)


def test_what_another_process_pokes_into_memory_is_seen(place):
    memory = at(place)
    settle(memory)
    poke = f"""
with open("/proc/{os.getpid()}/mem", "r+b", buffering=0) as memory:
    memory.seek({place + 5000})
    memory.write(b"poke")
"""
    subprocess.run([sys.executable, "-c", poke], check=False, stderr=subprocess.DEVNULL)
    if bytes(memory[5000:5004]) != b"poke":
        pytest.skip("the system lets no process write to another")
    assert is_seen(memory)


def test_memory_of_a_file_that_takes_the_place_of_a_part_is_seen(place, tmp_path):
    memory = at(place)
    settle(memory)
    (tmp_path / "file").write_bytes(bytes(1 << 20))
    with open(tmp_path / "file", "r+b", buffering=0) as file:
        into = place + (1 << 20)
        flags = mmap.MAP_SHARED | 0x10
        assert libc.mmap(into, 1 << 20, 3, flags, file.fileno(), 0) == into
        for written in (b"one", b"two"):
            assert is_seen(memory)
            settle(memory)
            file.seek(5000)
            file.write(written)
            assert memory[(1 << 20) + 5000] == written[0]
            assert is_seen(memory)


@pytest.mark.parametrize("parts_alive", [True, False])
def test_memory_that_a_child_has_a_copy_of_is_seen(place, parts_alive):
    memory = at(place)
    settle(memory)
    wait, go = os.pipe()
    child = os.fork()
    if not child:
        ctypes.memset(place, 1, MEMORY)
        os.read(wait, 1)
        os._exit(0)
    try:
        settle(memory)
        if parts_alive:
            memory[5000] = 1
            assert is_seen(memory)
            settle(memory)
    finally:
        os.write(go, b"x")
        os.waitpid(child, 0)
        os.close(wait)
        os.close(go)
    memory[6000] = 2
    assert is_seen(memory)


FILES_CLOSED = """
import os
from headstart._headstart import change_digest
memory = bytearray(4 << 20)
for turn in range(3):
    for _ in range(140):
        change_digest(memory, lasting=True)
    memory[2 << 20] += 1
    assert change_digest(memory, lasting=True) == change_digest(bytes(memory))
    # What is opened next gets the numbers of files that were not the closer's.
    os.closerange(3, 100)
    opened = [open("/proc/self/pagemap", "rb") for _ in range(9)]
    memory[2 << 20] += 1
    assert change_digest(memory, lasting=True) == change_digest(bytes(memory))
"""

NO_FILES_LEFT = """
import resource
from headstart._headstart import change_digest
memory = bytearray(4 << 20)
resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
for _ in range(8):
    change_digest(memory, lasting=True)
memory[2 << 20] += 1
assert change_digest(memory, lasting=True) == change_digest(bytes(memory))
"""


@pytest.mark.parametrize("program", [FILES_CLOSED, NO_FILES_LEFT])
def test_a_process_that_takes_our_files_away_loses_no_write(program):
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
