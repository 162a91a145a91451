"""Checkpoints on a real kernel: what they add to a cell, how long a save and a restore take, what they write.

    python bench/kernel/checkpoints.py [--cells 300] [--turns 11] [--many 10000] [--folder DIR]

Beside each measure stands the same without checkpoints, or by cloudpickle, SHA-256 and a file, on the same kernel, in turns.
Prints a line for each measure with its goal, and one line of JSON. A goal that is missed is told, and fails nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
import uuid
from pathlib import Path

from jupyter_client.manager import KernelManager

from headstart._headstart import Store

DEADLINE = 120
#: Made once in each kernel.
SMALL = (
    "a0, a1, a2, a3, a4, a5, a6 = range(7)\n"
    "s0, s1, s2, s3 = 'x', 'yy' * 9, 'z' * 300, ''\n"
    "l0, l1, l2, l3 = [1, 2], ['a'], [[1], [2]], list(range(50))\n"
    "d0, d1, d2, d3 = {}, {'a': 1}, {'b': [1]}, {'c': {'d': 2.5}}\n"
    "def f(x): return x + a0"
)
ARRAYS = (
    "import numpy as np\n_rng = np.random.default_rng(1)\n"
    "z0, z1, z2, z3, z4, z5, z6, z7 = (_rng.random((25 << 20) // 8) for _ in range(8))"
)
FRAME = (
    "import numpy as np, polars as pl\n_rng = np.random.default_rng(1)\n"
    "df = pl.DataFrame({c: _rng.random(1_000_000) for c in 'abcd'})"
)
TABLE = (
    "import numpy as np, pyarrow as pa\n_rng = np.random.default_rng(1)\n"
    "table = pa.table({c: _rng.random(1_000_000) for c in 'abcd'})"
)
DURABLE = (
    "def _durable(value, file):\n"
    "    import cloudpickle, hashlib, os\n"
    "    text = cloudpickle.dumps(value)\n"
    "    hashlib.sha256(text).digest()\n"
    "    with open(file, 'wb') as out:\n"
    "        out.write(text); out.flush(); os.fsync(out.fileno())\n"
)


class Kernel:
    """A kernel with a store of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkpoints"
        self.manager = KernelManager(kernel_name="python3", transport="ipc")
        self.sockets = tempfile.mkdtemp(prefix="hs-")
        self.manager.ip = f"{self.sockets}/s"
        self.manager.kernel_spec.argv = [
            *(sys.executable, "-m", "headstart.kernel"),
            *("-f", "{connection_file}"),
        ]
        settings = json.dumps({"root": str(self.root), "session": "bench"})
        environment = os.environ | {
            "HEADSTART_KERNEL_CHECKPOINTS": settings,
            "IPYTHONDIR": str(folder / "ipython"),
        }
        self.manager.start_kernel(env=environment, cwd=str(folder))
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=DEADLINE)
        self.held: str | None = None
        #: What was said of checkpoints, by their ids.
        self.told: dict[str, dict] = {}

    def message(self) -> dict:
        said = self.client.get_iopub_msg(timeout=DEADLINE)
        if said["msg_type"] == "headstart_checkpoint":
            self.told[said["content"]["id"]] = said["content"]
        return said

    def ask(self, code: str, own: dict | None = None, silent: bool = False) -> dict:
        """A cell and its answer, which is awaited as a host does: the reply and the idle status."""
        request = {"code": code, "silent": silent, "store_history": not silent}
        message = self.client.session.msg(
            "execute_request", request, metadata={"headstart": own or {}}
        )
        self.client.shell_channel.send(message)
        ident = message["header"]["msg_id"]
        while True:
            reply = self.client.get_shell_msg(timeout=DEADLINE)
            if reply["parent_header"]["msg_id"] == ident:
                break
        while True:
            said = self.message()
            if (
                said["parent_header"].get("msg_id") == ident
                and said["content"].get("execution_state") == "idle"
            ):
                break
        if reply["content"]["status"] != "ok":
            raise RuntimeError(reply["content"])
        return reply["content"]

    def cell(self, code: str) -> None:
        """A cell that is saved."""
        checkpoint = {
            "id": uuid.uuid4().hex,
            "parent": self.held,
            "cell": {"code": code},
        }
        self.ask(code, {"checkpoint": checkpoint})
        self.held = checkpoint["id"]

    def saved(self) -> None:
        """Waits until what the last cell made is on the disk."""
        while self.held not in self.told:
            self.message()
        told = self.told.pop(self.held)
        if told["error"] or told["skipped"]:
            raise RuntimeError(told)

    def back(self, *branch: str) -> dict:
        asked = {"branch": list(branch), "by": "bench", "died": []}
        reply = self.ask("None", {"restore": asked}, silent=True)
        self.held = branch[0] if branch else None
        return reply["headstart"]["restored"]

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        shutil.rmtree(self.sockets, ignore_errors=True)


