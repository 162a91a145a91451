"""The benches run, refuse wrong answers, and the published page is what their results say. Nothing here is timed."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "bench"))

import every
import goals
import page
import plot

RESULTS = json.loads(page.RESULTS.read_text(encoding="utf-8"))
WRONG = """
import sys
sys.path.append({bench!r})
from turns import Work, main, same_counts

def ways(given):
    return {{"headstart": lambda: given, "other": lambda: {other}}}

main("", [Work("a row", lambda rows, folder: rows, ways, lambda _: same_counts(), rows=7)])
"""


def call(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False
    )


def test_quick_benches_write_results_and_a_page(tmp_path):
    results, written = tmp_path / "results.json", tmp_path / "page.md"
    places = ["--results", results, "--page", written, "--peers", sys.executable]
    done = call(ROOT / "bench/every.py", "--quick", "--only", "combien", *places)
    assert done.returncode == 0, done.stderr
    rows = json.loads(results.read_text())["rows"]
    assert len(rows) == 4
    for row in rows:
        assert {"headstart", "pandas", "polars", "duckdb"} <= set(row["ways"])
        turns = {name: len(way["seconds"]) for name, way in row["ways"].items()}
        # A way that happens to be far slower has its turns cut short.
        assert turns["headstart"] == 3 and set(turns.values()) <= {2, 3}, turns
        assert f"| {row['row']} | <= 0.8 |" in written.read_text()
    assert "<svg" in written.with_suffix(".svg").read_text()


@pytest.mark.parametrize(("other", "code"), [("given", 0), ("given + 1", 1)])
def test_a_wrong_answer_ends_a_bench(tmp_path, other, code):
    script, out = tmp_path / "bench.py", tmp_path / "rows.jsonl"
    script.write_text(WRONG.format(bench=str(ROOT / "bench"), other=other))
    done = call(script, "--out", out)
    assert done.returncode == code, done.stderr
    assert out.exists() == (code == 0)
    assert ("other: 8 instead of 7" in done.stderr) == (code == 1)


def test_a_bench_that_fails_leaves_the_page_as_it_was(tmp_path):
    results, written = tmp_path / "results.json", tmp_path / "page.md"
    written.write_text("as it was")
    places = ["--results", results, "--page", written, "--peers", "/bin/false"]
    done = call(ROOT / "bench/every.py", "--quick", "--only", "joins", *places)
    assert done.returncode == 1
    assert "failed: joins" in done.stderr
    assert written.read_text() == "as it was"
    assert not results.exists()


def test_the_published_page_is_what_the_results_say(tmp_path):
    page.write(page.RESULTS, tmp_path / "performance.md")
    for name in ("performance.md", "performance.svg"):
        assert (tmp_path / name).read_text() == (page.PAGE.parent / name).read_text()


def works():
    """The rows of all benches; datacompy has an environment of its own, where the rows have a longer name."""
    for bench in every.BENCHES:
        if not bench.kernel:
            for work in importlib.import_module(bench.name).WORKS:
                yield work.row + ", with datacompy" * (bench.environment == "datacompy")


def test_every_row_has_a_goal_and_every_goal_a_row():
    wanted = {row for section in goals.SECTIONS for row in section.rows}
    assert set(works()) == wanted
    assert {row["row"] for row in RESULTS["rows"]} <= wanted


def test_every_reason_is_of_a_line_of_the_page():
    rows = {row for section in goals.SECTIONS for row in section.rows}
    lines = {line.row for _, _, lines in page.tables(RESULTS) for line in lines}
    assert set(goals.WHY) <= lines | rows | {f"memory of {row}" for row in rows}


def row(ours, theirs, **more):
    ways = {"headstart": {"seconds": ours, **more}, "polars": {"seconds": theirs}}
    return {"row": "work", "rows": 5, "ways": ways}


def test_a_ratio_is_the_median_of_the_pairs_and_is_held_against_its_goal():
    # By the medians it would be 1.
    (line,) = page.lines_of(row([1, 2, 9], [2, 4, 2]), (goals.Goal(0.5),))
    assert (line.ratio, line.met, line.theirs) == (0.5, True, "polars, 2.00 s")
    (line,) = page.lines_of(row([1, 2, 9], [2, 4, 2]), (goals.Goal(0.4),))
    assert line.met is False
    assert "0.50, goal <= 0.4. Not yet known." in page.missing([line])


def test_other_goals_are_of_memory_of_milliseconds_and_of_growth():
    given = row([0.012], [0.004], peak_mb=30)
    given["ways"]["polars"]["peak_mb"] = 20
    memory, own, more = page.lines_of(
        given,
        (
            goals.Goal(1, of="peak_mb"),
            goals.Goal(15, of="own"),
            goals.Goal(1.5, ("polars",), "more"),
        ),
    )
    assert (memory.ratio, memory.met) == (1.5, False)
    assert (own.ours, own.met) == ("12.0 ms", True)
    # 8 ms more for five starts.
    assert (more.ours, more.met) == ("1.6 ms more", False)
    grown = {
        "row": "growth",
        "ways": {"1M": {"seconds": [1]}, "10M": {"seconds": [12]}},
    }
    (line,) = page.lines_of(grown, (goals.Goal(1.1, of="growth"),))
    assert (line.row, line.ratio, line.met) == ("growth, 1M to 10M", 1.2, False)


def test_dots_stand_left_and_right_of_one():
    drawn = plot.picture([plot.Dot("a < b", 0.5, 0.9), plot.Dot("c", 2, 1)])
    dots = [line for line in drawn.splitlines() if line.startswith("<circle")]
    places = [float(dot.split('"')[1]) for dot in dots[:2]]
    one = next(line for line in drawn.splitlines() if ">1</text>" in line).split('"')[1]
    assert places[0] < float(one) < places[1]
    assert "a &lt; b" in drawn
