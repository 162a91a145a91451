"""`hs mcp`, driven by the official Python client on real kernels. Waits are for events, each with a deadline."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import jsonschema
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, Implementation

HS = Path(sys.executable).parent / "hs"
#: Seconds within which anything must have happened. Far above what it takes.
DEADLINE = 60.0
PNG = b"\x89PNG\r\n\x1a\n"
FIGURE = "import matplotlib.pyplot as plt\n_ = plt.plot([1, 3, 2])\nplt.show()\n"
pytestmark = pytest.mark.anyio


@pytest.fixture(scope="session")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="session")
def folders():
    """A home, and a folder for sockets, whose paths must be short."""
    root = Path(tempfile.mkdtemp(prefix="hs-"))
    (root / "run").mkdir(mode=0o700)
    (root / "home").mkdir()
    yield root
    shutil.rmtree(root, ignore_errors=True)


def server(folders, *arguments, **env):
    """How a host starts the server."""
    fonts = Path(tempfile.gettempdir()) / f"headstart-test-fonts-{os.getuid()}"
    env = {
        "XDG_RUNTIME_DIR": str(folders / "run"),
        "HOME": str(folders / "home"),
        "MPLCONFIGDIR": str(fonts),
        "HEADSTART_PYTHON": sys.executable,
        **env,
    }
    return StdioServerParameters(
        command=str(HS), args=["mcp", *arguments], env=env, cwd=folders / "home"
    )


@pytest.fixture
def connect(folders):
    """Connects to a server of its own."""

    @asynccontextmanager
    async def connected(*arguments, mode="auto", name=None, **env):
        info = Implementation(name=name, version="1") if name else None
        parameters = server(folders, *arguments, **env)
        async with Client(parameters, mode=mode, client_info=info) as client:
            yield client

    return connected


@pytest.fixture(scope="module")
async def client(folders, anyio_backend):
    """One server, and one kernel, for the tests that leave both as they were."""
    async with Client(server(folders)) as connected:
        yield connected


async def run(client, code, within=DEADLINE, **arguments) -> CallToolResult:
    with anyio.fail_after(within):
        return await client.call_tool("ipython", {"code": code, **arguments})


async def saved(client, folders, code) -> CallToolResult:
    """Runs a cell until its checkpoint is on the disk."""
    code = f"# {uuid.uuid4().hex}\n{code}"
    result = await run(client, code)
    manifests = folders / "home/.cache/headstart/checkpoints/manifests"
    with anyio.fail_after(DEADLINE):
        while not any(code[2:34] in path.read_text() for path in manifests.glob("*")):
            await anyio.sleep(0.01)
    return result


async def tool(client, name) -> str:
    with anyio.fail_after(DEADLINE):
        return text(await client.call_tool(name, {}))


def text(result) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


def images(result) -> list[bytes]:
    blocks = [block for block in result.content if block.type == "image"]
    assert all(block.mime_type == "image/png" for block in blocks)
    return [base64.b64decode(block.data, validate=True) for block in blocks]


class Started:
    """A file that a cell makes when it has begun: what is done to the cell comes after."""

    def __init__(self, folders) -> None:
        self.path = folders / f"started-{uuid.uuid4().hex}"
        self.code = f"open({str(self.path)!r}, 'w').close()\n"

    async def wait(self) -> None:
        with anyio.fail_after(DEADLINE):
            while not self.path.exists():
                await anyio.sleep(0.005)


class Gate:
    """A file that a cell waits for."""

    def __init__(self, folders) -> None:
        self.path = folders / f"gate-{uuid.uuid4().hex}"
        self.code = (
            "import asyncio, os\n"
            f"while not os.path.exists({str(self.path)!r}): await asyncio.sleep(0.005)\n"
        )

    def open(self) -> None:
        self.path.touch()


@pytest.fixture
def started(folders):
    return Started(folders)


@pytest.fixture
def gate(folders):
    return Gate(folders)


async def status_with(client, words) -> str:
    """The first status that says this."""
    with anyio.fail_after(DEADLINE):
        while words not in (said := await tool(client, "status")):
            await anyio.sleep(0.01)
    return said


# What a host sees


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_tools(connect, mode):
    async with connect(mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["ipython", "status", "interrupt", "restart", "search"]
        ipython = tools["ipython"]
        assert ipython.input_schema["required"] == ["code"]
        jsonschema.Draft202012Validator.check_schema(ipython.output_schema)
        hints = {name: tool.annotations for name, tool in tools.items()}
        assert not hints["ipython"].read_only_hint
        assert hints["ipython"].open_world_hint
        assert hints["status"].read_only_hint
        assert hints["restart"].destructive_hint
        # A server that nobody uses is light: it holds no kernel.
        assert "No kernel yet" in await tool(client, "status")
        assert "Nothing runs" in await tool(client, "interrupt")


async def test_the_description_names_what_hs_has(client):
    import headstart

    about = (await client.list_tools()).tools[0].description
    functions = [
        name
        for name in ("charge", "sauve", "montre", "combien", "compare", "joins")
        + ("decris", "verifie", "interroge")
        if callable(getattr(headstart, name))
    ]
    assert len(functions) == 9
    for name in functions:
        assert f"hs.{name}(" in about
    # Every request of every conversation pays for it.
    assert len(about) < 2_000


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_state_persists(connect, mode):
    async with connect(mode=mode) as client:
        first = await run(client, "x = 41\nimport asyncio")
        assert (text(first), first.is_error) == ("(no output)", False)
        result = await run(client, "await asyncio.sleep(0)\nprint('a')\nx + 1")
        assert text(result) == "a\n42\n"
        assert text(await run(client, "hs.__name__")) == "'headstart'\n"


async def test_the_result_for_programs(client):
    schema = (await client.list_tools()).tools[0].output_schema
    result = await run(client, "1 + 1")
    jsonschema.validate(result.structured_content, schema)
    told = result.structured_content
    assert told["status"] == "ok"
    assert told["output"] == text(result) == "2\n"
    assert (told["state"], told["truncated"]) == ("kept", False)
    assert (told["images"], told["notices"]) == (0, [])
    assert told["generation"] >= 1
    assert told["execution_count"] >= 1
    assert told["duration_ms"] >= 0
    failed = await run(client, "1 / 0")
    jsonschema.validate(failed.structured_content, schema)
    assert failed.structured_content["error"]["ename"] == "ZeroDivisionError"


async def test_an_exception_is_an_answer(client):
    result = await run(client, "def f():\n    return {}['missing']\nf()")
    assert not result.is_error
    assert "KeyError: 'missing'" in text(result)
    assert "\x1b[" not in text(result)
    assert result.structured_content["status"] == "error"


async def test_figures_are_images(client):
    result = await run(client, FIGURE + "print('drawn')")
    (image,) = images(result)
    assert image.startswith(PNG)
    assert "drawn" in text(result)
    told = result.structured_content
    assert told["images"] == 1
    assert len(json.dumps(told)) < 1_000


@pytest.mark.parametrize("code", ["len?", "%pinfo len", "?len"])
async def test_help_is_output(client, code):
    result = await run(client, code)
    assert "Return the number of items in a container" in text(result)


@pytest.mark.parametrize("name", ["claude-code", "codex-mcp-client", "opencode"])
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_host_that_shows_the_object_alone_gets_none(connect, mode, name):
    async with connect(mode=mode, name=name) as client:
        assert (await client.list_tools()).tools[0].output_schema is None
        if name == "claude-code":
            result = await run(client, FIGURE)
            assert result.structured_content is None
            assert len(images(result)) == 1


async def test_much_output_is_cut_and_kept(client):
    result = await run(client, "for i in range(3000): print(i)")
    told = result.structured_content
    assert told["truncated"]
    assert told["output"].splitlines()[-1] == "2999"
    assert told["full_output_path"] in text(result)
    whole = Path(told["full_output_path"]).read_text()
    assert whole.splitlines() == [str(number) for number in range(3000)]
    flood = await run(client, "while True: print('x' * 1000)")
    assert flood.structured_content["state"] == "kept"
    assert len(text(flood)) < 60_000
    assert text(await run(client, "'still here'")) == "'still here'\n"


async def test_cwd_stays(client, folders):
    before = text(await run(client, "import os; print(os.getcwd())")).strip()
    result = await run(client, "print(os.getcwd())", cwd=str(folders))
    assert text(result).strip() == str(folders)
    assert text(await run(client, "print(os.getcwd())")).strip() == str(folders)
    await run(client, "", cwd=before)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "missing field `code`"),
        ({"code": 7}, "expected a string"),
        ({"code": "1", "timeout_s": 0}, "timeout_s: expected seconds above 0"),
        ({"code": "1", "timeout_s": -1}, "timeout_s: expected seconds above 0"),
    ],
)
async def test_wrong_arguments_are_told_to_the_model(client, arguments, words):
    result = await client.call_tool("ipython", arguments)
    assert result.is_error
    assert words in text(result)


# One cell after the other


async def test_calls_side_by_side_run_in_their_order(client):
    await run(client, "order = []")
    async with anyio.create_task_group() as group:
        for number in range(5):
            group.start_soon(run, client, f"order.append({number})")
    assert text(await run(client, "order")) == "[0, 1, 2, 3, 4]\n"


async def test_a_call_taken_back_stops_its_cell_and_no_other(client, started):
    await run(client, "x = 41; import asyncio")
    after = anyio.Event()
    results = []

    async def next_call():
        results.append(await run(client, "x"))
        after.set()

    async with anyio.create_task_group() as group:
        with anyio.CancelScope() as scope:

            async def stop():
                await started.wait()
                # The next call is made in the same moment.
                group.start_soon(next_call)
                scope.cancel()

            group.start_soon(stop)
            await client.call_tool(
                "ipython", {"code": started.code + "await asyncio.sleep(60)"}
            )
        assert scope.cancelled_caught
        with anyio.fail_after(3):
            await after.wait()
    assert text(results[0]) == "41\n"
    assert "generation" in results[0].structured_content
    assert "new kernel" not in text(results[0])


async def test_a_waiting_call_taken_back_never_runs(client, gate):
    await run(client, "ran = []; import asyncio, os")
    async with anyio.create_task_group() as group:
        group.start_soon(run, client, gate.code + "ran.append('first')")
        await status_with(client, "asyncio")
        with anyio.CancelScope() as scope:

            async def stop():
                await status_with(client, "1 more cell waits")
                scope.cancel()

            group.start_soon(stop)
            await client.call_tool("ipython", {"code": "ran.append('waiting')"})
        assert scope.cancelled_caught
        group.start_soon(run, client, "ran.append('third')")
        # The status comes behind the cancel and the third cell, on one road.
        await status_with(client, "1 more cell waits")
        gate.open()
    assert text(await run(client, "ran")) == "['first', 'third']\n"


async def test_progress_is_told(client):
    told = []
    heard = anyio.Event()

    async def progress(seconds, total, message):
        told.append((seconds, message))
        if "running" in message:
            heard.set()

    async with anyio.create_task_group() as group:

        async def call():
            await client.call_tool(
                "ipython",
                {"code": "import time; time.sleep(60)"},
                progress_callback=progress,
            )

        with anyio.fail_after(10):
            async with anyio.create_task_group() as calls:
                calls.start_soon(call)
                await heard.wait()
                calls.cancel_scope.cancel()
        group.cancel_scope.cancel()
    assert told[0][0] >= 1
    assert [seconds for seconds, _ in told] == sorted(seconds for seconds, _ in told)


async def test_interrupt(client, started):
    await run(client, "x = 7; import time")
    async with anyio.create_task_group() as group:
        results = []

        async def cell():
            results.append(await run(client, started.code + "time.sleep(60)"))

        group.start_soon(cell)
        await started.wait()
        said = await tool(client, "interrupt")
    assert "variables are kept" in said
    assert results[0].structured_content["error"]["ename"] == "KeyboardInterrupt"
    assert not results[0].is_error
    assert text(await run(client, "x")) == "7\n"
    assert "Nothing runs" in await tool(client, "interrupt")


async def test_a_cell_that_cannot_stop_is_ended_and_that_is_told(
    connect, started, folders
):
    async with connect() as client:
        await saved(client, folders, "x = 1")
        stubborn = started.code + "sum(range(10**12))"
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:

                async def stop():
                    await started.wait()
                    scope.cancel()

                group.start_soon(stop)
                await client.call_tool("ipython", {"code": stubborn})
        # Nobody heard the answer of that call.
        result = await run(client, "'x' in globals()")
        assert text(result).startswith("note: a new kernel ran this")
        assert "variables came back as a notice says" in text(result)
        assert "True\n" in text(result)
        assert text(await run(client, "2")) == "2\n"


async def test_a_time_limit_ends_the_call_and_not_the_cell(client, gate):
    code = f"print('begun')\n{gate.code}print('done')"
    result = await run(client, code, timeout_s=0.5)
    assert not result.is_error
    assert result.structured_content["status"] == "running"
    assert "still runs after 0.5 s" in text(result)
    said = await status_with(client, "begun")
    assert said.startswith("running `print('begun')...`")
    gate.open()
    # The next cell waits for it, and says where its result is.
    assert "`status` has its result" in text(await run(client, "1"))
    said = await tool(client, "status")
    assert "which went on, ended:" in said
    assert "begun\ndone" in said
    assert "went on" not in await tool(client, "status")


# Search


async def test_search_finds_what_ran_before(connect):
    async with connect() as client:

        async def search(**arguments):
            with anyio.fail_after(DEADLINE):
                return await client.call_tool("search", arguments)

        assert "Nothing ran yet" in text(await search(query="x"))
        await run(client, "total_amount = 41\nprint('needle')")
        await run(client, "raise KeyError('amu' + 'ont')")
        result = await search(query="needle")
        assert text(result).startswith("cell 1 of kernel 1 (just now, ok, in its code)")
        assert text(result).endswith("print('needle')")
        (hit,) = result.structured_content["hits"]
        assert (hit["cell"], result.structured_content["of"]) == (1, 1)
        assert "error, in its error): KeyError: 'amuont'" in text(
            await search(query="amuont")
        )
        assert "Nothing found" in text(await search(query="needle amuont"))
        said = text(await search(query="", limit=1))
        assert "(2 in all; more words find fewer)" in said
        # What people type is never wrong; what programs pass may be.
        assert not (await search(query='"foo(bar')).is_error
        for wrong in ({}, {"query": 7}, {"query": "x", "limit": "many"}):
            assert (await search(**wrong)).is_error
        # A new kernel takes variables, not what ran.
        await tool(client, "restart")
        assert "cell 1 of kernel 1" in text(await search(query="needle"))


# Ends


async def test_restart_takes_variables(client):
    await run(client, "x = 1")
    before = (await run(client, "1")).structured_content["generation"]
    assert "A new kernel is ready" in await tool(client, "restart")
    result = await run(client, "x")
    assert "NameError" in text(result)
    assert "new kernel ran this" not in text(result)
    assert result.structured_content["generation"] == before + 1


async def test_a_kernel_that_dies_in_a_cell(client, folders):
    for _ in range(3):
        await saved(client, folders, "x = 1")
        result = await run(
            client, "import os\nprint('before', flush=True)\nos._exit(17)"
        )
        assert result.is_error
        assert "17" in text(result)
        assert "with the variables of the last checkpoint" in text(result)
        assert result.structured_content["state"] == "lost"
        assert text(await run(client, "x")).startswith("1\n")


async def test_what_a_dead_kernel_had_printed_is_shown(client, gate):
    code = "for i in range(200): print('line', i)\n" + gate.code + "os._exit(3)"
    async with anyio.create_task_group() as group:
        results = []

        async def cell():
            results.append(await run(client, code))

        group.start_soon(cell)
        await status_with(client, "line 199")
        gate.open()
    (result,) = results
    assert result.is_error
    assert "line 199" in text(result)
    assert "line 5\n" not in text(result)


async def test_a_kernel_that_dies_between_cells_is_told(client, folders):
    said = text(await saved(client, folders, "import os; x = 1; os.getpid()"))
    pid = int(said.split()[0])
    watched = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    assert select.select([watched], [], [], DEADLINE)[0]
    os.close(watched)
    # A cell that comes before the launcher knows is lost, and says so as well.
    await status_with(client, "down")
    result = await run(client, "x")
    assert "note: a new kernel ran this" in text(result)
    assert "1\n" in text(result) and "back to cell " in text(result)
    assert not result.is_error


async def test_a_session_that_is_gone_is_opened_again(connect):
    async with connect() as client:
        pid = int(text(await run(client, "import os; x = 1; os.getpid()")))
        supervisor = parent(pid)
        watched = [os.pidfd_open(supervisor), os.pidfd_open(pid)]
        os.kill(supervisor, signal.SIGKILL)
        for process in watched:
            assert select.select([process], [], [], DEADLINE)[0]
            os.close(process)
        result = await run(client, "'x' in globals()")
        assert text(result).startswith("note: a new session ran this")
        assert text(result).endswith("False\n")
        assert text(await run(client, "2")) == "2\n"


async def test_a_launcher_that_is_gone_is_told(connect):
    async with connect() as client:
        pid = int(text(await run(client, "import os; os.getpid()")))
        guard = parent(parent(pid))
        watched = os.pidfd_open(pid)
        os.kill(guard, signal.SIGKILL)
        assert select.select([watched], [], [], DEADLINE)[0]
        os.close(watched)
        result = await run(client, "1")
        assert result.is_error
        assert "start this MCP server anew" in text(result)
        assert "start this MCP server anew" in await tool(client, "status")


async def test_ctrl_c_in_the_terminal_of_a_host_ends_nothing(connect):
    """The terminal sends it to all of its foreground group, and a host may have its own use for it."""
    async with connect() as client:
        pid = int(text(await run(client, "import os; x = 41; os.getpid()")))
        server_pid = parent(parent(parent(pid)))
        os.kill(server_pid, signal.SIGINT)
        assert text(await run(client, "x + 1")) == "42\n"
        os.kill(server_pid, signal.SIGTERM)
        watched = os.pidfd_open(pid)
        assert select.select([watched], [], [], DEADLINE)[0]
        os.close(watched)


@pytest.mark.parametrize(
    ("python", "words"),
    [
        ("/no/such/python", "/no/such/python"),
        ("/bin/false", "the kernel did not start"),
    ],
)
async def test_a_kernel_that_does_not_start_is_told_with_the_fix(
    connect, python, words
):
    async with connect(HEADSTART_PYTHON=python) as client:
        for _ in range(2):
            result = await run(client, "1")
            assert result.is_error
            assert words in text(result)
            assert "Nothing ran" in text(result)


def with_mark(mark: str) -> dict[int, str]:
    """Processes that have the mark in their environment: pid and command."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                found[int(folder.name)] = command.decode()
        except OSError:
            continue
    return found


