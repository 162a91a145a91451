"""Runs the cases for joins through Python, from the frames of each library, and through the shell.

The table that a case expects is compared, its sentences are the checks below. The project's own copies always run; those in a
folder beside the project run where it is there.
"""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import ours
import polars
import pyarrow
import pyarrow.parquet
import pytest
from answers import expected_value
from cases import BESIDE, OWN

import headstart as hs

TYPES = {"int": pyarrow.int64(), "string": pyarrow.large_string()}
FRAMES = {
    "pandas": lambda table: table.to_pandas(types_mapper=exact),
    "polars": polars.from_arrow,
    "pyarrow": lambda table: table,
}


def exact(dtype):
    """Whole numbers with gaps stay whole in pandas."""
    import pandas

    return pandas.Int64Dtype() if dtype == pyarrow.int64() else None


@dataclass(frozen=True)
class Join:
    """One join of a case: the folder, which of its variants, how, the right answer."""

    folder: Path
    position: int
    arguments: dict
    expected: dict

    @property
    def key(self) -> str:
        return f"{self.folder.name[:3]}/{self.position}"

    def table(self, side) -> pyarrow.Table:
        text = (self.folder / self.arguments[side]).read_text(encoding="utf-8")
        return pyarrow.table(
            {
                column["name"]: pyarrow.array(
                    [expected_value(value) for value in column["values"]],
                    TYPES[column["type"]],
                )
                for column in json.loads(text)["columns"]
            }
        )

    def options(self) -> dict:
        """In the words of hs."""
        options = {"how": self.arguments["how"]}
        if "suffix" in self.arguments:
            options["suffixes"] = ("", self.arguments["suffix"])
        if "nulls_equal" in self.arguments:
            options["match_missing"] = self.arguments["nulls_equal"]
        if "validate" in self.arguments:
            options["validate"] = self.arguments["validate"]
        elif self.key in MULTIPLY:
            # hs asks whether rows may multiply.
            options["validate"] = "m:m"
        return options


# Joins whose rows multiply.
MULTIPLY = {"080/3", "082/0"}
# What an error must say.
ERRORS = {
    "081/0": ["id", "int", "text", "types="],
    "082/1": ["k 1", "3 rows of a", "2 of b"],
    "082/2": ["k 1", "3 rows of a", "each key once in a"],
}
# What the records of a result must be, and what must be said, where no table is given.
CHECKS = {
    "080/1": lambda rows, said: [row["b"] for row in rows] == ["p", None, None],
    "080/2": lambda rows, said: (
        len(rows) == 5 and sum(row["a"] is None for row in rows) == 2
    ),
    "080/3": lambda rows, said: len(rows) == 5,
    "082/0": lambda rows, said: (
        len(rows) == 7 and re.search(r"multiplied: k 1 \(3 rows of a, 2 of b\)", said)
    ),
    "083/0": lambda rows, said: (
        len(rows[0]) == 4 and sorted(rows[0].values()) == [1, 10, 20, 30]
    ),
}


def collect():
    params = []
    for place, root in (("own", OWN), ("beside", BESIDE)):
        for file in sorted(root.glob("*/case.json")):
            case = json.loads(file.read_text(encoding="utf-8"))
            if case["function"] != "join":
                continue
            for position, variant in enumerate([case, *case.get("variants", [])]):
                join = Join(file.parent, position, variant["args"], variant["expected"])
                name = f"{place}-{file.parent.name}-{position}"
                params.append(pytest.param(join, id=name))
    return params


def judge(join, rows, said, error):
    if join.key in ERRORS:
        assert error is not None, "joined without a word"
        missing = [word for word in ERRORS[join.key] if word not in error]
        assert not missing, f"the error does not name {missing}: {error}"
        return
    assert error is None, error
    if "table" in join.expected:
        columns = join.expected["table"]["columns"]
        wanted = {
            column["name"]: [expected_value(value) for value in column["values"]]
            for column in columns
        }
        assert {name: [row[name] for row in rows] for name in wanted} == wanted
        assert all(list(row) == list(wanted) for row in rows)
    if join.key in CHECKS:
        assert CHECKS[join.key](rows, said), f"{rows}\n{said}"


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("join", collect())
def test_a_join_through_python(join, library, capsys):
    frames = [FRAMES[library](join.table(side)) for side in ("left", "right")]
    rows, error = [], None
    try:
        result = hs.joins(*frames, join.arguments["on"], **join.options())
    except hs.Error as raised:
        error = str(raised)
    else:
        assert type(result) is type(frames[0])
        rows = pyarrow.table(result).to_pylist()
    judge(join, rows, capsys.readouterr().out, error)


@pytest.mark.parametrize("join", collect())
def test_a_join_through_the_shell(join, tmp_path):
    files = []
    for side in ("left", "right"):
        files.append(tmp_path / f"{side}.parquet")
        pyarrow.parquet.write_table(join.table(side), files[-1])
    command = [ours.HS, "joins", *files, *join.arguments["on"], "--format", "json"]
    for name, value in join.options().items():
        option = f"--{name.replace('_', '-')}"
        match value:
            case True:
                command.append(option)
            case tuple():
                command += [option, ",".join(value)]
            case _:
                command += [option, value]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        assert done.returncode == (2 if join.key == "081/0" else 1)
        judge(join, [], "", done.stderr.replace("--types id=", "types="))
        return
    judge(join, json.loads(done.stdout)["data"], done.stderr, None)
