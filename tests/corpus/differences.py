"""How an answer of hs differs from what the corpus expects: shape first, names, then values.

The normal form of a value and the hash of a column are those of the corpus' README; what cannot be
brought into that form is compared by the first rows, or not at all. Never runs hs or opens a file.
"""

import decimal
import hashlib
import json
import re
import struct

# Kinds of differences. After `refused`, `accepted` and `columns` nothing else is compared.
KINDS = ("refused", "accepted", "columns", "rows", "names", "values")
EXACT_AS_DOUBLE = 2**53
# Sample cells and names are cut at these lengths.
CUT, NAME_CUT = 100, 120
TABLE = {"columns", "rows", "data", "notes"}


def is_table(document) -> bool:
    """True for the envelope of a table, False for a json or toml document as it stands."""
    return isinstance(document, dict) and set(document) == TABLE


def normal(value) -> str:
    """The normal form of a value of JSON."""
    match value:
        case None:
            return "~"
        case bool():
            return f"b:{int(value)}"
        case int() if abs(value) > EXACT_AS_DOUBLE:
            return f"i:{value}"
        case int() | float():
            return "n:" + struct.pack(">d", value + 0.0).hex()
        case str():
            return f"s:{value}"
        case list():
            return "j:" + json.dumps(
                [normal(item) for item in value], ensure_ascii=False
            )
        case dict():
            # The corpus does not tell a key with null from a missing one inside of an object.
            present = {name: item for name, item in value.items() if item is not None}
            fields = {name: normal(item) for name, item in present.items()}
            return "j:" + json.dumps(fields, sort_keys=True, ensure_ascii=False)
    raise TypeError(f"no normal form for {type(value).__name__}")


def column_hash(values, form=normal) -> str:
    """The hash of a column: sha256 of the normal forms, a line each, cut to 16 digits."""
    lines = "\n".join(form(value) for value in values)
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def allowed(entry) -> set[str]:
    """Which ends are right for a file: {"loads"}, {"error"} or both."""
    decision = entry.get("decision", {}).get("answer")
    if isinstance(decision, str):
        words = decision.lower()
        if words.startswith("either"):
            return {"loads", "error"}
        if "error" in words or words.startswith("reject"):
            return {"error", "loads"} if re.search(r"\bor\b|->", words) else {"error"}
        return {"loads"}
    if "expected" not in entry:
        return {"error"}
    if "suite_verdict" in entry and entry["suite_verdict"] is None:
        return {"loads", "error"}
    return {"loads"} if entry["expected"].get("accept", True) else {"error"}


def refusal(entry, message):
    """The difference when hs gave an error, as pairs of kind and detail."""
    allows = "error" in allowed(entry)
    if "sheets" in entry.get("expected", {}):
        # There is no table in an empty sheet, and an error says so.
        sheet = first_visible(entry["expected"])
        allows = allows or sheet is None or not sheet["rows"]
    return [] if allows else [("refused", first_line(message))]


def differences(entry, document, texts=None):
    """The differences of what hs gave, as pairs of kind and detail.

    `texts` is the same file with every column as text, for csv, where hs can give that.
    """
    if "loads" not in allowed(entry):
        return [("accepted", "")]
    expected = entry.get("expected")
    if expected is None or expected.get("accept") is False:
        return []
    match entry["format"]:
        case "csv":
            return of_csv(entry, document, texts)
        case "json" | "jsonl":
            return of_json(expected, document)
        case "parquet":
            return of_columns(expected, document)
        case "toml":
            return []
    return of_sheet(expected, document)


def first_line(message: str) -> str:
    lines = message.splitlines()
    errors = [line for line in lines if line.startswith("hs: ")]
    return (errors or lines or [""])[0][:300]


def shape(expected_rows, expected, document):
    """The differences in size and names, and whether values can be compared."""
    found = [column["name"] for column in document["columns"]]
    if len(found) != expected["cols"]:
        detail = f"expected {expected['cols']}, found {len(found)}"
        return [("columns", detail)], False
    # Of very wide files only the first columns are listed.
    expected_names = [column["name"] for column in expected.get("columns", [])]
    found = found[: len(expected_names)]
    faults = []
    if document["rows"] != expected_rows:
        faults.append(("rows", f"expected {expected_rows}, found {document['rows']}"))
    for number, (name, wanted) in enumerate(zip(found, expected_names, strict=True), 1):
        if not same_name(name, wanted, number):
            faults.append(
                ("names", f"column {number}: expected {wanted!r}, found {name!r}")
            )
            break
    return faults, not faults or faults[0][0] != "rows"


