"""What the kernel itself has to say, as messages of their own kind beside the cell's output.

Other front ends show the text; the launcher of headstart knows them by their type and never mixes them
into what the cell printed. Nothing is written to standard output or error.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MIME = "application/vnd.headstart.notice+json"


class Notices:
    """Notices that wait for a cell, and their sending."""

    def __init__(self) -> None:
        self.waiting: list[tuple[str, str]] = []
        self.kernel: Any = None

    def later(self, kind: str, text: str) -> None:
        """Says it with the next cell: outside of cells no front end listens."""
        self.waiting.append((kind, text))

    def flush(self) -> None:
        """Sends what waits, as output of the cell that runs now."""
        waiting, self.waiting = self.waiting, []
        for kind, text in waiting:
            self.now(kind, text)

    def now(self, kind: str, text: str) -> None:
        """Sends a notice as output of the cell that runs now."""
        kernel = self.kernel
        if kernel is None or kernel.session is None:
            self.later(kind, text)
            return
        # Not by `display`: `%%capture` would keep it.
        content = {
            "data": {MIME: {"kind": kind, "text": text}, "text/plain": text},
            "metadata": {},
            "transient": {},
        }
        kernel.session.send(
            kernel.iopub_socket,
            "display_data",
            content,
            parent=kernel.get_parent("shell"),
            ident=b"display_data",
        )


#: Those of this process.
NOTICES = Notices()
