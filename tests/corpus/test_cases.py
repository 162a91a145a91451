"""Runs the cases for loading through Python and the shell, and the described cases through decris.

The project's own copies always run; the cases in a folder beside the project run where it is there.
What is right is decided in `answers.py`, for hs and for the readers it is compared with alike.
"""

import json
import subprocess

import answers
import ours
import pytest
from cases import BESIDE, OWN, load_variants

import headstart as hs


def collect():
    params = []
    for place, root in (("own", OWN), ("beside", BESIDE)):
        for variant in load_variants(root):
            missing = ours.missing_options(variant)
            reason = f"hs has no option {', '.join(missing)}"
            marks = [pytest.mark.skip(reason=reason)] if missing else []
            name = f"{place}-{variant.folder.name}-{variant.position}"
            params.append(pytest.param(variant, marks=marks, id=name))
    if not BESIDE.is_dir():
        where = f"{BESIDE.parent.name}/{BESIDE.name} beside the project"
        skip = pytest.mark.skip(reason=f"no folder of cases at {where}")
        params.append(pytest.param(None, marks=[skip], id="beside"))
    return params


def check(variant, answer):
    verdict, why = answers.judge_hs(variant, answer)
    assert verdict in {answers.RIGHT, answers.TOLD}, f"{verdict}: {why}\n{answer.said}"


@pytest.mark.parametrize("variant", collect())
def test_a_case_through_python(variant):
    check(variant, ours.through_python(variant))


@pytest.mark.parametrize("variant", collect())
def test_a_case_through_the_shell(variant):
    check(variant, ours.through_shell(variant))


# What decris says of the described cases: column to what its row must hold.
DESCRIBED = {
    ("100", "in.json"): {
        "n": {"missing": 0, "min": "5", "max": "9"},
        "s": {"min": None, "max": None, "distinct": 1},
        "l": {"min": None, "max": None, "distinct": 1},
    },
    ("102", "in.csv"): {
        "t": {
            "type": "datetime",
            "distinct": 2,
            "min": "2021-02-03 06:00:00+00:00",
            "max": "2021-02-03 10:00:00+00:00",
        },
        "v": {"missing": 0, "min": "2", "max": "9"},
    },
    ("103", "in.json"): {
        "m": {"type": "mixed", "distinct": 4, "missing": 0.2, "min": None},
        "k": {"type": "int", "missing": 0},
    },
    ("104", "in.csv"): {
        "empty": {"type": "empty", "missing": 1, "min": None, "max": None},
        "one": {"min": "7", "max": "7", "note": "constant"},
        "price": {"distinct": 2},
    },
    ("104", "norows.csv"): {"a": {"distinct": 0}, "b": {"distinct": 0}},
}


@pytest.mark.skipif(not BESIDE.is_dir(), reason="no folder of cases beside the project")
@pytest.mark.parametrize(("number", "name"), DESCRIBED)
def test_a_described_case(number, name):
    [folder] = BESIDE.glob(f"{number}-*")
    hs.options.frames = "pyarrow"
    try:
        rows = {row["column"]: row for row in hs.decris(folder / name).to_pylist()}
    finally:
        hs.options.frames = None
    for column, wanted in DESCRIBED[number, name].items():
        assert {key: rows[column].get(key) for key in wanted} == wanted
    command = [ours.HS, "decris", folder / name, "--format", "json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert {row["column"]: row for row in json.loads(done.stdout)["data"]} == rows
