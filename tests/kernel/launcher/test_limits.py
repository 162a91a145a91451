"""Much output: what is shown of it, where all of it is, and that it costs the launcher nothing."""

import os
import re
import threading
import time
from pathlib import Path

import pytest
from processes import peak

MEBIBYTE = 1 << 20


def whole(ran) -> str:
    """All that the cell printed, from its file."""
    return Path(ran.full_output_path).read_text()


def test_of_three_thousand_lines_the_last_two_thousand(host):
    ran = host.run("for i in range(1, 3001): print(i)")
    assert ran.output.splitlines() == [str(i) for i in range(1001, 3001)]
    assert ran.truncated is True
    assert whole(ran).splitlines() == [str(i) for i in range(1, 3001)]
    assert any("showing the last 2000 of 3000 lines" in text for text in ran.told)
    assert any(ran.full_output_path in text for text in ran.told)
    # Streamed, there was no limit to it.
    assert ran.text("stdout").splitlines() == [str(i) for i in range(1, 3001)]
    assert os.stat(ran.full_output_path).st_mode & 0o777 == 0o600
    ran = host.run("for i in range(2000): print(i)")
    assert (ran.truncated, len(ran.output.splitlines())) == (False, 2000)
    assert ran.full_output_path is None


@pytest.mark.parametrize(
    "letter, count, cut",
    [
        ("a", 51_199, False),
        ("a", 51_200, True),
        ("é", 25_599, False),
        ("é", 25_600, True),
    ],
)
def test_of_fifty_kibibytes_none_is_cut_and_of_one_more_the_end_is_shown(
    host, letter, count, cut
):
    ran = host.run(f"print({letter!r} * {count})")
    text = letter * count + "\n"
    assert ran.truncated is cut
    assert text.endswith(ran.output)
    size = len(ran.output.encode())
    assert size == len(text.encode()) if not cut else 51_198 <= size <= 51_200
    if cut:
        assert whole(ran) == text


def test_a_result_that_is_too_long_is_cut_too(host):
    ran = host.run(
        "class Long:\n    def __repr__(self): return '\\n'.join(map(str, range(1, 3001)))\nLong()"
    )
    assert ran.truncated is True
    assert ran.output.splitlines() == [str(i) for i in range(1001, 3001)]
    assert whole(ran).splitlines() == [str(i) for i in range(1, 3001)]
    ran = host.run("raise ValueError('\\n'.join(map(str, range(1, 3001))))")
    assert ran.truncated is True and ran.output.rstrip().endswith("3000")
    assert ran.ename == "ValueError"


def test_lines_of_the_whole_can_be_read(host):
    ran = host.run("for i in range(1, 3001): print(i)")
    name = ran.end["id"]
    answer = host.ask("read", run=name, from_line=5, to_line=7)
    assert answer["text"] == "5\n6\n7\n"
    assert (answer["from_line"], answer["to_line"], answer["of"]) == (5, 7, 3000)
    answer = host.ask("read", run=name, from_line=2999)
    assert answer["text"] == "2999\n3000\n"
    assert host.ask("read", run=name, from_line=4000)["text"] == ""
    assert host.ask("read", run="nobody", from_line=1)["kind"] == "unknown_run"


def test_lines_can_be_read_while_the_cell_runs(host):
    name = host.begin(
        "for i in range(100): print(i)\nprint('on', flush=True)\nimport time\ntime.sleep(60)"
    )
    answer = host.ask("read", run=name, from_line=99, to_line=100)
    assert answer["text"] == "98\n99\n"
    host.stop(name)


ENDLESS = {
    "print": "while True: print('x' * 999)",
    "print and flush": "while True: print('x' * 999, flush=True)",
    "one line": "while True: print('x' * 999, end='')",
    "a bar": "while True: print('\\r' + 'x' * 999, end='')",
    "a child": "import subprocess\nsubprocess.run(['yes', 'x' * 999])",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_print_is_interrupted_and_costs_no_memory(host, name):
    host.run("x = 41")
    processes = [host.guard, *host.supervisors]
    before = sum(peak(pid) for pid in processes)
    ran = host.run(ENDLESS[name], within=20)
    assert (ran.status, ran.ename, ran.state) == ("error", "KeyboardInterrupt", "kept")
    assert any("1 MiB" in text for text in ran.told)
    if name == "a bar":
        # All that stands there in the end is its last state.
        assert (ran.full_output_path, ran.output[:999]) == (None, "x" * 999)
    else:
        assert os.stat(ran.full_output_path).st_size >= MEBIBYTE
    assert sum(peak(pid) for pid in processes) - before < 48 * MEBIBYTE
    assert host.run("x").output == "41\n"


def test_a_print_that_no_interrupt_ends_costs_no_memory_either(start):
    host = start()
    processes = [host.guard, *host.supervisors]
    before = sum(peak(pid) for pid in processes)
    ran = host.run(
        "while True:\n    try:\n        while True: print('x' * 999, flush=True)\n"
        "    except KeyboardInterrupt:\n        pass",
        within=20,
    )
    assert ran.state == "lost"
    assert sum(peak(pid) for pid in processes) - before < 48 * MEBIBYTE
    assert host.run("1").output == "1\n"


def test_a_host_that_stops_reading_loses_no_line(start):
    host = start()
    name = host.begin(
        "print('on', flush=True)\n"
        "import pathlib\n"
        "for i in range(0, 60_000, 10): print(*range(i, i + 10), sep='\\n', flush=True)\n"
        "pathlib.Path('printed').touch()"
    )
    host.reads.clear()
    # The six seconds are the subject, not a wait for something.
    threading.Event().wait(6)
    end = time.monotonic() + 60
    while not (host.home / "printed").exists():
        assert time.monotonic() < end, "the cell waits for its host"
    host.reads.set()
    ran = host.finish(name)
    expected = ["on", *(str(i) for i in range(60_000))]
    assert whole(ran).splitlines() == expected
    assert ran.output.splitlines() == expected[-2000:]
    seen = ran.text("stdout").splitlines()
    missing = len(expected) - len(seen)
    if missing:
        told = " ".join(
            event["text"] for event in host.events if event["type"] == "notice"
        )
        counted = [int(word.replace(",", "")) for word in re.findall(r"[\d,]*\d", told)]
        assert missing in counted, told
    assert host.run("1").output == "1\n"


def test_a_host_that_never_reads_costs_no_memory(start):
    """Cells go on while nobody listens; what does not fit is told."""
    host = start()
    before = sum(peak(pid) for pid in [host.guard, *host.supervisors])
    host.reads.clear()
    for _ in range(60):
        host.send(
            "run",
            code="for i in range(9000): print('x' * 99)",
            queue=True,
        )
    last = host.send(
        "run", code="import pathlib; pathlib.Path('done').touch(); 41", queue=True
    )
    done = host.home / "done"
    watch = threading.Event()
    for _ in range(6000):
        if done.exists() or watch.wait(0.01):
            break
    assert done.exists()
    grown = sum(peak(pid) for pid in [host.guard, *host.supervisors]) - before
    host.reads.set()
    assert host.finish(last).output == "41\n"
    # They printed 54 MB, of which each result has 50 KiB.
    assert grown < 40 * MEBIBYTE, grown
    assert any(e["type"] == "notice" and e["kind"] == "unread" for e in host.events)


def test_files_of_output_end_with_the_session(start):
    host = start()
    ran = host.run("for i in range(3000): print(i)")
    path = Path(ran.full_output_path)
    assert path.is_relative_to(host.runtime) and path.exists()
    host.ask("release")
    assert not path.exists()