def same_name(found: str, wanted, number: int) -> bool:
    """A blank name becomes column_N, a repeated one gets a number, numbers become text."""
    if wanted is None or not str(wanted).strip():
        return found == "" or bool(re.fullmatch(rf"column_{number}(\.\d+)?_*", found))
    if isinstance(wanted, float) and wanted.is_integer():
        wanted = int(wanted)
    wanted = str(wanted)
    if len(wanted) == NAME_CUT:
        return found.startswith(wanted)
    return found == wanted or bool(
        re.fullmatch(re.escape(wanted) + r"(\.\d+)+|" + re.escape(wanted) + "_", found)
    )


def sample_of(expected, index: int):
    """The first cells of a column; the rows of a sample end after a dozen columns."""
    return [row[index] for row in expected["sample"] if index < len(row)]


def values_of(document, index: int):
    """The values of a column; row objects have a key for every column, in order."""
    return [list(row.values())[index] for row in document["data"]]


def of_csv(entry, document, texts):
    """A csv: typed columns by their first rows, text by the hash of the whole column."""
    if not is_table(document):
        return [("columns", "expected a table, found a document")]
    expected = entry["expected"]
    faults, comparable = shape(max(expected["rows"] - 1, 0), expected, document)
    if not comparable:
        return faults
    whole = document if texts is None or texts["rows"] != document["rows"] else texts
    comma = entry.get("settings", {}).get("delimiter") != ","
    for index, column in enumerate(expected["columns"]):
        name, values = column["name"], values_of(document, index)
        # The sample begins with the header.
        for number, wanted in enumerate(sample_of(expected, index)[1:], 1):
            if not same_text(values[number - 1], wanted, comma):
                found = values[number - 1]
                detail = f"column {name!r}, row {number}: expected {wanted!r}, found {found!r}"
                return [*faults, ("values", detail[:300])]
        if whole["columns"][index]["type"] == "text":
            cells = ["" if cell is None else cell for cell in values_of(whole, index)]
            if column_hash(cells) != column["hash"]:
                return [*faults, ("values", f"column {name!r} as a whole")]
    return faults


def same_text(found, wanted, comma: bool) -> bool:
    """True when a typed value may stand for the text of a csv cell.

    `comma`: a comma may be the decimal mark, because it is not the delimiter.
    """
    if wanted is None or found is None:
        words = ("", "na", "n/a", "#n/a", "nan", "null", "none", "-")
        return found is None and (wanted or "").strip().lower() in words
    wanted = wanted.strip()
    match found:
        case bool():
            return wanted.lower() == str(found).lower()
        case int() | float():
            digits = wanted.replace(" ", "")
            forms = [digits, digits.replace(",", "")]
            if comma:
                forms.append(digits.replace(".", "").replace(",", "."))
            return any(is_number(form) and same_number(form, found) for form in forms)
        case str():
            # Text is compared as a whole; a date in ISO form only as text, where hs can give that.
            return True
    return False


def same_number(text: str, found: float) -> bool:
    """Equal digits of an int; a float is rounded once."""
    if isinstance(found, int):
        return decimal.Decimal(text) == found
    return float(text) == found


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def of_json(expected, document):
    table = is_table(document)
    if "top" in expected:
        kind = (
            "list" if table or isinstance(document, list) else type(document).__name__
        )
        size = (
            document["rows"]
            if table
            else len(document)
            if hasattr(document, "__len__")
            else None
        )
        same = kind == expected["top"] and expected.get("len") in (size, None)
        return (
            []
            if same
            else [("rows", f"expected {expected['top']} of {expected.get('len')}")]
        )
    if "columns" not in expected:
        return []
    if isinstance(document, dict) and not table:
        # A single object is a document: its keys are the names, its values the one row.
        document = {
            "columns": [{"name": name, "type": "json"} for name in document],
            "rows": 1,
            "data": [document],
        }
    elif not table:
        return [("columns", f"expected a table, found a {type(document).__name__}")]
    return of_columns(expected, document)


