"""`python -m headstart.kernel -f CONNECTION_FILE`: starts the kernel.

Decides nothing about the kernel; only what must come before the first import of ipykernel.
"""

from __future__ import annotations

import gc
import signal
import sys


def main() -> int:
    """Starts the kernel and returns when it has ended."""
    # An interrupt during the start is for nobody: Python's own handler would end the process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing that the start makes becomes garbage: looking for it costs a tenth of the time.
    gc.disable()
    try:
        from headstart.kernel import lean

        lean.prepare()
        from headstart.kernel.app import KernelApp
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("headstart"):
            raise
        print(
            f"error: {error}\n  hint: pip install 'headstart[kernel]'", file=sys.stderr
        )
        return 2
    except ImportError as error:
        # An ipykernel whose very classes are made otherwise: its own kernel is better than none.
        print(f"headstart: the stock kernel runs instead: {error}", file=sys.stderr)
        return stock()
    app = KernelApp.instance()
    app.initialize()
    # Nor does it later: collections of the session pass over it.
    gc.freeze()
    gc.enable()
    app.start()
    return 0


def stock() -> int:
    """ipykernel's own kernel."""
    from headstart.kernel import lean

    lean.undo()
    gc.enable()
    from ipykernel.kernelapp import IPKernelApp

    app = IPKernelApp.instance()
    app.initialize()
    app.start()
    return 0


if __name__ == "__main__":
    sys.exit(main())
