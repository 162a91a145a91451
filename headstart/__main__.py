"""The shell command from Python: scripts `hs` and `headstart`, and `python -m headstart`.

The same code as the native binary runs; nothing is decided here.
"""

from __future__ import annotations

import signal
import sys


def main(program: str) -> int:
    """Runs the command line and returns its exit code."""
    from headstart._headstart import run

    # As a native program: Ctrl-C ends it at once, and the shell sees 130; what was started with
    # Ctrl-C ignored (in the background, by nohup) goes on ignoring it.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run([program, *sys.argv[1:]])


def hs() -> None:
    """The script `hs`."""
    sys.exit(main("hs"))


def headstart() -> None:
    """The script `headstart`."""
    sys.exit(main("headstart"))


if __name__ == "__main__":
    sys.exit(main("hs"))
