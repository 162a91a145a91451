"""Where the cases are: the project's own copies, and the folder of cases beside the project.

A case is a folder with input files and `case.json`: the options, the table that is right, other
tables that lose nothing. Inputs that are long and regular are made here, not stored. Uses the
standard library only, so that the readers in other environments can share it.
"""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "fixtures" / "cases"
BESIDE = ROOT.parent / "shared" / "cases"


@dataclass(frozen=True)
class Variant:
    """One call of a case: the folder, the options in the words of the cases, the right answer."""

    folder: Path
    name: str
    position: int
    arguments: dict
    expected: dict

    @property
    def number(self) -> str:
        return self.folder.name[:3]

    @property
    def key(self) -> str:
        """`001-leading-zero-codes/0`: the same in every place that the case is in."""
        return f"{self.folder.name}/{self.position}"

    @property
    def file(self) -> str:
        return self.arguments["path"]

    @property
    def options(self) -> dict:
        return {name: value for name, value in self.arguments.items() if name != "path"}

    @property
    def input(self) -> Path:
        """The path of the input, made on first use where it is not stored."""
        stored = self.folder / self.file
        make = MADE.get((self.number, self.file))
        if stored.exists() or make is None:
            return stored
        path = Path(_made.name) / f"{self.number}-{self.file}"
        if not path.exists():
            path.write_bytes(make())
        return path


_made = tempfile.TemporaryDirectory(prefix="headstart-cases-")


def load_variants(root: Path) -> list[Variant]:
    """Every call of every case for loading below a folder, in order."""
    variants = []
    for file in sorted(root.glob("*/case.json")):
        case = json.loads(file.read_text(encoding="utf-8"))
        if not case["kind"].startswith("load"):
            continue
        for position, variant in enumerate([case, *case.get("variants", [])]):
            variants.append(
                Variant(
                    file.parent,
                    case["name"],
                    position,
                    variant["args"],
                    variant["expected"],
                )
            )
    return variants


def _quoted_newlines() -> bytes:
    records = (
        f'{row},"first {row}, with comma\r\nsecond ""{row}""\n\nfourth",t{row}\n'
        for row in range(3000)
    )
    return ("id,note,tail\n" + "".join(records)).encode()


def _long_fields() -> bytes:
    accents = "é\n" * 70_000
    return f'id,blob,k\n1,{"x" * 300_000},7\n2,"{accents}",8\n'.encode()


def _wide_rows() -> bytes:
    rows = (
        (f"c{column}" for column in range(6000)),
        (str(column) for column in range(6000)),
        (str(2 * column) for column in range(6000)),
    )
    return "".join(",".join(row) + "\n" for row in rows).encode()


MADE = {
    ("018", "in.csv"): _quoted_newlines,
    ("024", "long.csv"): _long_fields,
    ("024", "wide.csv"): _wide_rows,
}
