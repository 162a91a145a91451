"""A process that is killed while it saves leaves the old file or the new one, whole.

`pytest tests/python/test_crash.py --kills 200` looks longer. A child saves two tables in turns under one
name and is killed at moments that are spread over a save; after each kill the file is loaded and must be
one of the two. What the child left beside it must be gone after the next save.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import headstart as hs

CHILD = """
import itertools, sys
import polars
import headstart as hs
hs.options.quiet = True
path, rows = sys.argv[1], int(sys.argv[2])
tables = [
    polars.DataFrame({"id": range(rows), "which": [which] * rows, "share": [0.25] * rows})
    for which in ("old", "new")
]
print("ready", flush=True)
for table in itertools.cycle(tables):
    hs.sauve(path, table)
    print("saved", flush=True)
"""
#: Formats, and rows that make a save long enough to be met.
FORMATS = {
    "csv": 200_000,
    "jsonl.gz": 40_000,
    "json": 100_000,
    "parquet": 1_000_000,
    "arrow": 1_000_000,
    "xlsx": 20_000,
}


def whole(path: Path, rows: int) -> bool:
    """True when the file is one of the two tables, each of its values in its place."""
    hs.options.quiet = True
    frame = hs.charge(path)
    ids, which = frame["id"], frame["which"]
    return (
        len(frame) == rows
        and ids.tolist() == list(range(rows))
        and which.iloc[0] in ("old", "new")
        and bool((which == which.iloc[0]).all())
    )


def kill_in_a_save(path: Path, rows: int, part: float) -> bool:
    """Kills a child after some part of the time that a save takes; true when it left a file beside."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path), str(rows)], stdout=subprocess.PIPE
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        assert child.stdout.readline() == b"saved\n"
        start = time.monotonic()
        assert child.stdout.readline() == b"saved\n"
        time.sleep((time.monotonic() - start) * part)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
    return os.listdir(path.parent) != [path.name]


@pytest.mark.parametrize("extension", FORMATS)
def test_a_kill_leaves_a_whole_file(tmp_path, extension, kills):
    path, rows = tmp_path / f"a.{extension}", FORMATS[extension]
    try:
        hs.sauve(path, [{"id": 1}])
    except hs.ArgumentError as error:
        pytest.skip(error.message)
    draw = random.Random(extension)
    inside = 0
    for kill in range(kills):
        part = (kill + draw.random()) / kills
        inside += kill_in_a_save(path, rows, part)
        assert whole(path, rows), f"kill {kill} after {part:.3f} of a save"
    # Else no kill met a save, and the test showed nothing.
    assert inside >= kills // 3
    hs.sauve(path, [{"id": 1}])
    assert os.listdir(tmp_path) == [path.name]
