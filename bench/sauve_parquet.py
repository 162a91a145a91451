"""Measures how a pandas frame of 1,000,000 rows and 10 columns is saved as parquet, and how large the file is.

The frame is that of `charge_parquet.py`. All sides pack with zstd at the same level, 3. In turns in one process:
wall seconds and CPU seconds; what was written is read back and compared first. Writes nothing besides a
temporary folder.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from charge_parquet import mixed

LEVEL = 3
Writer = Callable[[Any, Path], None]


def writers() -> dict[str, Writer]:
    """Each library's own way from a pandas frame, as its documentation shows it."""
    import polars
    import pyarrow
    import pyarrow.parquet

    import headstart as hs

    hs.options.quiet = True

    def by_pyarrow(frame: Any, path: Path) -> None:
        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
        pyarrow.parquet.write_table(
            table, path, compression="zstd", compression_level=LEVEL
        )

    return {
        "headstart": lambda frame, path: hs.sauve(str(path), frame),
        "pyarrow": by_pyarrow,
        "polars": lambda frame, path: polars.from_pandas(frame).write_parquet(
            path, compression="zstd", compression_level=LEVEL
        ),
        "pandas": lambda frame, path: frame.to_parquet(
            path, compression="zstd", compression_level=LEVEL, index=False
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=9)
    arguments = parser.parse_args()
    frame = mixed(arguments.rows).to_pandas(date_as_object=False)
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    ways = writers()
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    work: dict[str, list[float]] = {name: [] for name in ways}
    sizes: dict[str, int] = {}
    import pandas

    with tempfile.TemporaryDirectory() as folder:
        names = list(ways)
        for turn in range(arguments.turns + 1):
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                path = Path(folder) / f"{name}.parquet"
                gc.collect()
                start, cpu = time.perf_counter(), time.process_time()
                ways[name](frame, path)
                took = time.perf_counter() - start
                if turn:
                    seconds[name].append(took)
                    work[name].append(time.process_time() - cpu)
                    continue
                sizes[name] = path.stat().st_size
                back = pandas.read_parquet(path)
                for column in frame.columns:
                    # Some write days, others points in time at midnight.
                    was, is_ = frame[column], back[column].astype(frame[column].dtype)
                    assert was.equals(is_), f"{name}: {column} differs"
    ours = "headstart"
    for name in ways:
        pairs = zip(seconds[ours], seconds[name], strict=True)
        ratio = statistics.median(our / their for our, their in pairs)
        pairs = zip(work[ours], work[name], strict=True)
        cpu = statistics.median(our / their for our, their in pairs)
        print(
            f"  {name:10} median {statistics.median(seconds[name]):.3f} s, CPU "
            f"{statistics.median(work[name]):.3f} s, {sizes[name] / 1e6:.1f} MB, "
            f"ours to this {ratio:.2f}, CPU {cpu:.2f}"
        )


if __name__ == "__main__":
    main()
