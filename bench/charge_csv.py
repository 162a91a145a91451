"""Measures charge of csv files into pandas against pandas itself: one run, in turns, equal results.

Two tables of 1,000,000 rows whose only `00042` stands in the last row of a column: `narrow` is a number
and that code; `mixed` has 10 columns from a seed (ints, codes with leading zeros, texts, floats with
gaps, dates, datetimes, bools; about 100 MB). Prints both sides' seconds, the median of the paired ratios
and the peak memory; writes nothing besides the inputs in a temporary folder.
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


def write_narrow(path: Path, rows: int) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.write("number,late_code\n")
        out.writelines(f"{row},{row}\n" for row in range(rows - 1))
        out.write("7,00042\n")


def write_mixed(path: Path, rows: int) -> None:
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


def measure(path: Path, turns: int) -> None:
    size = path.stat().st_size / 1e6
    ours, theirs = [], []
    for _ in range(turns):
        seconds, frame = timed(lambda: hs.charge(path))
        ours.append(seconds)
        seconds, peer = timed(lambda: pandas.read_csv(path))
        theirs.append(seconds)
        code, pandas_code = frame["late_code"].iloc[-1], peer["late_code"].iloc[-1]
        assert code == "00042", "the code in the last row lost its zeros"
        for name in {"number", "id", "amount", "customer"} & set(frame.columns):
            assert (frame[name] == peer[name]).all(), f"{name} differs"
        rows, columns = frame.shape
        # Held frames would make the next turn slower for whoever allocates first.
        del frame, peer
    ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
    peaks = (
        peak_megabytes(
            "import pandas, headstart as hs; hs.options.quiet = True; "
            f"hs.charge({str(path)!r})"
        ),
        peak_megabytes(f"import pandas; pandas.read_csv({str(path)!r})"),
    )
    sides = (
        ("headstart", ours, code),
        (f"pandas {pandas.__version__}", theirs, pandas_code),
    )
    print(f"{path.stem}: {rows:,} rows x {columns} columns, {size:.0f} MB")
    for (name, times, last), peak in zip(sides, peaks, strict=True):
        shown = " ".join(f"{seconds:.3f}" for seconds in times)
        print(
            f"  {name}: median {statistics.median(times):.3f} s ({shown}), "
            f"peak {peak:.0f} MB, last code {last!r}"
        )
    print(
        f"  ratio, median of pairs, smaller is better: {statistics.median(ratios):.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=9)
    arguments = parser.parse_args()
    hs.options.quiet = True
    with tempfile.TemporaryDirectory() as folder:
        for name, write in (("narrow", write_narrow), ("mixed", write_mixed)):
            path = Path(folder) / f"{name}.csv"
            write(path, arguments.rows)
            measure(path, arguments.turns)


if __name__ == "__main__":
    main()
