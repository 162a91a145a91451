"""Views of values that are no frames: type, size, head and tail, within a budget.

Nothing is consumed, collected or changed, and a broken `__repr__` or `__len__` is shown, not raised.
"""

from __future__ import annotations

import itertools
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

#: Characters of a whole view, about.
BUDGET = 6000
#: Characters of one item.
ITEM = 200
#: Levels of lists and dicts that an item shows.
DEPTH = 4


def value(x: object, n: int = 40) -> str:
    """The view of any value; at most `n` items."""
    try:
        lines = _view(x, n)
    except Exception as error:
        lines = [f"{class_of(x)}: {_failed(error)}"]
    return _within_budget(lines)


def _view(x: object, n: int) -> list[str]:
    if isinstance(x, str):
        return _text(x, "character", quoted)
    if isinstance(x, bytes | bytearray | memoryview):
        return _text(bytes(x[:BUDGET]) if len(x) <= BUDGET else x, "byte", short)
    if isinstance(x, dict):
        return _mapping(x, n)
    if isinstance(x, list | tuple):
        names: Iterable[object] | None = getattr(type(x), "_fields", None)
        return _sequence(x, len(x), n, list(names) if names else None)
    if isinstance(x, set | frozenset):
        return _head_only(x, len(x), n)
    if _is_dataclass(x):
        return _fields(x, n)
    special = _of_library(x, n)
    if special is not None:
        return special
    own = _own_repr(x)
    if x is None or len(own) > 1:
        return own if x is None else [class_of(x), *own]
    return [f"{class_of(x)}: {own[0]}"]


def _text(x: Any, unit: str, show: Callable[[Any], str]) -> list[str]:
    size = len(x)
    lead = f"{class_of(x)}, {_count(size, unit)}"
    room = BUDGET - 1000
    if size <= room:
        return [f"{lead}: {show(x)}"]
    half = room // 2
    hidden = size - 2 * half
    return [
        f"{lead}:",
        show(x[:half]),
        f"... {_count(hidden, 'more ' + unit)} ...",
        show(x[-half:]),
    ]


def _mapping(x: Any, n: int) -> list[str]:
    size = len(x)
    head, tail = _ends(size, n)
    first = list(itertools.islice(x.items(), head))
    last = list(itertools.islice(reversed(x.items()), tail))[::-1] if tail else []
    rows = [(short(key), short(item)) for key, item in (*first, *last)]
    return _table(f"{class_of(x)}, {_count(size, 'key')}", rows, head, size)


def _sequence(
    x: Any, size: int, n: int, names: list[object] | None = None
) -> list[str]:
    head, tail = _ends(size, n)
    shown = [*range(head), *range(size - tail, size)]
    label = names if names is not None and len(names) == size else range(size)
    rows = [(str(label[place]), short(x[place])) for place in shown]
    return _table(f"{class_of(x)}, {_count(size, 'item')}", rows, head, size)


def _head_only(x: Any, size: int, n: int) -> list[str]:
    rows = [("-", short(item)) for item in itertools.islice(x, n)]
    return _table(f"{class_of(x)}, {_count(size, 'item')}", rows, len(rows), size)


def _is_dataclass(x: object) -> bool:
    return hasattr(type(x), "__dataclass_fields__")


def _fields(x: Any, n: int) -> list[str]:
    names = list(type(x).__dataclass_fields__)
    rows = []
    for name in names[:n]:
        try:
            rows.append((name, short(getattr(x, name))))
        except Exception as error:
            rows.append((name, _failed(error)))
    return _table(
        f"{class_of(x)}, {_count(len(names), 'field')}", rows, len(rows), len(names)
    )


def _of_library(x: Any, n: int) -> list[str] | None:
    """Arrays, Series, and things that are read once; by name, so that nothing is imported."""
    kind = type(x)
    library = kind.__module__.partition(".")[0]
    if kind.__name__ in ("generator", "coroutine", "async_generator"):
        return [f"{kind.__name__} {x.__name__!r}, not consumed"]
    if (library, kind.__name__) == ("numpy", "ndarray"):
        return _array(x, n)
    if kind.__name__ in ("Series", "Index", "ChunkedArray") or (
        library == "pyarrow" and kind.__name__.endswith("Array")
    ):
        return _series(x, n)
    if (library, kind.__name__) == ("polars", "LazyFrame"):
        return ["polars LazyFrame, not collected", *_own_plan(x)]
    if kind.__name__.endswith("Reader") and hasattr(x, "schema"):
        return [f"{class_of(x)}, not consumed", *_lines(x.schema)]
    if hasattr(x, "__next__"):
        return [f"{class_of(x)}, not consumed"]
    return None


def _array(x: Any, n: int) -> list[str]:
    shape = " x ".join(f"{side:,}" for side in x.shape) or "one value"
    lead = f"numpy ndarray, {shape}, {x.dtype}"
    if x.ndim == 0:
        return [f"{lead}: {short(x.item())}"]
    head, tail = _ends(len(x), n)
    shown = [*range(head), *range(len(x) - tail, len(x))]
    rows = [(str(place), _row(x[place])) for place in shown]
    return _table(lead, rows, head, len(x))


def _row(x: Any) -> str:
    """One item of an array: a value, or the ends of a row of values."""
    if getattr(x, "ndim", 0) == 0:
        return cut(_repr(x.item() if hasattr(x, "item") else x))
    if x.size > 1000:
        edge = [short(item) for item in x.reshape(-1)[:5].tolist()]
        return f"[{', '.join(edge)}, ... {x.size - 5:,} more]"
    return short(x.tolist())


