"""sauve: save a frame, several as the sheets of a workbook, or a plain value."""

from __future__ import annotations

import os

from headstart import _headstart, arguments, frames, talk
from headstart.arguments import expect
from headstart.errors import TypeMismatchError, face

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Formats that hold any plain value, and keep records as they are.
PLAIN = ("json", "jsonl")
#: Formats that keep the types of columns, also the one that pandas gives to days.
TYPED = ("parquet", "arrow")


@face
def sauve(
    path: str | os.PathLike[str],
    data: Any,
    *,
    sheet: str | None = None,
    overwrite: bool = True,
) -> None:
    """Save a table in the format of the extension, whole or not at all, losses told.

    The extension says the format: csv, tsv, json, jsonl, parquet, arrow or xlsx; the text formats
    also packed (`.gz`, `.zst`). A file that was there is replaced in one step when all of the new one
    is on the disk; an error or Ctrl-C leaves it as it was. Prints the path, rows x columns and bytes,
    and a line for what the format could not carry.

    Parameters
    ----------
    path : path of the file; its folder must be there.
    data : pandas, polars or pyarrow frame, any object with `__arrow_c_stream__` or
        `__arrow_c_array__`, or a list of dicts. For xlsx also a dict of such, a sheet for each key. For
        json also any plain value: dicts, lists, text, numbers, bools, dates, `None`. An index is no
        column. It is not changed.
    sheet : name of the sheet in a workbook (`"Sheet1"`).
    overwrite : `False` makes it an error when a file is there.

    Raises
    ------
    hs.Error, one of: ArgumentError for another extension, TypeMismatchError for what the format does
    not hold (text, bytes in csv), FileMissingError for a folder that is not there, FilePresentError,
    ReadError when the system refuses (no permission, a full disk).

    Examples
    --------
    >>> import headstart as hs
    >>> hs.sauve("/tmp/codes.csv", [{"code": "00042", "n": 1}, {"code": "00079", "n": None}])
    /tmp/codes.csv: 2 rows x 2 columns, 22 bytes
    >>> list(hs.charge("/tmp/codes.csv")["code"])
    /tmp/codes.csv: 2 rows x 2 columns
    ['00042', '00079']
    >>> sheets = {"Codes": [{"code": "00042"}], "Rates": [{"currency": "EUR", "rate": 1.0}]}
    >>> hs.sauve("/tmp/codes.xlsx", sheets)
    /tmp/codes.xlsx: 2 sheets, "Codes" (1 x 1), "Rates" (1 x 2), ... bytes
    """
    target = arguments.path(path, 'hs.sauve("orders.csv", frame)')
    expect("sheet", sheet, str, "the name of a sheet")
    if not isinstance(overwrite, bool):
        raise TypeMismatchError(
            f"overwrite: expected True or False, found {overwrite!r:.60}"
        )
    if isinstance(data, str | bytes | bytearray | memoryview | os.PathLike):
        raise TypeMismatchError("sauve saves data, not text", hint=_instead(data))
    form = _headstart.saved_format(target)
    taken = frames.take_data(data, flat=form in TYPED)
    if taken is not None:
        lines = _save(target, taken, form, sheet, overwrite)
        if form in TYPED:
            lines += frames.losses(data)
    elif isinstance(data, dict) and _are_tables(data, form):
        lines = _save_sheets(target, data, sheet, overwrite)
    elif form in PLAIN:
        lines = _headstart.sauve_value(target, data, sheet=sheet, overwrite=overwrite)
    elif isinstance(data, list):
        records = frames.Taken(_headstart.records(data))
        lines = _save(target, records, form, sheet, overwrite)
    else:
        raise TypeMismatchError(
            "expected a pandas, polars or pyarrow frame, an object with __arrow_c_stream__, or a list "
            f"of dicts, found {frames.name_of(data)}",
            hint="[value] for one record, or a path that ends in .json"
            if isinstance(data, dict)
            else None,
        )
    talk.say(lines)


def _save(
    target: str, taken: frames.Taken, form: str, sheet: str | None, overwrite: bool
) -> list[str]:
    lines = _headstart.sauve(
        target,
        taken.table,
        sheet=sheet,
        overwrite=overwrite,
        days=_has_no_days(taken) and form not in TYPED,
    )
    return [*lines, *_said(taken, form)]


def _save_sheets(
    target: str, data: dict[Any, Any], sheet: str | None, overwrite: bool
) -> list[str]:
    tables, said = [], []
    for name, frame in data.items():
        if not isinstance(name, str):
            raise TypeMismatchError(
                f"expected names of sheets as keys, found {name!r:.60}",
                hint="{str(name): frame for name, frame in frames.items()}",
            )
        taken = frames.take(frame)
        tables.append((name, taken.table, _has_no_days(taken)))
        said += [f"sheet {name!r}: {line}" for line in _said(taken, "xlsx")]
    lines = _headstart.sauve_sheets(target, tables, sheet=sheet, overwrite=overwrite)
    return [*lines, *said]


def _has_no_days(taken: frames.Taken) -> bool:
    """True for pandas, whose days are midnights."""
    return taken.library == "pandas"


def _said(taken: frames.Taken, form: str) -> list[str]:
    """What there is to say of the frame itself. A native table has told its own when it was loaded."""
    if taken.library == "headstart":
        return []
    lines = taken.account()
    if form not in (*PLAIN, "xlsx"):
        return lines
    # Values of several kinds are in the file as they are.
    return [line for line in lines if not line.endswith("kept as JSON text")]


def _are_tables(data: dict[Any, Any], form: str) -> bool:
    """True for a dict of frames; one of records only for a workbook, where nothing else makes sense."""
    if not data:
        return False
    values = data.values()
    if form == "xlsx":
        return all(_is_table(value) for value in values)
    if any(_is_frame(value) for value in values):
        raise TypeMismatchError(
            f"expected one frame for a {form} file, found a dict of frames",
            hint="save them as the sheets of an .xlsx file, or each in a file of its own",
        )
    return False


def _is_frame(value: Any) -> bool:
    """True for a frame object of any library; it is not converted."""
    arrow = hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")
    return arrow or type(value).__name__ in ("DataFrame", "LazyFrame")


def _is_table(value: Any) -> bool:
    records = isinstance(value, list) and all(isinstance(item, dict) for item in value)
    return records or _is_frame(value)


def _instead(data: Any) -> str:
    if isinstance(data, str | os.PathLike):
        return (
            "the data comes second: hs.sauve(path, frame); a file: hs.sauve(path, hs.charge(file)); "
            "text: pathlib.Path(path).write_text(text)"
        )
    return "pathlib.Path(path).write_bytes(data)"
