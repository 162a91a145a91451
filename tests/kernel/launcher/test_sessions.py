"""Sessions side by side: their list, their end, and what the dead have left."""

import json
import os
import shutil
import signal
import socket
import stat

import pytest

ON = "print('on', flush=True)\n"
BUSY = (
    "import subprocess, sys\n"
    "child = subprocess.Popen([sys.executable, '-c',"
    " 'x = bytearray(b\"x\") * (200 << 20); print(1, flush=True); input()'],"
    " stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)\n"
    "child.stdout.readline()\n" + ON + "while True: pass"
)


def entry(host, session: str) -> dict:
    """What `list` says of a session of this host."""
    name = f"{session}.{host.guard}"
    (found,) = [s for s in host.ask("list")["sessions"] if s["session"] == name]
    return found


def test_the_list_shows_what_runs_and_what_it_costs(start):
    host = start(opened=False)
    host.open(session="quiet")
    host.open(session="busy")
    host.run("a = b = 1", session="quiet")
    name = host.begin(BUSY, session="busy")
    # The first measure needs a stretch of time; progress comes behind one.
    host.wait_for(lambda e: e["type"] == "progress" and e["cpu_percent"] > 5)
    busy, quiet = entry(host, "busy"), entry(host, "quiet")
    assert busy["state"] == "running"
    assert busy["run"]["code"] == BUSY and busy["run"]["id"] == name
    assert busy["run"]["elapsed_ms"] > 0
    # Alone it is 100; other programs use the machine, too.
    assert busy["cpu_percent"] > 5
    assert 200 << 20 < busy["memory_bytes"] < 600 << 20
    assert (quiet["state"], quiet["names"], quiet["generation"]) == ("idle", 2, 1)
    assert "run" not in quiet
    assert (quiet["name"], quiet["detached"]) == ("quiet", False)
    assert quiet["cpu_percent"] < 50 and quiet["memory_bytes"] < 200 << 20
    later = entry(host, "busy")
    assert later["run"]["elapsed_ms"] > busy["run"]["elapsed_ms"]
    host.stop(name, session="busy")


def test_other_hosts_of_the_user_are_in_the_list(start):
    host = start()
    other = start(runtime=host.runtime, opened=False)
    other.open(session="theirs")
    listed = {s["session"] for s in host.ask("list")["sessions"]}
    assert listed == {f"main.{host.guard}", f"theirs.{other.guard}"}
    assert host.ask("release", session=f"theirs.{other.guard}")["type"] == "released"
    assert {s["session"] for s in other.ask("list")["sessions"]} == {
        f"main.{host.guard}"
    }
    assert host.run("1").output == "1\n"
    # Its own host hears of it, and can begin again.
    assert other.ask("status", session="theirs")["kind"] == "unknown_session"
    other.open(session="theirs")
    assert other.run("2", session="theirs").output == "2\n"
    other.close()


def test_release_ends_one_session_and_no_other(start):
    host = start(opened=False)
    for name in ("one", "two"):
        host.open(session=name)
        host.run(f"x = {name!r}", session=name)
    name = host.begin(ON + "sum(range(10**12))", session="one")
    assert host.ask("release", session="one")["type"] == "released"
    assert host.finish(name).types[-2:] in (
        ["cell-end", "result"],
        ["cell-end", "error"],
    )
    assert host.run("x", session="two").output == "'two'\n"
    assert host.ask("run", session="one", code="1")["kind"] == "unknown_session"
    assert host.ask("release", session="one")["kind"] == "unknown_session"
    host.open(session="one")
    assert host.run("'x' in globals()", session="one").output == "False\n"


def test_two_sessions_at_once_do_not_mix(start):
    host = start(opened=False)
    for name in ("a", "b"):
        host.open(session=name)
    runs = {
        name: host.send(
            "run",
            session=name,
            code=f"for i in range(2000): print({name!r}, i, flush=True)\nx = {name!r}",
        )
        for name in ("a", "b")
    }
    for name, run in runs.items():
        ran = host.finish(run)
        assert ran.output.splitlines() == [f"{name} {i}" for i in range(2000)]
        assert {event["session"] for event in ran.events} == {name}
    assert [host.run("x", session=name).output for name in "ab"] == ["'a'\n", "'b'\n"]


def test_the_same_id_in_two_sessions_is_two_runs(start):
    host = start(opened=False)
    for name in ("a", "b"):
        host.open(session=name)
        host.send(
            "run",
            id="same",
            session=name,
            code=f"import time; time.sleep(0.1); print({name!r})",
        )
    for name in ("a", "b"):
        result = host.wait_for(
            lambda e, n=name: e["type"] == "result" and e["session"] == n
        )
        assert result["output"] == f"{name}\n"


def test_what_the_dead_left_is_cleaned_by_the_next_look(start):
    host = start()
    folder = host.folder()
    pids = host.started()
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    host.process.wait()
    assert folder.is_dir()
    other = start(runtime=host.runtime)
    assert [s["session"] for s in other.ask("list")["sessions"]] == [
        f"main.{other.guard}"
    ]
    assert not folder.exists()
    other.close()


