"""interroge against Google's own reader of cells on random results: random types, nested, in random spellings.

The scripted server sends pages that are made here. HEADSTART_FRAMES_TRIED says how many results are tried.
"""

import base64
import datetime as dt
import json
import os
import random
import string
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from google.cloud.bigquery import SchemaField
from google.cloud.bigquery._helpers import _rows_from_json
from scripted_bigquery import ScriptedBigQuery
from test_interroge_types import assert_same

import headstart as hs

TRIED = int(os.environ.get("HEADSTART_FRAMES_TRIED", "100"))
SEED = 20261130
FIRST, LAST = -62135596800000000, 253402300799999999
EPOCH = dt.datetime(1970, 1, 1)

Field = dict[str, Any]
Draw = random.Random


def digits(draw: Draw, most: int) -> str:
    return "".join(draw.choices(string.digits, k=draw.randint(1, most)))


def decimal(draw: Draw, whole: int, fraction: int) -> str:
    number = f"{draw.choice(['', '-'])}{int(digits(draw, whole))}"
    end = digits(draw, fraction).rstrip("0") if draw.random() < 0.7 else ""
    return f"{number}.{end}" if end else number


def text(draw: Draw) -> str:
    letters = 'aé😀"\\/\n\t\0\u2028 {}[],:' + string.ascii_letters
    return "".join(draw.choices(letters, k=draw.choice([0, 3, 12, 13, 40])))


def moment(draw: Draw) -> dt.datetime:
    micros = draw.choice([FIRST, LAST, 0, -1, draw.randint(FIRST, LAST)])
    if draw.random() < 0.3:
        micros -= micros % 1_000_000
    return EPOCH + dt.timedelta(microseconds=micros)


def wall(moment: dt.datetime, draw: Draw | None = None) -> str:
    """As BigQuery writes it; `draw` leaves out zeros at the end sometimes, which is no other moment."""
    whole = f"{moment:%Y}".zfill(4) + moment.strftime("-%m-%dT%H:%M:%S")
    fraction = f"{moment.microsecond:06}"
    if draw is not None and draw.random() < 0.5:
        fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction.strip("0") else whole


