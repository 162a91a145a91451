"""Runs the cases for comparing through Python, from the frames of each library, and through the shell.

What is right is decided in `compares.py`. Cases in a folder beside the project run where it is there.
"""

import itertools
import json
import subprocess

import ours
import polars
import pyarrow.parquet
import pytest
from cases import BESIDE, OWN
from compares import fault, load_comparisons

import headstart as hs

FRAMES = {
    "pandas": lambda table: table.to_pandas(),
    "polars": polars.from_arrow,
    "pyarrow": lambda table: table,
}


def collect():
    params = [
        pytest.param(case, id=f"{place}-{case.folder.name}")
        for place, root in (("own", OWN), ("beside", BESIDE))
        for case in load_comparisons(root)
    ]
    if not params:
        skip = pytest.mark.skip(reason="no folder of cases beside the project")
        params.append(pytest.param(None, marks=[skip], id="beside"))
    return params


@pytest.mark.parametrize(
    "libraries", list(itertools.product(FRAMES, FRAMES)), ids="-".join
)
@pytest.mark.parametrize("case", collect())
def test_a_comparison_through_python(case, libraries, capsys):
    a, b = (
        FRAMES[library](case.frame(side))
        for library, side in zip(libraries, ("left", "right"), strict=True)
    )
    found = polars.DataFrame(hs.compare(a, b, case.key, **case.options))
    rows = found.select("state", *case.key, "changed").rows()
    wrong = fault(case, rows, capsys.readouterr().out.splitlines())
    assert wrong is None, wrong


@pytest.mark.parametrize("case", collect())
def test_a_comparison_through_the_shell(case, tmp_path):
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, side in zip(paths, ("left", "right"), strict=True):
        pyarrow.parquet.write_table(case.frame(side), path)
    options = [f"--{name}={value}" for name, value in case.options.items()]
    command = [ours.HS, "compare", *paths, *case.key, *options, "--format", "json"]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=60
    )
    answer = json.loads(done.stdout)
    names = ["state", *case.key, "changed"]
    rows = [tuple(row[name] for name in names) for row in answer["data"]]
    told = [
        line for line in done.stderr.splitlines() if not line.startswith(str(tmp_path))
    ]
    wrong = fault(case, rows, told)
    assert wrong is None, wrong
    assert done.returncode == (1 if rows else 0)
