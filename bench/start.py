"""Measures what `import headstart` adds to the start of a Python that does nothing else, each in a new process.

Beside it, for a sense of scale, the imports of pandas and polars. Reads no data.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

from turns import OURS, Way, Work, compiled, main, same_counts

#: Enough starts in a turn that the clock is not what is measured.
STARTS = 5


def made(_rows: int, _folder: Path) -> None:
    compiled()


def start(code: str) -> None:
    for _ in range(STARTS):
        subprocess.run([sys.executable, "-c", code], check=True)


def ways(_given: None) -> dict[str, Way]:
    return {
        OURS: partial(start, "import headstart"),
        "python -c pass": partial(start, "pass"),
        "polars": partial(start, "import polars"),
        "pandas": partial(start, "import pandas"),
    }


WORKS = [
    Work("import headstart", made, ways, lambda _: same_counts(), STARTS, memory="")
]

if __name__ == "__main__":
    main(__doc__, WORKS)