def micros(moment: dt.datetime) -> str:
    return str((moment - EPOCH) // dt.timedelta(microseconds=1))


def real(draw: Draw) -> str:
    special = [
        "NaN",
        "Infinity",
        "-Infinity",
        "0.0",
        "-0.0",
        "5e-324",
        "1.7976931348623157E308",
    ]
    drawn = [
        draw.uniform(-1, 1),
        draw.gauss(0, 1e9),
        draw.random() * 10 ** draw.randint(-300, 300),
    ]
    return draw.choice([*special, *(repr(number) for number in drawn)])


RANGED: dict[str, Callable[[Draw], str]] = {
    "DATE": lambda draw: wall(moment(draw))[:10],
    "DATETIME": lambda draw: wall(moment(draw), draw),
    "TIMESTAMP": lambda draw: micros(moment(draw)),
}
SCALARS: dict[str, Callable[[Draw], str]] = RANGED | {
    "INTEGER": lambda draw: str(
        draw.choice([0, -(2**63), 2**63 - 1, draw.randint(-(2**63), 2**63 - 1)])
    ),
    "FLOAT": real,
    "BOOLEAN": lambda draw: draw.choice(["true", "false"]),
    "NUMERIC": lambda draw: decimal(draw, 29, 9),
    "BIGNUMERIC": lambda draw: (
        decimal(draw, 38, 38) if draw.random() < 0.05 else decimal(draw, 20, 18)
    ),
    "STRING": text,
    "GEOGRAPHY": lambda draw: f"POINT({draw.randint(-180, 180)} {draw.random()})",
    "JSON": lambda draw: json.dumps(
        draw.choice([None, True, text(draw), {text(draw): [1, 2.5]}])
    ),
    "BYTES": lambda draw: base64.b64encode(
        draw.randbytes(draw.randint(0, 40))
    ).decode(),
    "TIME": lambda draw: wall(moment(draw))[11:],
}


def field(draw: Draw, name: str, depth: int) -> Field:
    """A column or a field, as a schema has it."""
    kinds = [*SCALARS, "RANGE", "RANGE"] + ["RECORD"] * 4 * (depth < 4)
    kind = draw.choice(kinds)
    mode = draw.choice(["NULLABLE", "NULLABLE", "REPEATED"])
    made: Field = {"name": name, "type": kind, "mode": mode}
    if kind == "RANGE":
        made["rangeElementType"] = {"type": draw.choice(list(RANGED))}
    if kind == "RECORD":
        inside = range(draw.randint(1, 4))
        made["fields"] = [field(draw, f"f{number}", depth + 1) for number in inside]
    return made


def value(draw: Draw, made: Field, gaps: float) -> Any:
    """What stands in a cell."""
    if made["mode"] == "REPEATED":
        one = made | {"mode": "NULLABLE"}
        # No item of a list is NULL in BigQuery.
        return [{"v": value(draw, one, -gaps)} for _ in range(draw.choice([0, 1, 3]))]
    if draw.random() < gaps:
        return None
    if made["type"] == "RECORD":
        return {"f": [{"v": value(draw, inner, abs(gaps))} for inner in made["fields"]]}
    if made["type"] == "RANGE":
        bound = RANGED[made["rangeElementType"]["type"]]
        start, end = (
            draw.choice(["UNBOUNDED", bound(draw), bound(draw)]) for _ in range(2)
        )
        return f"[{start}, {end})"
    return SCALARS[made["type"]](draw)


def page(
    draw: Draw, fields: list[Field], rows: list[Any], total: int, token: str | None
) -> str:
    """A reply in a random order of keys, with white space and escapes or without."""
    reply = {
        "kind": "bigquery#getQueryResultsResponse",
        "schema": {"fields": fields},
        "totalRows": str(total),
        "jobComplete": True,
        "cacheHit": False,
    }
    if rows or draw.random() < 0.5:
        reply["rows"] = rows
    if token:
        reply["pageToken"] = token
    keys = draw.sample(list(reply), len(reply))
    indent = draw.choice([None, None, 1])
    separators = draw.choice([(",", ":"), None])
    ordered = {key: reply[key] for key in keys}
    return json.dumps(
        ordered, indent=indent, separators=separators, ensure_ascii=draw.random() < 0.5
    )


def plain(found: Any, made: Field) -> Any:
    """Our value with what we keep as text parsed, as Google's client does."""
    if found is None:
        return None
    if made["mode"] == "REPEATED":
        one = made | {"mode": "NULLABLE"}
        return [plain(item, one) for item in found]
    if made["type"] == "RECORD":
        return {
            inner["name"]: plain(found[inner["name"]], inner)
            for inner in made["fields"]
        }
    # More than 38 digits are text.
    if made["type"] == "BIGNUMERIC":
        return Decimal(found)
    return json.loads(found) if made["type"] == "JSON" else found


def test_random_results_are_what_googles_client_reads(bigquery: ScriptedBigQuery):
    hs.options.frames, hs.options.quiet = "pyarrow", True
    for number in range(TRIED):
        draw = random.Random(SEED + number)
        fields = [field(draw, f"c{column}", 1) for column in range(draw.randint(1, 8))]
        gaps = draw.choice([0, 0.2, 0.9])
        height = draw.choice([0, 1, 20])
        rows = [
            {"f": [{"v": value(draw, made, gaps)} for made in fields]}
            for _ in range(height)
        ]
        cut = draw.randint(0, height)
        pages = [rows] if draw.random() < 0.5 else [rows[:cut], rows[cut:]]
        for place, part in enumerate(pages):
            token = None if place == len(pages) - 1 else f"page {place}"
            bigquery.fault(
                method="GET",
                path="*/queries/*",
                status=200,
                content_type="application/json; charset=UTF-8",
                body=page(draw, fields, part, height, token),
            )
        ours = hs.interroge("SELECT all_types", cap="1 GiB").to_pylist()
        ours = [
            {made["name"]: plain(row[made["name"]], made) for made in fields}
            for row in ours
        ]
        schema = [SchemaField.from_api_repr(made) for made in fields]
        theirs = [dict(row.items()) for row in _rows_from_json(rows, schema)]
        try:
            assert_same(ours, theirs)
        except AssertionError as error:
            pytest.fail(f"result {number} (seed {SEED + number}): {error}")