def test_only_the_user_can_read_what_is_there(host):
    folder = host.folder()
    for path in (folder, folder.parent, folder.parent.parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700, path
    names = {path.name for path in folder.iterdir()}
    assert {"lock", "session.json", "control.sock"} <= names
    assert any(name.startswith("kernel-1") and name.endswith(".json") for name in names)
    for path in folder.rglob("*"):
        if path.is_socket() and path.name != "control.sock":
            # The kernel's own, in a folder that nobody else enters.
            continue
        allowed = 0o700 if path.is_dir() else 0o600
        mode = stat.S_IMODE(path.lstat().st_mode)
        assert mode & 0o077 == 0 and mode & ~allowed == 0, path
    about = json.loads((folder / "session.json").read_text())
    assert (about["name"], about["host_pid"]) == ("main", host.process.pid)
    assert about["pid"] in host.supervisors


@pytest.mark.parametrize("which", ["headstart", "headstart/sessions"])
@pytest.mark.parametrize("what", ["link", "loose", "file"])
def test_a_folder_that_another_could_have_put_there_is_refused(
    start, which, what, tmp_path
):
    host = start(opened=False)
    place, target = host.runtime / which, tmp_path / "target"
    target.mkdir(mode=0o700)
    shutil.rmtree(host.runtime / "headstart", ignore_errors=True)
    place.parent.mkdir(mode=0o700, exist_ok=True)
    if what == "link":
        place.symlink_to(target)
    elif what == "loose":
        place.mkdir()
        place.chmod(0o777)
    else:
        place.write_text("")
    answer = host.ask("open")
    assert (answer["type"], answer["kind"]) == ("error", "start"), answer
    assert str(place) in answer["message"]
    assert list(target.iterdir()) == []
    if what == "link":
        assert place.is_symlink()
        place.unlink()
    elif what == "loose":
        assert stat.S_IMODE(place.stat().st_mode) == 0o777
        shutil.rmtree(place)
    else:
        place.unlink()
    host.open()
    assert host.run("1").output == "1\n"


def test_a_runtime_folder_whose_path_is_too_long_for_sockets(start, tmp_path):
    deep = tmp_path / ("d" * 100)
    deep.mkdir(mode=0o700)
    host = start(opened=False, env={"XDG_RUNTIME_DIR": str(deep)})
    answer = host.ask("open")
    if answer["type"] == "error":
        assert answer["kind"] == "start" and str(deep) in answer["message"]
        assert "107" in answer["message"] or "too long" in answer["message"]
    else:
        assert host.run("1").output == "1\n"


class Client:
    """Another program on the control socket of a session."""

    def __init__(self, path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rb")

    def send(self, **request) -> None:
        self.socket.sendall(json.dumps(request).encode() + b"\n")

    def until(self, **fields) -> dict:
        for line in self.file:
            event = json.loads(line)
            if fields.items() <= event.items():
                return event
        raise AssertionError(f"closed before {fields}")

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def test_others_may_ask_the_session_over_its_socket(start):
    host = start()
    path = host.folder() / "control.sock"
    one, two = Client(path), Client(path)
    one.send(type="run", id="x", code="x = 41; x")
    assert one.until(type="result", id="x")["output"] == "41\n"
    assert host.run("x").output == "41\n"
    # A cell of the host is stopped by whoever asks, without its name, too.
    name = host.begin(ON + "import time; time.sleep(60)")
    two.send(type="status", id="s")
    assert two.until(id="s")["run"]["id"] == name
    two.send(type="cancel")
    assert host.finish(name).ename == "KeyboardInterrupt"
    # One that leaves in the middle takes nothing along.
    one.send(type="run", id="left", code=ON + "import time; time.sleep(0.2); y = 1")
    one.until(type="output", id="left")
    one.close()
    ran = host.run("y", queue=True)
    assert ran.output == "1\n"
    two.send(type="hello", id="h", version=1)
    assert two.until(id="h")["name"] == "headstart"
    two.close()


def test_nonsense_on_the_socket_harms_nobody(start):
    host = start()
    host.run("x = 41")
    for data in (
        b"\0\xff\n",
        b"{\n",
        b"[" * 100_000,
        b"\n" * 1000,
        b"{}",
        b"x" * (1 << 20),
    ):
        client = Client(host.folder() / "control.sock")
        client.socket.sendall(data)
        client.close()
    client = Client(host.folder() / "control.sock")
    client.send(type="status", id=1, session="another")
    assert client.until(id=1)["type"] in ("error", "status")
    client.close()
    assert host.run("x").output == "41\n"


def test_a_client_that_never_reads_holds_up_nobody(start):
    host = start()
    client = Client(host.folder() / "control.sock")
    client.send(
        type="run", id="r", code="for i in range(9000): print('x' * 99, flush=True)"
    )
    ran = host.run("41", queue=True)
    assert ran.output == "41\n"
    client.close()
