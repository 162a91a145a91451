"""Importing headstart is cheap, and the shell command works from Python."""

import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(sys.executable).parent


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_importing_loads_no_data_library():
    script = "import sys, headstart; print(*sys.modules)"
    loaded = set(run(sys.executable, "-S", "-c", PATH + script).stdout.split())
    heavy = {"pandas", "polars", "pyarrow", "numpy", "IPython", "dataclasses", "typing"}
    assert "headstart" in loaded
    assert not loaded & heavy


#: Without `site` (-S), whose start-up files may import anything, the package is found here.
PATH = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r});"


def test_the_scripts_and_the_module_run_the_same_command(orders):
    runs = [
        run(SCRIPTS / "hs", "montre", orders),
        run(SCRIPTS / "headstart", "montre", orders),
        run(sys.executable, "-m", "headstart", "montre", orders),
    ]
    assert {done.returncode for done in runs} == {0}
    assert len({done.stdout for done in runs}) == 1
    assert "45 rows x 10 columns" in runs[0].stdout


def test_the_command_gives_its_exit_code():
    done = run(sys.executable, "-m", "headstart", "charge", "no-such-file.csv")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "no such file" in done.stderr
