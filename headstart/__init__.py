"""Look at data without losing any of it: nine functions for any frame and any file.

    import headstart as hs

    orders = hs.charge("orders.xlsx", sheet="2026")    load a file of any format
    hs.sauve("orders.parquet", orders)                 save it, whole or not at all
    hs.montre(orders)                                  show head and tail of any value
    hs.decris(orders)                                  describe every column
    hs.combien(orders, "customer")                     count the rows of each value
    hs.compare(old, orders, "order_id")                what differs between two tables
    hs.joins(orders, customers, "customer")            join; rows that multiply are refused
    hs.verifie({"paid": orders["paid"].all()})         check conditions by name
    hs.interroge("SELECT ...", cap="1 GB")             ask BigQuery, never billed more

No value is lost or changed without a word: it arrives exact, or a printed line says what happened,
or an `hs.Error` says where, what was expected, what was found, and the fix. `help(hs.charge)`, or
`hs.charge?` in IPython, has parameters, errors and examples.

Frames are those of pandas, polars or pyarrow, anything with an Arrow stream, a list of dicts, or a
path; what comes back is of the library that was given.

    hs.options.frames     "pandas", "polars", "pyarrow"; `None` takes the first installed
    hs.options.quiet      `True` prints no lines
    hs.last_estimate()    what the last question to BigQuery would cost, as numbers
    hs.ledger             what an agent keeps from session to session
    %load_ext headstart   makes `hs` ready in IPython and Jupyter

The same functions are `hs charge`, `hs joins` ... in the shell; `hs ipython`, `hs kernel` and `hs mcp`
are sessions of IPython that stay. Importing headstart loads no pandas, polars or pyarrow.

>>> import headstart as hs
>>> orders = hs.charge("fixtures/orders.xlsx", sheet="2026", columns=["code", "quantity"], rows=2)
fixtures/orders.xlsx: 2 rows x 2 columns, the first of 52, sheet "2026"
fixtures/orders.xlsx: other sheets: "2025" (45 x 10), "rates" (3 x 2, hidden)
>>> list(orders["code"])
['00042', '00079']
"""

from headstart import errors
from headstart._headstart import Table, __version__
from headstart.charge import charge
from headstart.combien import combien
from headstart.compare import compare
from headstart.decris import decris
from headstart.errors import (
    ArgumentError,
    CapError,
    CheckError,
    CredentialsError,
    Error,
    FileMissingError,
    FilePresentError,
    FormatError,
    InternalError,
    KeyMissingError,
    MergeError,
    QueryError,
    ReadError,
    ServiceError,
    SheetError,
    TypeMismatchError,
)
from headstart.extension import load_ipython_extension as load_ipython_extension
from headstart.extension import unload_ipython_extension as unload_ipython_extension
from headstart.interroge import interroge, last_estimate
from headstart.joins import joins
from headstart.montre import montre
from headstart.options import options
from headstart.sauve import sauve
from headstart.verifie import verifie

TYPE_CHECKING = False
if TYPE_CHECKING:
    from headstart import ledger as ledger
else:

    def __getattr__(name):
        """`hs.ledger`, imported when it is first asked for; of any other name, what was meant."""
        if name.startswith("_"):
            # Python itself and consoles ask for these, and often.
            raise AttributeError(f"module 'headstart' has no attribute {name!r}")
        from importlib import import_module

        if name != "ledger":
            raise import_module("headstart.mistaken").error(name, __all__)
        return import_module("headstart.ledger")


del TYPE_CHECKING

__all__ = [
    "ArgumentError",
    "CapError",
    "CheckError",
    "CredentialsError",
    "Error",
    "FileMissingError",
    "FilePresentError",
    "FormatError",
    "InternalError",
    "KeyMissingError",
    "MergeError",
    "QueryError",
    "ReadError",
    "ServiceError",
    "SheetError",
    "Table",
    "TypeMismatchError",
    "__version__",
    "charge",
    "combien",
    "compare",
    "decris",
    "errors",
    "interroge",
    "joins",
    "last_estimate",
    "montre",
    "options",
    "sauve",
    "verifie",
]
