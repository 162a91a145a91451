"""Draws docs/pictures/notebook.png: runs docs/tour.ipynb on a real kernel and photographs what it shows.

`make docs` runs it. Without Chromium the picture stays as it is, which a line says; the notebook runs in any case.
Writes nothing into the notebook.
"""

import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

HERE = Path(__file__).resolve().parent
NOTEBOOK = HERE.parent / "tour.ipynb"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
WIDTH = 860
COLOURS = {
    "31": "#c4314b",
    "32": "#1a7f37",
    "33": "#9a6700",
    "34": "#0b5cad",
    "36": "#1b7c83",
}
STYLE = """
body { margin: 0; padding: 14px 18px 14px 10px; background: #fff; color: #1f2328; width: 832px;
  font: 13px/1.45 system-ui, 'DejaVu Sans', sans-serif; border: 1px solid #d0d7de; border-radius: 8px;
  box-sizing: border-box; overflow: hidden }
.cell { display: grid; grid-template-columns: 62px 1fr; margin: 3px 0 }
.mark { color: #6e7781; font: 12px/20px 'DejaVu Sans Mono', monospace; text-align: right; padding: 5px 8px 0 0 }
.in { background: #f6f8fa; border: 1px solid #d8dee4; border-radius: 3px; padding: 4px 8px }
.out { padding: 3px 8px }
pre { margin: 0; font: 12px/17px 'DejaVu Sans Mono', monospace; white-space: pre-wrap }
.error { background: #fff0f1 }
table { border-collapse: collapse; font-size: 12px; margin: 4px 0 }
table, th, td { border: none } th, td { padding: 3px 9px; text-align: right }
thead { border-bottom: 1px solid #6e7781 }
tbody tr:nth-child(odd) { background: #f6f8fa }
"""


def execute() -> nbformat.NotebookNode:
    """The notebook with what its cells gave; a cell that fails unasked is an error."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    where = {"metadata": {"path": str(NOTEBOOK.parent)}}
    NotebookClient(
        notebook, timeout=60, kernel_name="python3", resources=where
    ).execute()
    return notebook


def coloured(text: str) -> str:
    """HTML of text with the colours of a terminal."""
    shown, spans = "", 0
    for part in re.split(r"(\x1b\[[\d;]*m)", text):
        if not part.startswith("\x1b"):
            shown += html.escape(part)
            continue
        codes = part[2:-1].split(";")
        shown += "</span>" * spans
        spans = 0
        colour = next((COLOURS[code] for code in codes if code in COLOURS), None)
        if colour:
            shown, spans = f'{shown}<span style="color:{colour}">', 1
    return shown + "</span>" * spans


def output(item: nbformat.NotebookNode, number: int) -> str:
    """An output as a notebook shows it."""
    mark, kind = "", ""
    match item.output_type:
        case "stream":
            shown = f"<pre>{coloured(item.text)}</pre>"
        case "error":
            shown, kind = (
                f"<pre>{coloured(chr(10).join(item.traceback))}</pre>",
                " error",
            )
        case _:
            mark = f"[{number}]:"
            text = f"<pre>{html.escape(item.data.get('text/plain', ''))}</pre>"
            shown = item.data.get("text/html", text)
    return f'<div class="cell"><div class="mark">{mark}</div><div class="out{kind}">{shown}</div></div>'


def page(notebook: nbformat.NotebookNode) -> str:
    formatter = HtmlFormatter(nowrap=True, style="default")
    parts = [
        f"<meta charset='utf-8'><style>{STYLE}{formatter.get_style_defs()}</style><body>"
    ]
    for cell in notebook.cells:
        number = cell.execution_count
        code = highlight(cell.source, PythonLexer(), formatter)
        parts.append(
            f'<div class="cell"><div class="mark">[{number}]:</div><div class="in"><pre>{code}</pre></div></div>'
        )
        parts += [output(item, number) for item in cell.outputs]
    return "".join(parts)


def main() -> None:
    text = page(execute())
    browser = next(filter(shutil.which, BROWSERS), None)
    if browser is None:
        print("notebook.png is as it was: there is no Chromium to photograph with")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text(text, encoding="utf-8")
        common = [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
        ]
        asked = [*common, "--dump-dom", f"--window-size={WIDTH},100", file.as_uri()]
        script = (
            "<script>document.title = document.documentElement.scrollHeight</script>"
        )
        file.write_text(text + script, encoding="utf-8")
        dom = subprocess.run(
            asked, check=True, capture_output=True, text=True, timeout=60
        ).stdout
        high = int(re.findall(r"<title>(\d+)</title>", dom)[0])
        photograph = f"--screenshot={HERE / 'notebook.png'}"
        size = f"--window-size=832,{high}"
        subprocess.run(
            [*common, photograph, size, file.as_uri()],
            check=True,
            capture_output=True,
            timeout=60,
        )


if __name__ == "__main__":
    sys.exit(main())
