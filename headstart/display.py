"""How values reach the screen: line width, and showing a value once in IPython.

IPython is never imported here; a hook is set only where it is already running.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

#: Line width where there is no terminal to ask: what a notebook shows without wrapping.
WIDTH = 100


def width() -> int:
    """Width of the terminal in characters, or what fits a notebook."""
    try:
        if sys.stdout.isatty():
            import shutil

            return shutil.get_terminal_size((WIDTH, 24)).columns
    except (AttributeError, ValueError, OSError):
        pass
    return WIDTH


class _Once:
    """Stands before IPython's display hook and drops the value that was shown just now.

    IPython would show it again, as `Out[n]`, when the call was the cell's last line. The value is
    known by the code object of that line and by identity: `montre(df)` in one line and `df` in
    the next still show both.
    """

    def __init__(self, hook: Any) -> None:
        self.hook = hook
        self.value: object = None
        self.code: CodeType | None = None

    def note(self, value: object, code: CodeType) -> None:
        self.value, self.code = value, code

    def forget(self, *_: object) -> None:
        self.value = self.code = None

    def __call__(self, result: object = None) -> None:
        line = sys._getframe(1).f_code
        again = self.code is line and self.value is result and result is not None
        self.forget()
        if not again:
            self.hook(result)
            return
        # All that IPython's DisplayHook.__call__ does, but for writing.
        self.hook.check_for_underscore()
        self.hook.update_user_ns(result)
        self.hook.fill_exec_result(result)


def shown(value: object) -> None:
    """Says that the value is on the screen, so that IPython does not show it again."""
    try:
        once = _hook()
        if once is not None:
            code = _line()
            if code is not None:
                once.note(value, code)
    except Exception:  # noqa: BLE001
        # A shell of another make: the value shows twice, which beats a call that fails.
        return


def _hook() -> _Once | None:
    """The hook of the running IPython shell, set at the first call."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    trap = getattr(shell, "display_trap", None)
    if shell is None or trap is None:
        return None
    if isinstance(trap.hook, _Once):
        return trap.hook
    once = _Once(trap.hook)
    # The cell that is running has the old hook in place already.
    if sys.displayhook is trap.hook:
        sys.displayhook = once
    trap.hook = once
    shell.events.register("post_run_cell", once.forget)
    return once


def _line() -> CodeType | None:
    """The code object of the cell's line that led to this call."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            return frame.f_code
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return None
