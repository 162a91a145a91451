"""The same names, defaults and summaries in core, shell, Python and docs."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import headstart
from headstart import _headstart

ROOT = Path(__file__).resolve().parents[2]
HS = Path(sys.executable).parent / "hs"
# What the core calls by position or by the data itself is no parameter of the catalogue.
DATA_PARAMETERS = {
    "charge": {"path"},
    "sauve": {"path", "data"},
    "montre": {"x"},
    "combien": {"df", "key", "keys"},
    "compare": {"a", "b", "key"},
    "joins": {"a", "b", "key"},
    "decris": {"df"},
    "verifie": {"checks"},
    "interroge": {"sql"},
}
CATALOGUE = {function["name"]: function for function in _headstart.functions()}


def help_text(name: str) -> str:
    return subprocess.run(
        [HS, name, "--help"], capture_output=True, text=True, check=True
    ).stdout


def test_every_function_is_in_every_layer():
    listing = subprocess.run(
        [HS, "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert set(CATALOGUE) == set(DATA_PARAMETERS)
    for name in CATALOGUE:
        assert callable(getattr(headstart, name))
        assert re.search(rf"^\s+{name}\b", listing, re.MULTILINE)
        assert (ROOT / f"docs/{name}.md").exists()


@pytest.mark.parametrize("name", CATALOGUE)
def test_python_parameters_and_defaults(name):
    signature = inspect.signature(getattr(headstart, name))
    python = {
        parameter.name: repr(parameter.default)
        for parameter in signature.parameters.values()
        if parameter.name not in DATA_PARAMETERS[name]
    }
    core = {item["name"]: item["default"] for item in CATALOGUE[name]["parameters"]}
    assert python == core


@pytest.mark.parametrize("name", CATALOGUE)
def test_shell_options_and_defaults(name):
    text = help_text(name)
    for parameter in CATALOGUE[name]["parameters"]:
        if parameter["default"] == "True":
            # What is done unless one says no.
            assert f" --no-{parameter['name']}\n" in text
            continue
        name_in_shell = parameter["name"].replace("_", "-")
        if parameter["default"] == "False":
            assert f" --{name_in_shell}\n" in text
            continue
        option = re.search(
            rf"^ +(?:--|-){name_in_shell} <.*?(?=^ +-|\Z)",
            text,
            re.DOTALL | re.MULTILINE,
        )
        assert option, f"{parameter['name']} is not an option of hs {name}"
        if parameter["default"] not in ("None", "()"):
            default = ast.literal_eval(parameter["default"])
            written = ",".join(default) if isinstance(default, tuple) else default
            assert f"[default: {written}]" in option.group()


@pytest.mark.parametrize("name", CATALOGUE)
def test_summaries_are_the_same(name):
    summary = CATALOGUE[name]["summary"]
    page = (ROOT / f"docs/{name}.md").read_text()
    assert inspect.getdoc(getattr(headstart, name)).startswith(f"{summary}.\n")
    assert summary in help_text(name)
    assert f"\n{summary}.\n" in page
    assert f"`hs {name}" in page
    assert CATALOGUE[name]["alias"] in page


@pytest.mark.parametrize("name", CATALOGUE)
def test_alias_is_the_same_command(name):
    alias = CATALOGUE[name]["alias"]
    assert help_text(alias) == help_text(name)
