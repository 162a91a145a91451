"""Every function with one frame library installed, or none; the others cannot be imported, as where they are missing."""

import json
import os
import subprocess
import sys

import pytest

LIBRARIES = ("pandas", "polars", "pyarrow")

#: Before each program: no path leads to what is missing.
WITHOUT = """
import os, sys

class Without:
    missing = os.environ["MISSING"].split()

    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.missing:
            return None
        return self.finder.find_spec(name, path, target)

sys.meta_path[:] = map(Without, sys.meta_path)
"""

#: The nine functions on records and paths; of each result the library, and its rows by way of a file.
PROGRAM = """
import json
import headstart as hs

rows = [{"code": "00042", "n": 1, "x": 1.5}, {"code": "00043", "n": None, "x": 2.5}]
other = [{"code": "00042", "n": 2, "who": "a"}, {"code": "00044", "n": 3, "who": "b"}]
hs.sauve("rows.parquet", rows)
hs.sauve("other.csv", other)
hs.sauve("both.xlsx", {"rows": rows, "other": other})
hs.montre(rows)
hs.verifie({"positive": all(row["x"] > 0 for row in rows)})

results = {
    "charge": hs.charge("both.xlsx", sheet="other"),
    "combien": hs.combien(rows, "code"),
    "compare": hs.compare("rows.parquet", other, "code"),
    "joins": hs.joins(rows, "other.csv", "code", how="outer"),
    "decris": hs.decris("rows.parquet"),
}
told = {}
for name, result in results.items():
    # A result goes on as an argument.
    hs.decris(result)
    hs.sauve("result.json", result)
    with open("result.json") as file:
        told[name] = [type(result).__module__.partition(".")[0], json.load(file)]
try:
    hs.interroge("SELECT 1")
except hs.CredentialsError as error:
    told["interroge"] = error.hint
print("told", json.dumps(told), sep="\\n")
"""


def run(program: str, missing, folder) -> subprocess.CompletedProcess[str]:
    # Without numpy too, where nothing needs it.
    missing = [*missing, *(["numpy"] if "pandas" in missing else [])]
    unset = ("HEADSTART_FRAMES", "HEADSTART_QUIET", "GOOGLE_APPLICATION_CREDENTIALS")
    environment = {k: v for k, v in os.environ.items() if k not in unset}
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + program],
        env=environment | {"MISSING": " ".join(missing), "HOME": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("installed", [None, *LIBRARIES])
def test_every_function_works_on_records_and_paths(installed, tmp_path):
    done = run(PROGRAM, [name for name in LIBRARIES if name != installed], tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert "GOOGLE_APPLICATION_CREDENTIALS" in told.pop("interroge")
    assert {library for library, _ in told.values()} == {installed or "headstart"}
    rows = {name: rows for name, (_, rows) in told.items()}
    assert rows["charge"] == [
        {"code": "00042", "n": 2, "who": "a"},
        {"code": "00044", "n": 3, "who": "b"},
    ]
    assert [(row["code"], row["n"]) for row in rows["combien"]] == [
        ("00042", 1),
        ("00043", 1),
    ]
    assert [(row["state"], row["code"]) for row in rows["compare"]] == [
        ("changed", "00042"),
        ("only a", "00043"),
        ("only b", "00044"),
    ]
    assert [(row["code"], row["n_x"], row["n_y"]) for row in rows["joins"]] == [
        ("00042", 1, 2),
        ("00043", None, None),
        ("00044", None, 3),
    ]
    assert [row["type"] for row in rows["decris"]] == ["text", "int", "float"]


PLAIN = """
import headstart as hs
table = hs.decris([{"a": 1}])
for use in (lambda: table["a"], lambda: [row for row in table], lambda: table.head(3)):
    try:
        use()
    except (hs.TypeMismatchError, AttributeError) as error:
        print("told", error)
print("told", hasattr(table, "__array__"), hasattr(table, "shape"), len(table))
try:
    hs.options.frames = "polars"
except hs.ArgumentError as error:
    print("told", error)
"""


def test_a_table_without_a_library_says_what_to_install(tmp_path):
    done = run(PLAIN, LIBRARIES, tmp_path)
    assert done.returncode == 0, done.stderr
    told = done.stdout.partition("told ")[2].split("told ")
    subscript, loop, head, facts, option = told
    assert "found a plain headstart table\nhint: table.to_dicts() gives" in subscript
    assert loop == subscript
    assert head.startswith("a headstart table has no head\nhint: table.to_dicts()")
    assert "pip install pandas" in head
    assert facts.strip() == "False True 1"
    assert option.strip().endswith("hint: pip install polars")
