"""One Arrow column as one pandas column."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def column(array: Any, kind: str) -> Any:
    """The pandas (or numpy) array of an Arrow column; `kind` is the word for what it holds."""
    from pyarrow import types

    if kind == "category":
        return _category(array)
    dtype = array.type
    if types.is_null(dtype):
        return _objects([None] * len(array))
    if types.is_boolean(dtype) or types.is_integer(dtype):
        return _whole(array)
    if types.is_floating(dtype):
        return _numpy(array)
    if types.is_large_string(dtype):
        return _text(array)
    if types.is_date(dtype):
        import pyarrow

        return _numpy(array.cast(pyarrow.timestamp("us")))
    if types.is_timestamp(dtype):
        return _moments(array)
    if types.is_duration(dtype):
        return _numpy(_microseconds(array, "duration"))
    if types.is_time(dtype):
        return _times(array)
    return _objects(array.to_pylist())


def _numpy(array: Any) -> Any:
    """A numpy array that may be written to; missing is NaN or NaT."""
    result = array.to_numpy(zero_copy_only=False)
    return result if result.flags.writeable else result.copy()


def _objects(values: list[Any]) -> Any:
    import pandas

    return pandas.Series(values, dtype=object).array


def _whole(array: Any) -> Any:
    """Whole numbers and bools: numpy without gaps, else the nullable type of the same width."""
    if array.null_count == 0:
        return _numpy(array)
    import pandas

    name = str(array.type)
    names = {"bool": "boolean"}
    name = names.get(name, name.replace("uint", "UInt").replace("int", "Int"))
    return pandas.api.types.pandas_dtype(name).__from_arrow__(array)


def _text(array: Any) -> Any:
    import pandas

    if int(pandas.__version__.split(".")[0]) < 3:
        return array.to_numpy(zero_copy_only=False)
    return pandas.StringDtype(na_value=float("nan")).__from_arrow__(array)


def _moments(array: Any) -> Any:
    import pandas

    zone = array.type.tz
    array = _microseconds(array, "timestamp")
    if zone is None:
        return _numpy(array)
    dtype = pandas.DatetimeTZDtype(array.type.unit, zone)
    return dtype.__from_arrow__(array)


def _microseconds(array: Any, name: str) -> Any:
    """The column in microseconds, unless nanosecond digits would be lost."""
    import pyarrow

    if array.type.unit == "us":
        return array
    if name == "timestamp":
        target = pyarrow.timestamp("us", array.type.tz)
    else:
        target = pyarrow.duration("us")
    try:
        return array.cast(target)
    except pyarrow.ArrowInvalid:
        if array.type.unit == "ns":
            return array
        raise


def _times(array: Any) -> Any:
    """`datetime.time` objects; with nanosecond digits pandas' Arrow type, which keeps them."""
    import pandas
    import pyarrow

    try:
        return _objects(array.cast(pyarrow.time64("us")).to_pylist())
    except pyarrow.ArrowInvalid:
        return pandas.arrays.ArrowExtensionArray(array)


def _category(array: Any) -> Any:
    """A categorical whose categories stand in the order of their first appearance."""
    import pandas
    import pyarrow

    encoded = array.dictionary_encode().unify_dictionaries()
    chunks = encoded.chunks
    words = chunks[0].dictionary if chunks else array.slice(0, 0)
    codes = pyarrow.chunked_array([chunk.indices for chunk in chunks], pyarrow.int32())
    numbers = codes.fill_null(-1).to_numpy()
    values = column(pyarrow.chunked_array([words]) if chunks else words, "")
    return pandas.Categorical.from_codes(numbers, categories=pandas.Index(values))
