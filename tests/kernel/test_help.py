"""The examples in the help of `hs kernel` run, on a session of their own."""

import json
import re
import subprocess

import pytest
from shell import DEADLINE, Shell

#: What is asked for may be absent, and what is compared may differ: that is an answer, too.
SAY_NO = {"search", "diff"}
#: Each on a session `work` that has done something.
COMMANDS = [
    "start",
    "run",
    "list",
    "wait",
    "interrupt",
    "search",
    "export",
    "import",
    "log",
    "diff",
    "checkpoint",
    "restore",
    "restart",
    "release",
]


@pytest.fixture(scope="module")
def hs():
    shell = Shell()
    for name, text in {"cell.py": "x = 1\n", "imports.py": "import json\n"}.items():
        (shell.folder / name).write_text(text)
    (shell.folder / "data").mkdir(exist_ok=True)
    yield shell
    shell.close()


def ready(hs: Shell) -> list[str]:
    """A session `work` with something in it; the checkpoints that it has."""
    if "work" not in hs.sessions():
        assert hs("kernel", "start", "work").returncode == 0
    for code in ["def plot(): return 'groupby'", "plot()"]:
        assert hs.run(code).returncode == 0
    (hs.folder / "work.jsonl").unlink(missing_ok=True)
    assert hs("kernel", "export", "-s", "work", "work.jsonl").returncode == 0
    assert hs("kernel", "checkpoint", "work").returncode == 0
    log = hs("kernel", "log", "-s", "work", "--format", "jsonl").stdout
    return [json.loads(line)["id"][:8] for line in log.splitlines()]


def examples(hs: Shell, command: str) -> list[str]:
    text = hs("kernel", command, "--help").stdout
    block = text.partition("Examples:\n")[2].partition("\n\n")[0]
    # What describes a command stands two blanks or more behind it.
    return [re.split(r" {2,}", line.strip())[0] for line in block.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_of_help_run(hs, command):
    found = examples(hs, command)
    assert found
    for example in found:
        first, second, *_ = ready(hs)
        if command == "start":
            assert hs("kernel", "release", "work").returncode == 0
        if command == "export":
            (hs.folder / "work.jsonl").unlink()
        line = example.replace("1a2b3c4d", first).replace("9f8e7d6c", second)
        assert line.startswith("hs ")
        done = subprocess.run(
            ["sh", "-c", f"'{hs.program}' {line.removeprefix('hs ')}"],
            cwd=hs.folder,
            env=hs.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        wanted = (0, 1) if command in SAY_NO else (0,)
        assert done.returncode in wanted, f"{line}\n{done.stdout}{done.stderr}"
