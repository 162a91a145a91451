"""Runs the cases through other readers, in their environment: default calls, options as the case says.

`.venv-peers/bin/python tests/corpus/peers.py` prints one JSON object: versions, and the answer of
every reader to every call that it has an option for. Judges nothing; knows nothing of headstart.
"""

import decimal
import json
import logging
import math
import sys
import warnings
from importlib import metadata

import duckdb
import fastexcel
import numpy
import pandas
import polars
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet
from answers import Answer, plain
from cases import OWN, load_variants

# Warnings about the file, not about a value of the table.
UNRELATED = "no default style"
TEXT = {"csv", "jsonl", "json", "parquet"}
FORMATS = {
    "pandas": TEXT | {"xlsx"},
    "polars": TEXT | {"xlsx"},
    "duckdb": TEXT,
    "pyarrow": TEXT - {"json"},
    "fastexcel": {"xlsx"},
}
# What everybody gives to a reader that detects no delimiter, where a case is about something else.
DELIMITERS = {"005": ";", "008": ";", "016": ";"}
DETECTING = {"duckdb"}


class NoOption(Exception):
    """The reader has no such option, or none that is as simple as the case needs."""


def is_nan(value) -> bool:
    return isinstance(value, float) and math.isnan(value)


def renamed(options: dict, names: dict) -> dict:
    """The options of a case as those of a reader; a name may stand for a function."""
    found = {}
    for option, value in options.items():
        if option not in names:
            raise NoOption(option)
        name = names[option]
        found |= name(value) if callable(name) else {name: value}
    return found


def through_pandas(path, kind, options):
    names = {
        "csv": {
            "delimiter": "sep",
            "decimal": "decimal",
            "thousands": "thousands",
            "encoding": "encoding",
            "all_text": lambda _: {"dtype": "str"},
            "date_order": lambda order: {
                "parse_dates": ["d"],
                "dayfirst": order == "dmy",
            },
        },
        "xlsx": {
            "sheet": "sheet_name",
            "header_rows": lambda count: {"header": list(range(count))},
        },
        "jsonl": {},
    }
    chosen = renamed(options, names.get(kind, {}))
    match kind:
        case "csv":
            frame = pandas.read_csv(path, **chosen)
        case "json":
            frame = pandas.read_json(path)
        case "jsonl":
            frame = pandas.read_json(path, lines=True)
        case "parquet":
            frame = pandas.read_parquet(path)
        case _:
            frame = pandas.read_excel(path, **chosen)
    columns = []
    for index, name in enumerate(frame.columns):
        joined = " ".join(map(str, name)) if isinstance(name, tuple) else str(name)
        values = frame.iloc[:, index].tolist()
        # NaN is how pandas shows what is missing.
        columns.append((joined, [None if is_nan(value) else value for value in values]))
    return columns


def through_polars(path, kind, options):
    names = {
        "csv": {
            "delimiter": "separator",
            "encoding": "encoding",
            "decimal": lambda mark: {"decimal_comma": mark == ","},
            "all_text": lambda _: {"infer_schema": False},
        },
        "xlsx": {"sheet": "sheet_name"},
        "jsonl": {"skip_bad_lines": "ignore_errors"},
    }
    chosen = renamed(options, names.get(kind, {}))
    match kind:
        case "csv":
            frame = polars.read_csv(path, **chosen)
        case "json":
            frame = polars.read_json(path)
        case "jsonl":
            frame = polars.read_ndjson(path, **chosen)
        case "parquet":
            frame = polars.read_parquet(path)
        case _:
            frame = polars.read_excel(path, **chosen)
    # Arrow has no 128-bit ints: these arrive as Python ints.
    return [
        (column.name, column.to_list())
        if column.dtype == polars.Int128
        else of_arrow(column.to_frame().to_arrow())[0]
        for column in frame.get_columns()
    ]


