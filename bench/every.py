"""Runs every bench, each in the environment that it needs, and writes bench/results.json and docs/performance.md.

    python bench/every.py [--only charge_csv --only joins] [--turns 5] [--quick]

`make bench` calls it. With `--only` the rows of these benches take the place of the old ones. `--quick` has small inputs
and few turns and writes to target/bench: it says that the benches run, nothing about speed. It never fails for being
slow; it fails when an answer is wrong or a bench does not run, and then leaves the page as it was.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import page
from turns import ROOT, processor

OWN, PEERS, DATACOMPY = "own", "peers", "datacompy"


@dataclass(frozen=True)
class Bench:
    """A script of this folder and the environment that it runs in."""

    script: str
    environment: str = PEERS
    #: Of a bench of the kernel, whose last line is its results.
    kernel: bool = False
    quick: str = "--quick"

    @property
    def name(self) -> str:
        return self.script.removesuffix(".py")


BENCHES = [
    Bench("charge_csv.py"),
    Bench("charge_jsonl.py"),
    Bench("charge_xlsx.py"),
    Bench("charge_books.py"),
    Bench("charge_parquet.py"),
    Bench("sauve_xlsx.py"),
    Bench("sauve_text.py"),
    Bench("sauve_parquet.py"),
    Bench("decris.py"),
    Bench("combien.py"),
    Bench("compare.py"),
    Bench("compare.py", DATACOMPY),
    Bench("joins.py"),
    Bench("start.py", OWN),
    Bench("shell.py"),
    Bench("growth.py"),
    Bench("interroge.py"),
    Bench(
        "kernel/launcher.py",
        OWN,
        kernel=True,
        quick="--cells 20 --starts 1 --interrupts 2 --kills 1",
    ),
    Bench(
        "kernel/checkpoints.py",
        OWN,
        kernel=True,
        quick="--cells 20 --turns 2 --many 100",
    ),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", action="append", help="the name of a bench, such as joins"
    )
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--page", type=Path)
    for name, folder in (
        (OWN, ".venv"),
        (PEERS, ".venv-peers"),
        (DATACOMPY, ".venv-datacompy"),
    ):
        parser.add_argument(
            f"--{name}", default=ROOT / folder / "bin/python", type=Path
        )
    options = parser.parse_args()
    unknown = set(options.only or []) - {bench.name for bench in BENCHES}
    if unknown:
        parser.error(
            f"no bench {', '.join(unknown)}: " + ", ".join(b.name for b in BENCHES)
        )
    folder = ROOT / "target/bench" if options.quick else None
    results_path = options.results or (
        folder / "results.json" if folder else page.RESULTS
    )
    page_path = options.page or (folder / "performance.md" if folder else page.PAGE)
    results_path.parent.mkdir(parents=True, exist_ok=True)
    page_path.parent.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {"machine": machine(), "rows": [], "kernel": {}}
    if options.only and results_path.exists():
        results |= json.loads(results_path.read_text(encoding="utf-8"))
        results["machine"] = machine()
    failed = []
    for bench in BENCHES:
        if options.only and bench.name not in options.only:
            continue
        began, work = time.perf_counter(), processor()
        print(f"== {bench.name}", flush=True)
        if not measured(bench, options, results):
            failed.append(bench.name)
        took, work = time.perf_counter() - began, processor() - work
        print(f"   {took:.0f} s, {work:.0f} s of CPU", flush=True)
    if failed:
        print(
            f"failed: {', '.join(failed)}; {page_path} is left as it was",
            file=sys.stderr,
        )
        return 1
    results_path.write_text(compact(results), encoding="utf-8")
    page.write(results_path, page_path)
    print(f"written: {results_path}, {page_path}")
    return 0


def measured(
    bench: Bench, options: argparse.Namespace, results: dict[str, Any]
) -> bool:
    """Runs the bench and puts what it gave in its place; false when it did not run to its end."""
    python = getattr(options, bench.environment)
    command = [str(python), str(ROOT / "bench" / bench.script)]
    if options.quick:
        command += bench.quick.split()
    if bench.kernel:
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
        print(done.stdout, end="")
        if done.returncode == 0:
            results["kernel"][Path(bench.name).name] = json.loads(
                done.stdout.splitlines()[-1]
            )
        return done.returncode == 0
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.jsonl"
        command += ["--out", str(out)]
        if not options.quick:
            command += ["--turns", str(options.turns)]
        if subprocess.run(command, check=False).returncode:
            return False
        new = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    names = {row["row"] for row in new}
    results["rows"] = [row for row in results["rows"] if row["row"] not in names] + new
    return True


def machine() -> dict[str, Any]:
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    models = [
        line.split(":", 1)[1].strip()
        for line in info.splitlines()
        if "model name" in line
    ]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(memory / 1e9),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def compact(results: dict[str, Any]) -> str:
    """A line for each row, so that two runs can be compared line by line."""
    rows = ",\n".join(json.dumps(row) for row in results["rows"])
    rest = {key: value for key, value in results.items() if key != "rows"}
    head = json.dumps(rest, indent=1).rstrip("}").rstrip()
    return f'{head},\n "rows": [\n{rows}\n]\n}}\n'


if __name__ == "__main__":
    sys.exit(main())
