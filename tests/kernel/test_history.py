"""`hs kernel search`, `export`, `log`, `diff`, `restore` and the like on real sessions, as a person runs them."""

import json
import re
import subprocess
import time

import pytest
from shell import DEADLINE, Shell


@pytest.fixture(scope="module")
def hs():
    """One shell for the tests of this file, with a session `work`."""
    shell = Shell()
    started = shell("kernel", "start", "work")
    assert started.returncode == 0, started.stderr
    yield shell
    shell.close()


@pytest.fixture
def another():
    """A shell of the test's own."""
    shell = Shell()
    yield shell
    shell.close()


def data(done: subprocess.CompletedProcess[str]) -> list[dict]:
    return json.loads(done.stdout)["data"]


def checkpoint(shell, name="work") -> str:
    """The checkpoint of all that ran until now, on the disk."""
    done = shell("kernel", "checkpoint", name, "--format", "json")
    assert done.returncode == 0, done.stderr
    (row,) = data(done)
    return row["checkpoint"]


def log(shell, *options, name="work") -> list[dict]:
    done = shell("kernel", "log", "-s", name, *options, "--format", "json")
    assert done.returncode == 0, done.stderr
    return data(done)


def until(condition) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"


def test_what_ran_is_found(hs):
    hs.run("total_amount = 41\nprint('needle in', total_amount)")
    done = hs("kernel", "search", "-s", "work", "amount", "needle")
    assert (done.returncode, done.stderr) == (0, "")
    head, line = done.stdout.splitlines()
    assert head.split() == ["what", "when", "ended", "checkpoint", "line"]
    assert re.match(r"cell \d+ +(now|\d+ seconds? ago) +ok +[0-9a-f]{8} +print", line)
    (row,) = data(hs("kernel", "search", "-s", "work", "needle", "--format", "json"))
    assert (row["kind"], row["status"], row["session"]) == ("cell", "ok", "work")
    assert row["snippet"] == "print('needle in', total_amount)"
    # One argument with blanks is one text.
    search = ("kernel", "search", "-s", "work")
    assert hs(*search, "needle in").returncode == 0
    done = hs(*search, "in needle")
    assert (done.returncode, done.stderr) == (1, "nothing found\n")
    for words in (
        ['"foo(bar'],
        ["a", "AND"],
        ["*"],
        ["--", "-x"],
        ["--", "--all"],
    ):
        done = hs(*search, *words)
        assert done.returncode in (0, 1), done.stderr
        assert "error" not in done.stderr
    hs.run("needle = 2")
    done = hs(*search, "-n", "1", "needle")
    assert "the first 1 of 2; -n COUNT shows more" in done.stderr
    done = hs("kernel", "search", "-s", "nope", "x")
    assert done.returncode == 2
    assert "expected a session nope, found work" in done.stderr


def test_a_released_session_is_still_found_and_goes_on(another):
    assert another("kernel", "start", "old").returncode == 0
    another.run("needle = 1", session="old")
    another("kernel", "release", "old")
    search = ("kernel", "search", "-s", "old", "needle", "--format", "json")
    assert len(data(another(*search))) == 1
    done = another("kernel", "export", "-s", "old", "old.jsonl")
    assert (done.returncode, done.stdout) == (
        0,
        "1 cells and messages are in old.jsonl\n",
    )
    done = another("kernel", "import", "-s", "old", "old.jsonl")
    assert (done.returncode, done.stdout) == (
        0,
        "0 new cells and messages from old.jsonl\n",
    )
    assert another("kernel", "start", "old").returncode == 0
    another.run("needle = 2", session="old")
    assert len(data(another(*search))) == 2
    assert another("kernel", "start", "new", "--no-context").returncode == 0
    another.run("needle = 3", session="new")
    done = another("kernel", "search", "-s", "new", "needle")
    assert done.returncode == 2
    assert "it is off (--no-context)" in done.stderr
    another("kernel", "release", "new")
    done = another("kernel", "import", "-s", "new", "old.jsonl")
    assert "expected a session new" in done.stderr


def test_exports_are_files(hs):
    hs.run("print('```')")
    for name, words in [
        ("a.md", "````text\n```\n"),
        ("a.txt", "print('```')\n```\n"),
        ("a.jsonl", '{"headstart":"context","version":1}\n'),
    ]:
        done = hs("kernel", "export", "-s", "work", name)
        assert done.returncode == 0, done.stderr
        assert words in (hs.folder / name).read_text()
    done = hs("kernel", "export", "-s", "work", "a.md")
    assert done.returncode == 2
    assert "there is such a file already" in done.stderr
    done = hs("kernel", "export", "-s", "work", "a.md", "--overwrite")
    assert done.returncode == 0
    done = hs("kernel", "export", "-s", "work", "a.pdf")
    assert done.returncode == 2
    assert "a.pdf: expected a file that ends in .jsonl, .md or .txt" in done.stderr
    assert not (hs.folder / "a.pdf").exists()


