"""Runs the cases for saving through Python, from the frames of each library, and through the shell.

What is right is decided in `saves.py`. The project's own copies always run; those in a folder beside the
project run where it is there.
"""

import subprocess

import ours
import polars
import pyarrow.parquet
import pytest
from cases import BESIDE, OWN
from saves import fault, load_saves

import headstart as hs

FRAMES = {
    "pandas": lambda table: table.to_pandas(types_mapper=exact),
    "polars": polars.from_arrow,
    "pyarrow": lambda table: table,
}


def exact(dtype):
    """Whole numbers with gaps stay whole in pandas; all else as pandas has it."""
    import pandas

    return pandas.Int64Dtype() if dtype == pyarrow.int64() else None


def collect():
    params = []
    for place, root in (("own", OWN), ("beside", BESIDE)):
        for save in load_saves(root):
            name = f"{place}-{save.folder.name}-{save.position}"
            params.append(pytest.param(save, id=name))
    return params


def again(path):
    hs.options.frames = "pyarrow"
    hs.options.quiet = True
    try:
        return hs.charge(path)
    finally:
        hs.options.frames = None
        hs.options.quiet = None


@pytest.fixture(autouse=True)
def written(save, tmp_path_factory):
    """Skips the formats that hs does not write."""
    path = tmp_path_factory.mktemp("tried") / save.file
    try:
        hs.sauve(path, [{"a": 1}])
    except hs.ArgumentError as error:
        pytest.skip(error.message)


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("save", collect())
def test_a_save_through_python(save, library, tmp_path):
    path = tmp_path / save.file
    if (
        library == "pandas"
        and save.file == "out.parquet"
        and "074-" in str(save.folder)
    ):
        pytest.skip("a float column of pandas has NaN for null: they are one value")
    error = None
    try:
        hs.sauve(path, FRAMES[library](save.frame()), sheet=save.arguments.get("sheet"))
    except hs.Error as raised:
        error = str(raised)
    found = fault(save, path, error, again)
    assert found is None, found


@pytest.mark.parametrize("save", collect())
def test_a_save_through_the_shell(save, tmp_path):
    given, path = tmp_path / "in.parquet", tmp_path / save.file
    pyarrow.parquet.write_table(save.frame(), given)
    command = [ours.HS, "sauve", given, path]
    if "sheet" in save.arguments:
        command += ["--sheet", save.arguments["sheet"]]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == ""
    found = fault(save, path, done.stderr if done.returncode else None, again)
    assert found is None, found
