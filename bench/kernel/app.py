"""The kernel app beside ipykernel's own: round trip of `x=1` and cold start, through jupyter_client.

    python bench/kernel/app.py [--cells 300] [--starts 10]

Both kernels in the same run, in turns (A B A B). Prints a line for each measure and one line of JSON.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from jupyter_client.manager import KernelManager

MODULES = {"headstart": "headstart.kernel", "stock": "ipykernel_launcher"}


def start(module: str, folder: str) -> tuple[KernelManager, object, float, float]:
    """A kernel that is ready, the seconds until it was, and until `wait_for_ready` said so."""
    sockets = tempfile.mkdtemp(prefix="hs-", dir=folder)
    manager = KernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/s")
    manager.kernel_spec.argv = [
        sys.executable,
        "-m",
        module,
        "-f",
        "{connection_file}",
    ]
    environment = {**os.environ, "IPYTHONDIR": folder, "HOME": folder}
    began = time.perf_counter()
    manager.start_kernel(env=environment, cwd=folder)
    client = manager.client()
    client.start_channels()
    client.kernel_info()
    client.get_shell_msg(timeout=60)
    answered = time.perf_counter() - began
    client.wait_for_ready(timeout=60)
    return manager, client, answered, time.perf_counter() - began


def stop(manager: KernelManager, client) -> None:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


def round_trip(client) -> float:
    """Seconds until both the answer and the end of the output are there."""
    began = time.perf_counter()
    client.execute("x=1", store_history=True)
    client.get_shell_msg(timeout=30)
    while True:
        message = client.get_iopub_msg(timeout=30)
        if message["content"].get("execution_state") == "idle":
            return time.perf_counter() - began


def cpu(pid: int) -> float:
    """Seconds of processor time of the process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", type=int, default=300)
    parser.add_argument("--starts", type=int, default=10)
    arguments = parser.parse_args()
    result: dict[str, dict[str, float]] = {name: {} for name in MODULES}
    with tempfile.TemporaryDirectory(prefix="hs-") as folder:
        kernels = {name: start(module, folder) for name, module in MODULES.items()}
        times: dict[str, list[float]] = {name: [] for name in MODULES}
        used = {}
        for name, (manager, client, *_) in kernels.items():
            for _ in range(20):
                round_trip(client)
            used[name] = cpu(manager.provisioner.pid)
        for _ in range(arguments.cells):
            for name, (_, client, *_) in kernels.items():
                times[name].append(round_trip(client))
        for name, (manager, client, *_) in kernels.items():
            spent = cpu(manager.provisioner.pid) - used[name]
            result[name]["cell_cpu_ms"] = spent / arguments.cells * 1e3
            ordered = sorted(times[name])
            result[name]["cell_p50_ms"] = statistics.median(ordered) * 1e3
            result[name]["cell_p99_ms"] = ordered[int(len(ordered) * 0.99)] * 1e3
            stop(manager, client)
        answered: dict[str, list[float]] = {name: [] for name in MODULES}
        ready: dict[str, list[float]] = {name: [] for name in MODULES}
        start_cpu: dict[str, list[float]] = {name: [] for name in MODULES}
        for _ in range(arguments.starts):
            for name, module in MODULES.items():
                manager, client, first, second = start(module, folder)
                answered[name].append(first)
                ready[name].append(second)
                start_cpu[name].append(cpu(manager.provisioner.pid))
                stop(manager, client)
        for name in MODULES:
            result[name]["start_s"] = statistics.median(answered[name])
            result[name]["ready_s"] = statistics.median(ready[name])
            result[name]["start_cpu_s"] = statistics.median(start_cpu[name])
    for measure in result["headstart"]:
        ours, theirs = result["headstart"][measure], result["stock"][measure]
        print(f"{measure:12} {ours:8.3f} {theirs:8.3f}  ratio {ours / theirs:.2f}")
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
