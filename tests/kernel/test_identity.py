"""What comes back is what it was: the same object where there is only one of it, by value where it is the cell's, with all
that it had; and where that cannot be, it is said.
"""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("cloudpickle")

from test_checkpoints import Kernel

MODULE = """
import functools
class Config:
    def __init__(self): self.v = 1
cfg = Config()
HEARD = []
class Base:
    def __init_subclass__(cls): HEARD.append(cls)
CALLS = []
def counted(function):
    @functools.wraps(function)
    def call(*arguments):
        CALLS.append(1)
        return function(*arguments)
    return call
def maker():
    class Local: pass
    return Local
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module that can be imported, `xm`."""
    (tmp_path / "xm.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("xm", None)


def came_back(code: str, startup: str = "") -> tuple[Kernel, dict[str, str]]:
    """A new kernel with what a cell made, and why names are not there."""
    kernel = Kernel(startup=startup)
    kernel.cell(code)
    checkpoint, reasons = kernel.save()
    fresh = Kernel(kernel.stored, startup=startup)
    reasons |= {one.name: one.reason for one in fresh.back(checkpoint).skipped}
    return fresh, reasons


def shows(kernel: Kernel, check: str):
    return eval(check, kernel.namespace)


@pytest.mark.parametrize(
    ("code", "check"),
    [
        ("import dataclasses; m = [dataclasses.MISSING]", "m[0] is dataclasses.MISSING"),
        ("import os; from os import environ; env = {1: environ}", "environ is os.environ is env[1]"),
        (
            "import random; from random import randint",
            "randint.__self__ is random.randint.__self__",
        ),
        (
            "import numpy; from numpy.random import rand; hold = [rand]",
            "rand.__self__ is numpy.random.rand.__self__ is hold[0].__self__",
        ),
        ("import xm; from xm import cfg; cfg.v = 5; of = [cfg]", "of[0] is cfg is xm.cfg"),
        ("import random; mine = random.Random(3)", "mine is not random._inst"),
        (
            "import dataclasses as dc\n@dc.dataclass\nclass D:\n  x: int\n",
            "[f.default for f in dc.fields(D)] == [dc.MISSING]",
        ),
    ],
)  # fmt: skip
def test_what_a_module_has_once_is_that_very_object(module, code, check):
    if "numpy" in code:
        pytest.importorskip("numpy")
    kernel, reasons = came_back(code)
    assert reasons == {} and shows(kernel, check) is True


def test_what_a_module_has_once_joins_no_values():
    kernel = Kernel()
    checkpoint = kernel.run(
        "import os, dataclasses; a = [os.environ, dataclasses.MISSING]; b = a.copy()"
    )
    assert ["a"] in [group["names"] for group in checkpoint]


def test_a_dataclass_that_came_back_is_a_base_class():
    kernel, _ = came_back("import dataclasses as dc\n@dc.dataclass\nclass D:\n  x: int")
    kernel.cell("@dc.dataclass\nclass E(D):\n  y: int\ne = E(1, 2)")
    assert (kernel["e"].x, kernel["e"].y) == (1, 2)


@pytest.mark.parametrize(
    ("code", "check"),
    [
        (
            ("import functools, textwrap\nn = 0\n@functools.wraps(textwrap.dedent)\n"
            "def f():\n  global n\n  n += 1\n  return n"),
            "(f(), f(), n) == (1, 2, 2)",
        ),
        (
            ("import functools\n@functools.lru_cache(7)\n"
            "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
            "fib.note = [1]; fib(5)"),
            "(fib(21), fib.cache_info().maxsize, fib.note) == (10946, 7, [1])",
        ),
        (
            ("import functools\ndef outer():\n  @functools.cache\n"
            "  def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
            "  return fib\nfib = outer()"),
            "(fib(21), fib.cache_info().currsize) == (10946, 22)",
        ),
        (
            ("import functools\nclass C:\n  @functools.lru_cache\n"
            "  def m(self, n): return n + k\nc = C(); k = 1"),
            "c.m(1) == 2",
        ),
        (
            ("import functools\nclass C:\n  @functools.cached_property\n"
            "  def x(self): return [k]\nc = C(); k = 1"),
            "c.x == [1] and c.x is c.x and C().x is not c.x",
        ),
        (
            ("import functools\n@functools.singledispatch\ndef f(x): return k\n"
            "@f.register\ndef _(x: int): return 'i'\nk = 'o'"),
            "(f(1), f(''), f.register and f.__name__) == ('i', 'o', 'f')",
        ),
        (
            ("import functools\nclass C:\n  @functools.singledispatchmethod\n"
            "  def f(self, x): return k\n"
            "  @f.register\n  def _(self, x: int): return 'i'\nc = C(); k = 'o'"),
            "(c.f(1), c.f('')) == ('i', 'o')",
        ),
        (
            ("from typing import *\nU = NewType('U', int); P = ParamSpec('P')\n"
            "Ts = TypeVarTuple('Ts'); T = TypeVar('T')\n"
            "hold = [U, P, Ts, T, Callable[P, T]]"),
            ("hold[0] is U and hold[1] is P and hold[2] is Ts and hold[3] is T "
            "and hold[4].__args__[0] is P and U(3) == 3 and U.__module__ == '__main__'"),
        ),
        ("D = type('D', (), {'__module__': 'json'}); d = D()", "type(d) is D"),
        (
            ("class Own(Exception):\n  def __init__(self, n): super().__init__(n); self.n = n\n"
            "try:\n  try: 1 / 0\n  except ArithmeticError as e: raise Own(2) from e\n"
            "except Own as e: err = e; err.add_note('note')\n"
            "group = ExceptionGroup('g', [err])"),
            ("(type(err.__cause__), err.n, err.args, err.__notes__, group.exceptions[0] is err) "
            "== (ZeroDivisionError, 2, (2,), ['note'], True)"),
        ),
        ("import xm; L = xm.maker(); one = L()", "type(one) is L"),
        (
            "import xm\n@xm.counted\ndef g(): return k\nk = 3",
            "(g(), len(xm.CALLS)) == (3, 1)",
        ),
    ],
)  # fmt: skip
def test_what_a_cell_made_comes_back_by_value(module, code, check):
    kernel, reasons = came_back(code)
    assert reasons == {} and shows(kernel, check) is True


def test_a_cached_function_is_that_of_its_branch():
    kernel = Kernel()
    code = "import functools\n@functools.lru_cache\ndef q(n): return "
    first = kernel.run(code + "'A'")
    kernel.run(code + "'B'")
    kernel.back(first)
    assert kernel["q"](1) == "A"


def test_a_name_of_the_session_is_no_way_to_come_back():
    kernel, reasons = came_back(
        "class Only:\n    def __reduce__(self): return 'ONLY'\nONLY = Only(); x = 1"
    )
    assert "'ONLY', which another branch may have" in reasons["ONLY"]
    assert kernel["x"] == 1 and "ONLY" not in kernel


@pytest.mark.parametrize(
    ("code", "check"),
    [
        (
            ("class P(enum.Enum):\n  E = (5.9, 6.3)\n  M = (3.3, 2.4)\n"
            "  def __init__(self, m, r): self.m = m; self.r = r\n"
            "  @property\n  def d(self): return self.m - self.r\np = P.E"),
            "(p.m, P.M.r, p is P.E, P((5.9, 6.3)) is p, P.M.d > 0) == (5.9, 2.4, True, True, True)",
        ),
        (
            ("class C(enum.Enum):\n  def __new__(cls, v, label):\n"
            "    one = object.__new__(cls); one._value_ = v; one.label = label; return one\n"
            "  A = (1, 'one')\n  B = (2, 'two')\nC.B.later = [3]; x = C.A"),
            "(x.label, C(2).label, C(1) is x, C.B.later) == ('one', 'two', True, [3])",
        ),
        (
            ("class I(enum.IntEnum):\n  A = 1\n  AL = 1\n  B = 2\n"
            "class S(enum.StrEnum):\n  A = enum.auto()\ny = I.AL; z = S.A"),
            ("(y is I.A, list(I.__members__), I['AL'] is y, I.AL is y, z == 'a', list(I) == [1, 2]) "
            "== (True, ['A', 'AL', 'B'], True, True, True, True)"),
        ),
        (
            ("class F(enum.Flag, boundary=enum.KEEP):\n  NONE = 0\n  A = 1\n  B = 2\n  AB = 3\n  C = 4\n"
            "f = F.A | F.B; g = F.A | F.C; o = F.NONE; k = F(9)"),
            ("(f is F.AB, g is F.A | F.C, o is F.NONE, F(9) == k, list(F.__members__), len(F), repr(g)) "
            "== (True, True, True, True, ['NONE', 'A', 'B', 'AB', 'C'], 3, '<F.A|C: 5>')"),
        ),
        (
            ("class O(enum.Enum):\n  ADD = enum.member(functools.partial(max))\n"
            "  def __call__(self, *a): return self.value(*a)\n"
            "  @classmethod\n  def _missing_(cls, v): return cls.ADD\no = O.ADD"),
            "(o(1, 2), O('x') is o) == (2, True)",
        ),
        (
            "class O(enum.Enum):\n  F = enum.member(lambda: k)\no = O.F; k = 3",
            "(O.F is o, o.value()) == (True, 3)",
        ),
    ],
)  # fmt: skip
def test_enums_come_back_with_all_that_they_had(code, check):
    kernel, reasons = came_back("import enum, functools\n" + code)
    assert reasons == {} and shows(kernel, check) is True


@pytest.mark.parametrize(
    "code",
    [
        (
            "@dataclasses.dataclass\nclass Mix:\n  a: int\n  b: int\n"
            "class E(Mix, enum.Enum):\n  X = (1, 2)"
        ),
        (
            "class Base(enum.Enum):\n  def __new__(cls, v, label):\n"
            "    one = object.__new__(cls); one._value_ = v; one.label = label; return one\n"
            "class E(Base):\n  X = (1, 'one')"
        ),
        (
            "class E(int, enum.Enum):\n  def __new__(cls, v):\n"
            "    one = int.__new__(cls, v); one._value_ = str(v); return one\n  X = 1"
        ),
    ],
)
def test_an_enum_that_cannot_be_made_again_is_told(code):
    kernel, reasons = came_back(f"import enum, dataclasses\n{code}\nx = E.X; y = 1")
    assert "holds an enum whose member" in reasons["E"] and reasons["x"] == reasons["E"]
    assert "E" not in kernel and kernel["y"] == 1


@pytest.mark.parametrize(
    ("code", "check"),
    [
        (
            """
REG = {}
class Base:
    def __init_subclass__(cls): REG[cls.__name__] = cls
class A(Base): pass
class B(Base): pass
a = A()""",
            "(sorted(REG), REG['A'] is A, type(a) is A) == (['A', 'B'], True, True)",
        ),
        (
            """
class Base:
    reg = []
    def __init_subclass__(cls): cls.reg.append(cls.__name__)
class A(Base): pass
class B(A): pass
a = B()""",
            "Base.reg == ['A', 'B'] and type('C', (A,), {}) and Base.reg == ['A', 'B', 'C']",
        ),
        (
            """
class Base:
    def __init_subclass__(cls, kind): cls.kind = kind
class A(Base, kind='x'): pass
a = A()""",
            "a.kind == 'x' and type('B', (Base,), {}, kind='y').kind == 'y'",
        ),
        (
            """
import abc
class M(abc.ABCMeta):
    made = []
    def __new__(m, name, bases, names, **more):
        c = super().__new__(m, name, bases, names); M.made.append(name); return c
    def __init__(cls, *more, **others): M.made.append(cls.__name__)
class A(metaclass=M):
    @abc.abstractmethod
    def f(self): ...
class B(A, more=1):
    def f(self): return 1
b = B()""",
            "M.made == ['A', 'A', 'B', 'B'] and type(A) is type(B) is M and b.f() == 1 and isinstance(b, A)",
        ),
        (
            """
import typing
T = typing.TypeVar('T')
class Box(typing.Generic[T]):
    __slots__ = ('a', '__b', '__weakref__')
    def __init__(self): self.a = 1; self.__b = 2
    def b(self): return self.__b
class Sub(Box[int]):
    __slots__ = 'c'
box = Box(); sub = Sub(); sub.c = 3""",
            ("(box.a, box.b(), sub.b(), sub.c, hasattr(sub, '__dict__'), Box.__parameters__[0] is T, "
            "Sub.__orig_bases__[0] == Box[int]) == (1, 2, 2, 3, False, True, True)"),
        ),
        (
            """
import dataclasses
@dataclasses.dataclass(slots=True, order=True)
class D:
    x: int
    y: list = dataclasses.field(default_factory=list)
d = D(1)""",
            "d == D(1) and d < D(2) and not hasattr(d, '__dict__')",
        ),
    ],
)  # fmt: skip
def test_classes_come_back_without_what_made_them(code, check):
    kernel, reasons = came_back(code)
    assert reasons == {} and shows(kernel, check) is True


def test_a_module_hears_of_a_class_that_came_back(module):
    kernel, reasons = came_back("import xm\nclass A(xm.Base): pass")
    assert reasons == {} and kernel["xm"].HEARD[-1] is kernel["A"]


STARTUP = (
    "class Base:\n  def hi(self): return LIMIT\nLIMIT = 5\ncfg = {'a': 1}\n"
    "def helper(): return cfg\nbase = Base()"
)


def test_what_startup_code_made_is_that_of_the_kernel():
    kernel, reasons = came_back(
        "class A(Base): pass\na = A(); b = Base(); hold = [helper, base]; one = helper",
        STARTUP,
    )
    assert reasons == {}
    assert shows(
        kernel,
        "issubclass(A, Base) and isinstance(b, Base) and a.hi() == 5 "
        "and hold[0] is helper is one and hold[1] is base and helper() is cfg",
    )


def test_what_a_cell_changed_is_kept_also_where_startup_code_made_it():
    pytest.importorskip("numpy")
    kernel, reasons = came_back(
        "mine = base; mine.x = 5; row = grid; row[0] = 7",
        STARTUP + "\nimport numpy; grid = numpy.zeros(3)",
    )
    assert reasons == {} and shows(kernel, "(mine.x, row[0]) == (5, 7)")


def test_what_startup_code_lacks_is_named():
    kernel = Kernel(startup=STARTUP)
    checkpoint = kernel.run("b = Base(); x = 1")
    fresh = Kernel(kernel.stored)
    (lost,) = fresh.back(checkpoint).skipped
    assert lost.name == "b" and "Base of startup code" in lost.reason
    assert fresh["x"] == 1


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("import types; v = types.ModuleType('m'); v.x = 1", "a module made by hand"),
        ("d = {'a': 1}; v = d.keys()", "a view of a dict"),
        ("d = {'a': 1}; v = d.values()", "a view of a dict"),
        ("import collections; v = collections.OrderedDict().items()", "a view of a dict"),
    ],
)  # fmt: skip
def test_what_would_be_a_copy_is_told(code, word):
    kernel, reasons = came_back(code + "\nnested = [v]; x = 1")
    assert reasons["v"] == word and reasons["nested"] == f"holds {word}"
    assert kernel["x"] == 1 and "v" not in kernel


