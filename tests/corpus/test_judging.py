"""The judges themselves: wrong answers of known kinds are found, right ones in other forms are not."""

import hashlib

import answers
import differences
import pytest
from answers import Answer
from cases import OWN, load_variants

VARIANTS = {variant.key: variant for variant in load_variants(OWN)}
ZIPS = VARIANTS["001-leading-zero-codes/0"]
CODES = [
    ("zip", ["00501", "02139", "10001"]),
    ("store", ["007", "012", "100"]),
    ("qty", [3, 0, 12]),
]


@pytest.mark.parametrize(
    ("columns", "said", "verdict"),
    [
        (CODES, "", answers.RIGHT),
        ([("zip", [501, 2139, 10001]), *CODES[1:]], "", answers.WRONG),
        ([("zip", [501, 2139, 10001]), *CODES[1:]], "a warning", answers.TOLD),
        ([("Zip", CODES[0][1]), *CODES[1:]], "", answers.WRONG),
        ([*CODES[:2], ("qty", [3, 0])], "", answers.WRONG),
        ([*CODES[:2], ("qty", [3, None, 12])], "", answers.WRONG),
        ([*CODES[:2], ("qty", [3.0, 0.0, 12.0])], "", answers.RIGHT),
        ([*CODES, ("qty", [3, 0, 12])], "", answers.WRONG),
        (None, "no such option", answers.ERROR),
    ],
)
def test_a_table_is_judged(columns, said, verdict):
    assert answers.judge(ZIPS, Answer(columns, said))[0] == verdict


def test_hs_has_to_give_the_type_and_is_not_excused_by_any_line():
    floats = Answer(
        [*CODES[:2], ("qty", [3.0, 0.0, 12.0])], "in.csv: 3 rows x 3 columns"
    )
    assert answers.judge_hs(ZIPS, floats)[0] == answers.WRONG
    silent = Answer([("city", ["Rome", "Bern"]), ("n", [1, 3])], "2 rows x 2 columns")
    skipping = VARIANTS["030-jsonl-garbage-after-object/0"]
    assert answers.judge_hs(skipping, silent)[0] == answers.WRONG
    silent.said += "\nskipped 1 bad line (first: line 2)"
    assert answers.judge_hs(skipping, silent)[0] == answers.TOLD


def test_an_error_is_right_only_where_it_names_the_place():
    ragged = VARIANTS["025-ragged-rows/0"]
    named = Answer(None, "expected 2 fields in line 3, saw 3")
    assert answers.judge(ragged, named)[0] == answers.RIGHT
    assert answers.judge(ragged, Answer(None, "ragged"))[0] == answers.ERROR


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# One text and one int column, two rows below the header, as the corpus writes it.
CSV = {
    "file": "a.csv",
    "format": "csv",
    "status": "agree",
    "settings": {"delimiter": ","},
    "expected": {
        "rows": 3,
        "cols": 2,
        "columns": [
            {"name": "code", "hash": sha("s:007\ns:")},
            {"name": "", "hash": sha("s:1,204\ns:-5")},
        ],
        "sample": [["code", ""], ["007", "1,204"], ["", "-5"]],
    },
}


def loaded(names=("code", "column_2"), rows=(("007", 1204), (None, -5))):
    kinds = ("text", "int")
    columns = [
        {"name": name, "type": kind} for name, kind in zip(names, kinds, strict=False)
    ]
    data = [dict(zip(names, row, strict=False)) for row in rows]
    return {"columns": columns, "rows": len(rows), "data": data, "notes": []}


@pytest.mark.parametrize(
    ("document", "kinds"),
    [
        (loaded(), []),
        (loaded(names=("code",)), ["columns"]),
        (loaded(names=("code", "n")), ["names"]),
        (loaded(rows=(("007", 1204),)), ["rows"]),
        (loaded(rows=(("07", 1204), (None, -5))), ["values"]),
        (loaded(rows=(("007", 1.204), (None, -5))), ["values"]),
        (loaded(rows=(("007", 1204), (None, 5))), ["values"]),
    ],
)
def test_differences_to_a_csv_are_found(document, kinds):
    assert [kind for kind, _ in differences.differences(CSV, document)] == kinds


def test_differences_to_a_json_are_found():
    nested = {"a": "n:3ff0000000000000"}
    columns = [{"name": "x", "hash": sha('j:{"a": "' + nested["a"] + '"}\n~')}]
    expected = {"accept": True, "rows": 2, "cols": 1, "columns": columns, "sample": []}
    entry = {
        "file": "a.json",
        "format": "json",
        "status": "agree",
        "expected": expected,
    }
    document = {"columns": [{"name": "x", "type": "struct"}], "rows": 2, "notes": []}
    document["data"] = [{"x": {"a": 1, "b": None}}, {"x": None}]
    assert differences.differences(entry, document) == []
    document["data"] = [{"x": {"a": "1"}}, {"x": None}]
    [(kind, _)] = differences.differences(entry, document)
    assert kind == "values"


def test_what_may_be_refused():
    invalid = {"file": "a.toml", "format": "toml", "status": "agree"}
    invalid["expected"] = {"accept": False}
    assert differences.differences(invalid, {"a": 1}) == [("accepted", "")]
    assert differences.refusal(invalid, "hs: a.toml: no") == []
    [(kind, detail)] = differences.refusal(CSV, "note\nhs: a.csv: no\nhint: none")
    assert (kind, detail) == ("refused", "hs: a.csv: no")
    either = {**CSV, "decision": {"answer": "an error that names line 2, or padding"}}
    assert differences.refusal(either, "hs: a.csv, line 2: no") == []
    assert differences.differences(either, loaded()) == []