def _series(x: Any, n: int) -> list[str]:
    size = len(x)
    name = getattr(x, "name", None)
    dtype = getattr(x, "dtype", None) or getattr(x, "type", "")
    called = "" if name is None else f" {short(name)}"
    head, tail = _ends(size, n)
    shown = [*range(head), *range(size - tail, size)]
    at = x.iloc if hasattr(x, "iloc") else x
    index: Any = getattr(x, "index", None)
    labelled = hasattr(index, "dtype")
    rows = []
    for place in shown:
        label = short(_plain(index[place])) if labelled else str(place)
        rows.append((label, short(_plain(at[place]))))
    return _table(
        f"{class_of(x)}{called}, {_count(size, 'value')}, {dtype}", rows, head, size
    )


def _plain(x: Any) -> Any:
    """A scalar of a data library as a Python value."""
    for method in ("item", "as_py"):
        if hasattr(x, method):
            try:
                return getattr(x, method)()
            except Exception:
                return x
    return x


def _own_plan(x: Any) -> list[str]:
    try:
        return _lines(x.explain(optimized=False))
    except Exception as error:
        return [_failed(error)]


def _own_repr(x: object) -> list[str]:
    return _lines(_repr(x))


def _lines(x: object) -> list[str]:
    return cut(x if isinstance(x, str) else str(x), BUDGET - 1000).split("\n")


def _ends(size: int, n: int) -> tuple[int, int]:
    """How many items of head and tail to show."""
    n = min(n, size)
    return n - n // 2, n // 2


def _table(lead: str, rows: list[tuple[str, str]], head: int, size: int) -> list[str]:
    """Lines of label and value, with the number of hidden ones where they are hidden."""
    if not rows:
        return [lead]
    # Long rows leave room for fewer of them; the ends stay.
    total = sum(len(label) + len(shown) + 5 for label, shown in rows)
    most = max(2, (BUDGET - 200) * len(rows) // total)
    if len(rows) > most:
        tail = min(len(rows) - head, most // 2)
        keep = most - tail
        rows = rows[:keep] + (rows[-tail:] if tail else [])
        head = keep
    hidden = size - len(rows)
    wide = max(len(label) for label, _ in rows)
    lines = [f"{label:>{wide + 2}}  {shown}" for label, shown in rows]
    if hidden:
        lines.insert(head, f"{'':>{wide + 2}}  ... {hidden:,} more")
    return [lead, *lines]


def _within_budget(lines: list[str]) -> str:
    text = "\n".join(lines)
    if len(text) <= BUDGET:
        return text
    half = BUDGET // 2 - 30
    hidden = len(text) - 2 * half
    return f"{text[:half]}\n... {hidden:,} more characters ...\n{text[-half:]}"


def short(x: Any, depth: int = 0) -> str:
    """A bounded repr: long texts and containers are cut before they are written out."""
    kind: Any = type(x)
    if kind is str and len(x) > ITEM:
        return f"{x[: ITEM // 2]!r}... ({len(x):,} characters)"
    if kind is bytes and len(x) > ITEM:
        return f"{x[: ITEM // 4]!r}... ({len(x):,} bytes)"
    if kind is int and x.bit_length() > 4 * ITEM:
        return f"int of {x.bit_length():,} bits"
    if kind in (list, tuple, set, frozenset, dict):
        return cut(_nested(x, depth))
    if kind.__name__ == "ndarray" and hasattr(x, "tolist"):
        return cut(f"array({_row(x)})")
    if hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__"):
        shape = getattr(x, "shape", None)
        return f"<{class_of(x)}{'' if shape is None else f' {shape}'}>"
    return cut(_repr(x))


def _nested(x: Any, depth: int) -> str:
    opening, closing = (
        ("[", "]")
        if isinstance(x, list)
        else ("(", ")")
        if isinstance(x, tuple)
        else ("{", "}")
    )
    if not x:
        return _repr(x)
    if depth >= DEPTH:
        return f"{opening}... {len(x):,}{closing}"
    few = itertools.islice(x.items() if isinstance(x, dict) else x, 12)
    if isinstance(x, dict):
        parts = [f"{short(key, depth + 1)}: {short(y, depth + 1)}" for key, y in few]
    else:
        parts = [short(item, depth + 1) for item in few]
    if len(x) > len(parts):
        parts.append(f"... {len(x) - len(parts):,} more")
    elif isinstance(x, tuple) and len(x) == 1:
        parts.append("")
    return f"{opening}{', '.join(parts).rstrip(' ')}{closing}"


def _repr(x: object) -> str:
    try:
        return repr(x)
    except Exception as error:
        return f"<{class_of(x)}: {_failed(error)}>"


def quoted(x: str) -> str:
    return x if x.isprintable() and x.strip() == x and x else repr(x)


def cut(text: str, size: int = ITEM) -> str:
    if len(text) <= size:
        return text
    return f"{text[: size - 30]}... ({len(text):,} characters)"


def _failed(error: Exception) -> str:
    try:
        reason = str(error)
    except Exception:
        reason = "?"
    return f"{type(error).__name__} while showing it: {reason[:100]}"


def class_of(x: object) -> str:
    kind = type(x)
    library = kind.__module__.partition(".")[0]
    if library in ("builtins", "__main__") or library not in sys.modules:
        return kind.__name__
    return f"{library} {kind.__name__}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
