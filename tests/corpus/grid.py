"""Writes docs/correctness.md: every case through hs and other readers, judged by one rule.

`make docs` runs it with `--peers PYTHON`, which asks the other readers anew and keeps their verdicts in
`peers.json`; without, only hs runs and theirs are taken from there. The page is made, never edited.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import answers
import ours
from cases import OWN, ROOT, Variant, load_variants

PAGE = ROOT / "docs" / "correctness.md"
PEERS = Path(__file__).with_name("peers.json")
READERS = ("pandas", "polars", "duckdb", "pyarrow")
WORKBOOK_READERS = ("pandas", "polars", "fastexcel")
ALL_READERS = (*READERS, "fastexcel")
NO_ANSWER = "–"

INTRODUCTION = """\
# Correctness

How hs and other readers load the small files in [fixtures/cases](../fixtures/cases), each with a
right answer decided by hand. `make docs` writes this page; a test checks that hs still answers so.

- **right**: the table that the case expects, another that loses nothing, or the error that it asks for.
- **told**: something is missing or otherwise, and a warning or a printed line says so.
- **error**: a clean refusal where there is an answer. Nothing is lost, and nothing is loaded.
- **wrong silently**: a value is changed, lost, or under another name, without a word.
- **–**: the reader has no such format, or no simple option for it.

"""

HONESTY = """
Read it with care. The cases were written after public reports of faults in these and other readers, so
they show where readers differ, not how often that happens to you; hs was developed against them. Every
reader is called as one would call it first, by its default function and with the options that the case
names; readers that detect no delimiter are given it where a case is about something else. Many wrong answers go
away with one more option, for those who know that they need it. duckdb reads workbooks by an extension that is
fetched when it is asked for, and is left out there. A number
is right in any numeric type that holds it, a date also as midnight, a missing text also as the empty text; hs
alone has to give the type, too. Any warning counts as telling, whatever it says. Speed is not looked at here.
"""


def answers_of_peers(python: str) -> dict:
    """The verdicts of the other readers, asked now in their own environment."""
    command = [python, Path(__file__).with_name("peers.py")]
    given = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    verdicts = {}
    for variant in load_variants(OWN):
        verdicts[variant.key] = {}
        for reader, answer in given["answers"][variant.key].items():
            columns = answer["columns"]
            pairs = columns if columns is None else [tuple(pair) for pair in columns]
            verdict, why = answers.judge(variant, answers.Answer(pairs, answer["said"]))
            # The text of an error is the reader's; what it got wrong is kept.
            kept = why if verdict in (answers.WRONG, answers.TOLD) else ""
            verdicts[variant.key][reader] = [verdict, kept]
    return {"versions": given["versions"], "verdicts": verdicts}


def verdict_of_hs(variant: Variant) -> tuple[str, str] | None:
    if ours.missing_options(variant):
        return None
    return answers.judge_hs(variant, ours.through_python(variant))


def title(variant: Variant) -> str:
    """`006 dd mm dates ambiguous, date_order=dmy`: the case, its file and options where they matter."""
    parts = [f"{variant.number} {variant.name.replace('-', ' ')}"]
    if not variant.file.startswith("in."):
        parts.append(f"`{variant.file}`")
    parts += [f"`{name}={value}`" for name, value in variant.options.items()]
    return ", ".join(parts)


def cell(verdict) -> str:
    if verdict is None:
        return NO_ANSWER
    return f"**{verdict[0]}**" if verdict[0] == answers.WRONG else verdict[0]


def table(rows, readers) -> list[str]:
    lines = [
        f"| case | hs | {' | '.join(readers)} |",
        "|---|" + "---|" * (len(readers) + 1),
    ]
    for variant, hs, peers in rows:
        cells = [cell(hs), *(cell(peers.get(reader)) for reader in readers)]
        lines.append(f"| {title(variant)} | {' | '.join(cells)} |")
    return lines


def totals(rows) -> list[str]:
    """One row a reader: how its answers were, over the calls that it has an option for."""
    kinds = (answers.RIGHT, answers.TOLD, answers.ERROR, answers.WRONG)
    lines = [f"| reader | calls | {' | '.join(kinds)} |", "|---|" + "--:|" * 5]
    for reader in ("hs", *ALL_READERS):
        verdicts = [
            hs if reader == "hs" else peers.get(reader) for _, hs, peers in rows
        ]
        count = Counter(verdict[0] for verdict in verdicts if verdict is not None)
        cells = [str(count[kind]) for kind in kinds]
        lines.append(f"| {reader} | {sum(count.values())} | {' | '.join(cells)} |")
    return lines


def in_a_line(rows) -> str:
    """What the page shows, above everything else."""
    ours = Counter(hs[0] for _, hs, _ in rows if hs is not None)
    wrong = [
        sum(peers.get(reader, [""])[0] == answers.WRONG for _, _, peers in rows)
        for reader in ALL_READERS
    ]
    kinds = (answers.RIGHT, answers.TOLD, answers.ERROR)
    counts = ", ".join(f"{ours[kind]} {kind}" for kind in kinds)
    return (
        f"In short: of {ours.total()} calls hs has {counts}, {ours[answers.WRONG]} wrong silently; each of the "
        f"others was wrong without a word in {min(wrong)} to {max(wrong)} of its own."
    )


def what_was_wrong(rows) -> list[str]:
    """Every answer that was told or wrong, with the first thing that differs."""
    lines = []
    for variant, hs, peers in rows:
        faults = [
            f"  - {reader}: {why}"
            for reader, (verdict, why) in {"hs": hs or ("", ""), **peers}.items()
            if verdict in (answers.WRONG, answers.TOLD)
        ]
        if faults:
            lines += [f"- {title(variant)}. {reason(variant)}", *faults]
    return [line.replace("<", "\\<") for line in lines]


def reason(variant: Variant) -> str:
    return json.loads((variant.folder / "case.json").read_text())["reason"]


def page(peers: dict) -> str:
    """The text of the page: hs asked now, the others as kept."""
    rows = [
        (variant, verdict_of_hs(variant), peers["verdicts"][variant.key])
        for variant in load_variants(OWN)
    ]
    books = [row for row in rows if row[0].file.endswith(".xlsx")]
    others = [row for row in rows if row not in books]
    versions = peers["versions"]
    names = [f"{name} {versions[name]}" for name in READERS]
    ways = f"openpyxl {versions['openpyxl']} and polars with fastexcel {versions['fastexcel']}, and that alone"
    used = f"{', '.join(names[:-1])} and {names[-1]}. Workbooks: pandas with {ways}."
    parts = [
        INTRODUCTION + used,
        in_a_line(rows),
        "\n".join(totals(rows)),
        HONESTY,
        "## Text, JSON and parquet",
        "\n".join(table(others, READERS)),
        "## Workbooks",
        "\n".join(table(books, WORKBOOK_READERS)),
        "## What was wrong or told",
        "\n".join(what_was_wrong(rows)),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", help="the Python of the other readers' environment")
    arguments = parser.parse_args()
    if arguments.peers:
        peers = answers_of_peers(arguments.peers)
        text = json.dumps(peers, indent=1, ensure_ascii=False)
        PEERS.write_text(text + "\n", encoding="utf-8")
    peers = json.loads(PEERS.read_text(encoding="utf-8"))
    PAGE.write_text(page(peers), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
