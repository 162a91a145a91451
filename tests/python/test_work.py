"""Work beside the interpreter: other threads run, Ctrl-C stops it. A pipe makes a slow file."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import headstart as hs

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


@pytest.fixture(autouse=True)
def ctrl_c():
    """Ctrl-C as in a terminal: a shell that runs the tests in the background ignores it for them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "slow.json"
    os.mkfifo(path)
    yield path
    # Lets a reader that was left behind go.
    os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))


def test_other_threads_run_meanwhile(pipe):
    results = []

    def load():
        try:
            results.append(hs.charge(pipe))
        except hs.Error as error:
            results.append(error)
        finally:
            # When the file was never opened, this lets the writer below fail instead of waiting for ever.
            os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))

    worker = threading.Thread(target=load)
    worker.start()
    # Opening waits for the reader; were the interpreter blocked, this would never return.
    with open(pipe, "wb") as out:
        time.sleep(0.2)
        out.write(b'[{"a": 1}, {"a": 2}]')
    worker.join(timeout=10)
    assert not worker.is_alive()
    assert len(results) == 1


def test_ctrl_c_stops_a_load_that_waits(pipe):
    asked = []

    def press():
        asked.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.2, press).start()
    with pytest.raises(KeyboardInterrupt):
        hs.charge(pipe)
    # Half a second on a machine of its own; nobody ever writes into the pipe.
    assert time.monotonic() - asked[0] < 10


def test_the_handlers_own_exception_passes(pipe):
    def handler(*_):
        raise LookupError("alarm")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(LookupError, match="alarm"):
            hs.charge(pipe)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_the_command_dies_of_ctrl_c(pipe):
    done = subprocess.Popen(
        [sys.executable, "-m", "headstart", "charge", pipe],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # It is at work once the pipe has a reader; until then a writer cannot open it.
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            writer = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            break
        except OSError:
            time.sleep(0.01)
    done.send_signal(signal.SIGINT)
    out, error = done.communicate(timeout=5)
    os.close(writer)
    assert done.returncode in (-signal.SIGINT, 130)
    assert b"Traceback" not in error
    assert out == b""


INTERRUPTED = """
import _thread, signal, sys, threading, time
import headstart as hs
signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupt():
    while sys.argv[2] not in sys.modules:
        time.sleep(0.0002)
    _thread.interrupt_main()

threading.Thread(target=interrupt).start()
try:
    hs.charge(sys.argv[1])
    time.sleep(5)
except KeyboardInterrupt:
    print("interrupted")
print(len(hs.charge(sys.argv[1])))
"""


@pytest.mark.parametrize("module", ["pandas._libs", "pandas._libs.tslibs.offsets"])
def test_an_interrupt_during_the_first_import_leaves_the_session_whole(module):
    command = [sys.executable, "-c", INTERRUPTED, "fixtures/orders.csv", module]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        command, check=False, cwd=root, capture_output=True, text=True, timeout=60
    )
    lines = done.stdout.splitlines()
    assert "interrupted" in lines and lines[-1] == "52", done.stdout + done.stderr