def through_duckdb(path, kind, options):
    def date_order(order):
        first, second = ("%d", "%m") if order == "dmy" else ("%m", "%d")
        return {"dateformat": f"{first}/{second}/%Y"}

    names = {
        "csv": {
            "delimiter": "delim",
            "decimal": "decimal_separator",
            "thousands": "thousands",
            "encoding": "encoding",
            "all_text": "all_varchar",
            "date_order": date_order,
            "ragged": lambda _: {"null_padding": True},
        },
        "jsonl": {"skip_bad_lines": "ignore_errors"},
    }
    chosen = renamed(options, names.get(kind, {}))
    function = {"csv": "read_csv", "parquet": "read_parquet"}.get(kind, "read_json")
    given = "".join(f", {name} = {value!r}" for name, value in chosen.items())
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        relation = connection.sql(f"FROM {function}({str(path)!r}{given})")
        # Arrow has no 128-bit ints: these arrive by their digits.
        wide = [
            name
            for name, kind in zip(relation.columns, relation.types, strict=True)
            if str(kind) in ("HUGEINT", "UHUGEINT", "BIGNUM")
        ]
        if wide:
            casts = ", ".join(f'"{name}"::VARCHAR AS "{name}"' for name in wide)
            relation = relation.select(f"* REPLACE ({casts})")
        columns = of_arrow(relation.to_arrow_table())
    return [
        (name, [value and int(value) for value in values] if name in wide else values)
        for name, values in columns
    ]


def through_pyarrow(path, kind, options):
    names = {
        "csv": {
            "delimiter": "delimiter",
            "encoding": "encoding",
            "decimal": "decimal_point",
        }
    }
    chosen = renamed(options, names.get(kind, {}))
    match kind:
        case "csv":
            kinds = {
                "delimiter": "parse_options",
                "encoding": "read_options",
                "decimal_point": "convert_options",
            }
            classes = {
                "parse_options": pyarrow.csv.ParseOptions,
                "read_options": pyarrow.csv.ReadOptions,
                "convert_options": pyarrow.csv.ConvertOptions,
            }
            given = {
                kinds[name]: classes[kinds[name]](**{name: value})
                for name, value in chosen.items()
            }
            return of_arrow(pyarrow.csv.read_csv(path, **given))
        case "jsonl":
            return of_arrow(pyarrow.json.read_json(path))
    return of_arrow(pyarrow.parquet.read_table(path))


def through_fastexcel(path, _kind, options):
    chosen = renamed(options, {"sheet": "idx_or_name"})
    sheet = fastexcel.read_excel(path).load_sheet(chosen.get("idx_or_name", 0))
    return of_arrow(pyarrow.table(sheet.to_arrow()))


READERS = {
    "pandas": through_pandas,
    "polars": through_polars,
    "duckdb": through_duckdb,
    "pyarrow": through_pyarrow,
    "fastexcel": through_fastexcel,
}


def of_arrow(table):
    return [
        (name, column.to_pylist())
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]


def simple(value):
    """A value of any reader as a plain one: missing is None, whole decimals are ints."""
    if isinstance(value, numpy.generic):
        value = value.item()
    if isinstance(value, numpy.ndarray):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(name): simple(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [simple(item) for item in value]
    if value is pandas.NA or value is pandas.NaT:
        return None
    if isinstance(value, decimal.Decimal) and value == value.to_integral_value():
        return int(value)
    return plain(value)


class Lines(logging.Handler):
    """Keeps what a reader logs: a word to the user as good as a warning."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def ask(reader: str, variant) -> Answer | None:
    """The answer of a reader; None when it does not read the format or has no such option."""
    kind = variant.file.rsplit(".", 1)[-1]
    if kind not in FORMATS[reader]:
        return None
    options = dict(variant.options)
    if kind == "csv" and reader not in DETECTING and variant.number in DELIMITERS:
        options.setdefault("delimiter", DELIMITERS[variant.number])
    log = Lines()
    logging.getLogger().handlers = [log]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            columns = READERS[reader](variant.input, kind, options)
        except NoOption:
            return None
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - a panic of polars is no Exception
            text = " ".join(str(error).split()) or type(error).__name__
            name = variant.input.as_posix()
            return Answer(None, text.replace(name, variant.file))
    said = [
        str(item.message)
        for item in caught
        if not issubclass(item.category, DeprecationWarning)
        and UNRELATED not in str(item.message)
    ]
    said = " ".join([*said, *log.lines])
    return Answer([(name, simple(values)) for name, values in columns], said)


def main() -> None:
    results = {}
    for variant in load_variants(OWN):
        answers = {reader: ask(reader, variant) for reader in READERS}
        results[variant.key] = {
            reader: {"columns": answer.columns, "said": answer.said}
            for reader, answer in answers.items()
            if answer is not None
        }
    versions = {name: metadata.version(name) for name in (*READERS, "openpyxl")}
    json.dump({"versions": versions, "answers": results}, sys.stdout)


if __name__ == "__main__":
    main()
