"""Loads every file of the corpus beside the project in a child process and judges how that ended.

`make corpus` runs it: each file with 2 GiB of address space and 20 s through `hs charge FILE --format
json`, two at a time. Prints a table by format and a line for each difference to the expected answer
that `accepted.csv` does not explain. Exit code 1 after a panic, abort or hang in any format, or an
unexplained difference in the formats that are done. Nothing of the corpus is written anywhere.
"""

import argparse
import csv
import fnmatch
import json
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import differences

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
ACCEPTED = Path(__file__).with_name("accepted.csv")
HS = ROOT / "target" / "release" / "hs"
KIBIBYTES, SECONDS = 2 * 1024 * 1024, 20
FORMATS = {
    name: name for name in ("csv", "json", "jsonl", "toml", "parquet", "arrow", "ods")
}
FORMATS |= {"tsv": "csv", "tab": "csv", "txt": "csv", "ndjson": "jsonl"}
FORMATS |= {name: name for name in ("xlsx", "xls", "xlsb")} | {"xlsm": "xlsx"}
PACKED = {"gz", "zst", "bz2", "xz"}
# Formats whose every difference must be explained.
DONE = (
    *("csv", "json", "jsonl", "toml", "parquet", "arrow"),
    *("xlsx", "xls", "xlsb", "ods"),
)
ENDS = ("loads", "error", "panic", "abort", "hang")
UNFORGIVABLE = ("panic", "abort", "hang")


def format_of(name: str) -> str | None:
    parts = name.lower().rsplit("/", 1)[-1].split(".")
    if parts[-1] in PACKED:
        parts.pop()
    return FORMATS.get(parts[-1])


def files() -> dict[str, dict]:
    """The entry of every file that hs should be able to judge, by its path in the corpus."""
    lines = (CORPUS / "expected.jsonl").read_text().splitlines()
    found = {entry["file"]: entry for entry in map(json.loads, lines)}
    for path in sorted(CORPUS.rglob("*")):
        name = path.relative_to(CORPUS).as_posix()
        if "/" in name and name not in found and path.is_file() and format_of(name):
            found[name] = {"file": name, "format": format_of(name), "status": "unknown"}
    return found


