"""What was written to memory, in whatever way, comes back after a kernel is killed: arrays that stood still are not read after
each cell, so that a write which nobody noticed would be lost here.
"""

from __future__ import annotations

import os
import signal

import pytest

pytest.importorskip("cloudpickle")
pytest.importorskip("numpy")

SETUP = """
import ctypes, hashlib, os, socket, tempfile, threading
import numpy as np

SIZE = 1 << 18
kept = {}
for _way in WAYS:
    globals()[_way] = np.arange(SIZE, dtype="f8")

def say():
    for _name in sorted(WAYS):
        print(_name, hashlib.sha256(globals()[_name].tobytes()).hexdigest())
"""

#: How the array of each name is written to. Most do it twice, since what happens first may make what comes then look old.
WAYS = {
    "one_item": "one_item[SIZE // 2] += 1",
    "first_byte": "first_byte.view('u1')[0] ^= 1",
    "last_byte": "last_byte.view('u1')[-1] ^= 1",
    "by_a_view": "by_a_view[100:200][::2] *= 2",
    "other_dtype": "other_dtype.view('i4')[7] = -1",
    "sorted_in_place": "sorted_in_place[::-1].sort()",
    "resized": "resized.resize(SIZE + 5000, refcheck=False); resized[-1] = 1",
    "resized_often": """
for _more in range(1, 9):
    resized_often.resize(SIZE * _more, refcheck=False)
    resized_often[SIZE // 2] += _more
""",
    "same_again": """
_old = same_again.copy()
del same_again
same_again = np.arange(SIZE, dtype="f8") + 1
""",
    "read_into": """
with tempfile.TemporaryFile() as _file:
    _file.write(os.urandom(50_000))
    _file.seek(0)
    _file.raw.readinto(memoryview(read_into).cast("B")[9000:])
""",
    "received": """
_one, _other = socket.socketpair()
_one.send(b"x" * 5000)
_other.recv_into(memoryview(received).cast("B")[70_000:])
_one.close(), _other.close()
""",
    "by_address": "ctypes.memset(by_address.ctypes.data + 8 * SIZE // 3, 7, 3)",
    "by_a_thread": """
def _write():
    by_a_thread[5] = -1
_thread = threading.Thread(target=_write)
_thread.start()
_thread.join()
""",
    "beside_a_child": """
_child = os.fork()
if not _child:
    beside_a_child[:] = 0
    os._exit(0)
beside_a_child[SIZE // 2] = -1
os.waitpid(_child, 0)
beside_a_child[SIZE // 3] = -1
""",
    "taken_away": """
_start = -(-taken_away.ctypes.data // 65536) * 65536
ctypes.CDLL(None).madvise(ctypes.c_void_p(_start), ctypes.c_size_t(65536 * 4), 4)
""",
}


def test_each_way_of_writing_survives_the_death_of_the_kernel(start):
    host = start()

    def cell(code: str):
        ran = host.run(code)
        assert ran.status == "ok", (code, ran.end)
        return ran

    cell(f"WAYS = {list(WAYS)!r}" + SETUP)
    for _ in range(2):
        # Twice unchanged, and it is not read any more; what was written to has to stand still for longer.
        for _ in range(6):
            cell("pass")
        cell("\n".join(WAYS.values()))
        # Not the cell that has them hashed: what it does to memory could show what was not seen.
        before = cell("say()").output
        host.ask("checkpoint")
        at = len(host.events)
        os.kill(host.ask("status")["pid"], signal.SIGKILL)
        host.wait_for(lambda event: event["type"] == "lost", since=at)
        ran = cell("say()")
        assert ran.of("lost") == [] and before.count("\n") == len(WAYS)
        assert ran.output == before
        # What came back does not own its memory, so that it cannot be resized.
        cell("resized, resized_often = resized.copy(), resized_often.copy()")
