"""Output as it stands on a screen in the end, and as plain text."""

import pytest


def test_streams_results_and_errors_come_in_the_order_in_which_they_were_made(host):
    ran = host.run(
        "import sys\nprint('a', flush=True)\nprint('b', file=sys.stderr, flush=True)\nprint('c', flush=True)\n'd'"
    )
    assert ran.output == "a\nb\nc\n'd'\n"
    kinds = [(event["kind"], event["text"]) for event in ran.of("output")]
    assert kinds == [
        ("stdout", "a\n"),
        ("stderr", "b\n"),
        ("stdout", "c\n"),
        ("result", "'d'\n"),
    ]
    assert (ran.types[0], ran.types[-2:]) == ("cell-start", ["cell-end", "result"])


def test_a_hundred_turns_between_the_streams_keep_their_order(host):
    ran = host.run(
        "import sys\nfor i in range(100): print(i, file=(sys.stdout, sys.stderr)[i % 2], flush=True)"
    )
    assert ran.output.splitlines() == [str(i) for i in range(100)]


@pytest.mark.parametrize(
    "code, output",
    [
        ("print('\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07plain')", "red plain\n"),
        ("for i in range(3): print(f'\\r{i} %', end='')\nprint()", "2 %\n"),
        ("for i in range(3): print(f'{i} %', end='\\r', flush=True)", "2 %"),
        ("print('abc\\b\\bx')", "ax\n"),
        ("print('a\\x00b\\x07c')", "abc\n"),
        ("print('tab\\there\\r\\nnext')", "tab\there\nnext\n"),
        ("print('no end', end='')\n42", "no end\n42\n"),
        ("print('\\udc80 \\ud800')", "\\udc80 \\ud800\n"),
        ("'\\udc80'", "'\\udc80'\n"),
        ("print('é 漢 🦀 e\\u0301')", "é 漢 🦀 e\u0301\n"),
        ("import os; os.write(1, b'\\xff\\xfe raw\\n'); None", "�� raw\n"),
        ("", ""),
        ("   \n\n", ""),
        ("# nothing", ""),
        ("None", ""),
        ("1;", ""),
    ],
)
def test_text_is_plain(host, code, output):
    ran = host.run(code)
    assert (ran.status, ran.output, ran.truncated) == ("ok", output, False)


def test_the_colours_of_a_sequence_that_is_cut_in_two(host):
    ran = host.run("print('a\\x1b', end='', flush=True)\nprint('[31mb', flush=True)")
    assert ran.output == "ab\n"


@pytest.mark.parametrize(
    "code, output",
    [
        ("print('a'); clear_output(); print('b')", "b\n"),
        ("print('a'); clear_output(wait=True); print('b')", "b\n"),
        ("print('a'); clear_output(wait=True)", "a\n"),
        ("print('a'); clear_output()", ""),
    ],
)
def test_cleared_output_is_gone(host, code, output):
    ran = host.run("from IPython.display import clear_output\n" + code)
    assert ran.output == output
    shown = ""
    for event in ran.events:
        if event["type"] == "clear":
            shown = ""
        elif event["type"] == "output":
            shown += event["text"]
    assert shown == output


def test_rich_output_falls_back_to_text(host):
    ran = host.run(
        "from IPython.display import HTML, Markdown, JSON, display\ndisplay(HTML('<b>1</b>'))\n"
        "display({'text/html': '<i>only</i>'}, raw=True)\ndisplay(Markdown('**m**'))\n'end'"
    )
    # Its class would say nothing of it.
    assert ran.output == "<b>1</b>\n<i>only</i>\n**m**\n'end'\n"


def test_a_display_that_is_updated(host):
    ran = host.run(
        "from IPython.display import display, update_display\n"
        "h = display('first', display_id='d')\nupdate_display('second', display_id='d')"
    )
    assert ran.status == "ok"
    assert "second" in ran.output


@pytest.mark.parametrize(
    "code, ename, words",
    [
        ("1 / 0", "ZeroDivisionError", "division by zero"),
        ("def :", "SyntaxError", "invalid syntax"),
        ("raise SystemExit(3)", "SystemExit", "3"),
        ("import sys; sys.exit('no')", "SystemExit", "no"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", ""),
        ("input('name? ')", "StdinNotImplementedError", "answer ="),
        ("import getpass; getpass.getpass()", "StdinNotImplementedError", "os.environ"),
        ("raise ValueError('a\\udc80')", "ValueError", "a\\udc80"),
        (
            "class Mute(Exception):\n    def __str__(self): return 1 / 0\nraise Mute",
            "Mute",
            "",
        ),
        ("raise ExceptionGroup('g', [ValueError('v')])", "ExceptionGroup", "g"),
        ("%%nosuchmagic\n1", None, "nosuchmagic"),
        ("%%bash\nexit 7", "CalledProcessError", "7"),
    ],
)
def test_an_exception_is_a_result(host, code, ename, words):
    ran = host.run(code, within=20)
    assert ran.end["type"] == "result"
    assert ran.state == "kept"
    if ename is not None:
        assert (ran.status, ran.ename) == ("error", ename)
        assert words in ran.error["evalue"]
    assert words in ran.output
    assert "\x1b" not in ran.output
    assert ran.text().endswith(ran.output)
    assert host.run("41").output == "41\n"


def test_numbers_count_on_and_fields_that_say_nothing_are_absent(host):
    first, second = host.run("1"), host.run("x = 1")
    assert second.execution_count == first.execution_count + 1
    assert "error" not in first.end and "full_output_path" not in first.end
    assert (first.notices, first.images, first.truncated) == ([], [], False)
    assert isinstance(first.duration_ms, int)


def test_history_knows_what_cells_gave(host):
    host.run("6 * 7")
    assert "6 * 7\n42\n" in host.run("%history -o").output


def test_broken_streams_are_back_and_told(host):
    ran = host.run("import sys\nsys.stdout.close()")
    assert ran.status == "ok" and any("sys.stdout" in text for text in ran.told)
    assert host.run("print('here')").output == "here\n"


def test_what_a_child_writes_is_there_before_the_result(host):
    for _ in range(5):
        ran = host.run(
            "import subprocess\nsubprocess.run(['printf', 'x' + 'é' * 1500])\nNone"
        )
        assert ran.output == "x" + "é" * 1500
