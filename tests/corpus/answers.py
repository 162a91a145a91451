"""What a case expects, and the verdict on the answer of any reader: ours and others, by one rule.

An answer is the columns as plain values, or none and the text of the error, and what was said
besides. The tables of a case are compared as they stand, its sentences by the assertions of
`sentences.py`. Standard library only; reads no data file and calls no reader.
"""

import datetime
import decimal
import math
from dataclasses import dataclass

from sentences import (
    ALSO,
    ALSO_WHEN_SAID,
    HS_SAYS,
    HS_TELLS,
    NEEDS_A_WORD,
    RIGHT_ERRORS,
    SENTENCES,
    brief,
)

RIGHT, TOLD, WRONG, ERROR = "right", "told", "wrong silently", "error"
EXACT_AS_FLOAT = 2**53


@dataclass
class Answer:
    """Columns as pairs of name and plain values; None after an error, whose text is in `said`."""

    columns: list[tuple[str, list]] | None
    said: str = ""


def plain(value):
    """A Python value as what JSON can hold; instants in UTC, containers item by item."""
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.UTC)
        return value.isoformat(sep=" ")
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return str(value)
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


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


def same(found, wanted, strict: bool) -> bool:
    """Equal values.

    Unless strict, an exact float is the int, midnight is the date, and the empty field of a text may
    be the empty text.
    """
    if not strict and wanted is None and found == "":
        return True
    if isinstance(wanted, float) and type(found) in (int, float):
        both_nan = math.isnan(found) and math.isnan(wanted)
        return both_nan or math.isclose(found, wanted, rel_tol=1e-12)
    if not strict and type(wanted) is int and type(found) is float:
        return found == wanted and abs(wanted) <= EXACT_AS_FLOAT
    if not strict and isinstance(found, str) and isinstance(wanted, str):
        found = found.removesuffix(" 00:00:00") if len(wanted) == 10 else found
    return type(found) is type(wanted) and found == wanted


def difference(columns, table, also, strict: bool) -> str | None:
    """The first difference between the columns and a table; None when they are the same.

    `also` has other values for a column of the table that are right, too.
    """
    names = [name for name, _ in columns]
    wanted_names = [column["name"] for column in table["columns"]]
    if names != wanted_names:
        return f"columns {brief(names)} instead of {brief(wanted_names)}"
    for (name, found), column in zip(columns, table["columns"], strict=True):
        wanted = [expected_value(value) for value in column["values"]]
        choices = [wanted, *also.get(name, [])]
        if any(same_column(found, choice, strict) for choice in choices):
            continue
        if len(found) != len(wanted):
            return f"rows: {len(found)} instead of {len(wanted)}"
        row = next(
            row
            for row, pair in enumerate(zip(found, wanted, strict=True))
            if not same(*pair, strict)
        )
        return f"`{name}` is {brief(found[row])} instead of {brief(wanted[row])}"
    return None


def same_column(found, wanted, strict: bool) -> bool:
    return len(found) == len(wanted) and all(
        same(ours, right, strict) for ours, right in zip(found, wanted, strict=True)
    )


def tables_of(expected) -> list[dict]:
    """The right table of a variant and the other tables that are right, too."""
    others = [item for item in expected.get("also_ok", []) if isinstance(item, dict)]
    return [item["table"] for item in [expected, *others] if "table" in item]


def judge(variant, answer: Answer, *, strict: bool = False) -> tuple[str, str]:
    """The verdict on an answer, and the reason where it is not the right one."""
    number = variant.number
    if answer.columns is None:
        check = RIGHT_ERRORS.get((number, variant.file))
        allowed = check is not None and check(answer.said)
        return (RIGHT, "") if allowed else (ERROR, answer.said)
    fault = _fault(variant, answer, strict)
    if fault is None:
        return RIGHT, ""
    return (TOLD if answer.said else WRONG), fault


def judge_hs(variant, answer: Answer) -> tuple[str, str]:
    """The verdict on an answer of hs: types count, too, and only what it had to say is told."""
    verdict, why = judge(variant, answer, strict=True)
    if answer.columns is None:
        return verdict, why
    key = short_key(variant)
    if verdict == RIGHT and HS_SAYS.get(key, "") not in answer.said:
        return WRONG, f"does not say {HS_SAYS[key]!r}"
    if verdict != TOLD:
        return verdict, why
    told = HS_TELLS.get(key)
    if told is None or told not in answer.said:
        return WRONG, why
    return TOLD, f"{why}, and says: {told}"


def short_key(variant) -> str:
    return f"{variant.number}/{variant.position}"


def _fault(variant, answer: Answer, strict: bool) -> str | None:
    number = variant.number
    columns = answer.columns
    names = [name for name, _ in columns]
    if len(names) != len(set(names)):
        return "two columns of one name"
    if number == "019" and len(columns) == 4 and not any(columns[3][1]):
        # A fourth, unnamed column without a value is one of the right answers.
        columns = columns[:3]
    tables = tables_of(variant.expected)
    if not tables:
        check = SENTENCES.get(short_key(variant)) or SENTENCES[number]
        return _sentence(check, dict(columns), answer.said)
    also = dict(ALSO.get(number, {}))
    if answer.said:
        also |= ALSO_WHEN_SAID.get(number, {})
    faults = [difference(columns, table, also, strict) for table in tables]
    if all(faults):
        return faults[0]
    silent = NEEDS_A_WORD.get(number)
    if silent in names and not answer.said and "must" in variant.expected:
        as_text = any(isinstance(value, str) for value in dict(columns)[silent])
        return None if as_text else f"no word about what is missing in `{silent}`"
    return None


def _sentence(check, columns, said) -> str | None:
    try:
        right = check(columns, said)
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        return f"{brief(columns)} ({type(error).__name__})"
    if right is True:
        return None
    return right or brief(columns)
