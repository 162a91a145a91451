"""Values into bytes and back, by cloudpickle, protocol 5.

Functions and classes of cells go by value. Their functions come back bound to the namespace of the kernel that holds them
then, wherever they hide: what a cell defines later is seen by them, as it was. Cells of closures that functions share stay
shared. Nothing live is turned into something else: it is an error that says what it is.
"""

from __future__ import annotations

import functools
import io
import pickle
import types
import uuid

import cloudpickle
from cloudpickle import cloudpickle as _internals

from headstart._headstart import memo_shared
from headstart.kernel.checkpoints import (
    classes,
    kinds,
    live,
    parts,
    references,
    sharing,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

PROTOCOL = 5
#: What makes classes of cells, and which of the arguments is the number that cloudpickle knows a class by.
MAKERS = {"_make_skeleton_class": 4, "_make_skeleton_enum": 5}
#: What pickles of plain data ask for: none of it runs code of the user, or waits for anything.
PLAIN = frozenset(
    (module, name)
    for module, names in {
        "builtins": "bytearray complex frozenset list dict object range set slice",
        "_codecs": "encode",
        "collections": "Counter OrderedDict defaultdict deque",
        "datetime": "date datetime time timedelta timezone",
        "decimal": "Decimal",
        "fractions": "Fraction",
        "uuid": "UUID",
        "pathlib": "Path PosixPath PurePath PurePosixPath",
        "numpy": "dtype ndarray",
        "numpy._core.multiarray": "_reconstruct scalar",
        "numpy._core.numeric": "_frombuffer",
        "numpy.core.multiarray": "_reconstruct scalar",
        "numpy.core.numeric": "_frombuffer",
        parts.__name__: "make_function fill_function make_cell fill_cell",
        _internals.__name__: "_builtin_type",
    }.items()
    for name in names.split()
)


class Pickled:
    """A value as bytes.

    Attributes
    ----------
    data : bytes
        The pickle.
    buffers : list of memoryview
        Large parts that the pickle refers to, not copied: they are the value's own memory.
    shared : dict of int to int
        Objects in it that other values may refer to: by their id, where they stand in the pickle. They are alive as
        long as this is.
    """

    def __init__(
        self,
        data: bytes,
        buffers: list[memoryview],
        shared: dict[int, int],
        keeper: Any,
    ) -> None:
        self.data = data
        self.buffers = buffers
        self.shared = shared
        self._keeper = keeper

    @property
    def size(self) -> int:
        """Bytes of all parts."""
        return len(self.data) + sum(buffer.nbytes for buffer in self.buffers)


def dumps(
    value: Any,
    namespace: dict[str, Any],
    share: bool = True,
    startup: references.Startup | None = None,
) -> Pickled:
    """The value as bytes.

    Parameters
    ----------
    value
        Any value.
    namespace : dict
        That of the kernel: functions that see it are bound to it anew.
    share : bool
        Find out what other values may refer to, which takes longer than the pickle where there are many objects.
    startup : Startup, optional
        What comes back by its name in the namespace.

    Raises
    ------
    headstart.kernel.checkpoints.live.Live
        The value is or holds something live.
    Exception
        Whatever the value's own code raises, and `pickle.PicklingError`.
    """
    buffers: list[memoryview] = []
    out = io.BytesIO()
    pickler = _Pickler(
        out, namespace, startup, lambda buffer: buffers.append(buffer.raw())
    )
    pickler.dump(value)
    shared: dict[int, int] = {}
    if share:
        shared, others = memo_shared(pickler.memo.copy())
        shown, belong = sharing.showing(others, pickler.named)
        shared.update(shown)
        for number in belong:
            shared.pop(number, None)
    # Not copied: it is the stream's own.
    return Pickled(out.getvalue(), buffers, shared, (pickler, value))


class Loaded:
    """A value that came back, and classes of cells that came with it."""

    def __init__(self, value: Any, classes: dict[str, type]) -> None:
        self.value = value
        self._classes = classes

    def settle(self) -> None:
        """These classes are from now on those that cloudpickle knows by their numbers; others get other numbers."""
        known, numbers = (
            getattr(_internals, f"_DYNAMIC_CLASS_TRACKER_BY_{name}", None)
            for name in ("ID", "CLASS")
        )
        lock = getattr(_internals, "_DYNAMIC_CLASS_TRACKER_LOCK", None)
        if known is None or numbers is None or lock is None:
            return
        with lock:
            for number, made in self._classes.items():
                before = known.get(number)
                if before is not None and before is not made:
                    # It may live on, under a name with `_`: two classes of one number would come back as one.
                    other = uuid.uuid4().hex
                    numbers[before], known[other] = other, before
                numbers[made], known[number] = number, made


def loads(
    data: bytes,
    buffers: Sequence[Any],
    namespace: dict[str, Any],
    foreign: Callable[[], None] | None = None,
    startup: references.Startup | None = None,
) -> Loaded:
    """The value again; its functions see `namespace`.

    Its classes of cells are new ones, as they were: one that lives, which a later cell may have changed, stays as it is.

    Parameters
    ----------
    foreign : callable, optional
        Called once before anything is asked for that may run code of the user: a value of plain data does not.
    startup : Startup, optional
        What the kernel had before its first cell.
    """
    unpickler = _Unpickler(data, buffers, foreign)
    with parts.bound_to(namespace, startup):
        value = unpickler.load()
    return Loaded(value, unpickler.classes)


class _Unpickler(pickle.Unpickler):
    def __init__(
        self, data: bytes, buffers: Sequence[Any], foreign: Callable[[], None] | None
    ) -> None:
        super().__init__(io.BytesIO(data), buffers=buffers)
        self.foreign = foreign
        self.classes: dict[str, type] = {}

    def find_class(self, module: str, name: str) -> Any:
        # All that a pickle calls it asks for here.
        if self.foreign is not None and (module, name) not in PLAIN:
            foreign, self.foreign = self.foreign, None
            foreign()
        found = super().find_class(module, name)
        if name in MAKERS and module == _internals.__name__:
            if name == "_make_skeleton_class":
                found = classes.make_class
            return functools.partial(self._once, found, MAKERS[name])
        return found

    def _once(self, make: Callable[..., type], place: int, *arguments: Any) -> type:
        number = arguments[place]
        made = self.classes.get(number)
        if made is None:
            # Without its number it is a new one.
            made = make(*arguments[:place], None, *arguments[place + 1 :])
            if number is not None:
                self.classes[number] = made
        return made


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    def __init__(
        self,
        file: io.BytesIO,
        namespace: dict[str, Any],
        startup: references.Startup | None,
        callback: Any,
    ) -> None:
        super().__init__(file, protocol=PROTOCOL, buffer_callback=callback)
        self.namespace = namespace
        self.startup = startup
        #: Numbers of objects that come back by their name.
        self.named: set[int] = set()
        # By the number of a type: how its objects are pickled, None where pickle knows, and the type, held for its number.
        self.ways: dict[int, tuple[Callable[[Any], Any] | None, type]] = {}

    def reducer_override(self, obj: Any) -> Any:
        # Called for all but the simplest types.
        if self.startup is not None and id(obj) in self.startup.names:
            name = self.startup.name(obj)
            if name is not None:
                self.named.add(id(obj))
                return parts.of_startup, (name,)
        kind = type(obj)
        found = self.ways.get(id(kind))
        if found is None:
            found = self.ways[id(kind)] = self._way(kind), kind
        way = found[0]
        return NotImplemented if way is None else way(obj)

    def _way(self, kind: type) -> Callable[[Any], Any] | None:
        """How objects of a type are pickled. Not by `isinstance`: that asks the object for its `__class__`."""
        if issubclass(kind, type):
            return self._class
        if kind is types.FunctionType:
            return self._function
        if kind is types.CellType:
            return parts.reduce_cell
        for one, reduce in kinds.REDUCERS.items():
            if kind is one:
                return reduce
        if kind is parts.polars("DataFrame"):
            return parts.frame
        if kind is parts.polars("Series"):
            return parts.series
        if live.may_be(kind):
            return self._live
        reduce = self.dispatch_table.get(kind)
        if reduce is None and not (
            kind.__reduce_ex__ is object.__reduce_ex__
            and kind.__reduce__ is object.__reduce__
        ):
            reduce = _own_way
        if issubclass(kind, BaseException) and reduce is not None:
            reduce = functools.partial(kinds.with_cause, reduce)
        singles = references.singles(kind)
        if singles is not None:
            return functools.partial(self._single, reduce, *singles)
        return None if reduce is None else functools.partial(self._reduced, reduce)

    def _class(self, kind: Any) -> Any:
        if kinds.is_enum(kind) and not references.is_found(kind):
            return kinds.enum_class(kind)
        return classes.with_slots(kind, super().reducer_override(kind))

    def _function(self, function: types.FunctionType) -> Any:
        if references.is_found(function):
            return super().reducer_override(function)
        if kinds.is_single_dispatch(function):
            return kinds.single_dispatch(function)
        if function.__globals__ is self.namespace:
            return parts.reduce_function(function)
        module = references.module_of(function)
        if module is None:
            return super().reducer_override(function)
        return parts.reduce_function(function, module)

    def _live(self, value: Any) -> Any:
        words = live.what(value)
        if words is not None:
            raise live.Live(words)
        return NotImplemented

    def _single(
        self,
        reduce: Callable[[Any], Any] | None,
        module: str,
        names: dict[int, str],
        value: Any,
    ) -> Any:
        """One that a module may have."""
        name = references.single(value, module, names)
        if name is not None:
            self.named.add(id(value))
            return references.of_module, (module, name)
        return NotImplemented if reduce is None else self._reduced(reduce, value)

    def _reduced(self, reduce: Callable[[Any], Any], value: Any) -> Any:
        """As the value itself says; but not by a name that another branch may have for something else."""
        way = reduce(value)
        if type(way) is str:
            module = getattr(value, "__module__", None)
            if module is None:
                module = _internals._whichmodule(value, way)
            if module is None or module in references.OWN:
                raise pickle.PicklingError(
                    f"it is pickled as the name {way[:80]!r}, which another branch may have for something else"
                )
            self.named.add(id(value))
        return way


def _own_way(value: Any) -> Any:
    return value.__reduce_ex__(PROTOCOL)
