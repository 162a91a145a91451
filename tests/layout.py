"""Checks that the code keeps its shape: dependencies point one way, files stay small.

Reads `cargo metadata` and the `use` lines; runs nothing of the product. Exits 1 with a line per fault.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "crates/hs-core/src"

# Which crates of this workspace each crate may depend on.
MAY_USE = {
    "hs-core": set(),
    "hs-bigquery": {"hs-core"},
    "hs-kernel": set(),
    "hs-cli": {"hs-core", "hs-bigquery", "hs-kernel"},
    "hs-python": {"hs-core", "hs-bigquery", "hs-cli", "hs-kernel"},
    # For tests, examples and benches: no part of the product depends on it.
    "hs-scripted-bigquery": set(),
}
# Foreign crates that only one crate of the workspace may know.
ONLY_IN = {"clap": "hs-cli", "pyo3": "hs-python"}
# Modules of hs-core, from the bottom up; each may use what stands before it in its own row's set.
BASE = {"control", "error", "explanation", "fix", "note", "text", "value"}
TABLE = BASE | {"table", "border", "builder", "flat"}
MODULE_MAY_USE = {
    "fix": set(),
    "error": {"fix"},
    "control": {"error"},
    "note": {"error", "fix"},
    "explanation": {"value"},
    "value": {"text"},
    "text": {"value"},
    # A table names the format it came from: the enum, no reader.
    "table": BASE | {"format"},
    "builder": TABLE,
    "border": TABLE,
    "fields": TABLE,
    "flat": TABLE,
    "memory": {"border", "error"},
    "source": BASE,
    "sink": BASE | {"source"},
    "format": TABLE | {"source", "sink"},
    "op": TABLE,
}
# Loading and saving are where operations and formats meet; the catalogue names their options.
MEETING_POINTS = {
    "op/charge/mod.rs",
    "op/charge/files.rs",
    "op/charge/folder.rs",
    "op/charge/front.rs",
    "op/charge/keys.rs",
    "op/charge/sheets.rs",
    "op/sauve/mod.rs",
    "op/sauve/target.rs",
    "op/catalogue.rs",
}
LINES_QUESTIONED, LINES_WRONG = 400, 700


def crate_faults() -> list[str]:
    command = ["cargo", "metadata", "--no-deps", "--format-version=1"]
    metadata = json.loads(subprocess.check_output(command, cwd=ROOT))
    faults = []
    for package in metadata["packages"]:
        name = package["name"]
        used = {
            item["name"] for item in package["dependencies"] if item["kind"] is None
        }
        own = {item for item in used if item.startswith("hs-")}
        if name not in MAY_USE:
            faults.append(f"crate {name} has no row in tests/layout.py")
            continue
        for item in sorted(own - MAY_USE[name]):
            faults.append(f"crate {name} must not depend on {item}")
        for foreign, owner in ONLY_IN.items():
            if foreign in used and name != owner:
                faults.append(
                    f"crate {name} must not depend on {foreign}: only {owner} does"
                )
    return faults


def without_tests(text: str) -> str:
    # A test module that stands in a file of its own ends nothing here.
    return text.split("#[cfg(test)]\nmod tests {", 1)[0]


def module_faults() -> list[str]:
    faults = []
    for path in sorted(CORE.rglob("*.rs")):
        inside = path.relative_to(CORE).as_posix()
        module = inside.split("/")[0].removesuffix(".rs")
        if module == "lib":
            continue
        if module not in MODULE_MAY_USE:
            faults.append(f"{inside}: module {module} has no row in tests/layout.py")
            continue
        allowed = MODULE_MAY_USE[module] | {module}
        if inside in MEETING_POINTS:
            allowed = allowed | {"format", "source", "sink"}
        used = set(re.findall(r"\bcrate::(\w+)", without_tests(path.read_text())))
        modules = {
            item
            for item in used
            if (CORE / f"{item}.rs").exists() or (CORE / item).is_dir()
        }
        for item in sorted(modules - allowed):
            faults.append(f"{inside}: module {module} must not use {item}")
    return faults


def size_faults() -> tuple[list[str], list[str]]:
    command = [
        "git",
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "*.rs",
        "*.py",
    ]
    faults, questions = [], []
    for name in subprocess.check_output(command, cwd=ROOT, text=True).split():
        path = ROOT / name
        tests = (
            name.startswith(("tests/", "fixtures/", "bench/")) or "tests" in path.stem
        )
        if tests or not path.exists():
            continue
        text = path.read_text()
        lines = without_tests(text).count("\n")
        if not text.startswith(("//!", '"""', "#![", "# ")):
            faults.append(f"{name}: opens without saying what it is")
        if lines > LINES_WRONG:
            faults.append(f"{name}: {lines} lines, more than {LINES_WRONG}")
        elif lines > LINES_QUESTIONED:
            questions.append(f"{name}: {lines} lines, is that one thing?")
    return faults, questions


def main() -> int:
    sizes, questions = size_faults()
    faults = crate_faults() + module_faults() + sizes
    for line in questions:
        print("question:", line)
    for line in faults:
        print("fault:", line)
    print(f"layout: {len(faults)} faults, {len(questions)} questions")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
