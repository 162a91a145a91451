"""A restore as the launcher asks for it: the checkpoint of a branch that can be read, marks for values that may end the
kernel, a limit of time for each, and word that it goes on.

The pickle of a value may run code of the user. Before it does, a mark of the value is in the store; a kernel that dies or
hangs leaves it behind, and who restores after it takes the value out. Plain data needs no mark: nothing of it can run.
"""

from __future__ import annotations

import json
import time

from headstart.kernel.checkpoints import pickling
from headstart.kernel.checkpoints.attempts import Attempts, Late, quiet
from headstart.kernel.checkpoints.reasons import DEEP, Skipped, short, told
from headstart.kernel.checkpoints.restore import Lost, Restored, restore
from headstart.kernel.interrupts import INTERRUPTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from headstart.kernel.checkpoints.engine import Engine

#: Seconds that values may take to come back, and that earlier saves have to be written.
LOAD, SAVES = 10.0, 10.0
#: Seconds between two signs of life.
SIGN = 1.0
DIED = "it ended or blocked the kernel that restored it"


def restoring(engine: Engine, asked: dict[str, Any]) -> dict[str, Any]:
    """Makes the namespace what the newest readable checkpoint of a branch holds.

    Parameters
    ----------
    engine
        The kernel's.
    asked : dict
        `branch`, ids with the newest first; `by`, who marks; `died`, whose marks are those of kernels that died.

    Returns
    -------
    dict
        What the launcher tells: `from`, `cell`, `faults`, `names`, `held`, `removed`, `skipped`, `copies`: arrays
        that showed memory of another name, and are now their own.

    Raises
    ------
    KeyboardInterrupt
        It was interrupted; everything is as before.
    StoreError
        The store cannot be used; everything is as before.
    """
    work = _Restoring(engine, asked)
    with quiet():
        return work.run([str(one) for one in asked.get("branch") or []])


class _Restoring:
    def __init__(self, engine: Engine, asked: dict[str, Any]) -> None:
        self.engine = engine
        self.by = str(asked.get("by", ""))
        self.died = {str(one) for one in asked.get("died") or []}
        self.namespace: dict[str, Any] = engine.kernel.shell.user_ns
        self.parent = engine.kernel.get_parent("shell")
        self.attempts = Attempts(LOAD)
        self.said = time.monotonic()
        self.source = ""

    def run(self, branch: list[str]) -> dict[str, Any]:
        source, faults = self._source(branch)
        groups: list[tuple[int, dict[str, Any]]] = []
        cell, skipped, views = None, [], {}
        if source is not None:
            self.source = source
            about = json.loads(self.engine.store.manifest(source))
            cell, skipped = about["cell"], about["skipped"]
            views = (about.get("extra") or {}).get("copies", {})
            groups = self.engine.store.groups(source)
        done = restore(
            groups,
            self._load,
            self.namespace,
            self.engine.names,
            self.engine.freezer,
            self._go,
            self._sign,
        )
        if source is not None:
            self._hold(source)
        return {
            "from": source,
            "cell": cell,
            "faults": [list(fault) for fault in faults],
            "names": [short(name) for name in done.names],
            "held": [short(name) for name in done.held],
            "removed": [short(name) for name in done.removed],
            "skipped": skipped + _told(done),
            "copies": _copies(views, done),
        }

    def _source(self, branch: list[str]) -> tuple[str | None, list[tuple[str, str]]]:
        if not branch:
            return None, []
        # One that is still being written counts.
        end = time.monotonic() + SAVES
        while not self.engine.store.flush(SIGN / 4) and time.monotonic() < end:
            self._sign()
        return self.engine.store.first_readable(branch)

    def _load(self, number: int, group: dict[str, Any]) -> pickling.Loaded:
        names, store = group["names"], self.engine.store
        if self.died and store.poisoned(self.source, number) in self.died:
            self._quarantine(number, DIED)
            raise Lost(DIED)
        self._sign(names)
        try:
            data, buffers = store.read_values(self.source, group)
        except Exception as error:  # noqa: BLE001
            raise Lost(f"cannot be read: {error}") from None
        marked = False

        def mark() -> None:
            nonlocal marked
            marked = self._mark(group)

        try:
            loaded: pickling.Loaded = self.attempts.run(
                pickling.loads,
                data,
                buffers,
                self.namespace,
                mark,
                self.engine.names.startup,
            )
        except Late as error:
            marked = False
            self._quarantine(number, f"{error} to come back")
            raise Lost(f"{error} to come back") from None
        except Exception as error:  # noqa: BLE001 - whatever the code of the value raises
            deep = isinstance(error, RecursionError)
            text = DEEP if deep else told(error, self.attempts.run)
            again = isinstance(error, NameError)
            raise Lost(f"did not come back: {text}", again) from None
        finally:
            if marked:
                self._unmark(group)
            self._sign()
        return loaded

    def _go(self) -> None:
        """The last moment for an interrupt to count."""
        if INTERRUPTS.pending:
            raise KeyboardInterrupt

    def _sign(self, names: Sequence[str] = ()) -> None:
        now = time.monotonic()
        if now - self.said >= SIGN:
            self.said = now
            self.engine.say(
                "headstart_restoring",
                {"names": [short(name) for name in names]},
                self.parent,
            )

    # A store that cannot be written can be read all the same.

    def _mark(self, group: dict[str, Any]) -> bool:
        try:
            self.engine.store.mark_values(group, self.by)
        except Exception:  # noqa: BLE001
            return False
        return True

    def _unmark(self, group: dict[str, Any]) -> None:
        try:
            self.engine.store.unmark_values(group)
        except Exception:  # noqa: BLE001
            return

    def _quarantine(self, number: int, reason: str) -> None:
        try:
            self.engine.store.quarantine(self.source, number, reason)
        except Exception:  # noqa: BLE001
            return

    def _hold(self, source: str) -> None:
        try:
            self.engine.store.hold([source])
        except Exception:  # noqa: BLE001
            return


def _copies(views: dict[str, str], done: Restored) -> list[str]:
    """Names that showed memory of another name, and have a copy now: where both were there already, nothing changed."""
    came, held = set(done.names), set(done.held)
    return sorted(
        view
        for view, owner in views.items()
        if (view in came or owner in came) and {view, owner} <= came | held
    )


def _told(done: Restored) -> list[dict[str, str]]:
    return [_row(one) for one in done.skipped]


def _row(one: Skipped) -> dict[str, str]:
    return {"name": short(one.name), "reason": one.reason}
