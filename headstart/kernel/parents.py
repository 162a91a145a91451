"""Which cell the output of a thread belongs to: the one that started it, however late it comes.

ipykernel 7 keeps the cell of a thread of control in context variables. Tasks of asyncio inherit them; a
new thread does not (before Python 3.14), and its output goes to whichever cell runs at the moment.
"""

from __future__ import annotations

import functools
import threading
from concurrent.futures.thread import ThreadPoolExecutor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The attribute of a thread that holds its cell until it runs.
CELL = "_headstart_cell"


class Parents:
    """The hooks in threads, and the kernel whose cells they carry."""

    def __init__(self) -> None:
        self.kernel: Any = None
        self.streams: list[Any] = []

    def install(self, kernel: Any, streams: list[Any]) -> None:
        """Hooks in, once for the process."""
        first = self.kernel is None
        self.kernel, self.streams = kernel, streams
        if first:
            self._hook_threads()
            self._hook_pools()

    def cell(self) -> Any:
        """The request that this thread of control works for; None outside of cells."""
        kernel = self.kernel
        return None if kernel is None else kernel.shell._parent_header.get(None) or None

    def enter(self, cell: Any) -> list[tuple[Any, Any]]:
        """From here on this thread of control works for the cell."""
        kernel = self.kernel
        shell = kernel.shell
        tokens = [
            (shell._parent_header.reset, shell._parent_header.set(cell)),
            (kernel._shell_parent.reset, kernel._shell_parent.set(cell)),
        ]
        for part in (shell.displayhook, shell.display_pub, *self.streams):
            tokens.append((part.reset_thread_parent, part.set_thread_parent(cell)))
        return tokens

    def _hook_threads(self) -> None:
        threads: Any = threading.Thread
        start, inner = threads.start, threads._bootstrap_inner

        @functools.wraps(start)
        def start_for_cell(thread: threading.Thread) -> None:
            cell = self.cell()
            if cell is not None:
                thread.__dict__[CELL] = cell
            start(thread)

        @functools.wraps(inner)
        def inner_for_cell(thread: threading.Thread) -> None:
            cell = thread.__dict__.pop(CELL, None)
            if cell is not None:
                self.enter(cell)
            inner(thread)

        threads.start, threads._bootstrap_inner = start_for_cell, inner_for_cell

    def _hook_pools(self) -> None:
        # The thread of a pool lives on from cell to cell; each piece of work has the cell that gave it.
        pools: Any = ThreadPoolExecutor
        submit = pools.submit

        @functools.wraps(submit)
        def submit_for_cell(
            pool: ThreadPoolExecutor,
            fn: Callable[..., Any],
            /,
            *args: Any,
            **kwargs: Any,
        ) -> Any:
            cell = self.cell()
            if cell is None:
                return submit(pool, fn, *args, **kwargs)
            return submit(pool, self.run_for, cell, fn, args, kwargs)

        pools.submit = submit_for_cell

    def run_for(
        self, cell: Any, work: Callable[..., Any], args: Any, kwargs: Any
    ) -> Any:
        """Runs the work for the cell."""
        tokens = self.enter(cell)
        try:
            return work(*args, **kwargs)
        finally:
            for reset, token in reversed(tokens):
                reset(token)


#: Those of this process.
PARENTS = Parents()
