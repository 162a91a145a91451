"""`hs` as a person runs it, with sessions, data and settings of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

#: Seconds within which anything must have happened. Far above what it takes.
DEADLINE = 60.0
#: The variables of the machine that would change what is tested.
UNWANTED = (
    "HEADSTART_PYTHON",
    "HEADSTART_QUIET",
    "MPLBACKEND",
    "NO_COLOR",
    "PYTEST_CURRENT_TEST",
    "PYTHONSTARTUP",
    "COLUMNS",
)


class Shell:
    """Runs `hs`; sessions that are left at the end are released."""

    def __init__(self, program: Path | None = None) -> None:
        self.program = program or Path(sys.executable).parent / "hs"
        # Short, since addresses of sockets are.
        self.folder = Path(tempfile.mkdtemp(prefix="hs-"))
        self.environment = {k: v for k, v in os.environ.items() if k not in UNWANTED}
        fonts = Path(tempfile.gettempdir()) / f"headstart-test-fonts-{os.getuid()}"
        self.environment |= {
            "XDG_RUNTIME_DIR": str(self.folder),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "HOME": str(self.folder),
            "IPYTHONDIR": str(self.folder / "ipython"),
            "MPLCONFIGDIR": str(fonts),
            "NO_COLOR": "1",
        }

    def popen(self, *arguments: str, **options) -> subprocess.Popen[str]:
        options = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "env": self.environment | options.pop("env", {}),
            "cwd": self.folder,
            "text": True,
            **options,
        }
        return subprocess.Popen([self.program, *arguments], **options)

    def __call__(
        self, *arguments: str, text: str | None = None, within=DEADLINE, **options
    ) -> subprocess.CompletedProcess[str]:
        if text is not None:
            options["stdin"] = subprocess.PIPE
        process = self.popen(*arguments, **options)
        try:
            out, err = process.communicate(text, timeout=within)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(
                f"hs {arguments}: no end within {within} s: {out} {err}"
            ) from None
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def run(self, code: str, *options: str, session: str = "work", **more):
        return self("kernel", "run", "-s", session, code, *options, **more)

    def sessions(self) -> dict[str, dict]:
        done = self("kernel", "list", "--format", "json")
        assert done.returncode == 0, done.stderr
        return {row["session"]: row for row in json.loads(done.stdout)["data"]}

    def close(self) -> None:
        with contextlib.suppress(AssertionError):
            self("kernel", "release", "--all")
        shutil.rmtree(self.folder, ignore_errors=True)
