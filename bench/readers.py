"""Readers of files as the benches name them: what a library imports, and how it gives the frame that the user gets.

Measures nothing; `turns.py` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from turns import OURS, Check, Way, Work

CITIES = ["Paris", "Berlin", "Köln", "São Paulo", "Kraków", "Reykjavík", "Oslo", "Rome"]
#: From a library to what it imports and an expression of `path`, as its documentation shows it.
Readers = dict[str, tuple[str, str]]
PANDAS: Readers = {
    OURS: (
        "import pandas, pyarrow, headstart as hs; hs.options.quiet = True; hs.options.frames = 'pandas'",
        "hs.charge(path)",
    )
}
POLARS: Readers = {
    OURS: (
        "import polars, pyarrow, headstart as hs; hs.options.quiet = True; hs.options.frames = 'polars'",
        "hs.charge(path)",
    )
}


def ways_of(readers: Readers) -> Callable[[Path], dict[str, Way]]:
    """Ways from a path; what they import is imported before they are timed."""

    def ways(path: Path) -> dict[str, Way]:
        return {name: way(path, *reader) for name, reader in readers.items()}

    return ways


def way(path: Path, imports: str, call: str) -> Way:
    names: dict[str, Any] = {"path": str(path)}
    code = compile(call, "<bench>", "eval")

    def read() -> Any:
        exec(imports, names)  # noqa: S102 - our own statements, listed in this folder
        return eval(code, names)

    exec(imports, names)  # noqa: S102 - as above
    return read


def alike(columns: Sequence[str], code: str = "") -> Callable[[Path], Check]:
    """A check that all readers give the same values in the columns, and ours the zeros of a code.

    Columns that a file lacks are passed over. Other columns may differ: readers type dates in their own
    ways, and one rounds the last digit of floats.
    """

    def begin(_path: Path) -> Check:
        wanted: dict[str, Any] = {}

        def check(reader: str, frame: Any) -> None:
            looked_at = 0
            if reader == OURS and code in frame:
                assert list(frame[code])[-1] == "00042", "the code lost its zeros"
            for column in columns:
                if column in frame:
                    looked_at += 1
                    same = wanted.setdefault(column, frame[column])
                    assert len(same) == len(frame[column]), f"{reader}: other rows"
                    assert (frame[column] == same).all(), f"{reader}: {column} differs"
            assert looked_at, f"{reader}: none of the columns that are compared"

        return check

    return begin


def loading(
    title: str,
    extension: str,
    write: Callable[[Path, int], None],
    readers: Readers,
    check: Callable[[Path], Check],
    rows: int = 1_000_000,
    memory: str = "fastest",
) -> Work:
    """The work of loading one file, which `write` makes."""

    def make(rows: int, folder: Path) -> Path:
        path = folder / f"input.{extension}"
        write(path, rows)
        return path

    return Work(title, make, ways_of(readers), check, rows, memory)
