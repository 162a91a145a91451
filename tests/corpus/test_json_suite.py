"""Runs the public suite of JSON texts in the corpus beside the project: what RFC 8259 allows is read
as Python's own reader reads it, what it forbids is refused, the rest is either.

Without the folder everything is skipped, with the reason printed.
"""

import json
from pathlib import Path

import pandas
import pytest

import headstart as hs

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT.parent / "shared" / "corpus" / "nst+JSONTestSuite"
# What the standard leaves open, and what headstart makes of it. A number that no float holds is kept
# as exact text or decimal; text that is no Unicode is refused, since no column could hold it.
READ = {
    "number_double_huge_neg_exp",
    "number_huge_exp",
    "number_neg_int_huge_exp",
    "number_pos_double_huge_exp",
    "number_real_neg_overflow",
    "number_real_pos_overflow",
    "number_real_underflow",
    "number_too_big_neg_int",
    "number_too_big_pos_int",
    "number_very_big_negative_int",
    "string_UTF-16LE_with_BOM",
    "string_utf16BE_no_BOM",
    "string_utf16LE_no_BOM",
    "structure_500_nested_arrays",
    "structure_UTF-8_BOM_empty_object",
}


def texts(folder, prefix):
    if not SUITE.is_dir():
        reason = "no folder shared/corpus with the JSON suite beside the project"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="none")]
    return [
        pytest.param(path, id=path.stem)
        for path in sorted((SUITE / folder).glob(f"{prefix}*.json"))
    ]


@pytest.mark.parametrize("path", texts("test_parsing", "y_"))
def test_what_the_standard_allows_is_read_exactly(path):
    wanted = json.loads(path.read_bytes())
    found = hs.charge(path)
    if isinstance(found, pandas.DataFrame):
        assert found.astype(object).to_dict("records") == wanted
    else:
        assert found == wanted and type(found) is type(wanted)


@pytest.mark.parametrize("path", texts("test_parsing", "n_"))
def test_what_the_standard_forbids_is_refused(path):
    with pytest.raises(hs.FormatError):
        hs.charge(path)


@pytest.mark.parametrize("path", texts("test_parsing", "i_"))
def test_what_the_standard_leaves_open_is_decided(path):
    if path.stem.removeprefix("i_") in READ:
        found = json.dumps(hs.charge(path), default=str)
        assert "Infinity" not in found
    else:
        with pytest.raises(hs.FormatError):
            hs.charge(path)


@pytest.mark.parametrize("path", texts("test_transform", ""))
def test_doubtful_texts_are_read_or_refused(path):
    try:
        hs.charge(path)
    except hs.FormatError as error:
        assert path.name in str(error)
