"""interroge: ask BigQuery, its dry run first, and never billed more than the cap."""

from __future__ import annotations

import operator

from headstart import _headstart, frames, talk
from headstart.arguments import expect
from headstart.errors import ArgumentError, TypeMismatchError, face

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Estimate:
    """What a dry run says of a query.

    `statement` is its kind, such as `"SELECT"`; `bytes` what it reads; `accuracy` one of `"precise"`, `"at most"`,
    `"at least"`, `"unknown"`; `tables` those that it reads, as `"project.dataset.table"`; `location` where it would run.
    """

    def __init__(
        self,
        statement: str,
        bytes: int,
        accuracy: str,
        tables: tuple[str, ...],
        location: str | None,
    ) -> None:
        self.statement = statement
        self.bytes = bytes
        self.accuracy = accuracy
        self.tables = tables
        self.location = location

    def __repr__(self) -> str:
        fields = (f"{name}={value!r}" for name, value in vars(self).items())
        return f"Estimate({', '.join(fields)})"


_last: Estimate | None = None


@face
def interroge(
    sql: str, cap: int | str | None = None, *, price: float | None = None
) -> Any:
    """Ask BigQuery: a dry run first, always, and never more billed than the cap.

    Without `cap` nothing runs but the dry run, which is free: prints the kind of statement, the bytes it would read,
    the tables and the location; `hs.last_estimate()` has them as numbers. With `cap` the query runs, too, if the
    estimate fits, and BigQuery itself refuses to bill more. Prints what was billed. Ctrl-C cancels the job.

    Needs GOOGLE_APPLICATION_CREDENTIALS (the file with the credentials) and CLOUDSDK_CORE_PROJECT (the project that is
    billed). BIGQUERY_EMULATOR_HOST points elsewhere.

    Parameters
    ----------
    sql : one statement in GoogleSQL. A script cannot be capped, and runs in no way.
    cap : bytes that the query may be billed at most: an int, or text such as `"20 GB"` (20 x 10^9) or `"20 GiB"`
        (20 x 2^30). BigQuery bills at least 10 MiB for each table.
    price : US dollars for a TiB; tells what the estimate costs.

    Returns
    -------
    `None` without `cap`, and for statements that give no rows. Else a frame of the default library with the exact
    types: NUMERIC as decimals, TIMESTAMP in UTC, ARRAY as lists, STRUCT as dicts, RANGE as a dict of start and end;
    JSON, GEOGRAPHY and INTERVAL as text.

    Raises
    ------
    hs.CapError when the query needs more than `cap` (`.required`, `.cap`), nothing billed; hs.CredentialsError for what
    is not set or not accepted; hs.QueryError for a query that BigQuery refuses; hs.ServiceError when nobody answers;
    hs.ArgumentError for a cap that is none, and for scripts with a cap.

    Examples
    --------
    >>> import headstart as hs
    >>> hs.interroge("SELECT name FROM d.names")
    SELECT  65935918 bytes (62.9 MiB)
    reads p1.d.names in US
    nothing was run: cap="73 MB" runs it
    >>> hs.last_estimate().bytes
    65935918
    """
    global _last
    library = (
        frames.default_library()
    )  # a wrong setting fails before anything is billed
    expect("sql", sql, str, "a query as text")
    if sql is None:
        raise TypeMismatchError("sql: expected a query as text, found None")
    limit = _cap(cap)
    if price is not None and (
        isinstance(price, bool) or not hasattr(price, "__float__")
    ):
        raise TypeMismatchError(
            f"price: expected US dollars for a TiB, found {type(price).__name__} {price!r:.60}"
        )
    if limit is not None:
        frames.imports.start(library)
    table, lines, estimate = _headstart.interroge(
        sql, limit, None if price is None else float(price)
    )
    statement, size, accuracy, tables, location = estimate
    _last = Estimate(statement, size, accuracy, tuple(tables), location)
    talk.say(lines)
    return None if table is None else frames.give(table, library)


def last_estimate() -> Estimate | None:
    """What the last dry run of `hs.interroge` in this session says; `None` before the first."""
    return _last


def _cap(cap: Any) -> str | None:
    """The cap as text, which the native code reads."""
    if cap is None or isinstance(cap, str):
        return cap
    hint = 'cap="20 GB", or a whole number of bytes'
    if isinstance(cap, bool) or not hasattr(cap, "__index__"):
        raise TypeMismatchError(
            f"cap: expected an int or text, found {type(cap).__name__} {cap!r:.60}",
            hint=hint,
        )
    number = operator.index(cap)
    if number <= 0:
        zero = ", which BigQuery takes for no limit" if number == 0 else ""
        raise ArgumentError(
            f"cap: expected bytes above 0, found {number}{zero}", hint=hint
        )
    return str(number)
