"""Whether a condition holds: true, false, or why it is no condition at all.

Never asks an unknown object for its truth: a tuple is always true, and a Series raises.
"""

from __future__ import annotations

from headstart.frames import flags
from headstart.short import class_of, cut, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Characters of a value in a reason.
SHOWN = 80
#: The reason for a plain False, which says nothing of rows.
FALSE = "it is false"


def failure(condition: Any) -> str | None:
    """Why the condition does not hold; `None` when it does."""
    if isinstance(condition, type):
        return f"got the class {condition.__name__}, expected True or False"
    if not callable(condition):
        return _judged(condition, "got")
    misfit = _needs_arguments(condition)
    if misfit is not None:
        return misfit
    try:
        result = condition()
    except BaseException as error:
        # Ctrl-C and the end of the session are not the check's business; a panic of a native
        # library (polars) derives from BaseException and is.
        if (
            not isinstance(error, Exception)
            and type(error).__name__ != "PanicException"
        ):
            raise
        return f"raised {_raised(error)}"
    if type(result).__name__ == "coroutine":
        result.close()  # made by our call, and nobody else will await it
        return "returned a coroutine, which was not run: use a plain function"
    if callable(result) and not isinstance(result, type):
        return f"returned {_named(result)}, expected True or False: call it"
    return _judged(result, "returned")


def _judged(value: Any, verb: str) -> str | None:
    if type(value) is bool:
        return None if value else FALSE
    known = flags.scalar(value)
    if known is not None and known[0] is not None:
        return None if known[0] else FALSE
    if value is None:
        if verb == "returned":
            return "returned None, expected True or False: is a return missing?"
        return "got None, expected True or False"
    if flags.is_missing(value):
        return f"{verb} {_shown(value)}, a missing value: say what it counts as"
    try:
        held = flags.flags(value)
    except Exception:  # noqa: BLE001 - a broken object of a data library is told as any other
        held = None
    if held is not None:
        return _of_many(value, held, verb)
    return f"{verb} {_other(value)}"


def _of_many(value: Any, held: flags.Flags, verb: str) -> str | None:
    if len(held.only) == 1:
        only = held.only[0]
        if type(only) is bool:
            return None if only else FALSE
        if only is None or flags.is_missing(only):
            return (
                f"{verb} {_article(value)} of one missing value: say what it counts as"
            )
        return f"{verb} {_article(value)} of one value, {_shown(only)}, expected True or False"
    lead = f"{verb} {_article(value)} of {_size(held.shape)}"
    frame = hasattr(value, "columns") and len(held.shape) == 2
    if held.false is None or held.shape == (0,):
        kinds = f" ({held.dtype})" if held.dtype and held.false is None else ""
        return f"{lead}{kinds}, expected one True or False"
    parts = []
    if held.false:
        parts.append(f"{held.false:,} False{_places(held, value)}")
    if held.missing:
        parts.append(f"{held.missing:,} missing")
    if not parts:
        parts.append("all True")
    if held.missing:
        how = _way_with_missing(value, frame)
        return (
            f"{lead}, {', '.join(parts)}: .all() would skip what is missing, use {how}"
        )
    how = _way(value, frame)
    return f"{lead}, {', '.join(parts)}: use {how}"


def _places(held: flags.Flags, value: Any) -> str:
    if not held.at or held.false is None:
        return ""
    noun = "row" if type(value).__name__ == "Series" else "position"
    more = ", ..." if held.false > len(held.at) else ""
    places = ", ".join(f"{place:,}" for place in held.at)
    return f" at {noun}{'' if held.false == 1 else 's'} {places}{more}"


def _way(value: Any, frame: bool) -> str:
    library = type(value).__module__.partition(".")[0]
    if library == "pyarrow":
        return (
            "pyarrow.compute.all() on each column" if frame else "pyarrow.compute.all()"
        )
    if frame:
        return (
            ".all(axis=None)"
            if library == "pandas"
            else ".select(pl.all_horizontal(pl.all().all())).item()"
        )
    return ".all()"


