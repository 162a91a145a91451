"""headstart: load, save, show and describe data without losing a value silently.

`import headstart as hs`. Importing it loads no pandas, polars or pyarrow.
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
