"""A shorter start: what ipykernel imports and a kernel does not need stays out until it is asked for.

Half of the time from the first import to the first answer goes to jupyter_client's managers and
clients, to dateutil and to the debugger. Nothing is taken away: each comes whole at the first use, and
whatever does not look as expected is imported as usual.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from datetime import datetime
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What ipykernel takes from the top of jupyter_client, and where it is defined.
FROM_JUPYTER_CLIENT = {
    "find_connection_file": "jupyter_client.connect",
    "write_connection_file": "jupyter_client.connect",
}

#: The debugger of ipykernel, which imports debugpy.
DEBUGGER = "ipykernel.debugger"


def prepare() -> None:
    """Puts the stand-ins in place; call it before anything of Jupyter is imported."""
    _lazy_package("jupyter_client", FROM_JUPYTER_CLIENT)
    _dates()
    _no_debugger()


def _lazy_package(name: str, known: dict[str, str]) -> None:
    """The package with its submodules, its own `__init__` run at the first name that it defines."""
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return
    loader = spec.loader
    module = importlib.util.module_from_spec(spec)

    def find(attribute: str) -> Any:
        if attribute in known:
            return getattr(importlib.import_module(known[attribute]), attribute)
        if attribute.startswith("__") and attribute not in ("__all__", "__version__"):
            raise AttributeError(attribute)
        module.__dict__.pop("__getattr__", None)
        loader.exec_module(module)
        return getattr(module, attribute)

    module.__dict__["__getattr__"] = find
    sys.modules[name] = module


def _dates() -> None:
    """jupyter_client's dates without dateutil.

    The only texts that it parses match its own pattern of ISO 8601, which `datetime` reads too.
    """
    names = ("dateutil", "dateutil.parser", "dateutil.tz")
    if "jupyter_client.jsonutil" in sys.modules or any(n in sys.modules for n in names):
        return

    def tzlocal() -> Any:
        return importlib.import_module("dateutil.tz").tzlocal()

    stand_ins = [ModuleType(name) for name in names]
    stand_ins[1].__dict__["isoparse"] = datetime.fromisoformat
    stand_ins[2].__dict__["tzlocal"] = tzlocal
    sys.modules.update(zip(names, stand_ins, strict=True))
    try:
        importlib.import_module("jupyter_client.jsonutil")
    except ImportError:
        # It takes something else from dateutil than it used to: the real one, when it is asked.
        sys.modules.pop("jupyter_client.jsonutil", None)
    finally:
        for name in names:
            sys.modules.pop(name, None)


def _no_debugger() -> None:
    """In the place of ipykernel's debugger, a module that says there is none."""
    if DEBUGGER in sys.modules:
        return
    stand_in = ModuleType(DEBUGGER)
    stand_in.__dict__["_is_debugpy_available"] = False
    stand_in.__dict__["headstart_stand_in"] = True
    sys.modules[DEBUGGER] = stand_in


def has_debugger() -> bool:
    """True where debugging would work; debugpy is looked for, not imported."""
    return importlib.util.find_spec("debugpy") is not None


def undo() -> None:
    """Takes away what stands for the debugger; the rest becomes whole by itself."""
    if hasattr(sys.modules.get(DEBUGGER), "headstart_stand_in"):
        del sys.modules[DEBUGGER]
        package = sys.modules.get("ipykernel")
        if package is not None:
            package.__dict__.pop("debugger", None)


def real_debugger() -> ModuleType:
    """ipykernel's debugger itself."""
    undo()
    return importlib.import_module(DEBUGGER)
