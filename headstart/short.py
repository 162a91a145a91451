"""One value in a few words, on one line: cut before it is written out, nothing invisible.

Nothing is consumed or changed, and a broken `__repr__` is shown, not raised.
"""

from __future__ import annotations

import itertools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Libraries whose classes are known by their library too.
LIBRARIES = ("numpy", "pandas", "polars", "pyarrow", "duckdb", "headstart")
#: Characters of one value.
ITEM = 200
#: Levels of lists and dicts that a value shows.
DEPTH = 4
#: Items of a list or dict inside a value.
FEW = 12


def short(x: Any, inside: tuple[int, ...] = ()) -> str:
    """A bounded repr on one line; `inside` are the containers around it."""
    kind: Any = type(x)
    if isinstance(x, str) and len(x) > ITEM:
        return f"{x[: ITEM // 2]!r}... ({len(x):,} characters)"
    if kind in (bytes, bytearray) and len(x) > ITEM // 4:
        return f"{bytes(x[: ITEM // 4])!r}... ({len(x):,} bytes)"
    if kind is int and x.bit_length() > 4 * ITEM:
        return f"int of {x.bit_length():,} bits"
    if kind.__repr__ is object.__repr__:
        return f"<{class_of(x)} object>"
    if isinstance(x, list | tuple | set | frozenset | dict) or is_deque(kind):
        return cut(_nested(x, inside))
    if is_dataclass(kind):
        return cut(_dataclass(x, inside))
    if kind.__name__ == "ndarray" and hasattr(kind, "tolist"):
        return _outside(x, "values")
    if hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__"):
        return _outside(x, "rows")
    if kind.__name__ in ("Series", "Index", "DataFrame", "MultiIndex"):
        return _outside(x, "rows")
    return cut(one_line(safe_repr(x)))


def _outside(x: Any, noun: str) -> str:
    """A container of a data library: never its values, which would be many lines."""
    shape = getattr(x, "shape", None)
    if isinstance(shape, tuple):
        sides = " x ".join(f"{side:,}" for side in shape) or "one value"
        return f"<{class_of(x)}, {sides}>"
    try:
        return f"<{class_of(x)}, {len(x):,} {noun}>"
    except Exception:
        return f"<{class_of(x)}>"


def _nested(x: Any, inside: tuple[int, ...]) -> str:
    kind = type(x)
    opening, closing = "{", "}"
    if isinstance(x, list) or is_deque(kind):
        opening, closing = "[", "]"
    elif isinstance(x, tuple):
        opening, closing = "(", ")"
    if kind not in (list, tuple, set, dict):
        opening, closing = f"{kind.__name__}({opening}", f"{closing})"
    names = getattr(kind, "_fields", None)
    if isinstance(x, tuple) and isinstance(names, tuple) and len(names) == len(x):
        pairs = zip(names, x, strict=True)
        return _fields(kind.__name__, pairs, len(x), (*inside, id(x)))
    if not x:
        return safe_repr(x)
    if id(x) in inside:
        return f"{opening}...{closing}"
    if len(inside) >= DEPTH:
        return f"{opening}... {count(len(x), 'item')}{closing}"
    inside = (*inside, id(x))
    few = itertools.islice(x.items() if isinstance(x, dict) else x, FEW)
    if isinstance(x, dict):
        parts = [f"{short(key, inside)}: {short(item, inside)}" for key, item in few]
    else:
        parts = [short(item, inside) for item in few]
    if len(x) > len(parts):
        parts.append(f"... {len(x) - len(parts):,} more")
    elif kind is tuple and len(x) == 1:
        parts.append("")
    return f"{opening}{', '.join(parts).rstrip(' ')}{closing}"


def _dataclass(x: Any, inside: tuple[int, ...]) -> str:
    kind = type(x)
    if id(x) in inside:
        return f"{kind.__name__}(...)"
    names = [
        name
        for name, field in kind.__dataclass_fields__.items()
        if getattr(field, "repr", True) and field._field_type.name == "_FIELD"
    ]
    if len(inside) >= DEPTH:
        return f"{kind.__name__}(... {count(len(names), 'field')})"
    pairs = ((name, attribute(x, name)) for name in names)
    return _fields(kind.__name__, pairs, len(names), (*inside, id(x)))


def _fields(name: str, pairs: Any, size: int, inside: tuple[int, ...]) -> str:
    few = itertools.islice(pairs, FEW)
    parts = [f"{label}={short(value, inside)}" for label, value in few]
    if size > FEW:
        parts.append(f"... {size - FEW:,} more")
    return f"{name}({', '.join(parts)})"


class _Failed:
    """Stands for an attribute that could not be read."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def attribute(x: Any, name: str) -> Any:
    """An attribute, or what says why there is none."""
    try:
        return getattr(x, name)
    except Exception as error:
        return _Failed(f"<{failed(error)}>")


def is_dataclass(kind: Any) -> bool:
    """True for the class of a dataclass."""
    return isinstance(getattr(kind, "__dataclass_fields__", None), dict)


def is_deque(kind: type) -> bool:
    """True for `collections.deque` and its like; the module need not be loaded."""
    return (kind.__module__, kind.__name__) == ("collections", "deque")


def safe_repr(x: object) -> str:
    """`repr(x)`, with what is invisible spelt out; a failure in words instead."""
    try:
        return visible(repr(x))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"<{class_of(x)}: {failed(error)}>"


def visible(text: str) -> str:
    """The text with control characters and the like spelt out; line ends stay."""
    if text.isprintable():
        return text
    if len(text) > 100_000:
        text = f"{text[:50_000]}{text[-50_000:]}"
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1]
        for letter in text
    )


def one_line(text: str) -> str:
    """The lines of a text one behind the other."""
    return text if "\n" not in text else " ".join(text.split())


def quoted(x: str) -> str:
    """A text as it is, or in quotes where something in it would not be seen."""
    return x if x.isprintable() and x.strip() == x and x else repr(x)


def cut(text: str, size: int = ITEM) -> str:
    """The text, or its front and how long it is."""
    if len(text) <= size:
        return text
    return f"{text[: size - 30]}... ({len(text):,} characters)"


def failed(error: BaseException) -> str:
    """What went wrong while a value was shown."""
    try:
        reason = one_line(visible(str(error)))
    except Exception:
        reason = "?"
    return f"{type(error).__name__} while showing it: {reason[:100]}"


def class_of(x: object) -> str:
    """The name of a value's class, with that of its library in front."""
    kind = type(x)
    module = kind.__module__ if isinstance(kind.__module__, str) else ""
    library = module.partition(".")[0].lstrip("_")
    return f"{library} {kind.__name__}" if library in LIBRARIES else kind.__name__


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 item`, `1,204 items`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
