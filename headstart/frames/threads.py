"""Work on several columns side by side, where the libraries leave the interpreter to others meanwhile."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

#: Values below which threads cost more than they save.
MANY = 1 << 17


def each(work: Callable[[Any], Any], columns: Sequence[Any], rows: int) -> list[Any]:
    """What `work` makes of each column of so many rows, in order."""
    threads = min(len(columns), os.cpu_count() or 1)
    if threads < 2 or rows * len(columns) < MANY:
        return [work(column) for column in columns]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, columns))
