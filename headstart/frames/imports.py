"""Imports the library of the frames that are wanted, out of reach of Ctrl-C.

An interrupt in the middle of an import leaves the module half made, and every later import of it fails
until the session ends. On a thread of its own the import runs to its end, beside the caller's work.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Thread

#: What each library needs.
_MODULES = {
    "pandas": ("pandas", "pyarrow"),
    "polars": ("polars",),
    "pyarrow": ("pyarrow",),
}
_threads: dict[str, Thread] = {}


def start(library: str) -> None:
    """Starts to import what the library needs, unless that is done or under way."""
    modules = _MODULES.get(library, ())
    if library in _threads or all(name in sys.modules for name in modules):
        return
    from threading import Thread

    _threads[library] = Thread(target=_import, args=(modules,), daemon=True)
    _threads[library].start()


def finish(library: str) -> None:
    """Waits for the import; Ctrl-C ends the waiting, not the import."""
    start(library)
    if library in _threads:
        _threads[library].join()


def _import(names: tuple[str, ...]) -> None:
    from importlib import import_module

    for name in names:
        try:
            import_module(name)
        except Exception:  # noqa: BLE001, S112 - who needs it imports it once more, and gets the error
            continue
