"""hs as a reader of cases: through Python and through the shell, options in the words of hs.

Judges nothing. A variant with an option that hs does not have gets no answer.
"""

import contextlib
import decimal
import io
import json
import subprocess
import sys
from pathlib import Path

from answers import Answer, plain

import headstart as hs

HS = Path(sys.executable).parent / "hs"
# What a case calls an option, and what hs calls it. A bad line of jsonl is always skipped and told, a
# merged header of several rows always joined and told.
OPTIONS = {"skip_bad_lines": None, "header_rows": None}
OPTIONS |= {name: name for name in ("delimiter", "encoding", "sheet")}
# What becomes the types of columns.
TYPES = {"date_order", "decimal", "thousands", "all_text"}
ORDERS = {"dmy": "date:%d/%m/%Y", "mdy": "date:%m/%d/%Y"}


def missing_options(variant) -> list[str]:
    """The options of a variant that hs does not have."""
    return sorted(set(variant.options) - set(OPTIONS) - TYPES)


def options_of(variant) -> dict:
    options = {
        OPTIONS[name]: value
        for name, value in variant.options.items()
        if OPTIONS.get(name)
    }
    types = types_of(variant)
    return options | ({"types": types} if types else {})


def types_of(variant) -> str | dict[str, str]:
    """How values are written, as types of the columns that the right answer has so.

    An example number gives the marks, a pattern the order of day and month.
    """
    options = variant.options
    if options.get("all_text"):
        return "text"
    types: dict[str, str] = {}
    if not TYPES & set(options):
        return types
    point, thousands = options.get("decimal", "."), options.get("thousands", "")
    for column in variant.expected["table"]["columns"]:
        match column["type"]:
            case "date":
                types[column["name"]] = ORDERS[options["date_order"]]
            case "float":
                types[column["name"]] = f"float:1{thousands}234{point}5"
            case "int" if thousands:
                types[column["name"]] = f"int:1{thousands}234"
    return types


def through_python(variant) -> Answer:
    hs.options.frames = "pyarrow"
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            table = hs.charge(variant.input, **options_of(variant))
    except hs.Error as error:
        return Answer(None, str(error))
    finally:
        hs.options.frames = None
    columns = [
        (name, plain(column.to_pylist()))
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return Answer(columns, printed.getvalue())


def number(text: str) -> float | str:
    """A float; the digits where a float cannot hold them, as of a decimal."""
    value = float(text)
    exact = decimal.Decimal(repr(value)) == decimal.Decimal(text)
    return value if exact else text


def through_shell(variant) -> Answer:
    command = [HS, "charge", variant.input, "--format", "json"]
    for name, value in options_of(variant).items():
        parts = value.items() if isinstance(value, dict) else [(None, value)]
        for column, part in parts:
            command += [f"--{name}", f"{column}={part}" if column else str(part)]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=60
    )
    if done.returncode:
        assert (done.returncode, done.stdout) == (2, "")
        return Answer(None, done.stderr)
    document = json.loads(done.stdout, parse_float=number)
    rows = [list(row.values()) for row in document["data"]]
    columns = [
        (column["name"], [row[index] for row in rows])
        for index, column in enumerate(document["columns"])
    ]
    return Answer(columns, done.stderr)
