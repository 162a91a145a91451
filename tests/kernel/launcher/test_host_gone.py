"""When the host goes away, all that was started for it goes too, whatever it is at, and no file is left."""

import os
import signal
import time

import pytest
from host import BINARY, SCRIPT, Host
from processes import SLACK, Watch, children, is_python_kernel

#: Hard limit, in seconds; the promise is one.
WITHIN = 5.0

HELD = "print('on', flush=True)\n"
WORKLOADS = {
    "idle": "",
    "sleep": HELD + "import time\ntime.sleep(1000)",
    "sum": HELD + "sum(range(10**12))",
    "starting": None,
    "startup code": None,
    "child": "import subprocess\n"
    "subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
    # A daemon, as servers begin: nothing says any more who started it.
    "subprocess.run(['sh', '-c', 'setsid sh -c \"trap : HUP TERM INT; (sleep 1000 & ); sleep 1000\" &'])\n"
    + HELD
    + "subprocess.run(['sleep', '1000'])",
}


def at(host: Host, workload: str) -> None:
    """Brings the host to where its launcher is in the middle of the workload."""
    if workload == "starting":
        host.send("open")
        host.kernel()
    elif workload == "startup code":
        host.send(
            "open",
            env={"UNDER_WAY": str(host.home / "way")},
            startup_code=[
                "import os, time; open(os.environ['UNDER_WAY'], 'w').close(); time.sleep(1000)"
            ],
        )
        end = time.monotonic() + 30
        while not (host.home / "way").exists():
            assert time.monotonic() < end
    else:
        host.open()
        if WORKLOADS[workload]:
            host.begin(WORKLOADS[workload])


def gone(host: Host, record_property) -> None:
    """All have ended in time, and no file is there."""
    watch = host.watch()
    host.kill()
    took = watch.ended(WITHIN)
    record_property("seconds", round(took, 3))
    assert host.started() == set()
    assert host.files() == []


@pytest.mark.parametrize("command", [SCRIPT, BINARY], ids=["script", "binary"])
@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_host_that_is_killed_leaves_nothing(
    start, workload, command, record_property
):
    host = start(opened=False, command=command)
    at(host, workload)
    gone(host, record_property)


@pytest.mark.parametrize("workload", ["idle", "sum", "starting", "child"])
def test_a_host_that_closes_the_pipe_leaves_nothing(start, workload):
    host = start(opened=False)
    at(host, workload)
    watch = host.watch()
    host.process.stdin.close()
    watch.ended(WITHIN)
    assert host.process.wait(10) == 0
    assert host.started() == set()
    assert host.files() == []


def test_a_host_that_is_killed_while_it_does_not_read(start, record_property):
    host = start()
    host.reads.clear()
    name = host.send(
        "run",
        code="import pathlib\npathlib.Path('on').touch()\n"
        "for i in range(9000): print('x' * 99, flush=True)\nimport time\ntime.sleep(1000)",
    )
    end = time.monotonic() + 30
    while not (host.home / "on").exists():
        assert time.monotonic() < end, name
    gone(host, record_property)


def test_a_launcher_that_was_never_asked_for_anything(start, record_property):
    host = start(opened=False)
    assert host.ask("hello", version=1)["version"] == 1
    gone(host, record_property)


def test_a_host_of_many_sessions(start, record_property):
    host = start(opened=False)
    for number in range(4):
        host.open(session=f"s{number}")
    host.begin(WORKLOADS["sum"], session="s1")
    host.begin(WORKLOADS["child"], session="s2")
    gone(host, record_property)


def test_a_guard_that_is_killed_leaves_no_process(start):
    """Nobody is left who could see it; each process was told to end with its parent."""
    host = start()
    host.begin(WORKLOADS["sum"])
    watch = host.watch()
    os.kill(host.guard, signal.SIGKILL)
    watch.ended(WITHIN)
    assert host.started() == set()
    # Files of the dead go with the next look of anybody.
    other = start(opened=False, runtime=host.runtime)
    assert other.ask("list")["sessions"] == []
    assert other.files() == []


def test_a_supervisor_that_is_killed_is_told_and_takes_its_kernel_along(start):
    host = start()
    host.open(session="other")
    assert host.run("x = 41", session="other").status == "ok"
    ready = host.open()
    (supervisor,) = {p for p in host.supervisors if ready["pid"] in children(p)}
    name = host.begin(WORKLOADS["child"])
    watch = Watch({p for p in host.started() if below(p, supervisor)})
    os.kill(supervisor, signal.SIGKILL)
    ran = host.finish(name)
    assert ran.end["type"] == "error" and ran.kind in ("lost", "internal")
    assert ran.types[-2:] == ["cell-end", "error"]
    watch.ended(WITHIN)
    # The other session knows nothing of it, and this one can be opened again.
    assert host.run("x", session="other").output == "41\n"
    host.open()
    assert host.run("1").output == "1\n"


def below(pid: int, ancestor: int) -> bool:
    """True for what stands below the ancestor in the tree of processes."""
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        except FileNotFoundError:
            return False
    return False


def test_closing_ends_all_with_a_cell_that_runs(start):
    host = start()
    name = host.begin(WORKLOADS["sum"])
    watch = host.watch()
    began = time.monotonic()
    assert host.ask("close")["type"] == "closed"
    assert host.process.wait(60) == 0
    assert time.monotonic() - began < WITHIN + SLACK
    watch.ended(1)
    assert host.finish(name).types[-2:] in (
        ["cell-end", "result"],
        ["cell-end", "error"],
    )
    assert host.files() == []


def test_a_signal_ends_the_launcher_as_its_host_would(start):
    """A host that runs in a terminal gets Ctrl-C, and its launcher with it: the cell's own end is the host's matter."""
    host = start()
    host.begin(WORKLOADS["sleep"])
    watch = host.watch()
    os.kill(host.guard, signal.SIGTERM)
    watch.ended(WITHIN)
    assert host.process.wait(10) == 143
    assert host.started() == set()
    assert host.files() == []


def test_the_kernel_is_named_in_the_watch_at_all(start):
    """The tests above would see nothing if kernels had lost their mark."""
    host = start()
    started = host.started()
    assert sum(map(is_python_kernel, started)) == 1
    assert host.guard in started and host.supervisors <= started
