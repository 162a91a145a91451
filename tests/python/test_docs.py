"""Runs every example of README, docs and docstrings and compares what it prints.

Blocks in Markdown, by what they are called:

- `console`: `$ command`, then its output, both streams as a terminal shows them, to the letter;
- `text`: the same where ids, ages, sizes and paths are others each time, which are passed over; without a command it is
  text to look at;
- `pycon`: a session of Python, all blocks of a page one after another, as doctest has them;
- `python`: a whole program, which prints what its comments `# prints ...` say;
- `json`: is read;
- `sh`: for people; `FOR_PEOPLE` says why no test runs it.

The links between pages lead somewhere, docs/tour.ipynb runs, and the picture of a terminal shows what its commands print.
`python tests/python/test_docs.py` writes what the commands print now into the files and that
picture; read the diff before committing it.
"""

import contextlib
import doctest
import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import nbclient
import nbformat
import pytest
from scripted_bigquery import ScriptedBigQuery

import headstart

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONTRIBUTORS = [
    ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
]
TERMINAL = ROOT / "docs/pictures/terminal.py"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
#: Why the blocks of commands of a page are not run.
FOR_PEOPLE = {
    "README.md": "builds and installs headstart, and sets up another program",
    "interroge.md": "signs in to Google",
    "kernel.md": "opens a console, which needs a terminal; test_console.py does",
    "mcp.md": "sets up other programs",
    "performance.md": "takes an hour",
    "shell.md": "sets up the reader's shell",
}
#: Other programs that a page calls; their blocks run where they are.
OTHERS = ("xan", "duckdb")
#: What differs from run to run in a `text` block, and what stands for it.
VARIES = [
    (re.compile(r"\b[0-9a-f]{8}\b"), "ID"),
    (re.compile(r"\bnow\b|\d+ (?:second|minute)s? ago"), "AGO"),
    (re.compile(r"\d[\d.,]* (?:%|[KMG]?B|s)(?= |$)", re.MULTILINE), "SIZE"),
    (re.compile(r"\S*/bin/python\S*"), "PYTHON"),
    (re.compile(r" {2,}"), "  "),
]
#: Commands that only look: what a session saves in the background may be there a moment later.
LOOKS = re.compile(r"hs kernel (log|list|search|diff)\b")


@contextlib.contextmanager
def world():
    """The variables of the examples: where those of interroge lead, and where those of the kernel keep their sessions."""
    with (
        # Addresses of sockets must be short.
        tempfile.TemporaryDirectory(prefix="hs-", dir="/tmp") as sessions,
        tempfile.TemporaryDirectory() as kept,
        tempfile.TemporaryDirectory() as credentials,
        ScriptedBigQuery(Path(credentials)) as server,
    ):
        yield {
            **server.environment(),
            "XDG_RUNTIME_DIR": sessions,
            "XDG_CACHE_HOME": f"{kept}/cache",
            "XDG_DATA_HOME": f"{kept}/data",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "NO_COLOR": "1",
        }


@pytest.fixture(scope="module", autouse=True)
def service():
    """That world, for all examples."""
    with world() as variables, pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        yield


def blocks(page: Path, kind: str) -> list[str]:
    return [text for name, text in BLOCK.findall(page.read_text()) if name == kind]


def run(command: str) -> str:
    """What a command prints, both streams, as wide as it likes."""
    environment = {name: os.environ[name] for name in os.environ if name != "COLUMNS"}
    done = subprocess.run(
        ["sh", "-c", command],
        check=False,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
    )
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def missing_program(block: str) -> str | None:
    """A program of others that the block calls and that is not here."""
    called = set(re.findall(r"^\$ (\w+)", block, re.MULTILINE))
    gone = (name for name in OTHERS if name in called and not shutil.which(name))
    return next(gone, None)


def run_console(block: str) -> str:
    """The block again, with the output that its commands print now."""
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"{command}\n{run(command[2:])}" for command in commands)


