"""Where ipykernel is not as expected, the part is left out with a notice, and the kernel works."""

import sys

import pytest

from headstart.kernel import expectations

#: Code that takes an internal away before the kernel starts, and the part that misses it.
CHANGES = {
    "interrupts": "import ipykernel.ipkernel as m; del m.IPythonKernel._cancel_on_sigint;"
    "m.IPythonKernel.other_name = 1",
    "streams": "import ipykernel.iostream as m;"
    "m.OutStream._watch_other = m.OutStream._watch_pipe_fd; del m.OutStream._watch_pipe_fd;"
    "m.OutStream._setup_stream_redirects = lambda self, name: None",
    "wire": "import jupyter_client.session as m; import jupyter_client.jsonutil as j; del j.json_clean",
    "iopub": "import ipykernel.iostream as m; p = m.IOPubThread._event_pipe;"
    "m.IOPubThread._pipe_of_events = p; m.IOPubThread.schedule = lambda self, f: self.io_loop.add_callback(f);"
    "del m.IOPubThread._event_pipe",
    "parents": "import threading as m; m.Thread._inner = m.Thread._bootstrap_inner;"
    "m.Thread._bootstrap = lambda self: self._inner(); del m.Thread._bootstrap_inner",
    "latency": "import ipykernel.kernelbase as m; del m.Kernel._execute_sleep; m.Kernel._execute_sleep_ = 0;"
    "m.Kernel.__getattr__ = lambda self, n: 0 if n == '_execute_sleep' else (_ for _ in ()).throw(AttributeError(n))",
}


def test_this_version_is_as_expected(kernel):
    assert expectations.unmet() == {}
    assert kernel.run("1").notices == []


@pytest.mark.parametrize("part", CHANGES)
def test_a_missing_internal_is_told_and_the_kernel_runs(start, part):
    kernel = start(
        argv=[
            sys.executable,
            "-c",
            f"{CHANGES[part]}\nfrom headstart.kernel.__main__ import main\nmain()",
            "-f",
            "{connection_file}",
        ]
    )
    ran = kernel.run("print('works')\n1")
    assert (ran.status, ran.text(), ran.results) == ("ok", "works\n", ["1"])
    told = [n["text"] for n in ran.notices if n["kind"] == "expectations"]
    assert len(told) == 1
    assert expectations.PARTS[part][0] in told[0]
    # Once is enough.
    assert kernel.run("await __import__('asyncio').sleep(0)\n2").notices == []


def test_every_internal_is_named_as_it_is_looked_for():
    for part, (effect, internals) in expectations.PARTS.items():
        assert effect and internals, part
        assert expectations.told(part, internals)


def test_where_the_classes_themselves_are_gone_the_stock_kernel_runs(start):
    code = (
        "import ipykernel.zmqshell\n"
        "import IPython.core.autocall as a; del a.ZMQExitAutocall\n"
        "from headstart.kernel.__main__ import main\nmain()"
    )
    kernel = start(argv=[sys.executable, "-c", code, "-f", "{connection_file}"])
    assert kernel.run("print('works')").text() == "works\n"
