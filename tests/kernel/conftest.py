"""A real kernel, asked through jupyter_client; waits are for messages, each with a deadline."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager

# A suite that was started in the background has Ctrl-C ignored, and so has all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

#: Seconds within which anything must have happened. Far above what it takes.
DEADLINE = 60.0
#: The variables of the machine that would change what a kernel does.
UNWANTED = ("PYTEST_CURRENT_TEST", "MPLBACKEND", "JPY_SESSION_NAME", "PYTHONSTARTUP")


class Ran:
    """What a client saw of one cell."""

    def __init__(self, reply: dict, messages: list[dict]) -> None:
        self.reply = reply["content"]
        self.messages = messages

    @property
    def status(self) -> str:
        return self.reply["status"]

    @property
    def error(self) -> str | None:
        return self.reply.get("ename")

    def of(self, kind: str) -> list[dict]:
        return [m["content"] for m in self.messages if m["msg_type"] == kind]

    def text(self, stream: str = "stdout") -> str:
        return "".join(c["text"] for c in self.of("stream") if c["name"] == stream)

    @property
    def results(self) -> list[str]:
        return [c["data"]["text/plain"] for c in self.of("execute_result")]

    @property
    def notices(self) -> list[dict]:
        mime = "application/vnd.headstart.notice+json"
        return [c["data"][mime] for c in self.of("display_data") if mime in c["data"]]


class Kernel:
    """A kernel process and a client of it."""

    def __init__(self, folder: Path, *, argv=None, env=None, transport="tcp") -> None:
        # The name is only looked up; the command is ours.
        self.manager = KernelManager(kernel_name="python3", transport=transport)
        # Short, since addresses of sockets are; `mkdtemp` makes it 0700.
        self.sockets = tempfile.mkdtemp(prefix="hs-")
        if transport == "ipc":
            self.manager.ip = f"{self.sockets}/s"
        self.manager.kernel_spec.argv = argv or [
            sys.executable,
            "-m",
            "headstart.kernel",
            "-f",
            "{connection_file}",
        ]
        environment = {k: v for k, v in os.environ.items() if k not in UNWANTED}
        # matplotlib writes its list of fonts once for all kernels.
        fonts = Path(tempfile.gettempdir()) / f"headstart-test-fonts-{os.getuid()}"
        environment["MPLCONFIGDIR"] = str(fonts)
        environment |= {"IPYTHONDIR": str(folder), "HOME": str(folder), **(env or {})}
        self.manager.start_kernel(env=environment, cwd=str(folder))
        self.client = self.manager.client()
        self.client.start_channels()
        try:
            self.client.wait_for_ready(timeout=DEADLINE)
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        return self.manager.provisioner.pid

    def send(self, code: str, **options) -> str:
        return self.client.execute(code, store_history=True, **options)

    def message(self, end: float | None = None) -> dict:
        """The next message on iopub."""
        left = DEADLINE if end is None else end - time.monotonic()
        return self.client.get_iopub_msg(timeout=max(0.01, left))

    def until(self, msg_id: str, text: str) -> list[dict]:
        """Messages of the cell until it has printed the text, as a line: its end comes behind it."""
        seen, printed, end = [], "", time.monotonic() + DEADLINE
        while True:
            message = self.message(end)
            if message["parent_header"].get("msg_id") != msg_id:
                continue
            seen.append(message)
            if message["msg_type"] == "stream":
                printed += message["content"]["text"].replace("\r", "")
                if f"{text}\n" in printed:
                    return seen
            assert message["content"].get("execution_state") != "idle", seen

    def finish(
        self, msg_id: str, seen: list[dict] | None = None, within: float = DEADLINE
    ) -> Ran:
        """The rest of the cell: its messages until idle, and its reply."""
        messages, end = list(seen or []), time.monotonic() + within
        try:
            while True:
                message = self.message(end)
                if message["parent_header"].get("msg_id") != msg_id:
                    continue
                messages.append(message)
                if message["content"].get("execution_state") == "idle":
                    break
            while True:
                reply = self.client.get_shell_msg(
                    timeout=max(0.01, end - time.monotonic())
                )
                if reply["parent_header"].get("msg_id") == msg_id:
                    return Ran(reply, messages)
        except queue.Empty:
            raise AssertionError(
                f"no end of the cell within {within} s: {messages}"
            ) from None

    def run(self, code: str, within: float = DEADLINE, **options) -> Ran:
        return self.finish(self.send(code, **options), within=within)

    def interrupt(self) -> None:
        self.manager.interrupt_kernel()

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()
        shutil.rmtree(self.sockets, ignore_errors=True)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """One kernel for the tests of a file."""
    started = Kernel(tmp_path_factory.mktemp("kernel"))
    yield started
    started.stop()


@contextmanager
def starting_in(folder: Path):
    """Starts kernels of another make; they end with it."""
    kernels = []

    def another(**options) -> Kernel:
        kernels.append(Kernel(folder, **options))
        return kernels[-1]

    try:
        yield another
    finally:
        for started in kernels:
            started.stop()


@pytest.fixture(scope="session")
def starting():
    """For tests that share kernels of another make: `with starting(folder) as start`."""
    return starting_in


@pytest.fixture
def start(tmp_path):
    """Starts kernels of another make; they end with the test."""
    with starting_in(tmp_path) as another:
        yield another
