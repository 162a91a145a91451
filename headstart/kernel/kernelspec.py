"""The entry in Jupyter's list of kernels: "Python (headstart)".

`python -m headstart.kernel.kernelspec [--python P] [--prefix P] [--name N]` writes it and prints its folder.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "headstart"
DISPLAY_NAME = "Python (headstart)"


def spec(python: str | None = None) -> dict[str, Any]:
    """The kernelspec as Jupyter stores it."""
    return {
        "argv": [
            python or sys.executable,
            "-m",
            "headstart.kernel",
            "-f",
            "{connection_file}",
            # Front ends of notebooks keep widgets alive with them while a cell runs.
            "--KernelApp.subshells=True",
        ],
        "display_name": DISPLAY_NAME,
        "language": "python",
        "interrupt_mode": "signal",
        "metadata": {"debugger": True},
    }


def install(
    *,
    python: str | None = None,
    prefix: str | os.PathLike[str] | None = None,
    name: str = NAME,
) -> Path:
    """
    Writes the kernelspec, so that Jupyter offers this kernel.

    Parameters
    ----------
    python
        The Python that runs it; this one if not given.
    prefix
        The environment whose Jupyter gets it, as `sys.prefix`; if not given, all of the user's.
    name
        The name for `jupyter console --kernel NAME`.

    Returns
    -------
    Path
        The folder that was written. One that was there is replaced.
    """
    from jupyter_client.kernelspec import KernelSpecManager

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kernel.json").write_text(
            json.dumps(spec(python), indent=1), encoding="utf-8"
        )
        written = KernelSpecManager().install_kernel_spec(
            folder,
            kernel_name=name,
            user=prefix is None,
            prefix=None if prefix is None else os.fspath(prefix),
        )
    return Path(written)


def main(arguments: list[str]) -> int:
    """Writes what the options name, and prints the folder."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m headstart.kernel.kernelspec")
    parser.add_argument("--python", help="the Python that runs the kernel")
    parser.add_argument("--prefix", help="the environment whose Jupyter gets it")
    parser.add_argument("--name", default=NAME, help="its name in Jupyter")
    given = parser.parse_args(arguments)
    try:
        print(install(python=given.python, prefix=given.prefix, name=given.name))
    except (OSError, ValueError) as error:
        print(f"the kernelspec cannot be written: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