def gone(pids, within: float) -> float:
    """Waits until these processes are gone; the seconds it took."""
    since = time.monotonic()
    for pid in pids:
        try:
            watched = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        left = within - (time.monotonic() - since)
        ready = select.select([watched], [], [], max(0, left))[0]
        os.close(watched)
        assert ready, f"{pid} is there after {within} s: {with_mark('HS_MARK')}"
    return time.monotonic() - since


HOST = """
import sys, anyio
from mcp import Client, StdioServerParameters

async def main():
    parameters = StdioServerParameters(command=sys.argv[1], args=["mcp"], env=dict(item.split("=", 1) for item in sys.argv[3:]))
    async with Client(parameters) as client:
        await client.call_tool("ipython", {"code": "import os, subprocess"})
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "ipython", {"code": sys.argv[2]})
        await anyio.sleep_forever()

anyio.run(main)
"""
WORKLOADS = {
    "idle": "print(open(READY, 'w').close())",
    "sleep": "open(READY, 'w').close()\nimport time; time.sleep(600)",
    "busy": "open(READY, 'w').close()\nsum(range(10**12))",
    "child": "subprocess.Popen(['sleep', '600'], start_new_session=True)\nopen(READY, 'w').close()\n"
    "import time; time.sleep(600)",
}


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("how", ["host killed", "server ended"])
def test_all_processes_end_with_their_host(folders, workload, how):
    mark = f"HS_MARK_{uuid.uuid4().hex}"
    ready = folders / mark
    code = WORKLOADS[workload].replace("READY", repr(str(ready)))
    env = [f"{key}={value}" for key, value in server(folders).env.items()]
    arguments = [str(HS), code, *env, f"{mark}=1"]
    host = subprocess.Popen([sys.executable, "-c", HOST, *arguments])
    try:
        end = time.monotonic() + DEADLINE
        while not ready.exists():
            assert host.poll() is None and time.monotonic() < end
            time.sleep(0.005)
        found = with_mark(f"{mark}=1")
        # The command line of the host itself is not its environment.
        assert host.pid not in found
        assert any("headstart.kernel" in command for command in found.values())
        assert any(" mcp" in command for command in found.values())
        if how == "host killed":
            host.kill()
        else:
            server_pid = next(p for p in found if parent(p) == host.pid)
            os.kill(server_pid, signal.SIGTERM)
        # Alone it is a second at most.
        gone(found, within=10.0)
        assert with_mark(f"{mark}=1") == {}
    finally:
        host.kill()
        host.wait()
    left = list((folders / "run").rglob(f"*.{host.pid}*"))
    assert left == []


