"""Runs the load cases of a folder of cases beside the project, through Python and the shell.

A case is a folder with input files and `case.json`: the options, the table that is right, other
tables that lose nothing. Cases whose answer is a sentence have their assertion here, by number.
Without the folder everything is skipped, with the reason printed.
"""

import datetime
import decimal
import json
import math
import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest

import headstart as hs

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT.parent / "shared" / "cases"
HS = Path(sys.executable).parent / "hs"
# What a case calls an option, and what hs calls it. Other options do not exist: that variant is
# skipped. A bad line of jsonl is always skipped and told.
OPTIONS = {"path": None, "skip_bad_lines": None}
OPTIONS |= {name: name for name in ("delimiter", "encoding", "sheet")}
# What becomes types of columns, see `types_of`.
TYPES = {"date_order", "decimal", "thousands", "all_text"}
ORDERS = {"dmy": "date:%d/%m/%Y", "mdy": "date:%m/%d/%Y"}
# The contract is more precise than these: bad lines are skipped and told, not an error.
TOLD_NOT_REFUSED = {
    ("030", "in.jsonl"),
    ("030", "concat.jsonl"),
    ("030", "comma.jsonl"),
}


def collect():
    if not CASES.is_dir():
        reason = (
            f"no folder of cases at {CASES.parent.name}/{CASES.name} beside the project"
        )
        return [
            pytest.param(None, None, marks=pytest.mark.skip(reason=reason), id="none")
        ]
    params = []
    for folder in sorted(CASES.iterdir()):
        if not (folder / "case.json").exists():
            continue
        case = json.loads((folder / "case.json").read_text())
        if not case["kind"].startswith("load"):
            continue
        for number, variant in enumerate([case, *case.get("variants", [])]):
            unknown = sorted(set(variant["args"]) - set(OPTIONS) - TYPES)
            marks = []
            if unknown:
                marks = [
                    pytest.mark.skip(reason=f"hs has no option {', '.join(unknown)}")
                ]
            name = f"{folder.name}-{number}"
            params.append(pytest.param(folder, variant, marks=marks, id=name))
    return params


def expected_value(value):
    """A value in the notation of the cases as the plain value that `plain` gives."""
    if not isinstance(value, dict):
        return value
    [(kind, content)] = value.items()
    match kind:
        case "int":
            return int(content)
        case "float":
            return float(content)
        case "datetime":
            return plain(datetime.datetime.fromisoformat(content))
        case "repeat":
            return content[0] * content[1]
        case "duration_s":
            return plain(datetime.timedelta(seconds=content))
        case "date" | "time":
            return content
    raise ValueError(f"unknown notation {kind}")


def plain(value):
    """A Python value as what JSON can hold; instants in UTC."""
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.UTC)
        return value.isoformat(sep=" ")
    if isinstance(
        value, (datetime.date, datetime.time, datetime.timedelta, decimal.Decimal)
    ):
        return str(value)
    return value.hex() if isinstance(value, bytes) else value


def same(found, wanted):
    if isinstance(wanted, float) and isinstance(found, (int, float)):
        both_nan = math.isnan(found) and math.isnan(wanted)
        return both_nan or math.isclose(found, wanted, rel_tol=1e-12)
    return type(found) is type(wanted) and found == wanted


def fits(found, table, allowed):
    """True when the columns (name to plain values) are those of the table, or allowed instead."""
    wanted = {
        column["name"]: [expected_value(value) for value in column["values"]]
        for column in table["columns"]
    }
    return list(found) == list(wanted) and all(
        found[name] == allowed.get(name)
        or (len(found[name]) == len(values) and all(map(same, found[name], values)))
        for name, values in wanted.items()
    )


def types_of(variant):
    """The types that stand for the options of a case that say how values are written: an example
    number for its marks, a pattern for its order of days; for columns that its answer has so."""
    arguments = variant["args"]
    if arguments.get("all_text"):
        return "text"
    if not TYPES & set(arguments):
        return None
    decimal, thousands = arguments.get("decimal", "."), arguments.get("thousands", "")
    types = {}
    for column in variant["expected"]["table"]["columns"]:
        match column["type"]:
            case "date":
                types[column["name"]] = ORDERS[arguments["date_order"]]
            case "float":
                types[column["name"]] = f"float:1{thousands}234{decimal}5"
            case "int" if thousands:
                types[column["name"]] = f"int:1{thousands}234"
    return types


def through_python(folder, variant, capsys):
    """The columns and what was printed; the error instead of the columns."""
    arguments = dict(variant["args"])
    path = folder / arguments.pop("path")
    options = {
        OPTIONS[name]: value for name, value in arguments.items() if OPTIONS.get(name)
    }
    options["types"] = types_of(variant)
    hs.options.frames = "pyarrow"
    try:
        table = hs.charge(path, **options)
    except hs.Error as error:
        return None, str(error)
    finally:
        hs.options.frames = None
    assert isinstance(table, pyarrow.Table)
    columns = {
        name: [plain(value) for value in column.to_pylist()]
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return columns, capsys.readouterr().out


def through_shell(folder, variant):
    arguments = dict(variant["args"])
    command = [HS, "charge", folder / arguments.pop("path"), "--format", "json"]
    for name, value in arguments.items():
        if OPTIONS.get(name):
            command += [f"--{OPTIONS[name]}", value]
    types = types_of(variant)
    if isinstance(types, str):
        command += ["--types", types]
    for name, wanted in (types or {}).items() if isinstance(types, dict) else ():
        command += ["--types", f"{name}={wanted}"]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=60
    )
    if done.returncode:
        assert (done.returncode, done.stdout) == (2, "")
        return None, done.stderr
    document = json.loads(done.stdout)
    columns = {
        column["name"]: [row[column["name"]] for row in document["data"]]
        for column in document["columns"]
    }
    return columns, done.stderr