def _way_with_missing(value: Any, frame: bool) -> str:
    """What gives one truth of many values, in which a missing one is not passed over."""
    library = type(value).__module__.partition(".")[0]
    if library == "pyarrow":
        way = "pyarrow.compute.all(..., skip_nulls=False)"
        return f"{way} on each column" if frame else way
    if library == "polars":
        if frame:
            return ".select(pl.all_horizontal(pl.all().fill_null(False).all())).item()"
        return ".fill_null(False).all()"
    if library == "pandas":
        return f".fillna(False).all({'axis=None' if frame else ''})"
    return ".filled(False).all()" if hasattr(value, "filled") else "(... == True).all()"


def _size(shape: tuple[int, ...]) -> str:
    if len(shape) == 1:
        return f"{shape[0]:,} value{'' if shape[0] == 1 else 's'}"
    return f"{' x '.join(f'{side:,}' for side in shape)} values"


def _article(value: object) -> str:
    name = type(value).__name__
    name = "array" if name == "ndarray" else name
    return f"{'an' if name[:1] in 'AEIOaeio' else 'a'} {name}"


def _other(value: Any) -> str:
    """A value that no check may be, and what to write instead."""
    kind = type(value)
    name = kind.__name__
    if name in ("generator", "async_generator") or hasattr(kind, "__next__"):
        return f"{_article(value)}, which was not consumed: use all(...)"
    if name == "coroutine" or hasattr(kind, "__await__"):
        return f"{_article(value)}, which was not run: await it first"
    if name == "LazyFrame":
        return "a LazyFrame, which was not collected: use .collect().item()"
    if name in ("Expr", "Expression"):
        return f"{_article(value)}, which was not evaluated: select it from a frame"
    if name in ("DuckDBPyRelation", "Relation"):
        return f"{_article(value)}, which was not read: use .fetchone()[0]"
    if kind in (list, tuple, set, frozenset, dict):
        return f"{_contents(value)}"
    if kind is str:
        return (
            f"the text {_shown(value)}, expected True or False: conditions as text are for the "
            'shell, here write (df["amount"] > 0).all()'
        )
    hint = ": compare it, as in x == 0" if _is_number(value) else ""
    shown = _shown(flags.plain(value))
    return f"{shown} ({class_of(value)}), expected True or False{hint}"


def _contents(value: Any) -> str:
    size = f"{len(value):,} item{'' if len(value) == 1 else 's'}"
    lead = f"{_article(value)} of {size}"
    if isinstance(value, tuple) and value and type(value[0]) is bool:
        return f"{lead}, {_shown(value)}: a tuple is never false, give its first item alone"
    if isinstance(value, (list, tuple, set, frozenset)) and value:
        false = [place for place, item in enumerate(value) if item is False]
        bools = all(type(item) is bool for item in value)
        if bools and isinstance(value, (list, tuple)):
            count = f"{len(false):,} False" if false else "all True"
            return f"{lead}, {count}: use all(...)"
    return f"{lead}, {_shown(value)}, expected one True or False"


def _is_number(value: object) -> bool:
    try:
        return hasattr(type(value), "__index__") or hasattr(type(value), "__float__")
    except Exception:  # noqa: BLE001 - a class of a broken metaclass
        return False


def _needs_arguments(function: Any) -> str | None:
    """The reason when the function cannot be called as it is."""
    import inspect

    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return f"got the async function {_named(function)}, which was not run: use a plain one"
    try:
        signature = inspect.signature(function)
    except Exception:  # noqa: BLE001 - many builtins have none: the call will tell
        return None
    try:
        signature.bind()
    except TypeError:
        needed = [
            name
            for name, parameter in signature.parameters.items()
            if parameter.default is parameter.empty
            and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        ]
        listed = ", ".join(needed[:3]) + (", ..." if len(needed) > 3 else "")
        return (
            f"got a function that needs arguments ({listed}): "
            f"write lambda: {_named(function)}({listed})"
        )
    return None


def _named(function: Any) -> str:
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        return _shown(function)
    return "the function" if name == "<lambda>" else name


def _raised(error: BaseException) -> str:
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - an error whose text fails
        text = ""
    name = type(error).__name__
    return f"{name}: {cut(text, 200)}" if text else name


def _shown(value: object) -> str:
    return " ".join(cut(short(value), SHOWN).split("\n"))
