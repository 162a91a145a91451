"""Runs the public suite of TOML documents in the corpus beside the project: what is valid gives the
typed answer that lies beside it, what is invalid is refused.

Without the folder everything is skipped, with the reason printed.
"""

import datetime
import decimal
import json
import math
from pathlib import Path

import pytest

import headstart as hs

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT.parent / "shared" / "corpus" / "toml-lang+toml-test" / "tests"
TYPES = {
    "string",
    "integer",
    "float",
    "bool",
    "datetime",
    "datetime-local",
    "date-local",
    "time-local",
}
# headstart reads TOML 1.1. The suite lists these under its invalid documents because of TOML 1.0, and
# the same forms under its valid ones because of 1.1.
VALID_SINCE_1_1 = {
    "datetime/no-secs": "seconds may be left out",
    "local-datetime/no-secs": "seconds may be left out",
    "local-time/no-secs": "seconds may be left out",
    "inline-table/linebreak-01": "line breaks are white space in inline tables",
    "inline-table/linebreak-02": "line breaks are white space in inline tables",
    "inline-table/linebreak-03": "line breaks are white space in inline tables",
    "inline-table/linebreak-04": "line breaks are white space in inline tables",
    "inline-table/trailing-comma": "a comma may end an inline table",
    "string/basic-byte-escapes": "\\xHH is an escape",
}


def documents(kind):
    if not SUITE.is_dir():
        reason = "no folder shared/corpus with the TOML suite beside the project"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="none")]
    folder = SUITE / kind
    return [
        pytest.param(path, id=path.relative_to(folder).with_suffix("").as_posix())
        for path in sorted(folder.rglob("*.toml"))
    ]


def same(found, wanted):
    """True when a value is the tagged one of the suite, in value and in type."""
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(found) == len(wanted)
            and all(map(same, found, wanted))
        )
    tag, text = wanted.get("type"), wanted.get("value")
    if set(wanted) != {"type", "value"} or tag not in TYPES or type(text) is not str:
        return (
            isinstance(found, dict)
            and found.keys() == wanted.keys()
            and all(same(found[key], wanted[key]) for key in wanted)
        )
    if tag == "string":
        return type(found) is str and found == text
    if tag == "integer":
        return type(found) is int and found == int(text)
    if tag == "bool":
        return type(found) is bool and found == (text == "true")
    if tag == "float":
        if isinstance(found, decimal.Decimal):
            return found == decimal.Decimal(text)
        number = float(text)
        both_nan = math.isnan(number) and type(found) is float and math.isnan(found)
        return both_nan or type(found) is float and found == number
    if tag == "date-local":
        return type(found) is datetime.date and found.isoformat() == text
    if tag == "time-local":
        wanted_time = datetime.time.fromisoformat(text)
        return type(found) is datetime.time and found == wanted_time
    moment = datetime.datetime.fromisoformat(text)
    zoned = isinstance(found, datetime.datetime) and found.tzinfo is not None
    return (
        type(found) is datetime.datetime
        and zoned == (tag == "datetime")
        and found == moment
    )


@pytest.mark.parametrize("path", documents("valid"))
def test_a_valid_document_gives_the_answer_of_the_suite(path):
    answer = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    found = hs.charge(path)
    assert same(found, answer), f"found {found!r}, the suite has {answer!r}"


@pytest.mark.parametrize("path", documents("invalid"))
def test_an_invalid_document_is_refused(path):
    name = path.relative_to(SUITE / "invalid").with_suffix("").as_posix()
    if name in VALID_SINCE_1_1:
        assert isinstance(hs.charge(path), dict)
        return
    with pytest.raises(hs.FormatError):
        hs.charge(path)


def test_the_comparison_tells_wrong_answers():
    assert same({"a": 1}, {"a": {"type": "integer", "value": "1"}})
    assert not same({"a": 1.0}, {"a": {"type": "integer", "value": "1"}})
    assert not same({"a": True}, {"a": {"type": "integer", "value": "1"}})
    assert not same({}, {"a": {"type": "integer", "value": "1"}})
    assert not same({"a": "1"}, {"a": {"type": "float", "value": "1"}})
    assert not same(
        datetime.datetime(2020, 1, 1),
        {"type": "datetime", "value": "2020-01-01T00:00:00Z"},
    )
