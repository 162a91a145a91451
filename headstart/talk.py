"""What calls say besides their result: lines through `print`, unless the user wants quiet."""

from __future__ import annotations

import sys

from headstart.options import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


#: Lines of one call.
LINES = 6


def say(lines: Iterable[str]) -> None:
    """Prints the lines, at most six; nothing when `hs.options.quiet`."""
    if options.quiet:
        return
    lines = list(lines)
    if len(lines) > LINES:
        hidden = len(lines) - LINES + 1
        lines[LINES - 1 :] = [f"and {hidden} more notes"]
    for line in lines:
        print(line)


def shows_progress() -> bool:
    """True where long work may draw a progress bar: standard error is a terminal.

    The native code draws to the process's own standard error; what a notebook or a test puts in
    its place is none.
    """
    if options.quiet:
        return False
    try:
        return sys.stderr.isatty() and sys.stderr.fileno() == 2
    except (AttributeError, ValueError, OSError):
        return False
