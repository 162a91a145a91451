"""The launcher beside jupyter_client, on the same kernel app and in turns: cells, starts, interrupts, ends.

    python bench/kernel/launcher.py [--cells 300] [--starts 10] [--interrupts 100] [--kills 10]
                                    [--hs .venv/bin/hs] [--binary target/release/hs]

Prints a line for each measure with its goal, and one line of JSON. A goal that is missed is told, and
fails nothing: machines differ. What is compared is compared by ratio, within the run.
"""

import argparse
import itertools
import json
import os
import platform
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from jupyter_client.manager import KernelManager

ROOT = Path(__file__).resolve().parents[2]
MARK = "HEADSTART_BENCH_HOST"
ON = "print('on', flush=True)\n"
#: Cells that are interrupted, each telling when it is under way.
INTERRUPTED = {
    "await": ON + "import asyncio\nawait asyncio.sleep(60)",
    "sleep": ON + "import time\ntime.sleep(60)",
    "bash": "%%bash\necho on\nsleep 60",
    "busy loop": ON + "while True: pass",
}
#: What a session is at when its host is killed.
WORKLOADS = {
    "idle": "",
    "sleep": INTERRUPTED["sleep"],
    "sum": ON + "sum(range(10**12))",
    "starting": None,
    "child": "import subprocess, time\n"
    "subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
    + ON
    + "time.sleep(60)",
}


class Host:
    """A launcher and the pipes to it, asked one thing after the other."""

    def __init__(self, hs: Path, *, middle: bool = False) -> None:
        self.runtime = tempfile.mkdtemp(prefix="hs-", dir="/tmp")
        self.mark = os.urandom(8).hex()
        environment = {
            **os.environ,
            "XDG_RUNTIME_DIR": self.runtime,
            "XDG_CACHE_HOME": self.runtime + "/cache",
            "IPYTHONDIR": self.runtime + "/ipython",
            "HEADSTART_PYTHON": sys.executable,
            MARK: self.mark,
        }
        command = [str(hs), "kernel", "serve"]
        if middle:
            # A host that can be killed while the pipes stay open.
            parent = "import subprocess, sys; subprocess.call(sys.argv[1:])"
            command = [sys.executable, "-S", "-c", parent, *command]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.numbers = itertools.count(1)

    def send(self, kind: str, **fields) -> int:
        number = next(self.numbers)
        line = json.dumps({"type": kind, "id": number, **fields}).encode() + b"\n"
        os.write(self.process.stdin.fileno(), line)
        return number

    def until(self, number: int, *kinds: str) -> dict:
        while line := self.process.stdout.readline():
            event = json.loads(line)
            if event.get("id") == number and event["type"] in (*kinds, "error"):
                assert event["type"] != "error", event
                return event
        raise AssertionError("the launcher ended")

    def open(self) -> None:
        self.until(self.send("open"), "ready")

    def run(self, code: str) -> dict:
        return self.until(self.send("run", code=code), "result")

    def started(self) -> set[int]:
        """All processes of the launcher."""
        wanted, found = f"{MARK}={self.mark}".encode(), set()
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    marked = wanted in (folder / "environ").read_bytes().split(b"\0")
                except OSError:
                    continue
                if marked:
                    found.add(int(folder.name))
        return found - {self.process.pid}

    def close(self) -> None:
        if self.process.poll() is None:
            self.until(self.send("close"), "closed")
            self.process.wait(10)
        self.process.stdin.close()
        self.process.stdout.close()
        shutil.rmtree(self.runtime, ignore_errors=True)


class Jupyter:
    """A kernel of the same app, or ipykernel's own, started and asked by jupyter_client."""

    def __init__(self, module: str = "headstart.kernel") -> None:
        self.folder = tempfile.mkdtemp(prefix="hs-", dir="/tmp")
        self.manager = KernelManager(
            kernel_name="python3", transport="ipc", ip=f"{self.folder}/s"
        )
        self.manager.kernel_spec.argv = [
            sys.executable,
            "-m",
            module,
            "-f",
            "{connection_file}",
        ]
        self.manager.start_kernel(env={**os.environ, "IPYTHONDIR": self.folder})
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, code: str) -> None:
        """Until both the answer and the end of the output are there."""
        self.client.execute(code, store_history=True)
        self.client.get_shell_msg(timeout=60)
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["content"].get("execution_state") == "idle":
                return

    def run_interactive(self, code: str) -> None:
        """As people call it."""
        self.client.execute_interactive(code, timeout=60, output_hook=lambda _: None)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()
        shutil.rmtree(self.folder, ignore_errors=True)


