"""ipykernel's kernel with what differs: every request gets its answer, `input()` refuses, debugging comes late."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager, nullcontext

from ipykernel.ipkernel import IPythonKernel
from IPython.core.error import StdinNotImplementedError
from traitlets import Any as AnyTrait
from traitlets import Type

from headstart.kernel import lean, names
from headstart.kernel.interrupts import INTERRUPTS
from headstart.kernel.notices import NOTICES
from headstart.kernel.shell import SessionShell
from headstart.kernel.streams import STREAMS
from headstart.kernel.wire import safe_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from headstart.kernel.checkpoints.engine import Engine

NO_INPUT = (
    "input({prompt}) cannot ask: nobody is at a keyboard while a cell runs.\n"
    '  hint: set the value in a cell, as in answer = "..."'
)
NO_GETPASS = (
    "getpass({prompt}) cannot ask: nobody is at a keyboard while a cell runs.\n"
    "  hint: put the secret into the environment of the kernel and read it with "
    'os.environ["NAME"]'
)


class SessionKernel(IPythonKernel):
    """The kernel of a session."""

    shell_class = Type(SessionShell)
    # As a `Type` it would be imported at the start.
    debugger_class = AnyTrait()

    #: Parts that are left as ipykernel has them.
    unmet: frozenset[str] = frozenset()
    #: Saves and restores, where the launcher wants that.
    checkpoints: Engine | None = None

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        NOTICES.kernel = self
        INTERRUPTS.answering.add(SessionKernel._watched.__code__)

    # Requests.

    def pre_handler_hook(self) -> None:
        """Before each request."""
        if "interrupts" in self.unmet:
            super().pre_handler_hook()
        elif _on_main():
            INTERRUPTS.begin()

    def post_handler_hook(self) -> None:
        """After each request."""
        if "interrupts" in self.unmet:
            super().post_handler_hook()
        elif _on_main():
            INTERRUPTS.end()

    async def dispatch_shell(
        self, msg: Any, /, subshell_id: str | None = None, *, concurrent: bool = False
    ) -> None:
        """Handles a request; what is to be saved of it is frozen when it has its answer, before the next one comes."""
        try:
            await super().dispatch_shell(
                msg, subshell_id=subshell_id, concurrent=concurrent
            )
        finally:
            # The launcher waits for this before the next cell, whatever became of this one.
            if self.checkpoints is not None and not concurrent and _on_main():
                self.checkpoints.settle()

    async def do_shutdown(self, restart: bool) -> dict[str, Any]:
        """Ends the kernel, once what is being saved is on the disk."""
        if self.checkpoints is not None:
            self.checkpoints.flush()
        reply = super().do_shutdown(restart)
        return dict(await reply if asyncio.iscoroutine(reply) else reply)

    @contextmanager
    def _cancel_on_sigint(self, future: asyncio.Future[Any]) -> Iterator[None]:
        with INTERRUPTS.awaiting(future):
            yield

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: Any = None,
        allow_stdin: bool = False,
        *,
        cell_meta: Any = None,
        cell_id: Any = None,
    ) -> dict[str, Any]:
        """Runs a cell, and answers whatever becomes of it."""
        self._heal()
        NOTICES.flush()
        shell = self.shell
        startup = names.is_startup(cell_meta)
        engine = self.checkpoints if _on_main() else None
        if engine is not None and not startup:
            engine.begin()
        asked = names.asked(cell_meta, "restore")
        if asked is not None:
            return self._restore(asked)
        with names.hidden(shell) if startup else nullcontext():
            try:
                reply = await self._watched(
                    code,
                    silent,
                    store_history,
                    user_expressions,
                    allow_stdin,
                    cell_meta=cell_meta,
                    cell_id=cell_id,
                )
            except (Exception, KeyboardInterrupt, asyncio.CancelledError) as error:  # noqa: BLE001
                # Without an answer the client would wait for ever.
                reply = self._failed(error)
            finally:
                self._heal()
                STREAMS.drain()
        names.tell(reply, shell)
        asked = names.asked(cell_meta, "checkpoint")
        if asked is not None:
            if engine is not None:
                engine.ask(asked, str(reply.get("status")))
                # The launcher keeps the next cell until it is told that this is done: there it can be taken back.
                reply.setdefault(names.FIELD, {})["freezes"] = True
            else:
                self._not_saved(asked)
        return reply

    def _not_saved(self, asked: dict[str, Any]) -> None:
        content: dict[str, Any] = {
            "id": asked.get("id"),
            "error": "this kernel was started without checkpoints",
            "names": 0,
            "skipped": [],
            "bytes": 0,
        }
        parent, socket = self.get_parent("shell"), self.iopub_socket
        self.session.send(socket, "headstart_checkpoint", content, parent=parent)

    def _restore(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Makes the namespace what a checkpoint holds, and answers with what came of it."""
        try:
            if self.checkpoints is None:
                raise RuntimeError("this kernel was started without checkpoints")
            restored = self.checkpoints.restore(asked)
        except (Exception, KeyboardInterrupt) as error:
            self.log.debug("restore", exc_info=True)
            return self._answer(error)
        reply = self._answer(None)
        names.tell(reply, self.shell)
        reply.setdefault(names.FIELD, {})["restored"] = restored
        return reply

    async def _watched(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """What of a cell's request an interrupt may be raised in: it becomes the cell's answer."""
        reply: dict[str, Any] = await super().do_execute(*args, **kwargs)
        return reply

    def _heal(self) -> None:
        for line in STREAMS.heal():
            NOTICES.now("streams", line)

    def _failed(self, error: BaseException) -> dict[str, Any]:
        """The answer for a cell that ended outside of what IPython watches."""
        shell = self.shell
        told = INTERRUPTS.told(error) or error
        result = getattr(shell, "last_execution_result", None)
        # ipykernel fails on the text of an exception that has none: the cell's own error is known.
        inner = None if result is None else result.error_in_exec
        if isinstance(error, Exception) and inner is not None:
            told = inner
        else:
            try:
                shell.showtraceback((type(told), told, told.__traceback__))
            except (Exception, KeyboardInterrupt):  # noqa: BLE001
                self.log.warning("could not show %s", type(told).__name__)
        shell.payload_manager.clear_payload()
        return self._answer(told, getattr(shell, "_last_traceback", None))

    def _answer(
        self, error: BaseException | None, traceback: list[str] | None = None
    ) -> dict[str, Any]:
        said = {
            "ename": type(error).__name__,
            "evalue": safe_text(error),
            "traceback": traceback or [],
        }
        return {
            "status": "ok" if error is None else "error",
            **({} if error is None else said),
            "execution_count": self.shell.execution_count - 1,
            "user_expressions": {},
            "payload": [],
        }

    @property
    def _supports_kernel_subshells(self) -> bool:
        return bool(self.shell_channel_thread)

    # Input.

    def raw_input(self, prompt: object = "") -> str:
        """`input()` in a cell: an error at once."""
        if "input" in self.unmet:
            return super().raw_input(prompt)  # type: ignore[no-any-return]
        raise StdinNotImplementedError(NO_INPUT.format(prompt=_quoted(prompt)))

    def getpass(self, prompt: object = "", *args: Any, **kwargs: Any) -> str:
        """`getpass.getpass()` in a cell: an error at once."""
        if "input" in self.unmet:
            return super().getpass(prompt, *args, **kwargs)  # type: ignore[no-any-return]
        raise StdinNotImplementedError(NO_GETPASS.format(prompt=_quoted(prompt)))

    # Debugging.

    @property
    def kernel_info(self) -> dict[str, Any]:
        """What the kernel says of itself."""
        info: dict[str, Any] = dict(super().kernel_info)
        features = info.setdefault("supported_features", [])
        if "debugger" not in features and lean.has_debugger():
            features.append("debugger")
        return info

    async def do_debug_request(self, msg: Any) -> Any:
        """A request of a debugger; the first one imports it."""
        if getattr(self, "debugger", None) is None and lean.has_debugger():
            make = self.debugger_class or lean.real_debugger().Debugger
            self.debugger = make(
                self.log,
                self.debugpy_stream,
                self._publish_debug_event,
                self.debug_shell_socket,
                self.session,
                self._kernel_modules,
                self.debug_just_my_code,
                self.filter_internal_frames,
            )
            loop = self.control_thread.io_loop.asyncio_loop
            self._stopped_queue = asyncio.ensure_future(
                self.poll_stopped_queue(), loop=loop
            )
        return await super().do_debug_request(msg)

    async def poll_stopped_queue(self) -> None:
        """Waits for stops of the debugger, once there is one."""
        if getattr(self, "debugger", None) is not None:
            await super().poll_stopped_queue()


def _on_main() -> bool:
    return threading.get_ident() == INTERRUPTS.main.ident


def _quoted(prompt: object) -> str:
    text = safe_text(prompt)
    return repr(text if len(text) <= 60 else text[:57] + "...") if text else ""
