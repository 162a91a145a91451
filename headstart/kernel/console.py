"""`python -m headstart.kernel.console CONNECTION_FILE`: a console on the kernel of a session.

That of euporie where it is installed, else Jupyter's, which differs from `jupyter console --existing` in two things: Ctrl-C
stops the cell that runs, and what other clients of the kernel run is shown. Leaving it never ends the kernel. Where the kernel
ends, a console would wait for ever: it goes on with the next kernel of the session, and its variables. Consoles get
a copy of the connection file: some write into theirs, or remove it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def main(arguments: list[str]) -> int:
    """Runs the console until its user leaves."""
    file, *options = arguments
    with private_copy(file) as copy:
        if program := euporie_console():
            return euporie(program, copy, options)
        code = jupyter_console(file, copy, options)
    return code if code is not None else next_kernel(file)


def next_kernel(file: str) -> int:
    """Goes on with the next kernel of a session whose kernel has ended; comes back only where there is none."""
    folder = os.path.dirname(os.path.abspath(file))
    name = os.path.basename(folder)
    if not os.path.exists(os.path.join(folder, "control.sock")):
        print(f"hs: session {name} has ended", file=sys.stderr)
        return 0
    print(
        f"hs: session {name}: the kernel has ended; here is the next", file=sys.stderr
    )
    hs = [sys.executable, "-P", "-m", "headstart"]
    # It says what came back, and history says why the numbers of cells begin anew.
    begun = subprocess.call([*hs, "kernel", "run", "-s", name, "# a new kernel"])
    if begun:
        return begun
    os.execv(sys.executable, [*hs, "ipython", name])


@contextlib.contextmanager
def private_copy(file: str) -> Iterator[str]:
    """A copy that only this user reads, beside the file: there it is gone with the session at the latest."""
    folder = os.path.dirname(os.path.abspath(file))
    # euporie offers kernels whose files are called so.
    copy = os.path.join(folder, f"kernel-console-{os.getpid()}.json")
    # What a process of this number left that was killed.
    with contextlib.suppress(FileNotFoundError):
        os.unlink(copy)
    with open(file, "rb") as original:
        text = original.read()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(copy, flags, 0o600), "wb") as written:
        written.write(text)
    try:
        yield copy
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(copy)


def euporie_console() -> str | None:
    """The program of euporie beside this Python, if there is one."""
    program = os.path.join(os.path.dirname(sys.executable), "euporie-console")
    return program if os.access(program, os.X_OK) else None


def euporie(program: str, file: str, options: list[str]) -> int:
    """The console of euporie on the kernel of a connection file."""
    folder, name = os.path.split(file)
    with open(file, encoding="utf-8") as text:
        connection = json.load(text)
    # It looks this name up among the kernels that could be started, of which ipykernel's is one.
    connection["kernel_name"] = "python3"
    with open(file, "w", encoding="utf-8") as text:
        json.dump(connection, text)
    # With the file alone it starts a kernel of its own, and says nothing: the file must be a kernel that it knows.
    environment = {**os.environ, "JUPYTER_RUNTIME_DIR": folder}
    command = [program, "--connection-file", file, "--kernel-name", name, *options]
    return subprocess.call(command, env=environment)


def jupyter_console(kernel: str, file: str, options: list[str]) -> int | None:
    """Jupyter's console on the kernel of a connection file, until its user leaves; None where the kernel ended before.

    Parameters
    ----------
    kernel
        A file that is there as long as the kernel is.
    file
        The connection file.
    options
        For the console.
    """
    try:
        from jupyter_console.app import ZMQTerminalIPythonApp
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("jupyter_console"):
            raise
        print(
            f"hs: expected jupyter_console beside the kernel, found none in {sys.prefix}\n"
            f"hint: {sys.executable} -m pip install jupyter_console",
            file=sys.stderr,
        )
        return 2

    class Console(ZMQTerminalIPythonApp):
        """Jupyter's, on a kernel that it did not start."""

        lost = False

        def init_shell(self) -> None:
            super().init_shell()
            listen = self.shell.handle_external_iopub

            async def listen_until_lost(loop: Any = None) -> None:
                listening = asyncio.create_task(listen(loop=loop))
                while self.shell.keep_running and not self.lost:
                    await asyncio.sleep(0.2)
                    self.lost = not os.path.exists(kernel)
                # The prompt is taken back when nobody listens any more.
                self.shell.keep_running = False
                await listening

            self.shell.handle_external_iopub = listen_until_lost
            # Jupyter's says at the end that it keeps the kernel, or ends it.
            self.shell.mainloop = self.until_left

        def until_left(self) -> None:
            while True:
                try:
                    asyncio.run(self.shell._main_task())
                    break
                except KeyboardInterrupt:
                    print()
            if not self.lost:
                print("the session goes on")

        def handle_sigint(self, *args: Any) -> None:
            # Jupyter's refuses, since it has no process to signal; the kernel itself can be asked.
            if not self.shell._executing:
                raise KeyboardInterrupt
            client = self.kernel_client
            client.control_channel.send(client.session.msg("interrupt_request", {}))

    shown = "--ZMQTerminalInteractiveShell.include_other_output=True"
    Console.launch_instance(["--existing", file, shown, *options])
    return None if Console.instance().lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
