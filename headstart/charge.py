"""charge: load a file, whatever its format, or stack several."""

from __future__ import annotations

import os

from headstart import _headstart, arguments, frames, talk
from headstart.arguments import count, expect, whole_number
from headstart.errors import ArgumentError, TypeMismatchError, face

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Types = str | type | Mapping[str, str | type]

#: What `types` calls the classes of Python.
CLASSES = {
    "builtins.str": "text",
    "builtins.int": "int",
    "builtins.float": "float",
    "builtins.bool": "bool",
    "datetime.date": "date",
    "datetime.datetime": "datetime",
    "datetime.time": "time",
    "decimal.Decimal": "decimal",
}
HINT = 'hs.charge("orders.csv"), or a list of paths'


@face
def charge(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    sheet: str | int | None = None,
    *,
    at: str | None = None,
    types: Types | None = None,
    columns: Sequence[str] | None = None,
    rows: int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: int | None = None,
) -> Any:
    """Load a table from a file of any format, types decided on the whole column.

    The format is recognised by content first, extension second: csv, tsv, txt, json, jsonl, toml,
    parquet, arrow, xlsx, xlsm, xls, xlsb, ods; `.gz .zst .bz2 .xz` are unpacked on the fly. Codes
    such as `00042` stay text, whole numbers with gaps stay exact, and whatever could not arrive
    as it was is told in one printed line.

    Parameters
    ----------
    path : path of the file. A folder is read as one table, `key=value` in the names of folders
        as columns. A pattern (`"2026-*.csv"`, `**` for folders) or a list of paths
        stacks the files by column name and adds a last column `source` of their names; a column
        that a file lacks is missing there, and types that do not go together are an error.
    sheet : part of a workbook, by default its first visible sheet: a sheet by name or position (0
        is the first, -1 the last), a table or defined name, a range (`"Jan!C3:T25"`, `"A:F"`; all
        from a cell on by `"Jan!C3"`), or `"*"` for a dict of all sheets.
    at : path of the records inside a json or toml document, such as `"data.items"`.
    types : the type of a column instead of the decided one, as a dict, or one type for all columns
        (`"text"` decides nothing). Types: `"text"`, `"int"`, `"float"`, `"bool"`, `"date"`,
        `"datetime"`, `"time"`, `"decimal"`, or the Python class. A day or time may name its
        pattern (`"date:%d/%m/%Y"`), a number show its marks (`"float:1.234,56"`). A value that
        does not fit is an error.
    columns : only these columns, in this order.
    rows : only the first so many rows.
    encoding : character encoding of a text file, instead of the detected one.
    delimiter : delimiter of a text file, instead of the detected one.
    header : line (text) or row (sheet) of the header, counted from 1; 0 when there is none.

    Returns
    -------
    A frame of the library that `hs.options.frames` names (pandas by default; its notes are also
    in `df.attrs["hs"]`); a dict of them by name for `sheet="*"`; or the plain Python value of a
    json or toml document that is no table.

    Raises
    ------
    hs.Error, one of: FileMissingError, ReadError, FormatError, SheetError, KeyMissingError (a
    column that is not there), ArgumentError, TypeMismatchError.

    Examples
    --------
    >>> import headstart as hs
    >>> df = hs.charge("fixtures/orders.csv", columns=["order_id", "code"], rows=2)
    fixtures/orders.csv: 2 rows x 2 columns, the first of 52
    >>> list(df["code"])
    ['00042', '00079']
    >>> types = {"order_id": "text", "ordered": "datetime"}
    >>> df = hs.charge("fixtures/orders.csv", types=types, columns=["order_id", "ordered"])
    fixtures/orders.csv: 52 rows x 2 columns
    >>> df["order_id"].iloc[0], df["ordered"].iloc[0].year
    ('26001', 2026)
    >>> sheets = hs.charge("fixtures/orders.xlsx", "*")
    fixtures/orders.xlsx: 3 sheets: "2025" (45 x 10), "2026" (52 x 10), "rates" (3 x 2, hidden)
    >>> hs.charge("fixtures/orders.csv", columns=["custmer"])
    Traceback (most recent call last):
        ...
    headstart.errors.KeyMissingError: fixtures/orders.csv: no column "custmer"
    hint: did you mean "customer"?
    """
    library = frames.default_library()  # a wrong setting fails before the work
    frames.imports.start(library)
    loaded, lines = load(
        path,
        sheet,
        at=at,
        types=types,
        columns=columns,
        rows=rows,
        encoding=encoding,
        delimiter=delimiter,
        header=header,
        # Both take text only as bytes with offsets; polars and the native table take views.
        flat=library in ("pandas", "pyarrow"),
    )
    talk.say(lines)
    if isinstance(loaded, _headstart.Table):
        return frames.give(loaded, library)
    if sheet == "*":
        return {name: frames.give(table, library) for name, table in loaded.items()}
    return loaded


