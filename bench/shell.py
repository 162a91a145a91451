"""Measures `hs decris` and `hs combien` in the shell against xan, qsv, the duckdb cli and python with pandas.

The file is that of `charge_csv.py`, 1,000,000 rows and 10 columns, and a small one of 50 rows, where the start of the
program is all. Each program is called as its documentation shows it, its output goes through a pipe; that all say the
same is checked first. A program that is not on PATH, nor beside this Python, is left out and named.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

from charge_csv import clean
from turns import OURS, ROOT, Check, Way, Work, compiled, main

HERE = Path(sys.executable).parent
#: Where `make bench` puts programs beside those of PATH.
PLACES = os.pathsep.join([str(HERE), str(HERE.parent / "xan/bin"), os.environ["PATH"]])
NATIVE = ROOT / "target/release/hs"
SCRIPT = ROOT / ".venv/bin/hs"
DESCRIBE = "import pandas; print(pandas.read_csv({path!r}).describe(include='all'))"
COUNT = "import pandas; print(pandas.read_csv({path!r})['city'].value_counts())"
#: From a way's name to its command; the first word is the program.
DESCRIBERS = {
    OURS: [str(NATIVE), "decris", "{path}", "--format", "json"],
    f"{OURS} as installed by pip": [
        str(SCRIPT),
        "decris",
        "{path}",
        "--format",
        "json",
    ],
    "xan stats": ["xan", "stats", "{path}"],
    "qsv stats": ["qsv", "stats", "{path}"],
    "duckdb-cli SUMMARIZE": ["duckdb", "-json", "-c", "SUMMARIZE FROM '{path}'"],
    "pandas describe": [sys.executable, "-c", DESCRIBE],
}
COUNTERS = {
    OURS: [str(NATIVE), "combien", "{path}", "city", "--format", "json"],
    f"{OURS} as installed by pip": [
        str(SCRIPT),
        "combien",
        "{path}",
        "city",
        "--format",
        "json",
    ],
    "xan frequency": ["xan", "frequency", "-s", "city", "{path}"],
    "qsv frequency": ["qsv", "frequency", "-s", "city", "{path}"],
    "duckdb-cli group by": [
        *("duckdb", "-json", "-c"),
        "SELECT city, count(*) n FROM '{path}' GROUP BY city ORDER BY n DESC",
    ],
    "pandas value_counts": [sys.executable, "-c", COUNT],
}


def made(rows: int, folder: Path) -> Path:
    compiled()
    path = folder / "input.csv"
    clean(path, rows)
    return path


def ways(commands: dict[str, list[str]], path: Path) -> dict[str, Way]:
    found: dict[str, Way] = {}
    for name, (program, *words) in commands.items():
        place = shutil.which(program, path=PLACES)
        if place is None:
            print(f"{name}: {program} is not there")
            continue
        command = [place, *(word.format(path=str(path)) for word in words)]
        found[name] = partial(said, command)
    return found


def said(command: list[str]) -> str:
    done = subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def numbers_of(text: str) -> set[float]:
    return {float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)}


def holds(wanted: list[float], name: str, text: str) -> None:
    missing = set(wanted) - numbers_of(text)
    assert not missing, f"{name}: {missing} is not in what it says"


def described(path: Path) -> Check:
    """Everybody says how large the last id is, and that of the amounts; pandas writes it its own way."""
    ids = [
        int(line.split(",", 1)[0]) for line in path.read_text("utf-8").splitlines()[1:]
    ]

    def check(name: str, text: str) -> None:
        if not name.startswith("pandas"):
            holds([max(ids)], name, text)
        if name.startswith(OURS):
            assert len(json.loads(text)["data"]) == 10

    return check


def counted(path: Path) -> Check:
    counts: dict[str, int] = {}
    for line in path.read_text("utf-8").splitlines()[1:]:
        city = line.split(",")[3]
        counts[city] = counts.get(city, 0) + 1
    return lambda name, text: holds(list(map(float, counts.values())), name, text)


def work(title: str, commands: dict[str, list[str]], check: Any, rows: int) -> Work:
    return Work(title, made, partial(ways, commands), check, rows, memory="")


WORKS = [
    work("hs decris small.csv", DESCRIBERS, described, 50),
    work("hs decris big.csv", DESCRIBERS, described, 1_000_000),
    work("hs combien big.csv", COUNTERS, counted, 1_000_000),
]

if __name__ == "__main__":
    main(__doc__, WORKS)