def check_018(columns, said):
    assert columns["id"] == list(range(3000))
    assert columns["tail"] == [f"t{i}" for i in range(3000)]
    assert columns["note"] == [
        f'first {i}, with comma\r\nsecond "{i}"\n\nfourth' for i in range(3000)
    ]


def check_024(columns, said):
    if "blob" in columns:
        assert columns["blob"] == ["x" * 300_000, "é\n" * 70_000]
        assert columns["k"] == [7, 8]
    else:
        assert len(columns) == 6000 and list(columns) == [f"c{i}" for i in range(6000)]
        assert columns["c5999"] == [5999, 11998]


def check_030(columns, said):
    assert (columns is None and "line 1" in said) or "skipped 1 bad line" in said


def check_060(columns, said):
    names = list(columns)
    assert len(names) == len(set(names)) == 3 and all(names)
    if len(columns[names[0]]) == 2:
        assert names == ["Q1 Jan", "Q1 Feb", "Total Sum"]
    else:
        assert (names[0], names[2]) == ("Q1", "Total")
        assert [column[0] for column in columns.values()] == ["Jan", "Feb", "Sum"]


SENTENCES = {
    "008": lambda columns, said: (
        len(columns) == 4 and len(columns["Preis"]) == 3 and "delimiter" in said
    ),
    "016": lambda columns, said: "windows-1252" in said,
    "017": lambda columns, said: (
        columns is None and "line 2" in said or columns["id"] == [1, 2]
    ),
    "018": check_018,
    "021": lambda columns, said: (
        columns is None and ("empty" in said or "blank" in said)
    ),
    "024": check_024,
    "025": lambda columns, said: columns is None and "line 3" in said and "3" in said,
    "030": check_030,
    "032": lambda columns, said: (
        columns["v"][0] == 20 and "twice" in said or "repeat" in said
    ),
    "035": lambda columns, said: columns is None and "NaN" in said and "line" in said,
    "038": lambda columns, said: (
        columns["id"] == [1, 2, 3]
        and columns["tags"] == [None, ["x", "y"], []]
        and columns["links"][0] is not None
        and columns["links"][1:] == [{"self": "/a"}, None]
    ),
    "041": lambda columns, said: (
        columns["u64"] == [18446744073709551615, 0, None] and len(columns) == 10
    ),
    "060": check_060,
    "063": lambda columns, said: (
        columns["late"][-300:] == [f"L{i}" for i in range(1201, 1501)]
        and len(columns["late"]) == 1500
    ),
}
# Answers that a case allows in words, and hs gives: columns that replace those of its table.
ALLOWED = {
    "009": {"pop": [68527, 1204000, 950]},
    "034": {"big": ["123456789012345678901234567890", "5"]},
    "054": {"note": ["", None]},
    "065": {"zip": ["00501", "02139"]},
}
MESSAGES = {
    "053": "1 formula",
    "057": "A3",
    "059": "Secret",
    "030": "skipped 1 bad line",
}


def check(folder, variant, columns, said):
    expected = variant["expected"]
    number = folder.name[:3]
    tables = [expected["table"]] if "table" in expected else []
    other = expected.get("also_ok", [])
    tables += [
        item["table"] for item in other if isinstance(item, dict) and "table" in item
    ]
    if not tables or (number, variant["args"]["path"]) in TOLD_NOT_REFUSED:
        outcome = SENTENCES[number](columns, said)
        assert outcome is None or outcome, (columns, said)
    else:
        assert columns is not None, said
        assert any(fits(columns, table, ALLOWED.get(number, {})) for table in tables), (
            columns
        )
    if "must" in expected and tables and "sheet" not in variant["args"]:
        assert MESSAGES[number] in said


@pytest.mark.parametrize(("folder", "variant"), collect())
def test_a_case_through_python(folder, variant, capsys):
    check(folder, variant, *through_python(folder, variant, capsys))


@pytest.mark.parametrize(("folder", "variant"), collect())
def test_a_case_through_the_shell(folder, variant):
    check(folder, variant, *through_shell(folder, variant))


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


@pytest.mark.skipif(not CASES.is_dir(), reason="no folder of cases beside the project")
@pytest.mark.parametrize(("number", "name"), DESCRIBED)
def test_a_described_case(number, name):
    [folder] = CASES.glob(f"{number}-*")
    hs.options.frames = "pyarrow"
    try:
        rows = {row["column"]: row for row in hs.decris(folder / name).to_pylist()}
    finally:
        hs.options.frames = None
    for column, wanted in DESCRIBED[number, name].items():
        assert {key: rows[column].get(key) for key in wanted} == wanted
    command = [HS, "decris", folder / name, "--format", "json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert {row["column"]: row for row in json.loads(done.stdout)["data"]} == rows
