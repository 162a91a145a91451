"""How a session begins: folder, environment, hidden code, which Python; and where a cell runs."""

import os
import shlex
import sys

import pytest

ZERO = "1 / 0  # of the startup"


def test_a_session_begins_where_it_is_told(start, tmp_path):
    host = start(opened=False)
    host.open(cwd=str(tmp_path))
    assert host.run("import os; os.getcwd()").output == f"{str(tmp_path)!r}\n"
    assert host.ask("status")["cwd"] == str(tmp_path)
    # And in the folder of its host where it is told nothing.
    host.open(session="other")
    ran = host.run("import os; os.getcwd()", session="other")
    assert ran.output == f"{str(host.home.resolve())!r}\n"


def test_a_folder_that_is_not_there_is_told(start, tmp_path):
    host = start(opened=False)
    missing = tmp_path / "missing"
    answer = host.ask("open", cwd=str(missing))
    assert (answer["type"], answer["kind"]) == ("error", "start")
    assert str(missing) in answer["message"]
    assert host.open()["type"] == "ready"


NAMES = [
    "plain",
    "with space",
    "quote's",
    'double"quote',
    "new\nline",
    "é 漢",
    "back\\slash",
    "$HOME;x",
    "%d{x}",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_cell_runs_where_it_is_told_and_the_next_one_too(host, tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    ran = host.run("import os; os.getcwd()", cwd=str(folder))
    assert ran.output == f"{str(folder)!r}\n"
    assert host.run("os.getcwd()").output == f"{str(folder)!r}\n"
    assert host.ask("status")["cwd"] == str(folder)


def test_the_folder_does_not_disturb_a_magic_on_the_first_line(host, tmp_path):
    ran = host.run("%%bash\npwd", cwd=str(tmp_path))
    assert (ran.status, ran.output) == ("ok", f"{tmp_path}\n")
    ran = host.run("%%writefile made.txt\nhello", cwd=str(tmp_path))
    assert (tmp_path / "made.txt").read_text() == "hello\n"
    count = host.run("1").execution_count
    assert host.run("1", cwd=str(tmp_path)).execution_count == count + 1
    assert "chdir" not in host.run("%history -n").output


def test_a_folder_of_a_cell_that_is_not_there_stops_the_cell(host, tmp_path):
    host.run("import os", cwd=str(tmp_path))
    missing = tmp_path / "missing"
    ran = host.run("ran = True", cwd=str(missing))
    text = str(ran.end)
    assert (ran.status == "error" or ran.end["type"] == "error") and str(
        missing
    ) in text
    assert (
        host.run("print('ran' in globals(), os.getcwd())").output
        == f"False {tmp_path}\n"
    )
    # A file is no folder.
    (tmp_path / "file").write_text("")
    ran = host.run("ran = True", cwd=str(tmp_path / "file"))
    assert ran.status == "error" or ran.end["type"] == "error"


def test_changes_of_the_folder_last(host, tmp_path):
    folder = tmp_path / "sub"
    folder.mkdir()
    host.run(f"%cd {shlex.quote(str(folder))}")
    assert host.run("import os; os.getcwd()").output == f"{str(folder)!r}\n"
    assert host.run("%pwd").output == f"{str(folder)!r}\n"
    host.run("os.chdir('..')")
    assert host.run("%pwd").output == f"{str(tmp_path)!r}\n"
    assert host.ask("status")["cwd"] == str(tmp_path)


def test_a_folder_that_is_removed_under_the_session(host, tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    host.run("1", cwd=str(folder))
    folder.rmdir()
    assert host.run("6 * 7").output == "42\n"
    assert host.run("%pwd", cwd=str(tmp_path)).output == f"{str(tmp_path)!r}\n"


def test_the_environment_reaches_the_kernel_only(start):
    value = "blå\n=x 7f3b9c"
    host = start(opened=False)
    host.open(session="a", env={"SECRET_OF_A": value, "PATH": os.environ["PATH"]})
    host.open(session="b")
    # It prints the value in other letters, since what is printed is remembered.
    code = "import os; print(os.environ.get('SECRET_OF_A', '')[::-1].encode().hex())"
    printed = value[::-1].encode().hex() + "\n"
    assert host.run(code, session="a").output == printed
    assert host.run(code, session="b").output == "\n"
    for pid in {host.guard} | host.supervisors:
        with open(f"/proc/{pid}/environ", "rb") as file:
            assert b"SECRET_OF_A" not in file.read()
    # Nor is it written down anywhere.
    for path in host.runtime.rglob("*"):
        if path.is_file():
            assert b"7f3b9c" not in path.read_bytes()
    host.ask("restart", session="a")
    assert host.run(code, session="a").output == printed


def test_startup_code_runs_hidden_at_every_start(start):
    host = start(opened=False)
    host.open(
        env={"GREETING": "hej"},
        startup_code=[
            "import os\ngreeting = os.environ['GREETING']\nprint('not shown')\n'nor this'",
            "import asyncio\nawait asyncio.sleep(0)\nlimit = len(greeting)",
        ],
    )
    assert [e for e in host.events if e["type"] in ("output", "cell-start")] == []
    ran = host.run("greeting, limit")
    assert (ran.output, ran.execution_count) == ("('hej', 3)\n", 1)
    assert "greeting =" not in host.run("%history").output
    assert host.ask("status")["names"] == 0
    assert host.run("mine = 1").status == "ok"
    assert host.ask("status")["names"] == 1
    assert host.run("%who").output.split() == ["mine"]
    host.run("import os; os._exit(1)")
    ran = host.run("greeting, limit")
    assert (ran.output, ran.generation, ran.execution_count) == ("('hej', 3)\n", 2, 1)
    host.ask("restart")
    assert host.run("greeting, limit").output == "('hej', 3)\n"


@pytest.mark.parametrize(
    "snippet, words",
    [
        ("1 / 0", "ZeroDivisionError"),
        ("raise ValueError('no licence for this')", "no licence for this"),
        ("def :", "SyntaxError"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("import os; os._exit(9)", "9"),
        ("await missing()", "NameError"),
    ],
)
def test_startup_code_that_fails_fails_the_start(start, snippet, words):
    host = start(opened=False)
    answer = host.ask("open", startup_code=["x = 1", snippet])
    assert (answer["type"], answer["kind"]) == ("error", "start")
    assert words in answer["message"]
    assert "\x1b" not in answer["message"]
    assert host.ask("run", code="1")["kind"] in ("unknown_session", "start")
    # It is told again, or it begins: with other code.
    host.open()
    assert host.run("1").output == "1\n"


def test_a_python_that_is_not_there_is_told(start):
    host = start(opened=False)
    answer = host.ask("open", python="/no/such/python")
    assert (answer["type"], answer["kind"]) == ("error", "start")
    assert "/no/such/python" in answer["message"]
    host.open()
    assert host.run("1").output == "1\n"


def test_a_python_that_fails_is_told_with_its_last_words(start, tmp_path):
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\necho 'first' >&2\necho 'No module named ipykernel' >&2\nexit 3\n"
    )
    python.chmod(0o755)
    host = start(opened=False)
    answer = host.ask("open", python=str(python))
    assert (answer["type"], answer["kind"]) == ("error", "start")
    assert "No module named ipykernel" in answer["message"]
    assert "3" in answer["message"]
    python.write_text("not a program")
    answer = host.ask("open", python=str(python))
    assert (answer["type"], answer["kind"]) == ("error", "start")


def test_a_python_that_never_answers_can_be_released(start, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nsleep 1000\n")
    python.chmod(0o755)
    host = start(opened=False)
    name = host.send("open", python=str(python))
    at = (
        host.place(lambda e: e.get("type") == "status" and e["state"] == "starting")
        if (host.send("status"))
        else 0
    )
    assert at >= 0
    assert host.ask("release")["type"] == "released"
    assert host.answer(name, "open")["type"] == "error"
    host.open()
    assert host.run("1").output == "1\n"


def test_another_python_of_the_same_kind(start, tmp_path):
    """A link to the interpreter in an environment is not the interpreter beneath it."""
    host = start(opened=False)
    host.open(python=sys.executable)
    assert host.run("import sys; sys.executable").output == f"{sys.executable!r}\n"
    assert host.ask("status")["python"] == sys.executable


def test_hs_is_there_and_costs_little(host):
    assert host.run("%reset -f\nhs.__name__").output == "'headstart'\n"
    ran = host.run("hs.combien([{'a': '00042'}, {'a': '00042'}], 'a')")
    assert ran.status == "ok" and "00042" in ran.output