def alike(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, word in VARIES:
        text = pattern.sub(word, text)
    return text


class Telling:
    """Runs the `text` blocks of a page, in which the ids of the page stand for those of the run."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}

    def run(self, block: str) -> str:
        """The block again; what is alike keeps the words of the page."""
        if not block.startswith("$ "):
            return block
        parts = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
        return "".join(
            f"$ {command}\n{self.ask(command, told)}" for command, told in parts
        )

    def ask(self, command: str, told: str) -> str:
        """What the command prints, told by the page where it is alike."""
        for written, real in self.ids.items():
            command = command.replace(written, real)
        until = time.monotonic() + 10
        printed = run(command)
        while LOOKS.match(command) and alike(printed) != alike(told):
            if time.monotonic() > until:
                break
            printed = run(command)
        identity = VARIES[0][0]
        self.ids |= dict(
            zip(identity.findall(told), identity.findall(printed), strict=False)
        )
        return told if alike(printed) == alike(told) else printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_examples_print_what_the_page_says(page):
    skipped = []
    for block in blocks(page, "console"):
        if program := missing_program(block):
            skipped.append(program)
            continue
        assert run_console(block) == block
    if skipped:
        pytest.skip(f"the rest ran; not here: {', '.join(sorted(set(skipped)))}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_with_ids_and_times_print_what_the_page_says(page):
    telling = Telling()
    for block in blocks(page, "text"):
        assert telling.run(block) == block


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_print_what_the_page_says(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    source = "\n".join(blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    outcome = doctest.DocTestRunner(optionflags=FLAGS).run(test)
    assert outcome.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_programs_print_what_their_comments_say(page):
    for program in blocks(page, "python"):
        command = [sys.executable, "-c", program]
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=60
        )
        assert done.stderr == ""
        assert done.stdout.splitlines() == re.findall("# prints (.*)", program)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_is_of_a_kind_that_is_looked_at(page):
    kinds = {kind for kind, _ in BLOCK.findall(page.read_text())}
    assert kinds <= {"console", "text", "pycon", "python", "json", "sh"}
    assert "sh" not in kinds or page.name in FOR_PEOPLE
    for text in blocks(page, "json"):
        json.loads(text)


def anchors(page: Path) -> set[str]:
    """What a link into a page may name: its headings as GitHub writes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", [*PAGES, *CONTRIBUTORS], ids=lambda page: page.name)
def test_links_lead_to_what_is_there(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name) if name else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


@pytest.mark.parametrize("page", CONTRIBUTORS, ids=lambda page: page.name)
def test_files_that_are_named_are_there(page):
    folders = ("crates", "headstart", "tests", "docs", "bench", "fixtures")
    there = [
        f"/{file.relative_to(ROOT)}"
        for folder in folders
        for file in (ROOT / folder).rglob("*.*")
    ]
    named = set(re.findall(r"`([a-z_/]*[a-z_]+\.(?:rs|py|csv|txt))`", page.read_text()))
    gone = {
        name for name in named if not any(one.endswith(f"/{name}") for one in there)
    }
    assert gone == set()


def test_the_notebook_runs():
    notebook = nbformat.read(ROOT / "docs/tour.ipynb", as_version=4)
    where = {"metadata": {"path": str(ROOT / "docs")}}
    nbclient.NotebookClient(notebook, timeout=60, resources=where).execute()
    [error] = [
        item
        for cell in notebook.cells
        for item in cell.outputs
        if item.output_type == "error"
    ]
    assert error.ename == "MergeError"


def test_the_picture_of_a_terminal_shows_what_the_commands_print(monkeypatch):
    monkeypatch.delenv("NO_COLOR")
    drawn = subprocess.check_output([sys.executable, TERMINAL, "-"], text=True)
    renew = "python docs/pictures/terminal.py draws it anew; look at it"
    assert drawn == TERMINAL.with_suffix(".svg").read_text(), renew


def modules():
    names = [
        item.name for item in pkgutil.walk_packages(headstart.__path__, "headstart.")
    ]
    return ["headstart", *(name for name in names if name != "headstart.__main__")]


@pytest.mark.parametrize("name", modules())
def test_docstring_examples_run(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    outcome = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert outcome.failed == 0


def write_pages(pages: list[Path]) -> None:
    for page in pages:
        telling = Telling()
        ways: dict[str, Callable[[str], str]] = {
            "console": run_console,
            "text": telling.run,
        }

        def renew(match: re.Match[str], ways=ways) -> str:
            kind, block = match.groups()
            if kind in ways and not missing_program(block):
                block = ways[kind](block)
            return f"```{kind}\n{block}```"

        page.write_text(BLOCK.sub(renew, page.read_text()))


if __name__ == "__main__":
    with world() as variables:
        os.environ.update(variables)
        write_pages([Path(name).resolve() for name in sys.argv[1:]] or PAGES)
    subprocess.run([sys.executable, TERMINAL], check=True)
