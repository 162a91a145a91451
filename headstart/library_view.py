"""Views of arrays, Series and lazy things of data libraries; by name, so that nothing is imported."""

from __future__ import annotations

import sys

from headstart.listing import ends, listing
from headstart.short import class_of, count, cut, failed, one_line, short, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Lines and characters of a plan or a schema.
ROOM = 5000


def lines(x: Any, n: int) -> list[str] | None:
    """The view of a value of a data library; `None` for any other."""
    kind = type(x)
    library = (
        kind.__module__.partition(".")[0] if isinstance(kind.__module__, str) else ""
    )
    if (library, kind.__name__) == ("numpy", "ndarray"):
        return _array(x, n)
    if library == "numpy" and hasattr(kind, "dtype") and hasattr(kind, "item"):
        return [f"{class_of(x)}: {_plain(x)}"]
    column = kind.__name__ in ("Series", "ChunkedArray") or kind.__name__.endswith(
        ("Index", "Array")
    )
    if (
        library in ("pandas", "polars", "pyarrow")
        and column
        and hasattr(kind, "__len__")
    ):
        return _series(x, n)
    if library == "pyarrow" and kind.__name__.endswith("Scalar"):
        return [f"{class_of(x)}: {_plain(x)}"]
    if (library, kind.__name__) == ("polars", "LazyFrame"):
        return ["polars LazyFrame, not collected", *_plan(x)]
    if kind.__name__.endswith("Reader") and hasattr(x, "schema"):
        return [f"{class_of(x)}, not consumed", *_of(str(x.schema))]
    return None


def _array(x: Any, n: int) -> list[str]:
    if x.ndim == 0:
        return [f"numpy ndarray, one value, {x.dtype}: {_plain(x[()])}"]
    shape = " x ".join(f"{side:,}" for side in x.shape)
    size = count(x.shape[0], "value") if x.ndim == 1 else shape
    head, tail = ends(len(x), n)
    shown = [*range(head), *range(len(x) - tail, len(x))]
    rows = [(str(place), _row(x[place])) for place in shown]
    return listing(f"numpy ndarray, {size}, {x.dtype}", rows, head, len(x))


def _row(x: Any) -> str:
    """One item of an array: a value, or the ends of a row of values as numpy prints them."""
    if getattr(x, "ndim", 0) == 0:
        return _plain(x)
    numpy = sys.modules["numpy"]
    text = numpy.array2string(
        x, max_line_width=10**9, threshold=12, edgeitems=3, separator=", "
    )
    return cut(one_line(visible(text)))


def _series(x: Any, n: int) -> list[str]:
    size = len(x)
    name = getattr(x, "name", None)
    dtype = getattr(x, "dtype", None)
    dtype = getattr(x, "type", None) if dtype is None else dtype
    kind = "" if dtype is None else f", {one_line(visible(str(dtype)))}"
    called = "" if name is None else f" {short(name)}"
    head, tail = ends(size, n)
    shown = [*range(head), *range(size - tail, size)]
    at = x.iloc if hasattr(x, "iloc") else x
    index: Any = getattr(x, "index", None)
    labelled = hasattr(index, "dtype")
    rows = []
    for place in shown:
        label = _plain(index[place]) if labelled else str(place)
        rows.append((label, _plain(at[place])))
    lead = f"{class_of(x)}{called}, {count(size, 'value')}{cut(kind)}"
    return listing(lead, rows, head, size)


def _plain(x: Any) -> str:
    """A scalar of a data library as Python writes its value; times as ISO 8601."""
    kind = type(x)
    library = (
        kind.__module__.partition(".")[0] if isinstance(kind.__module__, str) else ""
    )
    if library == "numpy" and hasattr(kind, "item"):
        if kind.__name__ in ("datetime64", "timedelta64"):
            return str(x)
        x = x.item()
    elif library == "pyarrow" and hasattr(kind, "as_py"):
        try:
            x = x.as_py()
        except Exception as error:
            return f"<{failed(error)}>"
    elif kind is tuple:
        return f"({', '.join(_plain(part) for part in x[:12])})"
    if type(x).__name__ in ("Timestamp", "datetime", "date", "time", "Period"):
        return cut(str(x))
    if type(x).__name__ in ("Timedelta", "timedelta", "Decimal"):
        return cut(str(x))
    return short(x)


def _plan(x: Any) -> list[str]:
    try:
        return _of(x.explain(optimized=False))
    except Exception as error:
        return [failed(error)]


def _of(text: str) -> list[str]:
    return cut(visible(text), ROOM).split("\n")
