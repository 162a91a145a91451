"""Draws docs/pictures/terminal.svg: commands run in a terminal of 104 columns, their real output with its colours.

`make docs` runs it; with `-` it goes to standard output. Knows the few escape sequences that `hs` prints and refuses any other; touches no file but the picture.
"""

import fcntl
import html
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[1] / "fixtures"
COLUMNS = 104
#: What a reader sees; the files are those of fixtures/, one of them with three changes.
SESSION = [
    "hs charge report.xlsx",
    "hs joins customers.csv orders.csv customer",
    "hs compare orders.csv corrected.csv order_id",
    "hs verifie corrected.csv 'amount > 0' 'unique=count(distinct order_id) = count(*)'",
]
CHANGES = "s/42.76/42.80/; s/127.2/-127.2/; /^26003/d"

WIDE, HIGH, MARGIN = 8.4, 18, 16  # of a cell, and around the text
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
PAPER, INK, PALE, PROMPT = "#1b1f27", "#d7dce5", "#8b95a7", "#7ec699"
#: The sixteen colours of a terminal, those of text first.
COLOURS = [
    *("#5c6370", "#f0787f", "#8fd08a", "#e6c07b", "#78aef2", "#cf8fe0", "#63c3cf", INK),
    *("#8b95a7", "#ff8f96", "#a8e0a3", "#f2d49b", "#9cc4f7", "#dcaaea", "#86d6e0", INK),
]


def run(command: str, folder: str) -> str:
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR",)
    }
    with subprocess.Popen(
        ["sh", "-c", command],
        cwd=folder,
        env={**kept, "PATH": path, "TERM": "xterm-256color"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ):
        os.close(theirs)
        written = b""
        # Linux says the end of a terminal by an error.
        while piece := _read(ours):
            written += piece
    os.close(ours)
    return written.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def width(text: str) -> int:
    """Columns that a text takes: letters of East Asia take two, accents none."""
    wide = sum(
        2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text
    )
    return wide - sum(1 for letter in text if unicodedata.combining(letter))


class Pen:
    """Where the next text goes, and how it looks."""

    def __init__(self) -> None:
        self.drawn: list[str] = []
        self.row = 0
        self.column = 0
        self.bold = self.dim = False
        self.colour: str | None = None

    def write(self, text: str) -> None:
        """Text as a terminal gets it: broken at its edge, looks changed by escape sequences."""
        for part in re.split(r"(\x1b\[[\d;]*m|\r?\n)", text):
            if part.endswith("\n"):
                self.row, self.column = self.row + 1, 0
            elif part.startswith("\x1b"):
                self._look(part[2:-1])
            elif "\x1b" in part:
                raise ValueError(f"an escape sequence that is not known in {part!r}")
            else:
                self._text(part)

    def _text(self, text: str) -> None:
        while text:
            room = COLUMNS - self.column
            here = text
            while width(here) > room:
                here = here[:-1]
            self._draw(here)
            text = text[len(here) :]
            if text:
                self.row, self.column = self.row + 1, 0

    def _draw(self, text: str) -> None:
        x, y = MARGIN + self.column * WIDE, MARGIN + 26 + self.row * HIGH
        self.column += width(text)
        # Runs are placed by column, so that another font of the reader moves nothing.
        for run in re.finditer(r"\S+(?: \S+)*", text):
            left = x + width(text[: run.start()]) * WIDE
            looks = ' font-weight="bold"' if self.bold else ""
            looks += f' fill="{self.colour or (PALE if self.dim else INK)}"'
            self.drawn.append(
                f'<text x="{left:.1f}" y="{y:.0f}" textLength="{width(run.group()) * WIDE:.1f}"'
                f' lengthAdjust="spacingAndGlyphs"{looks}>{html.escape(run.group(), quote=False)}</text>'
            )

    def _look(self, codes: str) -> None:
        for code in map(int, codes.split(";") if codes else ["0"]):
            match code:
                case 0:
                    self.bold, self.dim, self.colour = False, False, None
                case 1:
                    self.bold = True
                case 2:
                    self.dim = True
                case 22:
                    self.bold = self.dim = False
                case 39:
                    self.colour = None
                case _ if code in range(30, 38):
                    self.colour = COLOURS[code - 30]
                case _ if code in range(90, 98):
                    self.colour = COLOURS[code - 82]
                case _:
                    raise ValueError(f"a look that is not known: {code}")


def main() -> None:
    pen = Pen()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("report.xlsx", "customers.csv", "orders.csv"):
            shutil.copy(FIXTURES / name, folder)
        run(f"sed '{CHANGES}' orders.csv > corrected.csv", folder)
        for command in SESSION:
            pen.colour = PROMPT
            pen.write("$ ")
            pen.colour, pen.bold = None, True
            pen.write(f"{command}\n")
            pen.bold = False
            pen.write(f"{run(command, folder)}\n")
    wide, high = 2 * MARGIN + COLUMNS * WIDE, 2 * MARGIN + 14 + (pen.row - 1) * HIGH
    dots = "".join(
        f'<circle cx="{MARGIN + 6 + 18 * place}" cy="16" r="5" fill="{colour}"/>'
        for place, colour in enumerate((COLOURS[1], COLOURS[3], COLOURS[2]))
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high}" font-family="{FONT}" font-size="14">',
        f"<title>{html.escape('; '.join(SESSION))}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>{dots}',
        *pen.drawn,
        "</svg>",
    ]
    picture = "\n".join(lines) + "\n"
    if "-" in sys.argv:
        print(picture, end="")
    else:
        (HERE / "terminal.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
