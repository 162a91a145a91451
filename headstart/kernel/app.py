"""The application: ipykernel's, with other streams, signals, history and figures, and a loop that goes on."""

from __future__ import annotations

import atexit
import faulthandler
import os
import sys
import threading
import time

from ipykernel.compiler import get_tmp_directory
from ipykernel.kernelapp import IPKernelApp
from tornado.ioloop import IOLoop
from traitlets import Any as AnyTrait
from traitlets import Bool, default
from traitlets.config import Config

from headstart.kernel import expectations
from headstart.kernel.interrupts import INTERRUPTS
from headstart.kernel.kernel import SessionKernel
from headstart.kernel.notices import NOTICES
from headstart.kernel.parents import PARENTS
from headstart.kernel.streams import STREAMS
from headstart.kernel.wire import PACKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INLINE = "module://matplotlib_inline.backend_inline"
#: Seconds that threads of the user have at the end.
LAST = 2.0


class NoSubshells:
    """In the place of the thread that hands requests on to subshells: there are none.

    False, as ipykernel tests for it.
    """

    def __init__(self, parent_thread: threading.Thread) -> None:
        self.parent_thread = parent_thread

    def __bool__(self) -> bool:
        return False


class KernelApp(IPKernelApp):
    """`python -m headstart.kernel`."""

    subshells = Bool(
        False,
        help="Take requests for subshells, by a thread that each request then passes through.",
    ).tag(config=True)

    # As a `Type` with a default it would import all clients and managers of jupyter_client.
    blocking_class = AnyTrait()

    @default("blocking_class")
    def _blocking_class(self) -> Any:
        from jupyter_client import BlockingKernelClient

        return BlockingKernelClient

    @default("ip")
    def _ip_default(self) -> str:
        # jupyter_client looks through all interfaces of the machine for this answer.
        return "127.0.0.1" if self.transport == "tcp" else str(super()._ip_default())

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.unmet = expectations.unmet()
        for part, missing in self.unmet.items():
            NOTICES.later("expectations", expectations.told(part, missing))
        SessionKernel.unmet = frozenset(self.unmet)
        # Of no concern to programs that a cell starts.
        self.checkpoints = os.environ.pop("HEADSTART_KERNEL_CHECKPOINTS", None)

    def has(self, part: str) -> bool:
        """True where the internals that the part stands on are as expected."""
        return part not in self.unmet

    @default("kernel_class")
    def _kernel_class(self) -> type[SessionKernel]:
        return SessionKernel

    def load_config_file(self, *args: Any, **kwargs: Any) -> None:
        """The user's files, then what this kernel needs, then the command line."""
        super().load_config_file(*args, **kwargs)
        own = Config()
        if self.has("latency"):
            # A file costs half of the latency of a cell; and a sleep guards an order that no client
            # of the protocol may rely on: output and answer come over two sockets.
            own.HistoryManager.hist_file = ":memory:"
            own.Kernel._execute_sleep = 0.0
        if self.has("wire"):
            own.Session.packer = PACKER
            own.Session.unpacker = "jupyter_client.session.json_unpacker"
        if self.has("streams"):
            own.IPKernelApp.outstream_class = "headstart.kernel.streams.Stream"
        self.update_config(own)
        self.update_config(self.cli_config)

    def init_control(self, context: Any) -> None:
        """The control channel; the shell channel is read by the main loop, if no subshells are wanted."""
        super().init_control(context)
        if not self.subshells:
            self.shell_channel_thread = NoSubshells(threading.current_thread())

    def init_iopub(self, context: Any) -> None:
        """The socket that all output goes out on: it never drops a message."""
        if self.has("iopub"):
            # For this socket and for those that wake its thread.
            context.sndhwm = 0
        super().init_iopub(context)
        if self.has("iopub"):
            thread = self.iopub_thread
            thread.schedule = INTERRUPTS.whole(thread.schedule)

    def init_io(self) -> None:
        """The streams; and nothing to read from: what the process inherited belongs to its host."""
        super().init_io()
        STREAMS.keep()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        # A crash is told where the host looks: the descriptor 2 is a pipe of this very process.
        real = getattr(sys.stderr, "_original_stdstream_copy", None)
        if real is not None:
            faulthandler.enable(real)

    def init_signal(self) -> None:
        """The handler that stays."""
        if self.has("interrupts"):
            INTERRUPTS.cells = get_tmp_directory()
            INTERRUPTS.install()
        else:
            super().init_signal()

    def log_connection_info(self) -> None:
        """Nothing: who started it knows the file, and what is on standard error is the last that a crash left."""

    def init_kernel(self) -> None:
        """The kernel, and the hooks into threads."""
        super().init_kernel()
        if self.has("parents") and self.has("streams"):
            PARENTS.install(self.kernel, list(STREAMS.own.values()))
        if self.checkpoints is not None and self.has("checkpoints"):
            self._keep_checkpoints(self.checkpoints)

    def _keep_checkpoints(self, settings: str) -> None:
        from headstart.kernel.checkpoints.engine import engine

        try:
            self.kernel.checkpoints = engine(settings, self.kernel)
        except ValueError as error:
            NOTICES.later("checkpoints", f"headstart: nothing is saved: {error}")

    def init_pdb(self) -> None:
        """Leaves pdb alone: a debugger that asks is refused like any `input()`, so none can lock up."""
        if not self.has("input"):
            super().init_pdb()

    def init_gui_pylab(self) -> None:
        """Figures go inline, whatever the environment says; matplotlib is not imported for it."""
        os.environ["MPLBACKEND"] = INLINE
        super().init_gui_pylab()

    def start(self) -> None:
        """Serves until a shutdown is asked for: no exception and no `stop` of the loop ends it."""
        self.io_loop = IOLoop.current()
        INTERRUPTS.loop = self.io_loop.asyncio_loop  # type: ignore[attr-defined]
        INTERRUPTS.watch(self.control_thread.io_loop.asyncio_loop)
        serve = super().start
        while True:
            try:
                serve()
            except (KeyboardInterrupt, SystemExit):
                # Of a task beside the cell; the loop leaves nothing behind and goes on where it was.
                pass
            if self.kernel.shell.exit_now:
                break
            serve = self.io_loop.start
        _end_of_threads()


def _end_of_threads() -> None:
    """Waits for threads of the user, but not for ever: a cell that was interrupted may have left one."""
    end = time.monotonic() + LAST
    me = threading.current_thread()
    for thread in threading.enumerate():
        if thread is not me and not thread.daemon:
            thread.join(max(0.0, end - time.monotonic()))
            if thread.is_alive():
                atexit._run_exitfuncs()
                os._exit(0)
