"""The runner of the corpus: every way to end is told apart, and the list of accepted differences holds."""

import pytest
import run

FAKE = """#!/bin/sh
case $2 in
    *hang*) exec sleep 60 ;;
    *abort*) kill -ABRT $$ ;;
    *memory*) exec python3 -c 'bytes(3 << 30)' ;;
    *panic*) echo "thread 'main' panicked at lib.rs:1:1" >&2; exit 101 ;;
    *caught*) echo "hs: a.csv: the csv reader failed on this file: no" >&2; exit 2 ;;
    *error*) echo "hs: a.csv: no" >&2; exit 2 ;;
    *mute*) exit 2 ;;
    *) echo '{"a": 1}' ;;
esac
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """A program in the place of hs, that ends as the name of the file says."""
    program = tmp_path / "hs"
    program.write_text(FAKE)
    program.chmod(0o755)
    monkeypatch.setattr(run, "HS", program)
    monkeypatch.setattr(run, "CORPUS", tmp_path)
    monkeypatch.setattr(run, "SECONDS", 2)


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("fine.csv", "loads"),
        ("error.csv", "error"),
        ("panic.csv", "panic"),
        ("caught.csv", "panic"),
        ("abort.csv", "abort"),
        ("memory.csv", "abort"),
        ("mute.csv", "abort"),
        ("hang.csv", "hang"),
    ],
)
def test_every_end_is_told_apart(fake, name, end):
    found, document, _ = run.charge(name)
    assert (found, document) == (end, {"a": 1} if end == "loads" else None)


def test_a_line_explains_one_kind_of_difference_of_its_files():
    line = ("a/*.json", "values", "because")
    assert run.explains(line, "a/b.json", "values")
    assert not run.explains(line, "a/b.json", "rows")
    assert not run.explains(line, "b/a.json", "values")
    exact = ("a/[1].csv", "rows", "because")
    assert run.explains(exact, "a/[1].csv", "rows")
    assert not run.explains(exact, "a/1.csv", "rows")


def test_every_accepted_difference_has_a_reason():
    lines = run.accepted()
    assert len({line[:2] for line in lines}) == len(lines)


@pytest.mark.parametrize(
    ("name", "format_name"),
    [
        ("a/b.CSV", "csv"),
        ("b.tsv.gz", "csv"),
        ("b.ndjson", "jsonl"),
        ("b.xlsm", "xlsx"),
        ("b.md", None),
    ],
)
def test_formats_go_by_extension(name, format_name):
    assert run.format_of(name) == format_name
