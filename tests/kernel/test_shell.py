"""`hs kernel` and `hs ipython` on real sessions: what is shown, how it ends, and what is left."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbclient
import nbformat
import pexpect
import pytest
from shell import DEADLINE, Shell

#: A cell that no interrupt stops.
STUBBORN = """
while True:
    try:
        print('on', flush=True)
        while True:
            pass
    except KeyboardInterrupt:
        pass
"""


@pytest.fixture(scope="module")
def hs():
    """One shell for the tests of this file, with a session `work`."""
    shell = Shell()
    started = shell("kernel", "start", "work", "--env", "REGION=eu")
    assert started.returncode == 0, started.stderr
    yield shell
    shell.close()


@pytest.fixture
def another():
    """A shell of the test's own."""
    shell = Shell()
    yield shell
    shell.close()


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line of output, once it is there; nothing may be waiting behind the one before."""
    ready, _, _ = select.select([process.stdout], [], [], DEADLINE)
    if not ready:
        process.kill()
    line = process.stdout.readline()
    assert line, process.stderr.read()
    return line


def until(condition) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"


def test_variables_live_on_between_runs(hs):
    assert hs.run("x = 41").stdout == ""
    done = hs.run("print('a'); x + 1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "a\n42\n", "")


def test_standard_error_is_apart_and_an_exception_is_exit_code_1(hs):
    done = hs.run("import sys; print('warned', file=sys.stderr); print('x'); 1 / 0")
    assert done.returncode == 1
    assert done.stdout == "x\n"
    assert done.stderr.startswith("warned\n")
    assert "ZeroDivisionError: division by zero" in done.stderr


def test_a_cell_comes_from_standard_input_or_begins_with_a_minus(hs):
    done = hs.run("-", text="a = 1\nfor i in range(2):\n    print(i + a)\n")
    assert (done.returncode, done.stdout) == (0, "1\n2\n")
    assert hs.run("-a").stdout == "-1\n"
    assert hs.run("-", text="").returncode == 0


def test_the_result_is_one_object_and_events_are_lines(hs):
    result = json.loads(hs.run("print(1); 2", "--format", "json").stdout)
    assert (result["type"], result["status"], result["state"]) == (
        "result",
        "ok",
        "kept",
    )
    assert result["output"] == "1\n2\n"
    done = hs.run("1 / 0", "--format", "json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["ename"] == "ZeroDivisionError"
    lines = hs.run("print(1)", "--format", "jsonl").stdout.splitlines()
    kinds = [json.loads(line)["type"] for line in lines]
    assert kinds == ["cell-start", "output", "cell-end", "result"]
    refused = hs.run("1", "--format", "csv")
    assert refused.returncode == 2
    assert "--format json or jsonl" in refused.stderr


def test_output_is_shown_while_the_cell_runs(hs, tmp_path):
    gate = tmp_path / "gate"
    process = hs.popen(
        *("kernel", "run", "-s", "work"),
        f"import os\nprint('on')\nwhile not os.path.exists({str(gate)!r}): pass\nprint('off')",
    )
    assert line_of(process) == "on\n"
    row = hs.sessions()["work"]
    assert row["state"] == "running"
    assert row["running"].startswith("import os\nprint('on')")
    assert row["elapsed_ms"] >= 0
    assert row["memory_bytes"] > 10_000_000
    shown = hs("kernel", "list").stdout.splitlines()
    assert shown[0].split()[:4] == ["session", "state", "running", "since"]
    assert "import os ..." in shown[1]
    gate.touch()
    out, err = process.communicate(timeout=DEADLINE)
    assert (out, err, process.returncode) == ("off\n", "", 0)


def test_ctrl_c_stops_the_cell_and_keeps_the_session(hs):
    hs.run("kept = 7")
    process = hs.popen(
        *("kernel", "run", "-s", "work"), "import time\nprint('on')\ntime.sleep(60)"
    )
    assert line_of(process) == "on\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 1
    assert "KeyboardInterrupt" in err
    assert hs.run("kept").stdout == "7\n"


def test_the_second_ctrl_c_does_not_wait(another):
    another("kernel", "start", "work")
    another.run("x = 1")
    process = another.popen(*("kernel", "run", "-s", "work"), STUBBORN)
    assert line_of(process) == "on\n"
    process.send_signal(signal.SIGINT)
    until(lambda: another.sessions()["work"]["state"] == "interrupting")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 130
    assert "the cell may go on in session work" in err


def test_a_cell_that_had_to_be_killed_is_exit_code_2(another):
    another("kernel", "start", "work")
    another.run("x = 1")
    process = another.popen(*("kernel", "run", "-s", "work"), STUBBORN)
    assert line_of(process) == "on\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 2
    assert "the next cell has a new kernel, with the variables" in err
    assert another.run("1").stdout == "1\n"


def test_busy_is_an_error_unless_the_caller_waits(hs, tmp_path):
    gate = tmp_path / "gate"
    process = hs.popen(
        *("kernel", "run", "-s", "work"),
        f"import os\nprint('on')\nwhile not os.path.exists({str(gate)!r}): pass",
    )
    assert line_of(process) == "on\n"
    done = hs.run("1")
    assert done.returncode == 2
    assert "--queue waits for it" in done.stderr
    done = hs.run("1", "--queue", "--timeout", "0.1")
    assert done.returncode == 2
    assert "the cell goes on" in done.stderr
    waiting = hs.popen("kernel", "run", "-s", "work", "--queue", "5")
    until(lambda: hs.sessions()["work"]["queued"] == 2)
    gate.touch()
    assert waiting.communicate(timeout=DEADLINE)[0] == "5\n"
    process.communicate(timeout=DEADLINE)


def test_figures_are_saved_where_the_caller_says(hs):
    code = (
        "import matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1)); plt.plot([1, 2]);"
    )
    done = hs.run(code, "--images", "figures")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "hs: figure: figures/figure-1.png\n"
    saved = (hs.folder / "figures/figure-1.png").read_bytes()
    assert saved.startswith(b"\x89PNG")
    hs.run(code, "--images", "figures")
    assert (hs.folder / "figures/figure-2.png").exists()
    assert "1 figure; --images FOLDER saves it" in hs.run(code).stderr


def test_long_output_says_where_all_of_it_is(hs):
    done = hs.run("for i in range(3000): print(i)")
    assert done.returncode == 0
    path = done.stderr.strip().rpartition("all of the output: ")[2]
    assert len(Path(path).read_text().splitlines()) == 3000


def test_a_reader_that_goes_away_changes_nothing(hs):
    command = (
        f"'{hs.program}' kernel run -s work"
        " 'for i in range(9000): print(i)\ndone = 1' | head -n 1"
    )
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env=hs.environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "0\n")
    assert hs.run("done").stdout == "1\n"


def test_how_a_session_begins(another, tmp_path):
    startup = tmp_path / "startup.py"
    startup.write_text("import math\ndef double(x): return 2 * x\n")
    done = another(
        *("kernel", "start", "begun", "--cwd", str(tmp_path), "--env", "REGION=eu"),
        *("--startup", str(startup)),
    )
    assert done.returncode == 0, done.stderr
    assert "hs kernel release begun ends it" in done.stdout
    code = (
        "import os; print(os.getcwd(), os.environ['REGION'], double(4), math.tau > 6)"
    )
    assert another.run(code, session="begun").stdout == f"{tmp_path} eu 8 True\n"
    done = another.run("%cd -q /\nimport os", session="begun")
    assert another.run("os.getcwd()", session="begun").stdout == "'/'\n"
    done = another.run("os.getcwd()", "--cwd", str(tmp_path), session="begun")
    assert done.stdout == f"'{tmp_path}'\n"
    # A startup that fails is a start that fails.
    startup.write_text("1 / 0\n")
    done = another("kernel", "start", "bad", "--startup", str(startup))
    assert done.returncode == 2
    assert "ZeroDivisionError" in done.stderr
    assert set(another.sessions()) == {"begun"}
    done = another("kernel", "start", "bad", "--startup", "nowhere.py")
    assert done.returncode == 2
    assert "nowhere.py: expected a file of Python" in done.stderr


def test_sessions_that_are_not_there_and_names_that_are_taken(hs):
    done = hs.run("1", session="nope")
    assert done.returncode == 2
    assert done.stderr == (
        "hs: expected a session nope, found work\nhint: hs kernel start nope\n"
    )
    for command in ("restart", "release"):
        done = hs("kernel", command, "nope")
        assert (done.returncode, done.stdout) == (2, "")
        assert "expected a session nope" in done.stderr
    done = hs("kernel", "start", "work")
    assert done.returncode == 2
    assert "hs kernel restart work" in done.stderr
    done = hs("kernel", "start", "../x")
    assert done.returncode == 2
    assert "expected a name of letters" in done.stderr


def test_a_kernel_that_dies_is_told_and_the_next_run_has_a_new_one(another):
    another("kernel", "start", "work")
    done = another.run("import os; os._exit(17)")
    assert done.returncode == 2
    assert "17" in done.stderr
    assert "the next cell has a new kernel" in done.stderr
    assert another.run("6 * 7").stdout == "42\n"
    assert another.sessions()["work"]["generation"] == 2


def test_restart_gives_a_new_kernel_and_release_ends_only_that_session(another):
    for name in ("one", "two"):
        assert another("kernel", "start", name).returncode == 0
    another.run("x = 1", session="one")
    pids = {name: row["pid"] for name, row in another.sessions().items()}
    done = another("kernel", "restart", "one")
    assert "its 2nd" in done.stdout
    assert another.run("'x' in globals()", session="one").stdout == "False\n"
    with pytest.raises(ProcessLookupError):
        os.kill(pids["one"], 0)
    done = another("kernel", "release", "two")
    assert (done.returncode, done.stdout) == (0, "released two\n")
    with pytest.raises(ProcessLookupError):
        os.kill(pids["two"], 0)
    assert set(another.sessions()) == {"one"}
    done = another("kernel", "release", "--all", "--format", "json")
    assert json.loads(done.stdout)["data"] == [{"session": "one"}]
    done = another("kernel", "list")
    assert (done.stdout, done.stderr) == (
        "",
        "no sessions; hs kernel start NAME starts one\n",
    )
    assert not list((another.folder / "headstart/sessions").iterdir())


def test_the_session_of_another_program_is_listed_and_can_be_used(another):
    host = another.popen("kernel", "serve", stdin=subprocess.PIPE)
    host.stdin.write('{"type": "open", "id": 1}\n')
    host.stdin.flush()
    assert json.loads(line_of(host))["type"] == "ready"
    (name,) = another.sessions()
    assert name.startswith("main.")
    assert another.sessions()[name]["detached"] is False
    assert another.run("6 * 7", session=name).stdout == "42\n"
    host.stdin.close()
    assert host.wait(timeout=DEADLINE) == 0
    assert another.sessions() == {}


def test_the_python_that_is_named_is_never_passed_over(another):
    done = another("kernel", "start", "x", "--python", "/nowhere/python")
    assert done.returncode == 2
    assert "--python: expected a Python, found no file /nowhere/python" in done.stderr
    environment = {"HEADSTART_PYTHON": "/nowhere/python"}
    done = another("kernel", "start", "x", env=environment)
    assert done.returncode == 2
    assert "HEADSTART_PYTHON: expected a Python" in done.stderr
    prefix = sys.prefix
    done = another("kernel", "start", "x", "--python", prefix, env=environment)
    assert done.returncode == 0, done.stderr
    assert another.run("import sys; sys.prefix", session="x").stdout == f"{prefix!r}\n"


def test_a_python_without_headstart_says_what_it_lacks(another, tmp_path):
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True
    )
    done = another("kernel", "start", "x", "--python", str(tmp_path / "bare"))
    assert done.returncode == 2
    assert "No module named 'headstart'" in done.stderr
    assert "hint: pip install 'headstart[kernel]' for that Python" in done.stderr
    assert another.sessions() == {}


def test_a_console_attaches_and_leaving_it_keeps_the_session(another):
    def console() -> pexpect.spawn:
        spawned = pexpect.spawn(
            str(another.program),
            ["ipython", "talk"],
            env=another.environment | {"TERM": "dumb"},
            cwd=str(another.folder),
            timeout=DEADLINE,
            encoding="utf-8",
        )
        return spawned

    first = console()
    try:
        first.expect("session talk is started; leaving the console keeps it")
        first.expect(r"In \[")
        first.sendline("x = 41")
        first.expect(r"In \[")
        first.sendline("import time; print('o' + 'n'); time.sleep(60)")
        first.expect("on\r\n")
        first.sendintr()
        first.expect("KeyboardInterrupt")
        # Now and then the console draws its prompt only at the next key.
        for _ in range(10):
            if first.expect([r"In \[", pexpect.TIMEOUT], timeout=3) == 0:
                break
            first.sendline("")
        first.sendline("exit")
        first.expect("the session goes on")
        first.expect(pexpect.EOF)
    finally:
        first.close(force=True)
    assert another.run("x + 1", session="talk").stdout == "42\n"
    second = console()
    try:
        second.expect("session talk is attached to")
        second.expect(r"In \[")
        second.sendline("x + 2")
        second.expect("43\r\n")
        second.expect(r"In \[\d+\]: ")
        # The console reads the terminal only a moment after its prompt; until then nothing takes the Ctrl-D.
        for _ in range(30):
            second.sendeof()
            if second.expect(["really want to exit", pexpect.TIMEOUT], timeout=1) == 0:
                break
        second.sendline("y")
        second.expect(pexpect.EOF)
    finally:
        second.close(force=True)
    assert another.run("x", session="talk").stdout == "41\n"


def test_a_console_needs_a_terminal(another):
    done = another("ipython")
    assert done.returncode == 2
    assert "hs kernel run -s main -" in done.stderr
    assert another.sessions() == {}


def test_the_kernel_is_offered_in_jupyter(another, monkeypatch):
    # Nothing of the working folder is a module.
    (another.folder / "random.py").write_text("raise SystemExit('not this one')\n")
    done = another("kernel", "install", "--prefix", "env", "--name", "mine")
    assert done.returncode == 0, done.stderr
    written = another.folder / "env/share/jupyter/kernels/mine"
    assert str(written) in done.stdout
    argv = json.loads((written / "kernel.json").read_text())["argv"]
    assert argv[:3] == [sys.executable, "-m", "headstart.kernel"]
    for name, value in another.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("JUPYTER_PATH", str(another.folder / "env/share/jupyter"))
    monkeypatch.delenv("PYTEST_CURRENT_TEST", raising=False)
    cell = nbformat.v4.new_code_cell("hs.__name__")
    book = nbformat.v4.new_notebook(cells=[cell])
    nbclient.NotebookClient(book, kernel_name="mine", timeout=DEADLINE).execute()
    assert book.cells[0].outputs[0]["data"]["text/plain"] == "'headstart'"
    done = another("kernel", "install", "--prefix", "/dev/null/x")
    assert done.returncode == 2
    assert "the kernelspec cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
