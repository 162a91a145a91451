"""Messages as bytes: JSON in UTF-8, whatever text a cell made.

A lone surrogate (U+DC80 and others, as in file names that are not UTF-8) has no place in UTF-8. jupyter_client
sends bytes that no client can read, or loses the message; here it becomes its escape, six
characters, as `repr` shows it.
"""

from __future__ import annotations

import codecs
import json

from jupyter_client import jsonutil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The name for configuration: `Session.packer`.
PACKER = "headstart.kernel.wire.pack"
ERRORS = "headstart.escape"


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lone = error.object[error.start : error.end]
    # Two backslashes: the JSON of one.
    return "".join(f"\\\\u{ord(letter):04x}" for letter in lone), error.end


codecs.register_error(ERRORS, _escape)


def pack(message: Any) -> bytes:
    """The message as JSON."""
    try:
        text = _dump(message)
    except (TypeError, ValueError):
        # Not a number, a key that is no text, or a value that only jupyter_client knows to turn.
        text = _dump(jsonutil.json_clean(message))
    return text.encode("utf-8", ERRORS)


def _dump(message: Any) -> str:
    return json.dumps(
        message, default=jsonutil.json_default, ensure_ascii=False, allow_nan=False
    )


def safe_text(value: object) -> str:
    """`str(value)`, also where that fails."""
    try:
        return str(value)
    except Exception as error:  # noqa: BLE001
        # The text of an exception may be any code.
        return f"<no text: its __str__ raises {type(error).__name__}>"
