"""The cases for comparing: two frames and a key, and what is right of the result and of what is told of it."""

import datetime
import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from answers import expected_value

TYPES = {
    "int": pa.int64(),
    "float": pa.float64(),
    "string": pa.large_string(),
    "date": pa.date32(),
    "null": pa.null(),
}
# What a case calls an option, and what hs calls it.
OPTIONS = {"abs_tol": "tol", "rel_tol": "rtol"}


@dataclass(frozen=True)
class Comparison:
    """One comparison of a case."""

    folder: Path
    arguments: dict

    @property
    def number(self) -> str:
        return self.folder.name[:3]

    @property
    def key(self) -> list[str]:
        return self.arguments["on"]

    @property
    def options(self) -> dict:
        given = self.arguments.items()
        return {OPTIONS[name]: value for name, value in given if name in OPTIONS}

    def frame(self, side: str) -> pa.Table:
        text = (self.folder / self.arguments[side]).read_text(encoding="utf-8")
        columns = json.loads(text)["columns"]
        arrays = [
            pa.array(
                [arrow_value(value) for value in column["values"]],
                TYPES[column["type"]],
            )
            for column in columns
        ]
        return pa.table(arrays, names=[column["name"] for column in columns])


def arrow_value(value):
    """A value of a frame as Arrow takes it."""
    if isinstance(value, dict) and "date" in value:
        return datetime.date.fromisoformat(value["date"])
    return expected_value(value)


def load_comparisons(root: Path) -> list[Comparison]:
    """Every comparison of every case below a folder, in order."""
    cases = []
    for file in sorted(root.glob("*/case.json")):
        case = json.loads(file.read_text(encoding="utf-8"))
        if case["function"] == "compare":
            cases.append(Comparison(file.parent, case["args"]))
    return cases


# What is right: the rows as (state, keys..., changed), lines that are told, words that must not be.
RIGHT: dict[str, tuple[list[tuple], list[str], list[str]]] = {
    "090": ([], ["identical: 4 rows, 2 columns compared"], []),
    "091": ([("changed", 1, "ref")], ["1 same, 1 changed (ref 1)"], []),
    "093": (
        [("changed", 1, "t"), ("changed", 2, "x"), ("changed", 4, "x")],
        [
            "1 same, 3 changed (x 2, t 1)",
            "tol not used for columns that hold no numbers: t",
        ],
        [],
    ),
    "094": (
        [
            ("only a", 1, None),
            ("only a", 2, None),
            ("only b", 3, None),
            ("only b", 4, None),
        ],
        [
            "0 rows in common, 2 only a, 2 only b; columns only in a: a; columns only in b: b"
        ],
        ["equal", "identical", "same", "%"],
    ),
    "095": (
        [("changed", 1, "s, d")],
        [
            "0 same, 1 changed (s 1, d 1)",
            (
                "types differ: f (int in a, float in b), s (int in a, text in b, never equal), "
                "d (date in a, text in b, never equal)"
            ),
        ],
        [],
    ),
}


def fault(case: Comparison, rows: list[tuple], told: list[str]) -> str | None:
    """What is wrong with the rows of a result and with what is told of it."""
    wanted, lines, never = RIGHT[case.number]
    if rows != wanted:
        return f"rows {rows} instead of {wanted}"
    missing = [line for line in lines if line not in told]
    if missing:
        return f"{missing} is not told: {told}"
    said = [word for word in never if any(word in line for line in told)]
    return f"{said} is told: {told}" if said else None
