"""Measures how a pandas frame of 1,000,000 rows and 10 columns is saved as parquet, and how large the file is.

The frame is that of `charge_parquet.py`. All sides pack with zstd at the same level, 3. What was written is read back
and compared first. Writes nothing besides a temporary folder.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from charge_parquet import mixed
from sauve_text import written
from turns import OURS, Check, Way, Work, main

LEVEL = 3


def frame(rows: int, folder: Path) -> tuple[Any, Path]:
    return mixed(rows).to_pandas(date_as_object=False), folder


def ways(given: tuple[Any, Path]) -> dict[str, Way]:
    """Each library's own way from a pandas frame, as its documentation shows it."""
    import polars
    import pyarrow
    import pyarrow.parquet

    import headstart as hs

    hs.options.quiet = True
    frame, folder = given
    packed: dict[str, Any] = {"compression": "zstd", "compression_level": LEVEL}

    def by_pyarrow(path: Path) -> None:
        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
        pyarrow.parquet.write_table(table, path, **packed)

    writers = {
        OURS: lambda path: hs.sauve(path, frame),
        "pyarrow": by_pyarrow,
        "polars": lambda path: polars.from_pandas(frame).write_parquet(path, **packed),
        "pandas": lambda path: frame.to_parquet(path, index=False, **packed),
    }
    return {
        name: partial(written, write, folder / f"{name}.parquet")
        for name, write in writers.items()
    }


def read_back(given: tuple[Any, Path]) -> Check:
    import pandas

    frame, _ = given

    def check(writer: str, path: Path) -> None:
        back = pandas.read_parquet(path)
        for column in frame.columns:
            # Some write days, others points in time at midnight.
            was, is_ = frame[column], back[column].astype(frame[column].dtype)
            assert was.equals(is_), f"{writer}: {column} differs"

    return check


WORKS = [Work("sauve parquet from pandas", frame, ways, read_back)]

if __name__ == "__main__":
    main(__doc__, WORKS)