def test_the_log_is_a_tree_and_ids_may_be_short(another):
    assert another("kernel", "start", "work").returncode == 0
    done = another("kernel", "log", "-s", "work")
    assert (done.returncode, done.stdout) == (0, "")
    another.run("x = 1")
    fork = checkpoint(another)
    another.run("x = 2; only = 1")
    one = checkpoint(another)
    done = another("kernel", "restore", "work", fork[:8])
    assert done.returncode == 0, done.stderr
    assert f"session work has checkpoint {fork[:8]}" in done.stdout
    assert another.run("x, 'only' in globals()").stdout == "(1, False)\n"
    another.run("x = 3\ny = 1")
    two = checkpoint(another)
    rows = log(another)
    by_id = {row["id"]: row for row in rows}
    assert [row["id"] for row in rows if row["held"]] == [two]
    assert by_id[by_id[fork]["parent"]]["code"] == "x = 1"

    def ancestors(name):
        while name:
            yield name
            name = by_id[name]["parent"] if name in by_id else None

    assert fork in ancestors(one)
    assert fork in ancestors(two)
    assert one not in ancestors(two)
    lines = another("kernel", "log", "-s", "work", "--graph").stdout.splitlines()
    assert lines[0].startswith("*") and two[:8] in lines[0]
    assert "|/" in lines
    assert sum("x = 1" in line for line in lines) == 1
    assert len(log(another, "-n", "2")) == 2
    # What differs, and what a restore of the other branch brings back.
    done = another("kernel", "diff", one[:8], two)
    assert done.returncode == 1
    assert sorted(line.split("  ")[0] for line in done.stdout.splitlines()) == [
        "+ y",
        "- only",
        "~ x",
    ]
    assert another("kernel", "diff", one, one).returncode == 0
    rows = data(another("kernel", "diff", one, two, "--format", "json"))
    assert {row["name"]: row["change"] for row in rows} == {
        "only": "removed",
        "x": "changed",
        "y": "added",
    }
    assert another("kernel", "restore", "work", one).returncode == 0
    assert another.run("x, only").stdout == "(2, 1)\n"
    done = another("kernel", "restore", "work", "startup")
    assert "the state before the first cell" in done.stdout
    assert another.run("'x' in globals()").stdout == "False\n"
    for wrong, words in [
        ("abc", "4 or more of its first digits"),
        ("../../x", "expected the id of a checkpoint"),
        ("0" * 32, "there is no checkpoint"),
    ]:
        for command in (("restore", "work", wrong), ("diff", one, wrong)):
            done = another("kernel", *command)
            assert done.returncode == 2
            assert words in done.stderr
    # A session that is gone has a log still.
    another("kernel", "release", "work")
    assert {one, two, fork} <= {row["id"] for row in log(another)}
    done = another("kernel", "log", "-s", "nope")
    assert done.returncode == 2
    assert "expected a session nope" in done.stderr


def test_a_cell_is_stopped_and_waited_for_by_others(hs, tmp_path):
    for command in ("interrupt", "wait"):
        done = hs("kernel", command, "work")
        assert (done.returncode, done.stdout) == (0, "")
        assert "nothing runs" in done.stderr
    begun = tmp_path / "begun"
    hs.run("kept = 7")
    code = (
        f"import time\nopen({str(begun)!r}, 'w').close()\nprint('on'); time.sleep(600)"
    )
    process = hs.popen("kernel", "run", "-s", "work", code)
    until(begun.exists)
    waiting = hs.popen("kernel", "wait", "work")
    done = hs("kernel", "wait", "work", "--timeout", "0.1")
    assert done.returncode == 2
    assert "the cell goes on" in done.stderr
    done = hs("kernel", "interrupt", "work")
    assert (done.returncode, done.stdout) == (
        0,
        "stopped import time ...; variables are kept\n",
    )
    assert process.communicate(timeout=DEADLINE)[0] == "on\n"
    assert process.returncode == 1
    out, _ = waiting.communicate(timeout=DEADLINE)
    # Whoever came after the end found nothing running.
    assert out == "" or out.startswith("on\n")
    assert hs.run("kept").stdout == "7\n"


def test_a_wait_shows_the_result(hs, tmp_path):
    gate, begun = tmp_path / "gate", tmp_path / "begun"
    code = (
        f"import os\nopen({str(begun)!r}, 'w').close()\n"
        f"while not os.path.exists({str(gate)!r}): pass\nprint('done'); 1 / 0"
    )
    process = hs.popen("kernel", "run", "-s", "work", code)
    until(begun.exists)
    waiting = hs.popen("kernel", "wait", "work", "--format", "json")
    # It is known to wait once another request of the same kind has been answered behind it.
    hs("kernel", "wait", "work", "--timeout", "0.1")
    process.kill()
    gate.touch()
    out, _ = waiting.communicate(timeout=DEADLINE)
    process.communicate(timeout=DEADLINE)
    if out:
        result = json.loads(out)
        assert result["output"].startswith("done\n")
        assert result["error"]["ename"] == "ZeroDivisionError"
        assert waiting.returncode == 1


@pytest.mark.parametrize("command", ["release", "restart", "interrupt", "wait"])
def test_a_name_that_is_too_long_for_a_socket_is_a_name_that_is_not_there(
    another, command
):
    deep = another.folder / ("d" * 60)
    deep.mkdir(mode=0o700)
    done = another("kernel", command, "n" * 64, env={"XDG_RUNTIME_DIR": str(deep)})
    assert done.returncode == 2
    assert f"expected a session {'n' * 64}, found none" in done.stderr
    assert "SUN_LEN" not in done.stderr