def parent(pid: int) -> int:
    status = Path(f"/proc/{pid}/stat").read_text()
    return int(status.rpartition(")")[2].split()[1])


def test_a_host_that_closes_standard_input(folders):
    """As the specification has a host end a server; nothing but the protocol is ever on standard output."""
    environment = {"PATH": os.environ["PATH"], **server(folders).env}
    child = subprocess.Popen(
        [HS, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )

    def send(**message):
        child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        child.stdin.flush()

    info = {"name": "test", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
    send(id=1, method="initialize", params=hello)
    answer = json.loads(child.stdout.readline())
    assert answer["result"]["protocolVersion"] == "2025-06-18"
    assert answer["result"]["serverInfo"]["name"] == "headstart"
    send(method="notifications/initialized")
    code = "import os; os.system('echo loose'); os.getpid()"
    call = {"name": "ipython", "arguments": {"code": code}}
    send(id=2, method="tools/call", params=call)
    answer = json.loads(child.stdout.readline())
    assert answer["id"] == 2
    words = answer["result"]["structuredContent"]["output"].split()
    pid = int(next(word for word in words if word.isdigit()))
    watched = os.pidfd_open(pid)
    since = time.monotonic()
    child.stdin.close()
    assert child.wait(timeout=DEADLINE) == 0
    left = 1.0 - (time.monotonic() - since)
    assert left > 0
    assert select.select([watched], [], [], left)[0]
    os.close(watched)
    assert child.stdout.read() == b""
    assert child.stderr.read() == b""