def timed(work, *arguments) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    work(*arguments)
    return (time.perf_counter() - began) * 1000


def written(root: Path) -> int:
    return sum(file.stat().st_size for file in root.rglob("*") if file.is_file())


def middle(values: list[float]) -> float:
    return round(statistics.median(values), 3)


def added(kernel: Kernel, make: str, cell: str, cells: int) -> dict:
    """What a checkpoint adds to the time until the next cell has run, and what it writes."""
    kernel.cell(make)
    kernel.saved()
    kernel.cell(cell)
    kernel.saved()
    with_one, without = [], []
    before = written(kernel.root)
    for _ in range(cells):
        kernel.cell(cell)
        with_one.append(timed(kernel.ask, "None"))
        # Nothing of it is in the next measure.
        kernel.saved()
        kernel.ask(cell)
        without.append(timed(kernel.ask, "None"))
    ordered = sorted(with_one)
    return {
        "next_cell_ms": middle(with_one),
        "p99_ms": round(ordered[int(len(ordered) * 0.99)], 3),
        "without_ms": middle(without),
        "added_ms": round(middle(with_one) - middle(without), 3),
        "bytes_a_cell": round((written(kernel.root) - before) / cells),
    }


def save(kernel: Kernel, turns: int, folder: Path) -> dict:
    kernel.cell(
        "import numpy as np\n_rng = np.random.default_rng(1)\nbig = _rng.random(8 << 20)"
    )
    kernel.saved()
    kernel.ask(DURABLE)
    ours, theirs = [], []
    for _ in range(turns + 1):
        kernel.cell("big[::1 << 13] += 1")
        ours.append(timed(kernel.saved))
        kernel.ask("big[::1 << 13] += 1")
        theirs.append(timed(kernel.ask, f"_durable(big, {str(folder / 'value')!r})"))
    return beside(ours[1:], theirs[1:])


def restore(kernel: Kernel, turns: int, folder: Path) -> dict:
    kernel.cell("pass")
    kernel.saved()
    held = kernel.held
    load = f"_loaded = __import__('cloudpickle').load(open({str(folder / 'value')!r}, 'rb'))"
    ours, theirs = [], []
    for _ in range(turns + 1):
        kernel.back()
        ours.append(timed(kernel.back, held))
        kernel.ask("_loaded = None")
        theirs.append(timed(kernel.ask, load))
    kernel.ask("_loaded = None")
    return beside(ours[1:], theirs[1:])


def switch(kernel: Kernel, turns: int) -> dict:
    """Branches of 20 values of 4 MiB: all of them, and where one differs."""
    names = [f"v{number}" for number in range(20)]
    made = ", ".join(names)
    kernel.cell(
        f"import numpy as np\n{made} = (np.full(1 << 19, n + 0.5) for n in range(20))"
    )
    kernel.saved()
    first = kernel.held
    kernel.cell("v7 = np.full(1 << 19, 99.5)")
    kernel.saved()
    second = kernel.held
    all_of_them, one = [], []
    for _ in range(turns + 1):
        kernel.back()
        all_of_them.append(timed(kernel.back, first))
        told: list[dict] = []
        one.append(timed(lambda told=told: told.append(kernel.back(second, first))))
        assert told[0]["names"] == ["v7"], told
    return beside(one[1:], all_of_them[1:])


