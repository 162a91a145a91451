"""IPython's shell in the kernel: `hs` is there, `exit()` stops the cell only, interrupts are told as such."""

from __future__ import annotations

import sys
import threading
import warnings

from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.autocall import ZMQExitAutocall
from traitlets import Instance, default

from headstart import extension
from headstart.kernel.interrupts import INTERRUPTS
from headstart.kernel.notices import NOTICES
from headstart.kernel.streams import STREAMS
from headstart.kernel.wire import safe_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

EXIT = (
    "headstart: exit() and quit() stop the cell; the kernel stays, with all that it holds. "
    "Who started it ends it (hs kernel release)"
)
SYSTEM_EXIT = (
    "headstart: SystemExit stopped the cell; the kernel stays, with all that it holds"
)


class CellExit(SystemExit):
    """Ends the cell without an error: what `exit()` raises."""


class Exit(ZMQExitAutocall):
    """`exit` and `quit`, with and without parentheses."""

    def __call__(self, keep_kernel: bool = True) -> None:
        """Stops the cell; a console that sent it is left."""
        self._ip.ask_exit()


class SessionShell(ZMQInteractiveShell):
    """The shell of the session's kernel."""

    exiter = Instance(ZMQExitAutocall)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # IPython's advice behind a SystemExit, which is none here.
        warnings.filterwarnings("ignore", message="To exit: use 'exit'")

    @default("exiter")
    def _exiter(self) -> Exit:
        return Exit(self)

    def init_user_ns(self) -> None:
        """The namespace at the start and after `%reset`: IPython's names and `hs`."""
        super().init_user_ns()
        extension.bind(self)

    def ask_exit(self) -> None:
        """Ends the cell, not the kernel; a console may leave."""
        NOTICES.now("exit", EXIT)
        payload = {"source": "ask_exit", "keepkernel": True}
        self.payload_manager.write_payload(payload)
        raise CellExit

    async def run_code(
        self, code_obj: CodeType, result: Any = None, *, async_: bool = False
    ) -> bool:
        """Runs one statement of a cell; an interrupt knows it from its first instruction to its last."""
        if threading.get_ident() != INTERRUPTS.main.ident:
            return bool(await super().run_code(code_obj, result, async_=async_))
        code = INTERRUPTS.enter(code_obj)
        try:
            failed = await super().run_code(
                code, result, async_=async_ and code is code_obj
            )
        finally:
            INTERRUPTS.leave(code)
        if not STREAMS.present():
            # IPython itself looks at `sys.stdout` behind each cell.
            for line in STREAMS.heal():
                NOTICES.now("streams", line)
        if failed and result is not None:
            error = result.error_in_exec
            quiet = isinstance(error, CellExit)
            result.error_in_exec = None if quiet else INTERRUPTS.told(error)
        return bool(failed)

    def showtraceback(self, exc_tuple: Any = None, *args: Any, **kwargs: Any) -> None:
        """Shows an exception: nothing for `exit()`, `KeyboardInterrupt` for what an interrupt became."""
        error = sys.exc_info()[1] if exc_tuple is None else exc_tuple[1]
        if isinstance(error, CellExit):
            return
        told = INTERRUPTS.told(error)
        if told is not None and told is not error:
            exc_tuple = (type(told), told, told.__traceback__)
        INTERRUPTS.end_at_user(told)
        super().showtraceback(exc_tuple, *args, **kwargs)
        if isinstance(error, SystemExit):
            NOTICES.now("exit", SYSTEM_EXIT)

    def system_piped(self, cmd: str) -> None:
        """`!command`; an interrupt of it stops the cell too, not the command alone."""
        before = INTERRUPTS.raised
        super().system_piped(cmd)
        if INTERRUPTS.raised != before:
            raise KeyboardInterrupt

    system = system_piped

    def _format_exception_for_storage(
        self, exception: BaseException, *args: Any, **kwargs: Any
    ) -> Any:
        # For the history; IPython asks for the text of an exception, which may raise.
        try:
            return super()._format_exception_for_storage(exception, *args, **kwargs)
        except Exception:  # noqa: BLE001
            return {
                "ename": type(exception).__name__,
                "evalue": safe_text(exception),
                "traceback": [],
            }

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        # Sending flushes both streams, which may be what the cell has broken.
        for line in STREAMS.heal():
            NOTICES.now("streams", line)
        super()._showtraceback(etype, safe_text(evalue), stb)
