"""The kernel in Jupyter: its kernelspec, a notebook, a console, and `%load_ext headstart` elsewhere."""

import json
import os
import subprocess
import sys

import nbclient
import nbformat
import pexpect
import pytest


@pytest.fixture
def jupyter(tmp_path, monkeypatch):
    """A Jupyter of its own: kernels, settings and files in the test's folder."""
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        folder = tmp_path / name.lower()
        folder.mkdir()
        monkeypatch.setenv(name, str(folder))
    monkeypatch.delenv("JUPYTER_PATH", raising=False)
    monkeypatch.delenv("PYTEST_CURRENT_TEST", raising=False)
    return tmp_path


def run_notebook(folder, kernel: str, *cells: str):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    client = nbclient.NotebookClient(
        book, kernel_name=kernel, timeout=60, resources={"metadata": {"path": folder}}
    )
    client.execute()
    return book


def test_a_notebook_runs_on_the_installed_kernelspec(jupyter):
    from headstart.kernel.kernelspec import install

    written = install()
    assert written == jupyter / "jupyter_data_dir" / "kernels" / "headstart"
    stored = json.loads((written / "kernel.json").read_text())
    assert stored["display_name"] == "Python (headstart)"
    assert stored["argv"][:3] == [sys.executable, "-m", "headstart.kernel"]
    book = run_notebook(
        jupyter,
        "headstart",
        "rows = [{'code': '00042'}, {'code': '00007'}]\nprint(len(rows))",
        "hs.combien(rows, 'code')",
        "exit()",
        "import matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1)); plt.plot([1, 2]);",
    )
    nbformat.validate(book)
    first, second, third, fourth = (cell.outputs for cell in book.cells)
    assert first[0].text == "2\n"
    assert "00042" in str(second)
    assert third[0].output_type == "display_data"
    assert "the kernel stays" in third[0].data["text/plain"]
    assert "image/png" in fourth[0].data
    # Once more, over the one that is there.
    assert install() == written


def test_the_kernel_of_notebooks_takes_subshells_and_stops_as_well(start):
    from headstart.kernel.kernelspec import spec

    kernel = start(argv=spec()["argv"])
    reply = kernel.client.kernel_info(reply=True, timeout=60)
    assert "kernel subshells" in reply["content"]["supported_features"]
    for code in ("await asyncio.sleep(60)", "time.sleep(60)"):
        msg_id = kernel.send(f"import asyncio, time\nprint('on', flush=True)\n{code}")
        seen = kernel.until(msg_id, "on")
        kernel.interrupt()
        ran = kernel.finish(msg_id, seen, within=30)
        assert (ran.status, ran.error) == ("error", "KeyboardInterrupt")
    request = kernel.client.session.msg("create_subshell_request", {})
    kernel.client.control_channel.send(request)
    made = kernel.client.get_control_msg(timeout=30)["content"]
    assert made["status"] == "ok"
    message = kernel.client.session.msg(
        "execute_request", {"code": "6 * 7", "silent": False, "store_history": True}
    )
    message["header"]["subshell_id"] = made["subshell_id"]
    kernel.client.shell_channel.send(message)
    assert kernel.finish(message["header"]["msg_id"]).results == ["42"]


def test_a_kernelspec_can_go_into_an_environment(jupyter):
    from headstart.kernel.kernelspec import install

    written = install(prefix=jupyter / "env", python="/some/python", name="other")
    assert written == jupyter / "env/share/jupyter/kernels/other"
    stored = json.loads((written / "kernel.json").read_text())
    assert stored["argv"][0] == "/some/python"


def test_load_ext_gives_the_same_in_a_stock_kernel(start):
    kernel = start(
        argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    )
    assert kernel.run("hs").error == "NameError"
    assert kernel.run("%load_ext headstart").status == "ok"
    assert kernel.run("hs.__name__").results == ["'headstart'"]
    assert "hs" not in kernel.run("%who").text().split()
    ran = kernel.run("hs.montre([1, 2, 3])")
    assert "list, 3 items" in ran.text()
    assert ran.results == []
    kernel.run("%unload_ext headstart")
    assert kernel.run("hs").error == "NameError"


def test_unloading_keeps_a_name_of_the_user(start):
    kernel = start(
        argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    )
    kernel.run("%load_ext headstart\nhs = 5")
    kernel.run("%unload_ext headstart")
    assert kernel.run("hs").results == ["5"]


def test_without_ipykernel_the_start_says_what_to_install(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nsys.modules['ipykernel'] = None\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "headstart.kernel"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install 'headstart[kernel]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_console_that_types_exit_leaves_and_the_kernel_stays(kernel, tmp_path):
    """A real `jupyter console --existing`, on a terminal of its own."""
    kernel.run("x = 41")
    console = pexpect.spawn(
        sys.executable,
        ["-m", "jupyter_console", "--existing", kernel.manager.connection_file]
        + ["--simple-prompt"],
        env={**os.environ, "HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path)},
        timeout=60,
        encoding="utf-8",
    )
    try:
        console.expect(r"In \[")
        console.sendline("x + 1")
        console.expect("42")
        console.expect(r"In \[")
        console.sendline("exit")
        console.expect("keeping kernel alive")
        console.expect(pexpect.EOF)
    finally:
        console.close(force=True)
    assert kernel.run("x").results == ["41"]
