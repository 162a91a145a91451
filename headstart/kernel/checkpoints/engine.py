"""The kernel's side of checkpoints: after a cell the namespace is frozen and written in the background, before one it is
made what a checkpoint holds.

Which checkpoint, and when, the launcher says; where bytes go is the store's affair. Nothing here reaches a cell or the live
namespace by failing: what goes wrong is told for the checkpoint that was asked for. Only the kernel's main thread saves and
restores; the store's own thread writes.
"""

from __future__ import annotations

import json
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from headstart._headstart import Store, StoreError
    from headstart.kernel.checkpoints.freeze import Frozen

#: The variable that the launcher starts a kernel with, which programs that a cell starts do not get.
VARIABLE = "HEADSTART_KERNEL_CHECKPOINTS"
#: Letters of a cell's code that are kept with its checkpoint.
CODE = 2000
#: Seconds that a value may take to be pickled.
PICKLE = 2.0
#: Seconds that what is being saved has when the kernel is to end.
LAST = 10.0
#: Bytes that may wait to be written, and for how many seconds a cell waits for them.
WAITING, PATIENCE = 512 << 20, 2.0


class Due:
    """A checkpoint that was asked for with a cell."""

    def __init__(self, asked: dict[str, Any], parent: Any, number: int, status: str):
        self.id = str(asked.get("id"))
        self.before = asked.get("parent")
        cell = asked.get("cell") or {}
        #: The message that asked for it.
        self.parent = parent
        self.cell = {
            **cell,
            "code": str(cell.get("code", ""))[:CODE],
            "number": number,
            "time": time.time(),
            "status": status,
        }


