"""`%load_ext headstart`: what the kernel of headstart has from its start, in any IPython.

Imports nothing; IPython passes its shell.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The name in the user's namespace.
NAME = "hs"


def bind(shell: Any) -> None:
    """Makes `hs` headstart, as a name that `%who` does not list while it is."""
    headstart = sys.modules["headstart"]
    shell.user_ns[NAME] = headstart
    shell.user_ns_hidden[NAME] = headstart


def load_ipython_extension(shell: Any) -> None:
    """For `%load_ext headstart`."""
    bind(shell)


def unload_ipython_extension(shell: Any) -> None:
    """For `%unload_ext headstart`: takes `hs` away again, if it still is headstart."""
    if shell.user_ns.get(NAME) is sys.modules["headstart"]:
        del shell.user_ns[NAME]
    shell.user_ns_hidden.pop(NAME, None)
