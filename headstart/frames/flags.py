"""What values of data libraries say of true and false: one of them, or how many of many.

Nothing is collected, and no library is imported that is not there already.
"""

from __future__ import annotations

import math
import sys

from headstart.frames.take import loaded_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Places that a reason names.
NAMED = 3


class Flags:
    """A value that holds values: its shape, and where it is of true and false, what it has of them."""

    __slots__ = ("at", "dtype", "false", "missing", "only", "shape")

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: object,
        only: list[Any],
        counts: tuple[int, list[int], int] | None = None,
    ) -> None:
        self.shape = shape
        self.dtype = str(dtype)
        #: The value, when it is the only one.
        self.only = only
        #: How many are False (`None` where values are no bools), the first of them, how many missing.
        self.false: int | None = None
        self.at: list[int] = []
        self.missing = 0
        if counts is not None:
            self.false, self.at, self.missing = counts


def scalar(value: object) -> tuple[Any] | None:
    """One value of numpy or pyarrow as Python has it, in a tuple; `None` for anything else."""
    if isinstance(value, loaded_class("numpy", "bool_")):
        return (bool(value),)
    if isinstance(value, loaded_class("pyarrow", "BooleanScalar")):
        return (value.as_py(),)
    return None


def plain(value: Any) -> Any:
    """One value of numpy or pyarrow as Python has it; any other value as it is."""
    if isinstance(value, loaded_class("numpy", "generic")):
        return value.item()
    if isinstance(value, loaded_class("pyarrow", "Scalar")):
        return value.as_py()
    return value


def flags(value: Any) -> Flags | None:
    """What an array, a Series or a frame holds; `None` for anything else."""
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    if isinstance(value, loaded_class("numpy", "ndarray")):
        return _numpy(value)
    if isinstance(value, loaded_class("pandas", "DataFrame")):
        parts = [_pandas(value.iloc[:, at]) for at in range(value.shape[1])]
        return _frame(value.shape, parts)
    if isinstance(
        value,
        (loaded_class("pandas", "Series"), loaded_class("pandas", "Index"))
        + _extension_array(),
    ):
        return _pandas(value)
    if isinstance(value, loaded_class("polars", "DataFrame")):
        return _frame(value.shape, [_polars(column) for column in value.get_columns()])
    if isinstance(value, loaded_class("polars", "Series")):
        return _polars(value)
    if library == "pyarrow" and hasattr(value, "column_names"):
        shape = (value.num_rows, value.num_columns)
        return _frame(shape, [_pyarrow(column) for column in value.columns])
    if isinstance(
        value,
        (loaded_class("pyarrow", "Array"), loaded_class("pyarrow", "ChunkedArray")),
    ):
        return _pyarrow(value)
    return None


def _extension_array() -> tuple[Any, ...]:
    pandas = sys.modules.get("pandas")
    api = getattr(getattr(pandas, "api", None), "extensions", None)
    found = getattr(api, "ExtensionArray", None)
    return () if found is None else (found,)


def _frame(shape: tuple[int, ...], parts: list[Flags]) -> Flags:
    only = parts[0].only if len(parts) == 1 else []
    counts: tuple[int, list[int], int] | None = None
    if parts and all(part.false is not None for part in parts):
        falses = sum(part.false or 0 for part in parts)
        counts = (falses, [], sum(part.missing for part in parts))
    kinds = list(dict.fromkeys(part.dtype for part in parts))
    return Flags(shape, ", ".join(kinds[:NAMED]), only, counts)


def _numpy(value: Any) -> Flags:
    counts: tuple[int, list[int], int] | None = None
    if hasattr(value, "mask") and value.mask.any():
        # What is masked is missing, whatever stands below; `item` would give that.
        values = value.reshape(-1).tolist()
        if value.dtype in (bool, object):
            counts = _listed(values)
        return Flags(
            value.shape, value.dtype, values if len(values) == 1 else [], counts
        )
    only = [value.item()] if value.size == 1 else []
    if value.dtype == bool:
        false = (~value).reshape(-1).nonzero()[0]
        named = false[:NAMED].tolist() if value.ndim == 1 else []
        counts = (len(false), named, 0)
    elif value.dtype == object:
        counts = _listed(value.reshape(-1).tolist())
    return Flags(value.shape, value.dtype, only, counts)


def _pandas(value: Any) -> Flags:
    shape = (len(value),)
    only = []
    if len(value) == 1:
        found = (value.iloc if hasattr(value, "iloc") else value)[0]
        only = [plain(found)]
    counts: tuple[int, list[int], int] | None = None
    if str(value.dtype) in ("bool", "boolean", "bool[pyarrow]"):
        missing = value.isna()
        # A missing value is counted as such, and not as False.
        false = (~value.to_numpy(dtype=bool, na_value=True)).nonzero()[0]
        counts = (len(false), false[:NAMED].tolist(), int(missing.sum()))
    elif str(value.dtype) == "object":
        counts = _listed(value.tolist())
    return Flags(shape, value.dtype, only, counts)


def _polars(value: Any) -> Flags:
    counts: tuple[int, list[int], int] | None = None
    if str(value.dtype) == "Boolean":
        false = (~value).fill_null(False).arg_true()
        counts = (len(false), false.head(NAMED).to_list(), value.null_count())
    only = [value.item()] if len(value) == 1 else []
    return Flags((len(value),), value.dtype, only, counts)


def _pyarrow(value: Any) -> Flags:
    counts: tuple[int, list[int], int] | None = None
    if str(value.type) == "bool":
        import pyarrow.compute as pc

        false = pc.indices_nonzero(pc.fill_null(pc.invert(value), False))
        counts = (len(false), false.slice(0, NAMED).to_pylist(), value.null_count)
    only = value.to_pylist() if len(value) == 1 else []
    return Flags((len(value),), value.type, only, counts)


def _listed(values: list[Any]) -> tuple[int, list[int], int] | None:
    """The counts of Python objects; `None` when some are neither bools nor missing."""
    false, missing = [], 0
    for place, value in enumerate(values):
        known = (value,) if type(value) is bool else scalar(value)
        if known is None and (value is None or is_missing(value)):
            known = (None,)
        if known is None:
            return None
        if known[0] is None:
            missing += 1
        elif not known[0]:
            false.append(place)
    return len(false), false[:NAMED], missing


def is_missing(value: object) -> bool:
    """True for `pd.NA`, `NaT`, NaN and a null of pyarrow."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and (
        value is getattr(pandas, "NA", pandas)
        or value is getattr(pandas, "NaT", pandas)
    ):
        return True
    if isinstance(value, loaded_class("numpy", "datetime64")):
        return str(value) == "NaT"
    if isinstance(value, loaded_class("numpy", "timedelta64")):
        return str(value) == "NaT"
    if isinstance(value, loaded_class("pyarrow", "Scalar")):
        return not value.is_valid
    return isinstance(value, float) and math.isnan(value)
