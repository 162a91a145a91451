"""The exceptions: one base, one class for each kind of error, each also the natural builtin.

The text of an error is its place, what was expected before what was found, and a `hint:` line.
"""

from __future__ import annotations

from functools import wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")


class Error(Exception):
    """Base of all errors that headstart raises on purpose.

    `message` is the text without place and hint; `place` a dict with what is known of source,
    sheet, row, column and byte; `hint` the fix or `None`.

    >>> import headstart as hs
    >>> try:
    ...     hs.charge("no-such-file.csv")
    ... except hs.Error as error:
    ...     print(error.message)
    no such file
    """

    message: str
    place: dict[str, str | int]
    hint: str | None

    def __init__(
        self,
        message: str = "",
        *,
        where: str = "",
        place: Mapping[str, str | int] | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.place = dict(place or {})
        self.hint = hint

    def __str__(self) -> str:
        lead = f"{self.where}: " if self.where else ""
        tail = f"\nhint: {self.hint}" if self.hint else ""
        return f"{lead}{self.message}{tail}"

    def _render_traceback_(self) -> list[str]:
        """IPython's traceback of this error, up to the user's own line.

        IPython shows the last frame even where it is marked as hidden; that of `face` says nothing.
        """
        from IPython.core.getipython import get_ipython

        before, here = None, self.__traceback__
        while here is not None:
            if here.tb_frame.f_code.co_filename == __file__:
                if before is not None and here.tb_next is None:
                    before.tb_next = None
                break
            before, here = here, here.tb_next
        shell: Any = get_ipython()
        lines: list[str] = shell.InteractiveTB.structured_traceback(
            type(self), self, self.__traceback__, tb_offset=1
        )
        return lines


def face(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with errors that end at the caller's line.

    What lies below is headstart's own business, and a notebook would print its source. A fault in
    headstart itself keeps its whole traceback.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True  # IPython and pytest leave this frame out too
        try:
            return function(*args, **kwargs)
        except InternalError:
            raise
        except Error as error:
            raise error.with_traceback(None)
        except TypeError as error:
            # Raised by the call itself, before the first line of the function.
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            misfit = _misfit(function, args, kwargs)
            if misfit is None:
                raise
        raise misfit

    return call


#: What other libraries call an argument, and how it is written here.
ELSEWHERE = {
    "on": 'key="id"',
    "by": 'key="id"',
    "left_on": 'key=("left_id", "right_id")',
    "right_on": 'key=("left_id", "right_id")',
    "join_columns": 'key="id"',
    "atol": "tol=0.01",
    "abs_tol": "tol=0.01",
    "rel_tol": "rtol=1e-6",
    "exclude": 'ignore=["updated"]',
    "coalesce": 'key=("left_id", "right_id")',
    "suffix": 'suffixes=("_x", "_y")',
    "top": "n=10",
    "limit": "n=10",
    "head": "n=10",
    "dtype": 'types={"zip": "text"}',
    "dtypes": 'types={"zip": "text"}',
    "schema": 'types={"zip": "text"}',
    "parse_dates": 'types={"day": "date"}',
    "sep": 'delimiter=";"',
    "separator": 'delimiter=";"',
    "skiprows": "header=3",
    "skip_rows": "header=3",
    "usecols": 'columns=["id"]',
    "nrows": "rows=100",
    "n_rows": "rows=100",
    "sheet_name": 'sheet="Jan"',
    "maximum_bytes_billed": 'cap="20 GB"',
    "max_bytes": 'cap="20 GB"',
    "budget": 'cap="20 GB"',
}


def _misfit(
    function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]
) -> CallError | None:
    """What is wrong with a call that does not fit the function's arguments; `None` when it fits."""
    import difflib
    import inspect

    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        reason = str(error)
    else:
        return None
    parameters = signature.parameters
    bare = [one.replace(annotation=one.empty) for one in parameters.values()]
    name = function.__name__
    call = f"hs.{name}{signature.replace(parameters=bare, return_annotation=signature.empty)}"
    hint = None
    for unknown in kwargs.keys() - parameters.keys():
        reason = f"found {unknown}="
        hint = ELSEWHERE.get(unknown)
        if hint is None or hint.partition("=")[0] not in parameters:
            close = difflib.get_close_matches(unknown, parameters, 1)
            hint = f"did you mean {close[0]}=?" if close else None
        break
    else:
        missing = reason.partition("missing a required argument: ")[2].strip("'\"")
        reason = f"found no {missing}" if missing else f"found {reason}"
        if name == "verifie":
            hint = (
                'the checks alone: hs.verifie({"positive": (df["amount"] > 0).all()})'
            )
    return CallError(f"expected {call}, {reason}", hint=hint)


class FileMissingError(Error, FileNotFoundError):
    """The file, or the folder to write it to, is not there."""


class FilePresentError(Error, FileExistsError):
    """A file is there that may not be replaced."""


class ReadError(Error, OSError):
    """The operating system refused to read or write."""


class FormatError(Error, ValueError):
    """The content is not what its format promises: broken, cut, encrypted, or no data at all."""


class SheetError(Error, LookupError):
    """A sheet, table or range that the workbook does not have."""


class KeyMissingError(Error, KeyError):
    """A column that the frame does not have; the hint names the nearest."""


class ArgumentError(Error, ValueError):
    """An argument that makes no sense."""


class CallError(ArgumentError, TypeError):
    """A call with arguments that the function does not have, or without some that it needs."""


class TypeMismatchError(Error, TypeError):
    """A value or column of a type that the function does not take."""


class CheckError(Error, AssertionError):
    """Checks that do not hold; `failures` is a dict of their names to the reasons.

    >>> import headstart as hs
    >>> try:
    ...     hs.verifie({"positive": 3 > 0, "even": 3 % 2 == 0})
    ... except hs.CheckError as error:
    ...     print(error.failures)
    ok positive
    FAIL even: it is false
    {'even': 'it is false'}
    """

    failures: dict[str, str]

    @classmethod
    def of(
        cls, failed: list[tuple[str, str]], checked: int, lines: list[str]
    ) -> CheckError:
        """The error for these failures of so many checks; `lines` says each in a line."""
        noun = "check" if checked == 1 else "checks"
        listed = "".join(f"\n  {line}" for line in lines)
        error = cls(f"{len(failed):,} of {checked:,} {noun} failed:{listed}")
        error.failures = dict(failed)
        return error


class MergeError(Error, ValueError):
    """Keys that repeat where they must not, so that a join would multiply rows.

    The message names them with their counts, the hint the `validate=` that allows it.
    """


class CredentialsError(Error, PermissionError):
    """What says who asks BigQuery is missing, is not understood, or was not accepted."""


class QueryError(Error, ValueError):
    """A query that BigQuery refused, or that failed there."""


class ServiceError(Error, ConnectionError):
    """A service that does not answer, or not in a way that can be understood."""


class CapError(Error, ValueError):
    """A query that would cost more than its cap; nothing was billed.

    `required` is the least number of bytes that a cap must have, as far as is known before the query
    runs, `cap` the one that was given.
    """

    required: int
    cap: int


class InternalError(Error, RuntimeError):
    """A fault in headstart itself."""


#: The class for each kind of error in the native code; an interruption is `KeyboardInterrupt`.
CLASSES: dict[str, type[Error]] = {
    "missing": FileMissingError,
    "exists": FilePresentError,
    "io": ReadError,
    "format": FormatError,
    "sheet": SheetError,
    "column": KeyMissingError,
    "argument": ArgumentError,
    "type": TypeMismatchError,
    "merge": MergeError,
    "credentials": CredentialsError,
    "query": QueryError,
    "service": ServiceError,
    "cap": CapError,
    "internal": InternalError,
}


def from_native(
    kind: str,
    message: str,
    where: str,
    place: Mapping[str, str | int],
    hint: str | None,
    figures: Mapping[str, int],
) -> Error:
    """The exception for an error of the native code, which raises it, its figures as attributes."""
    error = CLASSES[kind](message, where=where, place=place, hint=hint)
    vars(error).update(figures)
    return error
