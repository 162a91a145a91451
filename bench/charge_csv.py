"""Measures charge of a csv into pandas against pandas itself: one run, in turns, equal results.

Makes a table of 1,000,000 rows x 10 columns from a seed (ints, codes with leading zeros, texts,
floats with gaps, dates, datetimes, bools; about 100 MB) whose only `00042` of one column stands in
the last row. Prints both sides' seconds and the median of the paired ratios; writes no file of its own
besides the input in a temporary folder.
"""

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas

import headstart as hs

CITIES = ["Paris", "Berlin", "Köln", "São Paulo", "Kraków", "Reykjavík", "Oslo", "Rome"]
HEADER = "id,code,customer,city,amount,discount,ordered,shipped,paid,late_code\n"


def write_table(path: Path, rows: int) -> None:
    draw = random.Random(7)
    with path.open("w", encoding="utf-8") as out:
        out.write(HEADER)
        for row in range(rows):
            discount = "" if row % 7 == 0 else f"{draw.random():.6f}"
            day = f"2026-{row % 12 + 1:02}-{row % 28 + 1:02}"
            late = "00042" if row == rows - 1 else str(row % 90_000 + 10_000)
            out.write(
                f"{row},{row % 99_999:05},customer number {draw.randrange(200_000)},"
                f"{CITIES[row % 8]},{draw.uniform(1, 9999):.2f},{discount},{day},"
                f"{day} {row % 24:02}:{row % 60:02}:00,{'true' if row % 3 else 'false'},{late}\n"
            )


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


# Linux only: ru_maxrss of a new process starts with the peak of the one that it was forked from.
PEAK = """
from pathlib import Path
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(int(status["VmHWM"].split()[0]) / 1024)
"""


def peak_megabytes(statement: str) -> float:
    """Peak resident memory of a fresh interpreter that runs the statement."""
    script = f"{statement}\n{PEAK}"
    return float(subprocess.check_output([sys.executable, "-c", script], text=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=5)
    arguments = parser.parse_args()
    hs.options.quiet = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, arguments.rows)
        print(
            f"input: {arguments.rows:,} rows x 10 columns, {path.stat().st_size / 1e6:.0f} MB"
        )
        ours, theirs = [], []
        for _ in range(arguments.turns):
            seconds, frame = timed(lambda: hs.charge(path))
            ours.append(seconds)
            seconds, peer = timed(lambda: pandas.read_csv(path))
            theirs.append(seconds)
        assert frame["late_code"].iloc[-1] == "00042", (
            "the code in the last row lost its zeros"
        )
        assert frame["id"].equals(peer["id"]), "ids differ"
        assert frame["amount"].equals(peer["amount"]), "amounts differ"
        assert (frame["customer"] == peer["customer"]).all(), "texts differ"
        ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
        print(
            f"headstart: median {statistics.median(ours):.3f} s  {[round(s, 3) for s in ours]}"
        )
        print(
            f"pandas {pandas.__version__}: median {statistics.median(theirs):.3f} s  {[round(s, 3) for s in theirs]}"
        )
        print(
            f"ratio (median of pairs, smaller is better): {statistics.median(ratios):.2f}"
        )
        memory = {
            "headstart": peak_megabytes(
                f"import pandas, headstart as hs; hs.options.quiet = True; hs.charge({str(path)!r})"
            ),
            "pandas": peak_megabytes(f"import pandas; pandas.read_csv({str(path)!r})"),
        }
        print(
            "peak memory: "
            + ", ".join(f"{name} {size:.0f} MB" for name, size in memory.items())
        )


if __name__ == "__main__":
    main()