def charge(name: str, *options: str) -> tuple[str, object, str]:
    """How hs ended on a file, what it gave, and what it said."""
    # No more memory than that, and no more output.
    limits = f"ulimit -v {KIBIBYTES} && ulimit -f {2 * KIBIBYTES}"
    limited = f'{limits} && exec "$@"'
    command = ["sh", "-c", limited, "sh", HS, "charge", name, "--format", "json"]
    with tempfile.TemporaryFile() as out:
        try:
            done = subprocess.run(
                [*command, *options],
                check=False,
                cwd=CORPUS,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            return "hang", None, f"no end within {SECONDS} s"
        said = done.stderr.decode(errors="replace")
        if "panicked at" in said or "reader failed on this file" in said:
            return "panic", None, said
        if done.returncode == 2 and "hs: " in said:
            return "error", None, said
        if done.returncode:
            return "abort", None, f"exit {done.returncode}: {said}"
        out.seek(0)
        return "loads", json.load(out), said


def alike_by_header(entry: dict) -> bool:
    """True when the only difference to a workbook is which row is the header.

    The readers of the corpus take the first row for it, hs may pass over titles.
    """
    sheet = differences.first_visible(entry["expected"])
    if sheet is None or not sheet["rows"]:
        return False
    options = ("--sheet", sheet["name"], "--header", str(sheet["origin"][0] + 1))
    end, document, _ = charge(entry["file"], *options)
    return end == "loads" and not differences.differences(entry, document)


def of_other_sheets(entry: dict) -> list[tuple[str, str]]:
    """The differences of the sheets that nobody asked for, except of which row is the header."""
    first = differences.first_visible(entry["expected"])
    sheets = entry["expected"].get("sheets", [])
    others = [sheet for sheet in sheets if sheet is not first and sheet.get("cells")]
    if not others:
        return []
    end, document, said = charge(entry["file"], "--sheet", "*")
    if end != "loads":
        kind = end if end in UNFORGIVABLE else "refused"
        return [(kind, f"all sheets: {differences.first_line(said)}")]
    faults = []
    for sheet in others:
        found = document["sheets"].get(sheet["name"])
        if found is None:
            faults.append(("refused", f"there is no sheet {sheet['name']!r}"))
            continue
        one = {**entry, "expected": {"sheets": [sheet]}}
        different = differences.of_sheet(one["expected"], found)
        if different and not alike_by_header(one):
            [(kind, detail), *_] = different
            faults.append((kind, f"sheet {sheet['name']!r}: {detail}"))
    return faults


def judge(entry: dict) -> tuple[str, list[tuple[str, str]]]:
    """How a file ended, and its differences to the expected answer."""
    name = entry["file"]
    end, document, said = charge(name)
    if end in UNFORGIVABLE:
        return end, [(end, differences.first_line(said))]
    if entry["status"] == "unknown":
        return end, []
    if end == "error":
        return end, differences.refusal(entry, said)
    texts = None
    if entry["format"] == "csv":
        text_end, texts, text_said = charge(name, "--types", "text")
        if text_end in UNFORGIVABLE:
            return text_end, [(text_end, differences.first_line(text_said))]
    faults = differences.differences(entry, document, texts)
    if "sheets" in entry.get("expected", {}):
        faults += of_other_sheets(entry)
    return end, faults


def accepted() -> list[tuple[str, str, str]]:
    """The differences that are meant so: file (or a pattern with `*`), kind, reason."""
    with ACCEPTED.open(newline="", encoding="utf-8") as lines:
        rows = [tuple(row.values()) for row in csv.DictReader(lines)]
    for row in rows:
        if len(row) != 3 or row[1] not in differences.KINDS or not row[2].strip():
            sys.exit(f"{ACCEPTED.name}: expected file,kind,reason, found {row}")
    return rows


def explains(line: tuple[str, str, str], name: str, kind: str) -> bool:
    pattern, explained, _ = line
    same = pattern == name or ("*" in pattern and fnmatch.fnmatchcase(name, pattern))
    return same and explained == kind


def print_table(entries: list[dict], outcomes: list[tuple[str, list]]) -> None:
    counts: dict[str, Counter] = {}
    for entry, (end, faults) in zip(entries, outcomes, strict=True):
        count = counts.setdefault(entry["format"], Counter())
        count.update(["files", end])
        count.update({kind for kind, _ in faults} - set(UNFORGIVABLE))
    counts["all"] = sum(counts.values(), Counter())
    columns = ("files", *ENDS, *differences.KINDS)
    print("format " + "".join(f"{name:>9}" for name in columns))
    for name, count in counts.items():
        print(f"{name:<7}" + "".join(f"{count[column]:>9}" for column in columns))


def print_agreement(entries, outcomes, lines) -> None:
    """How many of the files that all readers read alike hs reads so, too, by format."""
    counts: dict[str, Counter] = {}
    for entry, (_, faults) in zip(entries, outcomes, strict=True):
        if entry["status"] != "agree":
            continue
        known = [
            any(explains(line, entry["file"], kind) for line in lines)
            for kind, _ in faults
        ]
        if not faults:
            kind = "equal"
        elif "sheets" in entry["expected"] and alike_by_header(entry):
            kind = "header"
        else:
            kind = "explained" if all(known) else "other"
        counts.setdefault(entry["format"], Counter()).update(["files", kind])
    for name, count in counts.items():
        equal = count["equal"] + count["header"]
        print(
            f"{name}: {equal} of {count['files']} files that all readers read alike are equal "
            f"({equal / count['files']:.1%}; {count['header']} of them with header=), "
            f"{count['explained']} more are explained, {count['other']} are not"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="only files with this in the path")
    parser.add_argument("--all", action="store_true", help="print every difference")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if not CORPUS.is_dir():
        print(
            f"skipped: no folder {CORPUS.parent.name}/{CORPUS.name} beside the project"
        )
        return 0
    entries = [entry for name, entry in files().items() if arguments.only in name]
    lines = accepted()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        outcomes = list(pool.map(judge, entries))
    print_table(entries, outcomes)
    print_agreement(entries, outcomes, lines)
    used, wrong, explained, reported = set(), 0, 0, 0
    for entry, (_, faults) in zip(entries, outcomes, strict=True):
        for kind, detail in faults:
            known = [line for line in lines if explains(line, entry["file"], kind)]
            used.update(known)
            explained += bool(known)
            strict = entry["format"] in DONE or kind in UNFORGIVABLE
            wrong += strict and not known
            reported += not strict and not known
            if not known and (strict or arguments.all):
                print(f"{kind}: {entry['file']}: {detail}")
    for line in lines:
        if line not in used and arguments.only in line[0]:
            print(
                f"stale: {ACCEPTED.name}: {line[1]}: {line[0]}: no such difference now"
            )
    print(
        f"{explained} differences explained in {ACCEPTED.name}, {wrong} not explained, "
        f"{reported} in formats without a list yet (--all prints them)"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
