"""`hs kernel setup` for real: environments are built with uv, and once with pip where that is asked for.

The packages come from the index that uv or pip is set to; without one these tests are skipped.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from shell import Shell

#: Building takes seconds with a cache, minutes without.
BUILD = 900.0
BIN = Path(sys.executable).parent


def has_index() -> str | None:
    """Nothing if packages can be had, else why not."""
    done = subprocess.run(
        [BIN / "uv", "pip", "compile", "--quiet", "-"],
        input="tabulate==0.9.0",
        capture_output=True,
        text=True,
        check=False,
    )
    return None if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2]


@pytest.fixture(scope="module")
def index():
    why = has_index()
    if why:
        pytest.skip(f"no index of packages: {why}")


@pytest.fixture(scope="module")
def hs(index):
    """A shell with an environment that was set up, and where its parts are."""
    shell = settable(True)
    done = shell("kernel", "setup", "--with", "tabulate==0.9.0", within=BUILD)
    assert done.returncode == 0, done.stderr
    yield shell
    shell.close()


def settable(with_uv: bool) -> Shell:
    """A shell whose PATH has one Python, `sh`, and uv or not."""
    shell = Shell()
    programs = shell.folder / "bin"
    programs.mkdir()
    version = f"python3.{sys.version_info[1]}"
    (programs / version).symlink_to(Path(sys.base_prefix) / "bin" / version)
    # IPython looks for it there where no variable names a shell.
    (programs / "sh").symlink_to("/bin/sh")
    if with_uv:
        (programs / "uv").symlink_to(BIN / "uv")
    shell.environment["PATH"] = str(programs)
    # What uv and pip keep is the machine's, not the test's.
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    shell.environment.setdefault("UV_CACHE_DIR", str(cache / "uv"))
    shell.environment.setdefault("PIP_CACHE_DIR", str(cache / "pip"))
    return shell


def environment(shell: Shell) -> Path:
    """The folder of the environment in use."""
    return (shell.folder / "data/headstart/kernel/current").resolve()


def record(shell: Shell) -> Path:
    return environment(shell) / "headstart.json"


def spoil(shell: Shell, **fields: str) -> None:
    """Makes the environment one that another version built."""
    text = json.loads(record(shell).read_text())
    record(shell).write_text(json.dumps(text | fields))


def test_the_environment_runs_kernels_that_have_headstart_and_what_was_added(hs):
    # The Python that runs this program has ipykernel, and would be taken.
    python = environment(hs) / "bin/python"
    done = hs("kernel", "start", "work", "--python", str(environment(hs)))
    assert done.returncode == 0, done.stderr
    code = (
        "import sys, tabulate, pandas, polars, pyarrow, matplotlib\n"
        "hs.combien([{'a': '00042'}], 'a', ).shape, sys.executable"
    )
    done = hs.run(code, "-q")
    assert done.returncode == 0, done.stderr
    assert f"((1, 3), '{python}')" in done.stdout
    code = "x = 'pip is there'\n%pip --version"
    assert "pip 2" in hs.run(code).stdout
    assert hs("kernel", "release", "work").returncode == 0


def test_what_is_up_to_date_is_not_built_again(hs):
    before = record(hs).stat().st_mtime_ns
    done = hs("kernel", "setup", "--format", "json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["data"]
    assert row["built"] is False
    assert row["python"] == str(environment(hs) / "bin/python")
    assert record(hs).stat().st_mtime_ns == before


def test_two_at_once_rebuild_once_and_keep_what_was_added_and_what_is_in_use(hs):
    old = environment(hs)
    assert hs("kernel", "start", "work", "--python", str(old)).returncode == 0
    # A package that was added from a place that is gone.
    (site,) = old.glob("lib/*/site-packages")
    lost = site / "lost_thing-1.0.dist-info"
    lost.mkdir()
    (lost / "METADATA").write_text("Name: lost-thing\nVersion: 1.0\n")
    (lost / "REQUESTED").touch()
    spoil(hs, packages="another list")
    try:
        both = [hs.popen("kernel", "setup") for _ in range(2)]
        said = [process.communicate(timeout=BUILD) for process in both]
        ends = {
            out.split(":")[0]: (process.returncode, out, err)
            for process, (out, err) in zip(both, said, strict=True)
        }
        assert set(ends) == {"built", "up to date"}, said
        assert any("waiting for another hs kernel setup" in err for _, err in said)
        code, out, err = ends["built"]
        # What cannot be had again is told, and the rest is there.
        assert code == 1
        assert "adding again what you added: lost-thing, tabulate" in err
        assert "could not all be added again:\n  lost-thing==1.0: " in err
        assert "with tabulate==0.9.0" in out
        new = environment(hs)
        assert new != old
        assert list(new.glob("lib/*/site-packages/tabulate-0.9.0.dist-info"))
        # The session's modules are still there.
        done = hs.run("import wave, tabulate; tabulate.__version__")
        assert done.stdout == "'0.9.0'\n"
    finally:
        hs("kernel", "release", "work")
    done = hs("kernel", "setup")
    assert done.stdout.startswith("up to date")
    assert not old.exists()


def test_a_stale_environment_is_refused_with_the_fix(hs):
    """By the launcher itself, where no other Python can run the kernel."""
    original = record(hs).read_text()
    spoil(hs, headstart="0.0.1")
    script = (
        "import sys; sys.modules['ipykernel'] = None\n"
        "from headstart.__main__ import main; sys.exit(main('hs'))"
    )
    bare = Shell(Path(sys.executable))
    bare.environment |= {"XDG_DATA_HOME": str(hs.folder / "data")}
    try:
        done = bare("-c", script, "kernel", "start", "x")
        assert done.returncode == 2
        assert "holds headstart 0.0.1" in done.stderr
        assert "hint: hs kernel setup builds it" in done.stderr
        record(hs).write_text(original)
        done = bare("-c", script, "kernel", "start", "x")
        assert done.returncode == 0, done.stderr
        done = bare("-c", script, "kernel", "run", "-s", "x", "import sys; sys.prefix")
        assert done.stdout == f"'{environment(hs)}'\n"
        done = bare("-c", script, "kernel", "install", "--prefix", str(bare.folder))
        link = hs.folder / "data/headstart/kernel/current/bin/python"
        assert f"on {link}" in done.stdout
    finally:
        record(hs).write_text(original)
        bare("-c", script, "kernel", "release", "--all")
        shutil.rmtree(bare.folder, ignore_errors=True)


def test_what_fails_leaves_the_environment_as_it_was(hs):
    before = environment(hs)
    there = sorted(before.parent.iterdir())
    for arguments, words in [
        (["--force", "--from", "nowhere.whl"], "--from: expected a wheel"),
        (["--python", "/nowhere/python"], "--python: expected a Python"),
        (["--python", "3.9"], "expected 3.11 or later, found 3.9"),
        (["--python", "/bin/ls"], "does not answer as a Python"),
        (["--with", "no-such-package-of-headstart"], "it said last:"),
    ]:
        done = hs("kernel", "setup", *arguments, within=BUILD)
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
        assert environment(hs) == before
        assert sorted(before.parent.iterdir()) == there
    broken = hs.folder / "headstart-0.1.0-py3-none-any.whl"
    broken.write_bytes(b"no wheel")
    done = hs("kernel", "setup", "--force", "--from", str(broken), within=BUILD)
    assert done.returncode == 2
    assert "installing headstart" in done.stderr
    assert environment(hs) == before
    assert sorted(before.parent.iterdir()) == there


def test_without_an_index_pip_says_why_and_nothing_is_left():
    shell = settable(False)
    shell.environment |= {
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_RETRIES": "0",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "0",
        "PIP_FIND_LINKS": "",
    }
    try:
        done = shell("kernel", "setup", within=BUILD)
        assert done.returncode == 2
        assert "installing 5" in done.stderr
        assert "packages with pip" in done.stderr
        assert "installing the packages failed" in done.stderr
        assert "ERROR: No matching distribution found" in done.stderr
        assert "Traceback" not in done.stderr
        names = [
            path.name for path in (shell.folder / "data/headstart/kernel").iterdir()
        ]
        assert names == ["lock"]
    finally:
        shell.close()


@pytest.mark.skipif(
    "HEADSTART_TEST_PIP" not in os.environ,
    reason="takes minutes: HEADSTART_TEST_PIP=1 builds an environment with pip, too",
)
def test_pip_builds_the_same_environment(index):
    shell = settable(False)
    try:
        start = time.monotonic()
        done = shell("kernel", "setup", "--with", "tabulate==0.9.0", within=BUILD)
        assert done.returncode == 0, done.stderr
        print(f"built in {time.monotonic() - start:.1f} s")
        spoil(shell, packages="another list")
        done = shell("kernel", "setup", within=BUILD)
        assert done.returncode == 0, done.stderr
        assert "with tabulate==0.9.0" in done.stdout
        python = str(environment(shell))
        assert shell("kernel", "start", "work", "--python", python).returncode == 0
        assert shell.run("import tabulate; hs.__name__").stdout == "'headstart'\n"
    finally:
        shell.close()