def of_columns(expected, document):
    """json, jsonl and parquet: rows, names, and the hash of every column."""
    columns = expected["columns"]
    faults, comparable = shape(expected["rows"], expected, document)
    if not comparable:
        return faults
    for index, column in enumerate(columns):
        form = form_of(column.get("type", "json"))
        if form is None:
            continue
        values = values_of(document, index)
        try:
            found = column_hash(values, form)
        except (TypeError, ValueError) as error:
            faults.append(("values", f"column {column['name']!r}: {error}"))
            break
        if found != column["hash"]:
            sample = sample_of(expected, index)
            detail = f"column {column['name']!r} ({column.get('type', 'json')}): expected {sample}, found {values[:3]}"
            faults.append(("values", detail[:300]))
            break
    return faults


def form_of(type_name: str):
    """The function from a JSON value to the normal form of a parquet type; None when there is none."""
    plain = r"json|bool|u?int\d+|double|string|large_string|null"
    if re.fullmatch(plain, type_name):
        return normal
    if type_name == "float":
        return lambda value: (
            normal(value)
            if value is None
            else normal(struct.unpack(">f", struct.pack(">f", value))[0])
        )
    if type_name.startswith(("timestamp", "date")):
        zone = "Z" if "tz=" in type_name else ""
        digits = 3 if type_name.startswith("date") else 9
        return lambda value: (
            "~" if value is None else "d:" + instant(value, digits) + zone
        )
    return None


def instant(text: str, digits: int) -> str:
    """ISO text with so many digits of a second, without its zone."""
    day, _, clock = text.partition(" ")
    clock = re.sub(r"([+-]\d\d:\d\d|Z)$", "", clock) or "00:00:00"
    clock, _, fraction = clock.partition(".")
    return f"{day}T{clock}.{fraction:0<{digits}}"


def first_visible(expected):
    hidden = expected.get("hidden", [])
    visible = (sheet for sheet in expected["sheets"] if sheet["name"] not in hidden)
    return next(visible, None)


def of_sheet(expected, document):
    """Workbooks: the first visible sheet; the row that hs takes for the header is the first."""
    sheet = first_visible(expected)
    if sheet is None or not is_table(document):
        return []
    listed = sheet.get("columns", [])
    # A column without a name and without a value is no column of a table.
    kept = [
        index
        for index, column in enumerate(listed)
        if column["name"] is not None or set(column["kinds"]) - {"~"}
    ]
    columns = [{"name": shown_name(listed[index]["name"])} for index in kept]
    cols = sheet["cols"] - len(listed) + len(kept)
    faults, comparable = shape(
        max(sheet["rows"] - 1, 0), {"cols": cols, "columns": columns}, document
    )
    if not comparable:
        return faults
    for number, row in enumerate(sheet.get("sample", [])[1:]):
        found = list(document["data"][number].values())
        wanted = [row[index] for index in kept if index < len(row)]
        for index, cell in enumerate(wanted):
            if not same_cell(found[index], cell):
                detail = f"row {number + 1}, column {index + 1}: expected {cell!r}, found {found[index]!r}"
                return [*faults, ("values", detail[:300])]
    if any(kind == "rows" for kind, _ in faults):
        return faults
    for index, column in enumerate(listed[index] for index in kept):
        # Dates, errors and mixed columns have no cell of the corpus' form any more.
        if set(column["kinds"]) - {"~"} not in ({"n"}, {"s"}, {"b"}):
            continue
        values = [
            None if value == "" else value for value in values_of(document, index)
        ]
        if column_hash(values) != column["hash"]:
            detail = f"column {column['name']!r} as a whole"
            return [*faults, ("values", detail)]
    return faults


def shown_name(cell):
    """The name that a header cell stands for: what is no text as it is written in text."""
    match str(cell)[:2]:
        case "d:":
            return cell[2:12] if cell.endswith("T00:00:00.000") else cell[2:]
        case "b:":
            return "true" if cell == "b:1" else "false"
        case "t:" | "e:":
            return cell[2:].removesuffix(".000")
    return cell


def same_cell(found, wanted) -> bool:
    """True when a value may stand for a cell: a mixed column is text, an error is missing."""
    if wanted is None or wanted == "":
        return found in (None, "")
    if isinstance(wanted, str):
        if wanted.startswith("e:"):
            return found in (None, wanted[2:])
        if wanted.startswith("b:"):
            return str(found).lower() == ("true" if wanted == "b:1" else "false")
        if re.match(r"[dtD]:", wanted):
            return isinstance(found, str)
        return isinstance(found, str) and found[:CUT] == wanted[:CUT]
    if isinstance(found, str):
        return is_number(found) and abs(float(found) - wanted) <= 1e-9 * abs(wanted)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return False
    return abs(found - wanted) <= 1e-9 * max(abs(wanted), 1e-300)
