"""The store of checkpoints beside what one does without it: cloudpickle into a file, SHA-256, fsync.

    python bench/kernel/store.py [--turns 11] [--folder DIR]

Both sides in the same run, in turns (A B A B), on the same disk. Prints a line for each measure and one line of JSON.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import pickle
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable

import cloudpickle
import numpy as np

from headstart._headstart import Store

MIB = 1 << 20
NUMBERS = itertools.count(1)


def timed(way: Callable[[], object]) -> float:
    began = time.perf_counter()
    way()
    return time.perf_counter() - began


def turns(count: int, ours: Callable[[], object], theirs: Callable[[], object]) -> dict:
    """Medians in ms, and the median of the ratios; the first turn is not counted."""
    pairs = [(timed(ours), timed(theirs)) for _ in range(count + 1)][1:]
    return {
        "ours_ms": round(statistics.median(one for one, _ in pairs) * 1000, 2),
        "theirs_ms": round(statistics.median(other for _, other in pairs) * 1000, 2),
        "ratio": round(statistics.median(one / other for one, other in pairs), 3),
    }


def save(store: Store, **values: object) -> str:
    ident = f"{next(NUMBERS):032x}"
    making = store.begin(ident)
    for name, value in values.items():
        buffers: list[pickle.PickleBuffer] = []
        text = cloudpickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        making.add([name], {}, True, text, buffers)
    making.commit()
    return ident


def durable(file: str, value: object) -> None:
    text = cloudpickle.dumps(value)
    hashlib.sha256(text).digest()
    with open(file, "wb") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())


def measure(folder: str, count: int) -> dict[str, object]:
    store = Store(f"{folder}/checkpoints", limit_bytes=64 << 30)
    file = f"{folder}/value.pickle"
    rng = np.random.default_rng(1)
    found: dict[str, object] = {}

    for name, make in {
        "random floats": lambda: rng.random(8 * MIB),
        "small integers": lambda: rng.integers(0, 1000, 8 * MIB),
        "running floats": lambda: np.cumsum(rng.integers(0, 100, 8 * MIB)) / 4,
    }.items():
        value = make()

        def changed(value: np.ndarray = value) -> None:
            # Every chunk is another one each time.
            value[:: 1 << 13] += 1
            save(store, x=value)

        # Their side hashes and writes the same bytes.
        found[f"save 64 MiB changed, {name}"] = turns(
            count, changed, lambda value=value: durable(file, value)
        )

    held = {f"a{number}": rng.random(25 * MIB // 8) for number in range(8)}
    save(store, **held)
    freezes, digests = [], []
    for _ in range(count):
        making = store.begin(f"{next(NUMBERS):032x}")
        pickled = []
        for name, value in held.items():
            buffers: list[pickle.PickleBuffer] = []
            text = cloudpickle.dumps(value, protocol=5, buffer_callback=buffers.append)
            pickled.append((name, text, buffers))
        began = time.perf_counter()
        for name, text, buffers in pickled:
            making.add([name], {}, True, text, buffers)
        freezes.append(time.perf_counter() - began)
        making.abort()
        sha = timed(lambda: [hashlib.sha256(value).digest() for value in held.values()])
        digests.append(sha)
    found["freeze of 200 MiB unchanged, beside sha256"] = {
        "ours_ms": round(statistics.median(freezes) * 1000, 2),
        "least_ms": round(min(freezes) * 1000, 2),
        "theirs_ms": round(statistics.median(digests) * 1000, 2),
    }

    value = rng.random(8 * MIB)
    ident = save(store, x=value)
    durable(file, value)

    def restore() -> None:
        text, buffers = store.read(ident, 0)
        pickle.loads(text, buffers=buffers)

    def load() -> None:
        with open(file, "rb") as stream:
            cloudpickle.load(stream)

    found["restore 64 MiB"] = turns(count, restore, load)

    before = store.size()
    cells = [timed(lambda number=number: save(store, i=number)) for number in range(50)]
    found["i += 1"] = {
        "durable_ms": round(statistics.median(cells) * 1000, 2),
        "bytes": (store.size() - before) / 50,
    }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=11)
    parser.add_argument("--folder")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="hs-", dir=options.folder)
    try:
        found = measure(folder, options.turns)
    finally:
        shutil.rmtree(folder)
    for title, figures in found.items():
        print(f"{title}: {figures}")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
