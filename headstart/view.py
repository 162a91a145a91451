"""Views of values that are no frames: type, size, head and tail, within a budget.

Nothing is consumed, collected or changed, and a broken `__repr__` or `__len__` is shown, not raised.
"""

from __future__ import annotations

import itertools

from headstart import library_view
from headstart.listing import BUDGET, ends, listing
from headstart.short import (
    ITEM,
    attribute,
    class_of,
    count,
    cut,
    failed,
    is_dataclass,
    is_deque,
    quoted,
    safe_repr,
    short,
    visible,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

#: Characters of a text or a repr.
ROOM = BUDGET - 1000
#: A text of several lines is shown line by line from this length on.
LINES_FROM = 100
#: Bytes of head and tail; one may take four characters.
BYTES = 600


def value(x: object, n: int = 40) -> str:
    """The view of any value; at most `n` items."""
    try:
        lines = _view(x, n)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        lines = [f"{class_of(x)}: {failed(error)}"]
    return _within_budget(lines)


def _view(x: Any, n: int) -> list[str]:
    kind: Any = type(x)
    if isinstance(x, str):
        return _text(x, n)
    if isinstance(x, bytes | bytearray | memoryview):
        return _bytes(x)
    if isinstance(x, dict) or kind.__name__ == "mappingproxy":
        return _mapping(x, n)
    if isinstance(x, list | tuple) or is_deque(kind):
        names: Iterable[object] | None = getattr(kind, "_fields", None)
        return _sequence(x, len(x), n, list(names) if names else None)
    if isinstance(x, set | frozenset) or kind.__name__ == "dict_keys":
        return _head_only(x, len(x), n)
    if kind.__name__ in ("dict_values", "dict_items"):
        return _head_only(x, len(x), n)
    if kind is range or (kind.__module__, kind.__name__) == ("array", "array"):
        return _sequence(x, len(x), n)
    if isinstance(x, type):
        return _signed(f"class {_full_name(x)}", x)
    if kind.__name__ in _CALLABLES:
        word = "method" if "method" in kind.__name__ and _bound(x) else "function"
        return _signed(f"{word} {_full_name(x)}", x)
    if is_dataclass(kind):
        fields = [
            (str(name), attribute(x, str(name))) for name in kind.__dataclass_fields__
        ]
        return _fields(x, "field", fields, n)
    special = library_view.lines(x, n) or _read_once(x)
    if special is not None:
        return special
    if _has_plain_attributes(x):
        return _fields(x, "attribute", list(vars(x).items()), n)
    if x is None:
        return ["None"]
    if kind is int and x.bit_length() > 14_000:
        return [f"int of {x.bit_length():,} bits"]
    own = _lines(safe_repr(x))
    if len(own) > 1:
        return [class_of(x), *own]
    # `Decimal('1.10')` says itself what it is.
    names_itself = (f"{kind.__name__}(", f"{kind.__module__}.{kind.__name__}(")
    return own if own[0].startswith(names_itself) else [f"{class_of(x)}: {own[0]}"]


_CALLABLES = (
    "function",
    "method",
    "builtin_function_or_method",
    "method_descriptor",
    "wrapper_descriptor",
    "method-wrapper",
    "cython_function_or_method",
)


def _bound(x: Any) -> bool:
    own = getattr(x, "__self__", None)
    return own is not None and type(own).__name__ != "module"


def _full_name(x: Any) -> str:
    """Name with module; of a bound method never the repr of what it is bound to."""
    module = getattr(x, "__module__", None)
    name = getattr(x, "__qualname__", None) or getattr(x, "__name__", "?")
    plain = not isinstance(module, str) or module in ("builtins", "__main__")
    return cut(visible(str(name) if plain else f"{module}.{name}"))


def _signed(lead: str, x: Any) -> list[str]:
    """A class or function: its parameters, and the first line of what it says of itself."""
    import inspect

    try:
        signature = visible(str(inspect.signature(x)))
    except Exception:
        signature = ""
    lines = [f"{lead}{cut(signature, 1000)}"]
    text = getattr(x, "__doc__", None)
    if isinstance(text, str) and text.strip():
        first = text.strip().split("\n", 1)[0]
        # A dataclass without a text of its own has its signature there.
        if not first.startswith(f"{getattr(x, '__name__', '')}("):
            lines.append(cut(visible(first)))
    return lines


def _text(x: str, n: int) -> list[str]:
    lead = f"{class_of(x)}, {count(len(x), 'character')}"
    lines = x.count("\n") + 1
    if lines > 1 and len(x) > LINES_FROM and len(x) <= 50_000_000:
        return _text_lines(x, f"{lead}, {count(lines, 'line')}", n)
    show = (lambda part: part) if x and quoted(x) is x else repr
    if len(x) <= ROOM:
        return [f"{lead}: {show(str(x))}"]
    half = ROOM // 2
    hidden = len(x) - 2 * half
    first, last = show(str(x[:half])), show(str(x[-half:]))
    return [f"{lead}:", first, f"... {count(hidden, 'more character')} ...", last]


def _text_lines(x: str, lead: str, n: int) -> list[str]:
    """Text of several lines with their numbers from 1, as an editor has them."""
    size = x.count("\n") + 1
    head, tail = ends(size, n)
    first = x.split("\n", head)[:head]
    last = x.rsplit("\n", tail)[-tail:] if tail else []
    numbers = [*range(1, head + 1), *range(size - tail + 1, size + 1)]
    shown = [quoted_line(line) for line in (*first, *last)]
    rows = [(str(number), line) for number, line in zip(numbers, shown, strict=True)]
    return listing(lead, rows, head, size)


def quoted_line(line: str) -> str:
    """A line as it is, leading spaces too; in quotes where something would not be seen."""
    plain = line.isprintable() and line.rstrip() == line
    if len(line) > ITEM:
        return f"{line[: ITEM // 2]!r}... ({len(line):,} characters)"
    return line if plain else repr(line)


def _bytes(x: Any) -> list[str]:
    size = x.nbytes if isinstance(x, memoryview) else len(x)
    lead = f"{class_of(x)}, {count(size, 'byte')}"
    if isinstance(x, memoryview):
        x = x.cast("B") if x.contiguous and x.format != "B" else x
    if size <= 2 * BYTES:
        return [f"{lead}: {bytes(x)!r}"]
    hidden = size - 2 * BYTES
    first, last = bytes(x[:BYTES]), bytes(x[-BYTES:])
    return [f"{lead}:", repr(first), f"... {hidden:,} more bytes ...", repr(last)]


def _mapping(x: Any, n: int) -> list[str]:
    size = len(x)
    head, tail = ends(size, n)
    first = list(itertools.islice(x.items(), head))
    last = list(itertools.islice(reversed(x.items()), tail))[::-1] if tail else []
    rows = [(short(key), short(item)) for key, item in (*first, *last)]
    return listing(f"{class_of(x)}, {count(size, 'key')}", rows, head, size)


def _sequence(
    x: Any, size: int, n: int, names: list[object] | None = None
) -> list[str]:
    head, tail = ends(size, n)
    shown = [*range(head), *range(size - tail, size)]
    label = names if names is not None and len(names) == size else range(size)
    rows = [(str(label[place]), short(x[place], (id(x),))) for place in shown]
    return listing(f"{class_of(x)}, {count(size, 'item')}", rows, head, size)


def _head_only(x: Any, size: int, n: int) -> list[str]:
    rows = [("-", short(item)) for item in itertools.islice(x, n)]
    return listing(f"{class_of(x)}, {count(size, 'item')}", rows, len(rows), size)


def _fields(x: Any, noun: str, items: list[tuple[str, Any]], n: int) -> list[str]:
    rows = [(cut(str(name)), short(item, (id(x),))) for name, item in items[:n]]
    lead = f"{class_of(x)}, {count(len(items), noun)}"
    return listing(lead, rows, len(rows), len(items))


def _read_once(x: Any) -> list[str] | None:
    """Things that a look would use up."""
    kind = type(x)
    if kind.__name__ in ("generator", "coroutine", "async_generator"):
        return [f"{kind.__name__} {x.__name__!r}, not consumed"]
    if hasattr(kind, "__next__"):
        if hasattr(kind, "readline") or hasattr(kind, "fileno"):
            return [f"{cut(safe_repr(x), 1000)}, not read"]
        return [f"{class_of(x)}, not consumed"]
    return None


def _has_plain_attributes(x: Any) -> bool:
    """True for an object that shows nothing by itself: `<Order object at 0x7f...>`, or a namespace."""
    kind: Any = type(x)
    if kind.__name__ == "SimpleNamespace":
        return True
    if kind.__repr__ is not object.__repr__ or kind.__module__ == "builtins":
        return False
    try:
        return isinstance(x.__dict__, dict) and bool(x.__dict__)
    except Exception:
        return False


def _lines(text: str) -> list[str]:
    return cut(text, ROOM).split("\n")


def _within_budget(lines: list[str]) -> str:
    text = "\n".join(lines)
    if len(text) <= BUDGET:
        return text
    half = BUDGET // 2 - 30
    hidden = len(text) - 2 * half
    return f"{text[:half]}\n... {hidden:,} more characters ...\n{text[-half:]}"
