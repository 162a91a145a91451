"""Runs every example of README, docs and docstrings and compares what it prints.

Examples in Markdown are `console` blocks (`$ command`, then its output, both streams as a terminal
shows them) and `pycon` blocks (doctest). `python tests/python/test_docs.py` writes what the commands
of the console blocks print now into the files; read the diff before committing it.
"""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from scripted_bigquery import ScriptedBigQuery

import headstart

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLE = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
PYCON = re.compile(r"(?<=^```pycon\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.fixture(scope="module", autouse=True)
def service(tmp_path_factory: pytest.TempPathFactory):
    """Where the examples of interroge lead."""
    folder = tmp_path_factory.mktemp("credentials")
    with ScriptedBigQuery(folder) as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment().items():
            patch.setenv(name, value)
        yield


def run_console(block: str) -> str:
    """The block again, with the output that its commands print now."""
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1"}
    environment.pop("COLUMNS", None)
    shown = []
    for command in commands:
        done = subprocess.run(
            ["sh", "-c", command[2:]],
            check=False,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        output = "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
        shown.append(f"{command}\n{output}")
    return "".join(shown)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_examples_print_what_the_page_says(page):
    for block in CONSOLE.findall(page.read_text()):
        if "$ hs" in block or "$ headstart" in block:
            assert run_console(block) == block


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_print_what_the_page_says(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    source = "\n".join(PYCON.findall(page.read_text()))
    test = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    outcome = doctest.DocTestRunner(optionflags=FLAGS).run(test)
    assert outcome.failed == 0


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


def write_pages() -> None:
    for page in PAGES:
        text = page.read_text()

        def renew(match: re.Match[str]) -> str:
            block = match.group(1)
            return run_console(block) if "$ hs" in block else block

        page.write_text(CONSOLE.sub(renew, text))


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as folder,
        ScriptedBigQuery(Path(folder)) as server,
    ):
        os.environ.update(server.environment())
        write_pages()
