"""A name that `hs` does not have is told with the one that was meant."""

import subprocess
import sys

import pytest

import headstart as hs
from headstart._headstart import functions


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("read_csv", "charge"),
        ("to_parquet", "sauve"),
        ("head", "montre"),
        ("descirbe", "decris"),
        ("chrage", "charge"),
        ("value_counts", "combien"),
        *(
            (one["alias"], one["name"])
            for one in functions()
            if one["alias"] != "compare"
        ),
    ],
)
def test_a_name_of_elsewhere_or_misspelt(name, meant):
    with pytest.raises(AttributeError, match=rf"{name!r}; did you mean hs\.{meant}\?$"):
        getattr(hs, name)


def test_a_name_like_no_other_has_no_hint():
    with pytest.raises(AttributeError, match="no attribute 'xyz'$"):
        hs.xyz  # noqa: B018


def test_nothing_is_looked_for_until_a_name_is_wrong():
    code = "import sys, headstart as hs; hasattr(hs, '_repr_html_'); print('difflib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
