"""Completions in real shells: keys are typed at a terminal, and the words that the shell then makes of the line are looked at."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

HS = Path(sys.executable).parent / "hs"
PATIENCE = 60.0
#: What a shell tells its terminal besides text.
ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[0-9;?>=]*[a-zA-Z]|\x1b[=>(].?|\r"
)

#: How each shell is started without the user's own settings, and what it is told first. `hs` shows the words it gets, one
#: after the other, but for what the script asks it.
SHELLS = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        """bind 'set enable-bracketed-paste off'; source <(hs completions bash)
hs() { if [[ $1 == __complete ]]; then command hs "$@"; else printf '<%s>' "$@"; echo '|end'; fi; }
""",
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        """autoload -Uz compinit; compinit -u -D; unset zle_bracketed_paste; source <(hs completions zsh)
hs() { if [[ $1 == __complete ]]; then command hs "$@"; else printf '<%s>' "$@"; echo '|end'; fi; }
""",
    ),
    "fish": (
        ["fish", "--no-config", "-i"],
        """hs completions fish | source
function hs; if test "$argv[1]" = __complete; command hs $argv; else; printf '<%s>' $argv; echo '|end'; end; end
""",
    ),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "my file.csv").write_text("Order Id,straße,it's,a=b\n1,2,3,4\n")
    (tmp_path / "orders.csv").write_text("id,amount,country\n1,2.5,FR\n")
    (tmp_path / "customers.csv").write_text("id,customer\n1,2\n")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1nothing")
    workbook = tmp_path / "year.xlsx"
    sheets = [f"{name}={tmp_path / 'orders.csv'}" for name in ("January", "Feb")]
    subprocess.run([HS, "sauve", "-q", workbook, *sheets], check=True)
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": f"{HS.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_RUNTIME_DIR": str(folder),
        "TERM": "xterm",
        "LC_ALL": "C.UTF-8",
        "PS1": "$ ",
    }


class Terminal:
    """A shell at a terminal."""

    def __init__(self, shell: str, folder: Path):
        command, told = SHELLS[shell]
        self.process, self.end = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment(folder))
        self.text = ""
        # What is typed before the shell reads keys comes twice: its echo is not to be taken for an answer.
        self.type(told + "echo rea''dy\n")
        self.wait("ready")

    def type(self, keys: str) -> None:
        os.write(self.end, keys.encode())

    def wait(self, marker: str) -> str:
        """All that is shown until the marker."""
        until = time.monotonic() + PATIENCE
        while marker not in ESCAPES.sub("", self.text):
            left = until - time.monotonic()
            ready = left > 0 and select.select([self.end], [], [], left)[0]
            if not ready:
                raise AssertionError(f"no {marker!r} in {self.text!r}")
            self.text += os.read(self.end, 65536).decode(errors="replace")
        shown, self.text = ESCAPES.sub("", self.text), ""
        return shown

    def words(self, keys: str) -> list[str]:
        """The words of the command line that the shell makes of these keys, `hs` itself left out."""
        self.type(keys + "\n")
        shown = self.wait("|end")
        words = shown[: shown.rindex("|end")].splitlines()[-1]
        return words[words.index("<") + 1 : -1].split("><")

    def close(self) -> None:
        os.close(self.end)
        os.waitpid(self.process, 0)


@pytest.fixture(params=SHELLS)
def shell(request, folder):
    if shutil.which(request.param) is None:
        pytest.skip(f"there is no {request.param} on this machine")
    terminal = Terminal(request.param, folder)
    yield terminal
    terminal.close()


def test_a_shell_completes_what_can_stand_there(shell):
    assert shell.words("hs comb\t") == ["combien"]
    assert shell.words("hs combien ord\t coun\t") == [
        "combien",
        "orders.csv",
        "country",
    ]
    assert shell.words("hs charge orders.csv --form\tjsonl") == [
        "charge",
        "orders.csv",
        "--format",
        "jsonl",
    ]
    assert shell.words("hs charge year.xlsx --sheet Ja\t") == [
        "charge",
        "year.xlsx",
        "--sheet",
        "January",
    ]
    assert shell.words("hs charge year.xlsx#F\t")[-1] == "year.xlsx#Feb"


def test_names_with_blanks_and_quotes_stay_one_word(shell):
    assert shell.words("hs combien my\t Ord\t") == [
        "combien",
        "my file.csv",
        "Order Id",
    ]
    assert shell.words("hs combien 'my file.csv' 'Ord\t") == [
        "combien",
        "my file.csv",
        "Order Id",
    ]
    assert shell.words("hs combien 'my file.csv' it\t")[-1] == "it's"
    assert shell.words("hs combien 'my file.csv' str\t")[-1] == "straße"


def test_values_behind_a_sign_and_in_lists(shell):
    assert shell.words("hs charge orders.csv --format=cs\t")[-1] == "--format=csv"
    assert shell.words("hs charge orders.csv --columns id,am\t")[-1] == "id,amount"
    assert (
        shell.words("hs charge orders.csv --types am\tdeci\t")[-1] == "amount=decimal"
    )
    keys = shell.words("hs joins orders.csv customers.csv cou\tcust\t")
    assert keys[-1] == "country=customer"


def test_what_cannot_be_read_shows_nothing(shell):
    line = "hs combien broken.parquet zz\t"
    assert shell.words(line) == ["combien", "broken.parquet", "zz"]
    shell.type("hs combien broken.parquet \t\t")
    # Ctrl-U takes the line back.
    shell.type("\x15echo rea''dy\n")
    shown = shell.wait("ready")
    assert "hs:" not in shown
    assert "panicked" not in shown


def asked(folder: Path, *words: str) -> list[str]:
    done = subprocess.run(
        [HS, "__complete", "zsh", *words],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_columns_that_are_named_are_not_offered_again(folder):
    line = ["compare", "orders.csv", "customers.csv"]
    assert asked(folder, *line, "") == ["words", "id", "amount", "country", "customer"]
    assert "id" not in asked(folder, *line, "id", "")
    assert asked(folder, "joins", "orders.csv", "customers.csv", "") == ["words", "id"]


def test_options_are_offered_to_those_who_begin_one(folder):
    values = [line.partition("\t") for line in asked(folder, "combien", "-")[1:]]
    assert ("--sheet", "\t") in [value[:2] for value in values]
    assert all(value[0].startswith("-") for value in values)
    assert asked(folder, "charge", "") == ["files"]
    assert asked(folder, "charge", "-o", "") == ["files"]
    assert asked(folder, "kernel", "run", "--cwd", "") == ["folders"]
    assert asked(folder, "sauve", "year.xlsx", "Jan=") == ["files-behind"]


def test_the_answer_comes_soon_for_a_file_of_any_size(folder):
    with (folder / "large.csv").open("wb") as file:
        file.write(b"number,text,day\n" + b"17,a text,2026-01-01\n" * 20_000)
        # A hole, which takes no room on the disk, and seconds to be read.
        file.truncate(8 << 30)
    before = os.times()
    assert asked(folder, "combien", "large.csv", "t") == ["words", "text"]
    after = os.times()
    used = sum(after[2:4]) - sum(before[2:4])
    assert used < 1
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == []


def test_sessions_are_offered_and_nothing_is_made(folder):
    assert asked(folder, "kernel", "run", "-s", "") == ["words"]
    assert asked(folder, "kernel", "log", "-s", "") == ["words"]
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == []


@pytest.mark.parametrize(
    "line", [["kernel", "run", "--timeout", "--unknown", "x"], ["\udcff"], []]
)
def test_a_line_that_makes_no_sense_has_no_answer(folder, line):
    done = subprocess.run(
        [HS, "__complete", "zsh", *line], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert done.stderr == b""