NUMPY = "import numpy as np\n"


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("v = np.memmap(file, 'u1', 'w+', shape=(10,))", "a memory map"),
        ("v = np.memmap(file, 'u1', 'w+', shape=(10,))[2:4]", "a memory map"),
        ("v = np.asarray(np.memmap(file, 'u1', 'w+', shape=(9,)))[::2]", "a memory map"),
        ("b = bytearray(8); v = np.frombuffer(b, 'u1')", "a view of the memory of a bytearray"),
        ("b = bytearray(8); v = np.frombuffer(b, 'u1')[1:].reshape(7, 1)", "a view of the memory of a bytearray"),
        ("import array; b = array.array('i', [1]); v = np.asarray(b)", "a view of the memory of a array"),
    ],
)  # fmt: skip
def test_memory_that_is_somebody_elses_is_told(tmp_path, code, word):
    pytest.importorskip("numpy")
    kernel, reasons = came_back(
        f"{NUMPY}_f = {str(tmp_path / 'map')!r}\n"
        + code.replace("file", "_f")
        + "\nnested = [v]; x = 1"
    )
    assert reasons == {"v": word, "nested": f"holds {word}"}
    assert kernel["x"] == 1


def test_arrays_that_came_back_are_kept_again():
    pytest.importorskip("numpy")
    kernel = Kernel()
    first = kernel.run(
        NUMPY + "a = np.arange(9.); o = a[1:4]; f = np.frombuffer(bytearray(8))\n"
        "t = np.frombuffer(bytes(8)); h = [np.arange(4)[::2]]; m = np.ma.arange(3)"
    )
    kernel.back([])
    assert kernel.back(first).skipped == []
    again, reasons = kernel.save()
    assert reasons == {} and len(again) == len(first) == 7
    kernel.cell("a[0] = o[0] = f[0] = 5; h.append(a[:2])")
    assert kernel.save()[1] == {}


@pytest.mark.parametrize(
    ("code", "copies"),
    [
        ("a = np.arange(9); b = a[2:5]; c = a", {"b": "a"}),
        ("_a = np.arange(9); b = _a[2:5]; c = _a[1:8]", {"b": "c"}),
        ("_a = np.arange(9); b = _a[:3]; c = _a[3:]", {}),
        ("a = np.arange(6).reshape(2, 3); b = a.copy()", {}),
        ("a = np.arange(9.); b = a.T; c = [a[:2]]", {"b": "a"}),
    ],
)  # fmt: skip
def test_views_that_come_back_as_copies_are_known(code, copies):
    pytest.importorskip("numpy")
    kernel = Kernel()
    kernel.cell(NUMPY + code)
    assert kernel.frozen().copies == copies
