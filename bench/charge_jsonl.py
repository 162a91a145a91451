"""Measures charge of a jsonl file into pandas against polars, duckdb, pyarrow and pandas.

One table of 1,000,000 rows x 10 columns from a seed: ints, codes with leading zeros as text, texts, floats
with gaps, ISO dates as text, bools. The sides run in turns in one process each, so that none warms
another's caches; a turn reads the file into a pandas DataFrame. Prints seconds, user CPU seconds, the median
of the paired ratios, the peak memory, and what each side made of the values. Peers that are not installed
are left out: `--peers` names the Python of an environment that has them. Writes nothing besides the input
in a temporary folder.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

CITIES = ["Paris", "Berlin", "Köln", "São Paulo", "Kraków", "Reykjavík", "Oslo", "Rome"]

# How each side reads a file into pandas.
SIDES = {
    "headstart": "import headstart as hs; hs.options.quiet = True; read = hs.charge",
    "polars": "import polars; read = lambda path: polars.read_ndjson(path).to_pandas()",
    "duckdb": (
        "import duckdb; read = lambda path: "
        "duckdb.sql(f\"select * from read_ndjson('{path}')\").df()"
    ),
    "pyarrow": "import pyarrow.json; read = lambda path: pyarrow.json.read_json(path).to_pandas()",
    "pandas": "import pandas; read = lambda path: pandas.read_json(path, lines=True)",
}

# Linux only: ru_maxrss of a new process starts with the peak of the one that it was forked from.
CHILD = """
import json, os, sys, time
{prepare}
from pathlib import Path
path = sys.argv[1]
for turn in sys.stdin:
    before, start = os.times(), time.perf_counter()
    frame = read(path)
    seconds, after = time.perf_counter() - start, os.times()
    last = frame.iloc[-1]
    seen = [len(frame), int(frame["id"].sum()), str(last["code"]), str(last["late"])]
    del frame
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    peak = int(status["VmHWM"].split()[0]) / 1024
    print(json.dumps([seconds, after.user - before.user, peak, seen]), flush=True)
"""


def write(path: Path, rows: int) -> None:
    draw = random.Random(7)
    with path.open("w", encoding="utf-8") as out:
        for row in range(rows):
            record = {
                "id": row,
                "code": f"{row % 99_999:05}",
                "customer": f"customer number {draw.randrange(200_000)}",
                "city": CITIES[row % 8],
                "amount": round(draw.uniform(1, 9999), 2),
                "discount": None if row % 7 == 0 else round(draw.random(), 6),
                "ordered": f"2026-{row % 12 + 1:02}-{row % 28 + 1:02}",
                "quantity": draw.randrange(1000),
                "paid": row % 3 != 0,
                "late": "00042" if row == rows - 1 else str(row % 90_000 + 10_000),
            }
            out.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
            out.write("\n")


class Side:
    """A process that reads the file when it is told to."""

    def __init__(self, python: str, name: str, path: Path) -> None:
        self.name = name
        self.turns: list[tuple[float, float]] = []
        script = CHILD.format(prepare=SIDES[name])
        self.process = subprocess.Popen(
            [python, "-c", script, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def turn(self) -> bool:
        """Reads once; false when the side does not work here."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        line = "\n"
        while line == "\n":  # what a progress bar leaves
            line = self.process.stdout.readline()
        if not line:
            return False
        seconds, user, self.peak, self.seen = json.loads(line)
        self.turns.append((seconds, user))
        return True

    def close(self) -> None:
        self.process.communicate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mixed.jsonl"
        write(path, arguments.rows)
        print(f"{arguments.rows:,} rows, {path.stat().st_size / 1e6:.0f} MB")
        sides = []
        for name in SIDES:
            python = sys.executable if name == "headstart" else arguments.peers
            side = Side(python, name, path)
            if side.turn():
                side.turns.clear()
                sides.append(side)
            else:
                side.close()
                print(f"  {name}: not here")
        for _ in range(arguments.turns):
            for side in sides:
                side.turn()
        ours = sides[0].turns
        for side in sides:
            seconds, user = zip(*side.turns, strict=True)
            ratios = [
                [
                    our[index] / their[index]
                    for our, their in zip(ours, side.turns, strict=True)
                ]
                for index in range(2)
            ]
            print(
                f"  {side.name}: median {statistics.median(seconds):.3f} s, "
                f"user {statistics.median(user):.3f} s, peak {side.peak:.0f} MB, "
                f"ours to this {statistics.median(ratios[0]):.2f} "
                f"(user {statistics.median(ratios[1]):.2f}), saw {side.seen}"
            )
            side.close()


if __name__ == "__main__":
    main()
