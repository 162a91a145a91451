"""What the cases say in words: other right values, right errors, and an assertion for each sentence.

Keyed by the number of the case, or by number and position (`025/0`) where the variants differ. Every
assertion takes the columns (name to plain values) and what was said. Standard library only.
"""

import decimal
import math
import re
from collections.abc import Callable


def brief(value) -> str:
    text = repr(value)
    return text if len(text) <= 70 else text[:66] + " ..."


# Other values of a column that a case allows in words (`also_ok`).
ALSO = {
    "003": {"hash": [[2**64 - 1, 2**64, 2**128, 7]]},
    "005": {"shipped": [["09/05/2022", "05/09/2022", "31/12/2022", "07/01/2022"]]},
    "007": {
        "t": [
            [
                "2023-03-26T01:59:59+01:00",
                "2023-03-26T03:00:00+02:00",
                "2023-03-26T01:00:00Z",
            ]
        ]
    },
    "009": {"pop": [[68527, 1204000, 950]]},
    "010": {"amount": [[1250.5, -75, 0]], "margin": [[0.125, -0.03, 1.0]]},
    "011": {"flag": [["true", "FALSE", "True", None]]},
    # An empty line of a file with one column may be a row without a value.
    "021": {"only": [[None]]},
    "034": {"big": [["123456789012345678901234567890", "5"]]},
    "053": {"b": [["=A2*10", 30], ["=A2*10", "30"]]},
    "054": {"note": [["", None]]},
    "057": {"x": [["1", "#DIV/0!", "#N/A", "4"], [1, "#DIV/0!", "#N/A", 4]]},
    "061": {"node": [[1001, 1002, "10A3", None, 1004]]},
    "064": {"code": [["7B", 18.6, 40.35, "9.2-4"]]},
    "065": {"zip": [["00501", "02139"]]},
}
# The same, but only together with a word about it.
ALSO_WHEN_SAID = {
    "050": {
        "day": [
            ["1900-01-01", "1900-01-02", "1900-02-28", day, "1900-03-01", "1900-12-31"]
            for day in ("1900-02-28", "1900-02-29", 60)
        ]
    }
}
# Cases where a right table without a word is a silent loss, and the column that makes it so.
NEEDS_A_WORD = {"053": "b", "057": "x"}
# What hs has to say beside a right table, by case and position.
HS_SAYS = {
    "006/0": "%d/%m/%Y",
    "008/1": "delimiter",
    "016/1": "windows-1252",
    "030/1": "skipped 1 bad line",
    "032/0": "repeated",
    "053/0": "1 formula",
    "057/0": "A3",
    "059/0": "Secret",
}
# Where the contract of hs is milder than the case, as long as it is told: a bad line is skipped.
HS_TELLS = {"030/0": "skipped 1 bad line", "030/3": "skipped 1 bad line"}


def near(text: str, word: str, number: int) -> bool:
    """True when a message names a line (or the like) and its number."""
    return bool(re.search(rf"\b{word}\b\D{{0,12}}\b{number}\b", text, re.IGNORECASE))


def line(number: int) -> Callable[[str], bool]:
    return lambda said: any(near(said, word, number) for word in ("line", "row"))


# Errors that are the right answer, by case and file.
RIGHT_ERRORS = {
    ("016", "in.csv"): lambda said: (
        "encoding" in said and bool(re.search("byte|position", said))
    ),
    ("017", "in.csv"): line(2),
    ("021", "empty.csv"): lambda said: bool(
        re.search("empty|blank|no columns", said, re.IGNORECASE)
    ),
    ("021", "blank.csv"): lambda said: bool(
        re.search("empty|blank|no columns", said, re.IGNORECASE)
    ),
    ("023", "in.csv"): line(2),
    ("025", "in.csv"): line(3),
    ("030", "in.jsonl"): line(2),
    ("030", "comma.jsonl"): line(1),
    ("030", "concat.jsonl"): line(1),
    ("032", "in.json"): lambda said: bool(re.search(r"[\"'`]v[\"'`]", said)),
    ("035", "in.json"): lambda said: (
        "NaN" in said and bool(re.search(r"\d", said.replace("in.json", "")))
    ),
    ("059", "in.xlsx"): lambda said: "sheet" in said.lower(),
}


def among(columns, choices) -> bool | str:
    """True when every column is one of its choices; else what is wrong."""
    if list(columns) != list(choices):
        return f"columns {brief(list(columns))} instead of {brief(list(choices))}"
    for name, values in columns.items():
        if values not in choices[name]:
            return f"`{name}` is {brief(values)} instead of {brief(choices[name][0])}"
    return True