def flat(kernel: Kernel, cells: int, many: int) -> dict:
    """The time to durable with few checkpoints in the store, and with many."""
    kernel.cell("i = 0")
    kernel.saved()

    def durable() -> None:
        kernel.cell("i += 1")
        kernel.saved()

    few = [timed(durable) for _ in range(cells)]
    store = Store(str(kernel.root))
    for _ in range(many):
        making = store.begin(uuid.uuid4().hex)
        making.add(["i"], {"i": "int"}, True, b"\x80\x05K\x01.", [])
        making.commit()
    return beside([timed(durable) for _ in range(cells)], few) | {"checkpoints": many}


def beside(ours: list[float], theirs: list[float]) -> dict:
    return {
        "ours_ms": middle(ours),
        "theirs_ms": middle(theirs),
        "ratio": round(middle(ours) / middle(theirs), 3),
    }


def measure(options: argparse.Namespace, folder: Path) -> dict[str, dict]:
    found: dict[str, dict] = {}

    def on_one(title: str, goal: str, work) -> None:
        place = folder / str(len(found))
        place.mkdir()
        kernel = Kernel(place)
        try:
            found[title] = {"goal": goal} | work(kernel, place)
        except Exception as error:  # noqa: BLE001 - the other measures count
            found[title] = {"goal": goal, "failed": repr(error)[:200]}
        finally:
            kernel.stop()
            shutil.rmtree(place, ignore_errors=True)
        print(f"{title}: {found[title]}", flush=True)

    cells, turns = options.cells, options.turns
    for title, goal, make, cell in (
        ("20 small names, nothing changed", "added <= 5 ms", SMALL, "None"),
        ("20 small names, i += 1", "< 4 KiB a cell", "i = 0\n" + SMALL, "i += 1"),
        ("200 MiB of numpy, i += 1", "added <= 20 ms", "i = 0\n" + ARRAYS, "i += 1"),
        ("polars 1M x 4, unchanged", "added <= 5 ms", FRAME, "None"),
        ("pyarrow 1M x 4, unchanged", "added <= 5 ms", TABLE, "None"),
    ):
        on_one(
            title, goal, lambda kernel, _, m=make, c=cell: added(kernel, m, c, cells)
        )

    def large(kernel: Kernel, place: Path) -> dict:
        saved = save(kernel, turns, place)
        found["restore of 64 MiB, beside cloudpickle.load"] = {
            "goal": "ratio <= 1"
        } | restore(kernel, turns, place)
        return saved

    on_one("save of 64 MiB changed, to durable", "ratio <= 0.7", large)
    title = "restore of 64 MiB, beside cloudpickle.load"
    print(f"{title}: {found.get(title)}", flush=True)
    on_one(
        "switch, 1 of 20 values differs, beside all 20",
        "ratio near 1 / 20",
        lambda kernel, _: switch(kernel, turns),
    )
    on_one(
        "durable with many checkpoints, beside few",
        "ratio near 1",
        lambda kernel, _: flat(kernel, min(cells, 100), options.many),
    )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=300)
    parser.add_argument("--turns", type=int, default=11)
    parser.add_argument("--many", type=int, default=10_000)
    parser.add_argument("--folder")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="hs-", dir=options.folder))
    try:
        found = measure(options, folder)
    finally:
        shutil.rmtree(folder)
    machine = {"machine": platform.machine(), "cores": os.cpu_count()}
    print(json.dumps(machine | found))


if __name__ == "__main__":
    main()
