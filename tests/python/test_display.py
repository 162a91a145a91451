"""montre as the last line of an IPython cell shows once, and `_` is bound."""

import subprocess
import sys

import pytest

SCRIPT = r"""
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance(colors="nocolor")


def cell(name, source):
    print(f"== {name}")
    result = shell.run_cell(source, store_history=True)
    assert result.success, result
    return result


cell("setup", "import headstart as hs")
cell("frame", "import pandas as pd; df = pd.DataFrame({'amount': [1, 2, 3]})")
result = cell("montre", "hs.montre(df)")
assert result.result is shell.user_ns["df"]
assert shell.user_ns["_"] is shell.user_ns["df"]
cell("next", "df")
cell("both", "hs.montre(df)\ndf")
cell("assigned", "x = hs.montre(df)")
cell("function", "def show(x):\n    return hs.montre(x)\nshow([1, 2, 3])")
cell("list", "[1, 2, 3]")
cell("none", "hs.montre(None)")
cell("other", "hs.montre(5) + 1")
cell("seven", "7")
"""


@pytest.fixture(scope="module")
def cells(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("ipython")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={"IPYTHONDIR": str(folder), "HOME": str(folder)},
    )
    assert done.returncode == 0, done.stderr + done.stdout
    parts = done.stdout.split("== ")[1:]
    return dict(part.split("\n", 1) for part in parts)


def test_a_frame_shows_once(cells):
    assert cells["montre"].count("amount") == 1
    assert "3 rows x 1 column" in cells["montre"]
    assert "Out[" not in cells["montre"]


def test_the_next_lines_show_as_usual(cells):
    assert "Out[" in cells["next"]
    assert cells["both"].count("amount") == 2
    assert "Out[" not in cells["assigned"]
    assert "Out[" in cells["list"]
    assert "Out[" in cells["seven"]


def test_also_through_a_function_of_the_user(cells):
    assert "list, 3 items" in cells["function"]
    assert "Out[" not in cells["function"]


def test_another_value_of_the_same_line_shows(cells):
    assert "Out[" in cells["other"]
    assert "6" in cells["other"]
