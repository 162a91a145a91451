"""montre in a real kernel: one view on the screen, `_` bound, the next cells as usual."""

import os
import sys

import pytest

manager = pytest.importorskip("jupyter_client.manager")
pytest.importorskip("ipykernel")


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("kernel"))
    environment = {**os.environ, "IPYTHONDIR": folder, "HOME": folder}
    started = manager.KernelManager(kernel_name="python3")
    # Whatever kernels the machine has: the one of this Python.
    started.kernel_spec.argv = [
        sys.executable,
        "-m",
        "ipykernel_launcher",
        "-f",
        "{connection_file}",
    ]
    started.start_kernel(env=environment, cwd=folder)
    client = started.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield client
    finally:
        client.stop_channels()
        started.shutdown_kernel(now=True)


def run(client, code: str) -> tuple[str, list[str]]:
    """What a cell prints, and the results that the front end shows under it."""
    printed, results, faults = [], [], []

    def take(message):
        content = message["content"]
        kind = message["msg_type"]
        if kind == "stream":
            printed.append(content["text"])
        elif kind in ("execute_result", "display_data"):
            results.append(content["data"].get("text/plain", ""))
        elif kind == "error":
            faults.append(content["evalue"])

    reply = client.execute_interactive(
        code, store_history=True, timeout=60, output_hook=take
    )
    assert not faults, faults
    assert reply["content"]["status"] == "ok"
    return "".join(printed), results


def test_a_frame_shows_once_and_is_bound(kernel):
    run(kernel, "import headstart as hs, pandas as pd")
    run(kernel, "df = pd.DataFrame({'amount': [1, 2, 3]})")
    printed, results = run(kernel, "hs.montre(df)")
    assert printed.count("amount") == 1
    assert "3 rows x 1 column" in printed
    assert results == []
    assert run(kernel, "_ is df") == ("", ["True"])


def test_the_cells_behind_show_as_usual(kernel):
    run(kernel, "import headstart as hs")
    printed, results = run(kernel, "hs.montre([1, 2, 3])")
    assert "list, 3 items" in printed
    assert results == []
    assert run(kernel, "_")[1] == ["[1, 2, 3]"]
    printed, results = run(kernel, "x = hs.montre(5)")
    assert (printed, results) == ("int: 5\n", [])
    assert run(kernel, "hs.montre(5) + 1")[1] == ["6"]
    assert run(kernel, "x")[1] == ["5"]
    # A cell that ends with another value shows both.
    printed, results = run(kernel, "hs.montre(x)\n[7]")
    assert (printed, results) == ("int: 5\n", ["[7]"])


def test_a_function_that_prints_and_returns_nothing_leaves_nothing(kernel):
    run(kernel, "import headstart as hs")
    assert run(kernel, "hs.verifie({'a': True})") == ("ok a\n", [])


def test_an_interrupt_of_the_kernel_passes_through_a_check(kernel):
    code = (
        "import headstart as hs\n"
        "def stop():\n    raise KeyboardInterrupt\n"
        "try:\n    hs.verifie({'a': stop})\n"
        "except KeyboardInterrupt:\n    print('stopped')"
    )
    assert run(kernel, code) == ("stopped\n", [])
