"""The cases for saving: the frames they save, and what is right of each file, decided by other readers.

A case names a frame, a file and perhaps a sheet; its sentences are the checks below. Every saved file is also
loaded again and must give the frame back, but for what a check says otherwise.
"""

import json
import math
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from answers import expected_value, plain, same

TYPES = {"int": pa.int64(), "float": pa.float64(), "string": pa.large_string()}
ROWS = re.compile(r"(\d+) rows?\b")
COLUMNS = re.compile(r"(\d+) int columns")


@dataclass(frozen=True)
class Save:
    """One save of a case: the folder, which of its variants, what is saved where."""

    folder: Path
    position: int
    arguments: dict

    @property
    def key(self) -> str:
        return f"{self.folder.name[:3]}/{self.position}"

    @property
    def file(self) -> str:
        return self.arguments["path"]

    def frame(self) -> pa.Table:
        """The frame that is saved."""
        frame = self.arguments["frame"]
        if isinstance(frame, dict):
            return generated(frame["generate"])
        document = json.loads((self.folder / frame).read_text(encoding="utf-8"))
        columns = {
            column["name"]: pa.array(
                [expected_value(value) for value in column["values"]],
                TYPES[column["type"]],
            )
            for column in document["columns"]
        }
        return pa.table(columns)


def load_saves(root: Path) -> list[Save]:
    """Every save of every case below a folder, in order."""
    saves = []
    for file in sorted(root.glob("*/case.json")):
        case = json.loads(file.read_text(encoding="utf-8"))
        if case["function"] != "save":
            continue
        for position, variant in enumerate([case, *case.get("variants", [])]):
            saves.append(Save(file.parent, position, variant["args"]))
    return saves


def generated(words: str) -> pa.Table:
    """The frame that a case describes by its size."""
    rows = int(ROWS.search(words).group(1))
    if many := COLUMNS.search(words):
        return pa.table(
            {f"c{column}": [column] for column in range(int(many.group(1)))}
        )
    return pa.table({"i": pa.array(range(rows))})


def fault(save: Save, path: Path, error: str | None, again) -> str | None:
    """What is wrong with a saved file, or with the error instead of it; `again` loads the file."""
    words = ERRORS.get(save.key)
    if words is not None:
        if error is None:
            return f"saved instead of an error that names {words}"
        missing = [word for word in words if word not in error]
        if missing:
            return f"the error does not name {missing}: {error}"
        return "a file is left behind" if path.exists() else None
    if error is not None:
        return error
    check = CHECKS.get(save.key)
    found = check(path) if check else None
    if found:
        return found
    return difference(save.frame(), again(path), LOST.get(save.key, same_values))


def difference(wanted: pa.Table, found: pa.Table, equal) -> str | None:
    if found.column_names != wanted.column_names:
        return f"columns {found.column_names} instead of {wanted.column_names}"
    for name in wanted.column_names:
        ours, theirs = plain(found[name].to_pylist()), plain(wanted[name].to_pylist())
        if len(ours) != len(theirs):
            return f"{len(ours)} rows instead of {len(theirs)}"
        for row, pair in enumerate(zip(ours, theirs, strict=True)):
            if not equal(*pair):
                return (
                    f"{name}, row {row + 1}: {pair[0]!r:.60} instead of {pair[1]!r:.60}"
                )
    return None


def same_values(found, wanted) -> bool:
    """As it was; NaN is not missing, and 1 is not 1.0."""
    return same(found, wanted, strict=True)


def finite_values(found, wanted) -> bool:
    """What is no finite number is missing."""
    if isinstance(wanted, float) and not math.isfinite(wanted):
        return found is None
    return same(found, wanted, strict=True)


def digits(found, wanted) -> bool:
    """The same digits, whatever the type."""
    return found == wanted or str(found) == str(wanted)


def sheet_xml(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        return archive.read("xl/worksheets/sheet1.xml").decode()


def cells(path: Path) -> list[list[object]]:
    """The values of the first sheet as another reader sees them."""
    import openpyxl

    workbook = openpyxl.load_workbook(path)
    return [[cell.value for cell in row] for row in workbook.worksheets[0].iter_rows()]


def nullable_ints(path: Path) -> str | None:
    import pyarrow.parquet

    column = pyarrow.parquet.read_table(path)["k"]
    if column.type != pa.int64():
        return f"a column of {column.type}"
    wanted = [2**63 - 1, None, 2**53 + 1]
    return None if column.to_pylist() == wanted else f"{column.to_pylist()}"


def no_formula(path: Path) -> str | None:
    if re.search(r"<f[ >/]", sheet_xml(path)):
        return "a formula"
    texts = [row[0] for row in cells(path)[1:]]
    types = set(re.findall(r'<c r="A\d+"[^>]* t="(\w+)"', sheet_xml(path)))
    if not types <= {"s", "inlineStr"}:
        return f"cells of types {types}"
    wanted = [
        "=1+1",
        "+1",
        "-2",
        "@SUM(A1)",
        '=HYPERLINK("http://localhost/","x")',
        "======",
        "\t=1",
    ]
    return None if texts == wanted else f"{texts}"


def last_row(path: Path) -> str | None:
    rows = re.findall(r'<row r="(\d+)"', sheet_xml(path)[-3000:])
    return None if rows[-1] == "1048576" else f"the last row is {rows[-1]}"


def umlaut_sheet(path: Path) -> str | None:
    import openpyxl

    names = openpyxl.load_workbook(path).sheetnames
    return None if names == ["Größe & <Ümlaut> €"] else f"sheets {names}"


def finite_xml(path: Path) -> str | None:
    if re.search(r"<v>[^<]*(nan|inf)", sheet_xml(path), re.IGNORECASE):
        return "a number that is none"
    rows = cells(path)
    return None if len(rows) == 8 else f"{len(rows)} rows"


def strict_json(path: Path) -> str | None:
    def refuse(word):
        raise ValueError(word)

    json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    return None


def four_values(path: Path) -> str | None:
    import pyarrow.parquet

    values = pyarrow.parquet.read_table(path)["x"].to_pylist()
    right = math.isnan(values[1]) and values[2:5] == [math.inf, -math.inf, None]
    return None if right else f"{values}"


def null_is_no_text(path: Path) -> str | None:
    records = [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()
    ]
    ids = [record.get("id") for record in records]
    return None if ids == ["a", None, "None", "nan"] else f"{ids}"


# What an error must name, for the saves that are one.
ERRORS = {
    "071/1": ["s", "row 2", "32,767"],
    "071/2": ["s", "row 2", "32,770"],
    "072/0": ["1,048,576"],
    "072/2": ["16,384"],
    "073/0": ["31"],
    **{f"073/{position}": ["sheet"] for position in range(1, 6)},
}
# What another reader must find in the file.
CHECKS = {
    "042/0": nullable_ints,
    "070/0": no_formula,
    "072/1": last_row,
    "073/6": umlaut_sheet,
    "074/0": finite_xml,
    "074/1": strict_json,
    "074/2": four_values,
    "078/0": null_is_no_text,
}
# What the format cannot carry, and hs tells.
LOST = {"074/0": finite_values, "074/1": finite_values, "076/0": digits}