def load(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    sheet: str | int | None = None,
    *,
    at: str | None = None,
    types: Types | None = None,
    columns: Sequence[str] | None = None,
    rows: int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: int | None = None,
    flat: bool = False,
) -> tuple[Any, list[str]]:
    """The native table or plain value of a file, or a dict of tables, and the lines for the user.

    The arguments of `charge` are checked here. A `flat` table may only be handed out.
    """
    paths: str | list[str]
    if isinstance(path, list | tuple):
        paths = [arguments.path(item, HINT, " in the list") for item in path]
    else:
        paths = arguments.path(path, HINT)
    if isinstance(columns, str):
        columns = [columns]
    if columns is not None:
        if not hasattr(columns, "__iter__"):
            raise TypeMismatchError(
                "columns: expected a list of column names, "
                f"found {type(columns).__name__} {columns!r:.60}"
            )
        columns = list(columns)
        for name in columns:
            expect("columns", name, str, "a list of column names")
    if not isinstance(sheet, str):
        sheet = whole_number("sheet", sheet, "a name or a position")
    expect("at", at, str, "a path such as 'data.items'")
    rows = count("rows", rows, "a number of rows")
    expect("encoding", encoding, str, "a name such as 'cp1252'")
    expect("delimiter", delimiter, str, "one character")
    header = whole_number(
        "header", header, "a line number from 1, or 0 for no header", least=0
    )
    if delimiter is not None and len(delimiter) != 1:
        raise ArgumentError(
            f"delimiter: expected one character, found {delimiter[:20]!r}",
            hint="leave out delimiter= and it is detected",
        )
    return _headstart.charge(
        paths,
        sheet=sheet,
        at=at,
        types=_types(types),
        columns=columns,
        rows=rows,
        encoding=encoding,
        delimiter=delimiter,
        header=header,
        flat=flat,
    )


def _types(types: Types | None) -> str | list[tuple[str, str]] | None:
    """The types as the native code takes them."""
    if types is None:
        return None
    if isinstance(types, str | type):
        return _type(types)
    items = getattr(types, "items", None)
    if items is None:
        words = 'a dict such as {"zip": "text"}, or one type for all columns'
        raise TypeMismatchError(
            f"types: expected {words}, found {type(types).__name__} {types!r:.60}"
        )
    pairs = []
    for name, wanted in items():
        expect("types", name, str, "a dict whose keys are column names")
        pairs.append((name, _type(wanted)))
    return pairs


def _type(wanted: str | type) -> str:
    if isinstance(wanted, str):
        return str(wanted)
    if isinstance(wanted, type):
        word = CLASSES.get(f"{wanted.__module__}.{wanted.__qualname__}")
        if word is not None:
            return word
    name = wanted.__name__ if isinstance(wanted, type) else repr(wanted)
    raise TypeMismatchError(
        f"types: expected a type, found {name:.60}",
        hint='a word such as "text" or "date:%d/%m/%Y", or one of str, int, float, bool, '
        "datetime.date, datetime.datetime, datetime.time, decimal.Decimal",
    )
