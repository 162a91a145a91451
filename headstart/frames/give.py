"""Frames out: a native table as a frame of the wanted library."""

from __future__ import annotations

from headstart import _headstart
from headstart.frames import imports
from headstart.options import LIBRARIES, options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from headstart.frames.take import Note


def default_library() -> str:
    """What `hs.options.frames` says, else the first installed; "headstart" when none is."""
    if options.frames is not None:
        return options.frames
    from importlib.util import find_spec

    for library in LIBRARIES:
        if find_spec(library) is not None:
            return library
    return "headstart"


def give(
    table: _headstart.Table,
    library: str | None = None,
    *,
    notes: Sequence[Note] = (),
    own: Mapping[int, Any] | None = None,
) -> Any:
    """The table in a library; `None` is the default one, "headstart" the table itself.

    `notes` are what there is to say beside the table's own; pandas keeps all of them in
    `attrs["hs"]`. The columns `own`, of that library, stand at their positions in place of the table's.
    """
    own = own or {}
    library = library or default_library()
    imports.finish(library)
    if library == "pandas":
        from headstart.frames.to_pandas import to_pandas

        frame = to_pandas(table, own)
        frame.attrs["hs"] = {
            "notes": [*notes, *table.notes],
            "origin": table.origin,
            **table.explanation,
        }
        return frame
    if library == "polars":
        from headstart.frames.to_arrow import to_polars

        frame = to_polars(table)
        for position, column in own.items():
            frame = frame.with_columns(column.alias(frame.columns[position]))
        return frame
    if library == "pyarrow":
        from headstart.frames.to_arrow import to_pyarrow

        frame = to_pyarrow(table)
        for position, column in own.items():
            name = frame.column_names[position]
            frame = frame.set_column(position, name, column)
        return frame
    return table