def timed(work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def summary(seconds: list[float]) -> dict[str, float]:
    """Milliseconds."""
    ordered = sorted(seconds)
    last = min(len(ordered) - 1, int(len(ordered) * 0.99))
    return {
        "p50_ms": round(statistics.median(ordered) * 1e3, 3),
        "p99_ms": round(ordered[last] * 1e3, 3),
        "max_ms": round(ordered[-1] * 1e3, 3),
        "count": len(ordered),
    }


def cells(hs: Path, count: int) -> dict:
    """Round trips of `x=1`, in turns."""
    host, jupyter = Host(hs), Jupyter()
    host.open()
    ways = {
        "headstart": lambda: host.run("x=1"),
        "jupyter_client": lambda: jupyter.run("x=1"),
        "execute_interactive": lambda: jupyter.run_interactive("x=1"),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(count + 20):
        for name, way in ways.items():
            took = timed(way)
            # The first ones warm up.
            if turn >= 20:
                times[name].append(took)
    host.close()
    jupyter.close()
    return {name: summary(taken) for name, taken in times.items()}


def starts(commands: dict[str, Path], count: int) -> dict:
    """From nothing to the first result, in turns."""

    def launched(hs: Path) -> Host:
        host = Host(hs)
        host.send("open")
        host.until(host.send("run", code="x=1", queue=True), "result")
        return host

    def asked(module: str) -> Jupyter:
        jupyter = Jupyter(module)
        jupyter.run("x=1")
        return jupyter

    ways = {name: (launched, hs) for name, hs in commands.items()}
    ways["jupyter_client"] = (asked, "headstart.kernel")
    ways["jupyter_client, stock kernel"] = (asked, "ipykernel_launcher")
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(count):
        for name, (way, what) in ways.items():
            began = time.perf_counter()
            started = way(what)
            times[name].append(time.perf_counter() - began)
            started.close()
    return {name: summary(taken) for name, taken in times.items()}


def interrupts(hs: Path, count: int) -> dict:
    """From `cancel` to the result, which says that the kernel is kept."""
    host = Host(hs)
    host.open()
    times: dict[str, list[float]] = {name: [] for name in INTERRUPTED}
    for _ in range(count):
        for name, code in INTERRUPTED.items():
            number = host.send("run", code=code)
            host.until(number, "output")
            began = time.perf_counter()
            host.send("cancel", run=number)
            result = host.until(number, "result")
            times[name].append(time.perf_counter() - began)
            assert result["state"] == "kept", result
            assert result["error"]["ename"] == "KeyboardInterrupt", result
    host.close()
    return {name: summary(taken) for name, taken in times.items()}


def killed(hs: Path, workload: str) -> float:
    """Seconds from SIGKILL of the host until its last process has ended."""
    host = Host(hs, middle=True)
    code = WORKLOADS[workload]
    if code is None:
        host.send("open")
        while not any(map(is_kernel, host.started())):
            continue
    else:
        host.open()
        if code:
            host.until(host.send("run", code=code), "output")
    watches = [os.pidfd_open(pid) for pid in host.started()]
    poll = select.poll()
    for watch in watches:
        poll.register(watch, select.POLLIN)
    began = time.perf_counter()
    host.process.kill()
    while watches:
        for watch, _ in poll.poll(30_000):
            poll.unregister(watch)
            watches.remove(watch)
            os.close(watch)
    took = time.perf_counter() - began
    host.process.wait()
    assert not host.started(), "a process was begun after the end of the host"
    host.close()
    return took


def is_kernel(pid: int) -> bool:
    try:
        return b"headstart.kernel" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def told(title: str, value: float, unit: str, goal: float) -> None:
    verdict = "ok" if value <= goal else "MISSED"
    print(f"{title:52} {value:10.3f} {unit:3} goal {goal:8.3f}  {verdict}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", type=int, default=300)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--interrupts", type=int, default=100)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--hs", type=Path, default=Path(sys.executable).parent / "hs")
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/hs")
    arguments = parser.parse_args()
    commands = {"script": arguments.hs, "binary": arguments.binary}
    commands = {name: path for name, path in commands.items() if path.exists()}
    result: dict = {"machine": platform.machine(), "cores": os.cpu_count()}
    if arguments.cells:
        result["cells"] = measured = cells(arguments.hs, arguments.cells)
        ours = measured["headstart"]
        told("x=1, p50", ours["p50_ms"], "ms", 3)
        told("x=1, p99", ours["p99_ms"], "ms", 12)
        for name in ("jupyter_client", "execute_interactive"):
            ratio = ours["p50_ms"] / measured[name]["p50_ms"]
            title = f"  to {name} ({measured[name]['p50_ms']} ms)"
            told(title, ratio, "x", 0.4)
    if arguments.starts:
        result["starts"] = measured = starts(commands, arguments.starts)
        theirs = measured["jupyter_client"]["p50_ms"]
        for name in commands:
            ours = measured[name]["p50_ms"]
            told(f"start to first result, {name}, p50", ours, "ms", 500)
            told(f"  to jupyter_client ({theirs} ms)", ours / theirs, "x", 0.6)
            stock = measured["jupyter_client, stock kernel"]["p50_ms"]
            told(f"  to the stock kernel ({stock} ms)", ours / stock, "x", 0.6)
    if arguments.interrupts:
        result["interrupts"] = measured = interrupts(arguments.hs, arguments.interrupts)
        for name, taken in measured.items():
            told(f"interrupt of {name}, p99", taken["p99_ms"], "ms", 150)
            print(f"  p50 {taken['p50_ms']} ms")
    if arguments.kills:
        result["host killed"] = {}
        for workload in WORKLOADS:
            times = [killed(arguments.hs, workload) for _ in range(arguments.kills)]
            result["host killed"][workload] = taken = summary(times)
            told(f"host killed, {workload}, longest", taken["max_ms"], "ms", 1000)
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