class Engine:
    """Saves and restores the namespace of a kernel.

    Parameters
    ----------
    settings : dict
        What the launcher says: `root`, the folder of the store, `session`, the name of the session, and `limits`:
        bytes of a `value`, of a `cell`, of the `store`, and `days`.
    kernel
        The kernel; its namespace and its way to say something.
    """

    def __init__(self, settings: dict[str, Any], kernel: Any) -> None:
        self.root = str(settings["root"])
        self.session = str(settings.get("session", ""))
        self._limits: dict[str, int] = settings.get("limits") or {}
        self.kernel = kernel
        self._due: Due | None = None
        self._settled = threading.Event()
        self._settled.set()
        self._store: Store | None = None
        self._parts: Any = None
        self.names: Any = None
        # What the store is sure to have, and what became of saves since the last look.
        self._durable: Any = {}
        self._failed: list[str] = []
        # Bytes on their way; a restore makes what was saved before it another history.
        self._waiting = 0
        self._history = 0

    # What the kernel calls.

    def begin(self) -> None:
        """Startup is over: what is there now is not the user's."""
        if self.names is None:
            from headstart.kernel.checkpoints.names import Names

            shell = self.kernel.shell
            self.names = Names(shell.user_ns, shell.user_ns_hidden)

    def ask(self, asked: dict[str, Any], status: str) -> None:
        """A cell that has run is to have a checkpoint, once its answer has left."""
        number = self.kernel.shell.execution_count - 1
        self._due = Due(asked, self.kernel.get_parent("shell"), number, status)
        self._settled.clear()

    def settle(self) -> None:
        """Saves, if that is due."""
        due, self._due = self._due, None
        if due is None:
            return
        try:
            self._has_left()
            self._save(due)
        except BaseException as error:  # noqa: BLE001 - the next cell runs, whatever it is
            self._tell(due, _words(error))
        finally:
            self._settled.set()
            self.say("headstart_frozen", {"id": due.id}, due.parent)

    def flush(self) -> None:
        """Waits for what is being saved, but not for ever. Called on any thread."""
        end = time.monotonic() + LAST
        self._settled.wait(LAST)
        if self._store is not None:
            self._store.flush(max(0.0, end - time.monotonic()))

    def restore(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Makes the namespace what the launcher asks for; gives what is to be said of it."""
        from headstart.kernel.checkpoints.restoring import restoring

        self.begin()
        self._look()
        self._history += 1
        restored = restoring(self, asked)
        self._durable = self.freezer.saved
        return restored

    # What restoring needs, too.

    @property
    def store(self) -> Store:
        """The store, opened when it is first needed; one that cannot be used is tried again each time."""
        if self._store is None:
            from headstart._headstart import Store

            self._store = Store(
                self.root,
                **_named(self._limits, store="limit_bytes", days="max_age_days"),
            )
        return self._store

    @property
    def freezer(self) -> Any:
        """What of the namespace is saved; made when it is first needed."""
        if self._parts is None:
            from headstart.kernel.checkpoints.attempts import Attempts
            from headstart.kernel.checkpoints.freeze import Freezer

            run = Attempts(PICKLE).run
            namespace = self.kernel.shell.user_ns
            sizes = _named(self._limits, value="value", cell="cell")
            self._parts = Freezer(
                namespace,
                run=run,
                startup=self.names.startup,
                **sizes,
            )
        return self._parts

    def say(self, kind: str, content: dict[str, Any], parent: Any) -> None:
        """Sends a message on iopub, from whatever thread."""
        kernel = self.kernel
        socket = kernel.iopub_socket
        if kernel.session is None or socket is None:
            return
        socket.io_thread.schedule(
            lambda: kernel.session.send(
                socket, kind, content, parent=parent, ident=kind.encode()
            )
        )

    # Saving.

    def _has_left(self) -> None:
        """Waits until the cell's messages are sent: to pickle keeps the thread that sends from running."""
        thread = self.kernel.iopub_socket.io_thread
        left = threading.Event()
        thread.schedule(left.set)
        left.wait(1.0)

    def _look(self) -> None:
        """Heeds what became of earlier saves."""
        failed, self._failed = self._failed, []
        if "missing" in failed:
            # The store was emptied, or this save stood on one that failed.
            self.freezer.forget(None)
        elif failed:
            self.freezer.forget(self._durable)

    def _save(self, due: Due) -> None:
        from headstart.kernel.checkpoints.attempts import quiet
        from headstart.kernel.checkpoints.reasons import short

        store, freezer = self.store, self.freezer
        if self._waiting > WAITING and not store.flush(PATIENCE):
            raise TimeoutError(
                "the disk is not done with the checkpoints before it; it goes on with the next cell"
            )
        self._look()
        names = self.names.of(self.kernel.shell.user_ns)
        save = store.begin(due.id, due.before)
        try:
            with quiet():
                frozen: Frozen = freezer.freeze(names, save)
            skipped = [
                {"name": short(one.name), "reason": one.reason}
                for one in frozen.skipped
            ]
            code = due.cell["code"].encode("utf-8", "backslashreplace").decode()
            about: dict[str, Any] = {
                "session": self.session,
                "cell": {**due.cell, "code": code},
                "skipped": skipped,
            }
            if frozen.copies:
                about["extra"] = {"copies": frozen.copies}
            history = self._history
            self._waiting += frozen.added

            def done(error: StoreError | None) -> None:
                self._waiting -= frozen.added
                if error is None:
                    if history == self._history:
                        self._durable = frozen.saved
                    self._tell(due, None, frozen, skipped)
                else:
                    if history == self._history:
                        self._failed.append(error.kind)
                    self._tell(due, _words(error))

            save.commit_in_background(json.dumps(about), done)
        except BaseException:
            save.abort()
            self._failed.append("aborted")
            raise

    def _tell(
        self,
        due: Due,
        error: str | None,
        frozen: Frozen | None = None,
        skipped: list[dict[str, str]] | None = None,
    ) -> None:
        saved = {} if frozen is None else frozen.saved
        content = {
            "id": due.id,
            "error": error,
            "names": sum(len(group) for group in saved),
            "skipped": skipped or [],
            "bytes": sum(entry["bytes"] for _, entry in saved.values() if entry),
        }
        self.say("headstart_checkpoint", content, due.parent)


def _named(limits: dict[str, int], **names: str) -> dict[str, int]:
    """Those of the limits that are set, under the names of parameters."""
    return {names[one]: limits[one] for one in names if one in limits}


def _words(error: BaseException) -> str:
    kind = type(error).__name__
    if kind in ("StoreError", "TimeoutError"):
        return str(error)
    return f"{kind}: {error}"


def engine(settings: str, kernel: Any) -> Engine:
    """The engine for what the launcher put into the environment.

    Raises
    ------
    ValueError
        It is not JSON with a `root`.
    """
    found = json.loads(settings)
    if isinstance(found, dict) and isinstance(found.get("root"), str):
        return Engine(found, kernel)
    raise ValueError(
        f'{VARIABLE}: expected {{"root": folder, "session": name}}, found {settings[:200]}'
    )
