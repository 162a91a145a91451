"""The help of every command: its examples run, and it fits a terminal of 80 columns."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import headstart as hs

HS = Path(sys.executable).parent / "hs"
#: Why examples of these commands are not run here.
ELSEWHERE = {
    "interroge": "they need a service, and tests/cli/interroge.rs has one",
    "ipython": "it wants a terminal, and tests/kernel has one",
    "mcp": "a host speaks to it in tests/kernel",
    "kernel console": "it wants a terminal, and tests/kernel has one",
    "kernel serve": "a program speaks to it in tests/kernel",
    "kernel setup": "it fetches packages, and tests/kernel says what it does",
    "kernel install": "it writes into the user's own Jupyter, and tests/kernel says what it does",
}
#: Examples that say no: what is compared differs, what is checked does not hold, what is not there is not found.
SAY_NO = re.compile(r"hs (compare|verifie|kernel diff|kernel search)\b|paid = 'x'")


def helped(*command: str) -> str:
    environment = {**os.environ}
    environment.pop("COLUMNS", None)
    run = [HS, *command, "--help"]
    return subprocess.run(
        run, capture_output=True, text=True, check=True, env=environment
    ).stdout


def inner(*command: str) -> list[str]:
    text = helped(*command)
    if "\nCommands:\n" not in text:
        return []
    listed = text.partition("\nCommands:\n")[2].partition("\n\n")[0]
    names = re.findall(r"^  ([a-z]+)", listed, re.MULTILINE)
    return [name for name in names if name != "help"]


def commands() -> list[str]:
    outer = inner()
    of_kernel = [f"kernel {name}" for name in inner("kernel")]
    return ["", *outer, *of_kernel]


COMMANDS = commands()


def examples(command: str) -> list[str]:
    text = helped(*command.split())
    block = text.partition("Examples:\n")[2].partition("\n\n")[0]
    # What describes a command stands two blanks or more behind it.
    return [re.split(r" {2,}", line.strip())[0] for line in block.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_80_columns_and_begins_with_examples(command):
    text = helped(*command.split())
    assert max(map(len, text.splitlines())) <= 80
    if command == "mcp":
        # What hosts are told stands in their own form.
        return
    assert examples(command)
    about, _, rest = text.partition("\n")
    assert 20 < len(about)
    assert rest.startswith(("\nExamples:\n", "Examples:\n"))


ORDERS = """id,amount,country,city,customer,customer_id,status,zip,d,ordered,year,day,updated,source,rate
1,2.5,FR,Paris,1,1,paid,75001,31/12/2025,2026-01-03,2026,1,x,y,0.5
2,3.5,DE,Berlin,2,2,open,10115,01/02/2026,2026-02-01,2026,2,x,y,0.25
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files that the examples name."""
    folder = tmp_path_factory.mktemp("files")
    for name in [
        "orders",
        "old",
        "2026-01",
        "2026-02",
        "jan",
        "feb",
        "customers",
        "lines",
        "paid",
    ]:
        (folder / f"{name}.csv").write_text(ORDERS)
    changed = ORDERS.replace("2.5,FR", "2.505,FR")
    (folder / "new.csv").write_text(changed)
    (folder / "export.txt").write_bytes("größe;b\n1;2\n3;4\n".encode("cp1252"))
    hs.options.quiet = True
    frame = hs.charge(folder / "orders.csv")
    hs.sauve(folder / "new.parquet", hs.charge(folder / "new.csv"))
    hs.sauve(folder / "orders.parquet", frame)
    hs.sauve(folder / "orders.jsonl", frame)
    records = json.loads(frame[["id", "status"]].to_json(orient="records"))
    hs.sauve(folder / "orders.json", {"data": {"items": records}})
    sheets = {"Jan": frame, "Feb": frame}
    hs.sauve(folder / "orders.xlsx", sheets)
    hs.sauve(folder / "a.xlsx", sheets)
    hs.sauve(folder / "b.xlsx", sheets)
    hs.sauve(folder / "year.xlsx", {"2025": frame, "2026": frame})
    hs.options.quiet = None
    (folder / "cell.py").write_text("x = 1\n")
    (folder / "imports.py").write_text("import json\n")
    return folder


@pytest.mark.parametrize(
    "command", [name for name in COMMANDS if not name.startswith("kernel")]
)
def test_examples_run(command, files, tmp_path):
    if command in ELSEWHERE:
        pytest.skip(ELSEWHERE[command])
    folder = tmp_path / "work"
    shutil.copytree(files, folder)
    for kept in [
        ".local/share/bash-completion/completions",
        ".zfunc",
        ".config/fish/completions",
    ]:
        (folder / kept).mkdir(parents=True)
    environment = {
        **os.environ,
        "PATH": f"{HS.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "HEADSTART_QUIET": "1",
    }
    for variable in ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"]:
        environment[variable] = str(folder)
    for example in examples(command):
        if example.split()[1] in ELSEWHERE:
            continue
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {example}"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        wanted = (0, 1) if SAY_NO.search(example) else (0,)
        assert done.returncode in wanted, f"{example}\n{done.stderr}"
        assert "hint:" not in done.stderr, f"{example}\n{done.stderr}"


def test_hs_alone_says_what_it_does_on_a_short_screen():
    done = subprocess.run([HS], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) <= 12
    assert "hs --help" in done.stderr


def test_manual_pages_are_right(tmp_path):
    pages = tmp_path / "man1"
    subprocess.run([HS, "man", "-q", "--out", pages], check=True)
    names = {page.stem for page in pages.iterdir()}
    wanted = {"-".join(["hs", *name.split()]) for name in COMMANDS}
    assert names == wanted
    if shutil.which("man") is None:
        pytest.skip("there is no man on this machine")
    for page in pages.iterdir():
        done = subprocess.run(
            ["man", "--warnings", "-l", page],
            env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == "", page.name
        assert "EXAMPLES" in done.stdout
