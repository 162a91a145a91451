"""interroge: ask BigQuery, its dry run first, and never billed more than the cap."""

from __future__ import annotations

import operator

from headstart import _headstart, frames, talk
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
    hs.ArgumentError for a cap that cannot be read, and for scripts with a cap. What may have run, or is billed, names
    its job. KeyboardInterrupt says in a note what became of the job.

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
    if not isinstance(sql, str):
        raise TypeMismatchError(
            f"sql: expected a query as text, found {type(sql).__name__} {sql!r:.60}"
        )
    sql = _encodable("sql", sql)
    limit, dollars = _cap(cap), _price(price)
    if limit is not None:
        frames.imports.start(library)
    _last = None
    table, lines = _headstart.interroge(sql, limit, dollars, _keep)
    talk.say(lines)
    return None if table is None else frames.give(table, library)


def last_estimate() -> Estimate | None:
    """What the last dry run of `hs.interroge` in this session says; `None` before the first.

    >>> import headstart as hs
    >>> hs.interroge("SELECT name FROM d.names")  # doctest: +ELLIPSIS
    SELECT  65935918 bytes (62.9 MiB)
    ...
    >>> hs.last_estimate().tables
    ('p1.d.names',)
    """
    return _last


def _keep(
    statement: str, size: int, accuracy: str, tables: list[str], location: str | None
) -> None:
    global _last
    _last = Estimate(statement, size, accuracy, tuple(tables), location)


def _cap(cap: Any) -> str | None:
    """The cap as text, which the native code reads."""
    if cap is None:
        return None
    if isinstance(cap, str):
        return _encodable("cap", cap)
    hint = 'cap="20 GB", or a whole number of bytes'
    try:
        number = None if isinstance(cap, bool) else operator.index(cap)
    except TypeError:
        number = None
    if number is None:
        raise TypeMismatchError(
            f"cap: expected an int or text, found {type(cap).__name__} {cap!r:.60}",
            hint=hint,
        )
    if number <= 0:
        zero = ", which BigQuery takes for no limit" if number == 0 else ""
        raise ArgumentError(
            f"cap: expected bytes above 0, found {number}{zero}", hint=hint
        )
    # More than BigQuery can keep is refused by the native code; Python refuses to write very large numbers.
    return str(min(number, 2**64))


def _price(price: Any) -> float | None:
    """The price as a float."""
    if price is None:
        return None
    try:
        number = None if isinstance(price, bool | str) else float(price)
    except (TypeError, ValueError):
        number = None
    except OverflowError:
        number = float("inf")
    if number is None:
        raise TypeMismatchError(
            f"price: expected US dollars for a TiB, found {type(price).__name__} {price!r:.60}"
        )
    return number


def _encodable(argument: str, text: str) -> str:
    """The text, if it can be sent: half of a surrogate pair is no letter."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(
            f"{argument}: expected text, found half of a surrogate pair at {error.start}"
        ) from None
    return text
