"""The examples in the docstrings run as they are printed."""

import doctest
import importlib
from pathlib import Path

import pytest

MODULES = ["charge", "decris", "errors", "montre", "options"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of(name, monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[2])
    module = importlib.import_module(f"headstart.{name}")
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