def check_008(columns, said):
    choices = {
        "Artikel": (["Schraube", "Platte", "Dübel"],),
        "Preis": (["0,05", "1.299,99", "12,50"], [0.05, 1299.99, 12.5]),
        "Menge": (["1.200", "3", "10"], [1200, 3, 10]),
        "Summe": (["60,00", "3.899,97", "125,00"], [60, 3899.97, 125]),
    }
    return among(columns, choices)


def check_016(columns, said):
    choices = {
        "Código": ([12, 34],),
        "Descripción": (["cañón – 5 €", "“cita”"],),
    }
    return among(columns, choices)


def check_018(columns, said):
    note = [f'first {i}, with comma\r\nsecond "{i}"\n\nfourth' for i in range(3000)]
    tail = [f"t{i}" for i in range(3000)]
    return columns == {"id": list(range(3000)), "note": note, "tail": tail}


def check_024(columns, said):
    if "blob" in columns:
        return columns == {
            "id": [1, 2],
            "blob": ["x" * 300_000, "é\n" * 70_000],
            "k": [7, 8],
        }
    return columns == {f"c{i}": [i, 2 * i] for i in range(6000)}


def check_025(columns, said):
    third = list(columns.values())[2:]
    return (
        columns["a"] == [1, 3, 6]
        and columns["b"] == [2, 4, None]
        and third == [[None, 5, None]]
    )


def check_032(columns, said):
    return columns["v"][0] == 20 and bool(said)


def check_038(columns, said):
    first, second, third = columns["links"]
    return (
        columns["id"] == [1, 2, 3]
        and columns["tags"] == [None, ["x", "y"], []]
        and first in ({}, {"self": None})
        and (second, third) == ({"self": "/a"}, None)
    )


def mapping(value) -> dict:
    """A map as a dict: readers give a dict, pairs, or structs of key and value."""
    if isinstance(value, dict):
        return value
    return dict(item.values() if isinstance(item, dict) else item for item in value)


def check_041(columns, said):
    number = decimal.Decimal
    wanted = {
        "u64": [2**64 - 1, 0, None],
        "dec": [
            number("12345678901234567890123456.0123456789"),
            number("-1E-10"),
            None,
        ],
        "ns": [
            "2023-11-14 22:13:20.123456789",
            "1970-01-01 00:00:00.000000001",
            None,
        ],
        "t": ["23:59:59.999999", "00:00:00", None],
        "d": ["0001-01-01", "9999-12-31", None],
        "bin": ["00ff", "", None],
        "cat": ["b", "a", None],
        "lst": [[1, None], [], None],
        "mp": [{"k": 1, "l": None}, {}, None],
        "st": [[1, "x"], [None, ""], None],
    }
    # Decimals may come as text, maps as pairs, structs with any names.
    forms = {
        "dec": lambda value: number(str(value)),
        "mp": mapping,
        "st": lambda value: list(value.values()),
    }
    found = {
        name: [
            value if value is None else forms.get(name, lambda item: item)(value)
            for value in values
        ]
        for name, values in columns.items()
    }
    return among(found, {name: (values,) for name, values in wanted.items()})


def check_060(columns, said):
    names = list(columns)
    if len(columns[names[0]]) == 2:
        rows = [[1, 2, 3], [4, 5, 9]]
        values = [list(row) for row in zip(*columns.values(), strict=True)]
        return names == ["Q1 Jan", "Q1 Feb", "Total Sum"] and values == rows
    firsts = [column[0] for column in columns.values()]
    return (
        len(names) == len(set(names)) == 3
        and all(names)
        and (names[0], names[2]) == ("Q1", "Total")
        and firsts == ["Jan", "Feb", "Sum"]
    )


def check_063(columns, said):
    late = columns["late"]
    return (
        len(late) == 1500
        and late[-300:] == [f"L{i}" for i in range(1201, 1501)]
        and late[:-300] == [None] * 1200
    )


# Assertions for the cases whose answer is a sentence, by number, or by number and position where the
# variants differ; columns is a dict of name to plain values.
SENTENCES = {
    "008": check_008,
    "016": check_016,
    "017": lambda columns, said: columns["id"] == [1, 2],
    "018": check_018,
    "021": lambda columns, said: not any(columns.values()),
    "024": check_024,
    "025/0": lambda columns, said: bool(said) and check_025(columns, said),
    "025/1": check_025,
    "030/0": lambda columns, said: False,
    "030/2": lambda columns, said: columns["n"] == [1, 2],
    "030/3": lambda columns, said: columns["n"] == [1, 2, 3],
    "032": check_032,
    "035": lambda columns, said: columns["x"][2] == -math.inf,
    "038": check_038,
    "041": check_041,
    "060": check_060,
    "063": check_063,
}
