"""What the kernel expects of ipykernel, IPython and Python beyond their promises, checked at the start.

A part whose expectation is not met is left as ipykernel has it, with a notice; nothing here raises.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: For each part: what does not hold without it, and the internals that it stands on.
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "interrupts": (
        "an interrupt may end the kernel, or not stop a cell that awaits",
        (
            "ipykernel.kernelbase:Kernel.pre_handler_hook",
            "ipykernel.kernelbase:Kernel.post_handler_hook",
            "ipykernel.ipkernel:IPythonKernel._cancel_on_sigint",
            "ipykernel.ipkernel:IPythonKernel.do_execute",
            "IPython.core.interactiveshell:InteractiveShell.run_code",
            "IPython.core.interactiveshell:InteractiveShell.showtraceback",
        ),
    ),
    "checkpoints": (
        "variables are not saved",
        (
            "ipykernel.kernelbase:Kernel.dispatch_shell",
            "ipykernel.kernelbase:Kernel.do_shutdown",
            "ipykernel.kernelbase:Kernel.iopub_socket",
            "ipykernel.iostream:BackgroundSocket.io_thread",
        ),
    ),
    "streams": (
        "a closed standard output stays closed, and output of child processes may come late",
        (
            "ipykernel.iostream:OutStream._flush",
            "ipykernel.iostream:OutStream._watch_pipe_fd",
            "ipykernel.iostream:OutStream._setup_stream_redirects",
            "ipykernel.iostream:OutStream.set_thread_parent",
            "ipykernel.kernelapp:IPKernelApp.outstream_class",
        ),
    ),
    "wire": (
        "output with lone surrogates is lost",
        (
            "jupyter_client.session:Session.packer",
            "jupyter_client.jsonutil:json_clean",
        ),
    ),
    "iopub": (
        "output is lost where a client reads late",
        (
            "ipykernel.kernelapp:IPKernelApp.init_iopub",
            "ipykernel.iostream:IOPubThread._event_pipe",
            "ipykernel.iostream:IOPubThread.schedule",
        ),
    ),
    "parents": (
        "late output of a thread appears under the cell that runs then",
        (
            "threading:Thread._bootstrap_inner",
            "concurrent.futures.thread:ThreadPoolExecutor.submit",
            "ipykernel.zmqshell:ZMQInteractiveShell.set_thread_parent",
            "ipykernel.zmqshell:ZMQInteractiveShell.reset_thread_parent",
        ),
    ),
    "input": (
        "input() asks the front end",
        (
            "ipykernel.kernelbase:Kernel.raw_input",
            "ipykernel.kernelbase:Kernel.getpass",
        ),
    ),
    "exit": (
        "exit() ends the kernel",
        (
            "ipykernel.zmqshell:ZMQInteractiveShell.exiter",
            "ipykernel.zmqshell:ZMQInteractiveShell.ask_exit",
            "IPython.core.autocall:ZMQExitAutocall",
        ),
    ),
    "latency": (
        "a cell takes longer",
        (
            "ipykernel.kernelbase:Kernel._execute_sleep",
            "IPython.core.history:HistoryManager.hist_file",
        ),
    ),
}


def unmet() -> dict[str, list[str]]:
    """For each part that cannot be used, the internals that are not there."""
    found = {}
    for part, (_, internals) in PARTS.items():
        missing = [internal for internal in internals if not _there(internal)]
        if missing:
            found[part] = missing
    return found


def told(part: str, missing: Iterable[str]) -> str:
    """The notice about a part that is not used."""
    return (
        f"headstart: {PARTS[part][0]}: this version of {_package(missing)} is made otherwise "
        f"({', '.join(internal.split(':')[1] for internal in missing)})"
    )


def _package(internals: Iterable[str]) -> str:
    names = {internal.split(".")[0].split(":")[0] for internal in internals}
    return " and ".join(
        sorted("Python" if n in ("threading", "concurrent") else n for n in names)
    )


def _there(internal: str) -> bool:
    module, _, path = internal.partition(":")
    try:
        value: object = importlib.import_module(module)
        for name in path.split("."):
            value = getattr(value, name)
    except Exception:  # noqa: BLE001
        # Whatever goes wrong with the look, it is not as expected.
        return False
    return True
