"""Where the ledger lies: which folder, and that it is one to trust. Reads the environment; writes nothing but folders."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress

from headstart.errors import ReadError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FILE_NAME = "harness_state.json"
LOCAL, GLOBAL, SESSION = (
    "RLM_HARNESS_STATE_DIR",
    "RLM_GLOBAL_HARNESS_STATE_DIR",
    "RLM_SESSION_DIR",
)
HOME = "~/.prime/agent/harness"


def find(global_: bool = False) -> tuple[str, str]:
    """The folder that the environment names, and whether it is `local` (of a session) or `global`.

    A variable that is set to nothing is not set. In a session's folder the ledger has one of its own, where Prime
    Agent puts it.
    """
    local = None if global_ else _variable(LOCAL)
    everyone = _variable(GLOBAL)
    session = None if global_ else _variable(SESSION)
    if local:
        return local, "local"
    if everyone:
        return everyone, "global"
    if session:
        return os.path.join(session, "harness"), "local"
    return HOME, "global"


def resolve(folder: str | os.PathLike[str]) -> str:
    """The folder's real path: one ledger has one name, also where links lead to it."""
    return os.path.realpath(os.path.expanduser(os.fspath(folder)))


@contextmanager
def opened(folder: str, *, make: bool = False) -> Iterator[int | None]:
    """The open folder, or `None` where there is none; with `make` it is made, for its user alone.

    What happens to files in it happens through this descriptor, so that nobody can put another folder in its place.
    """
    descriptor = _open(folder, make)
    try:
        if descriptor is not None:
            mine(os.fstat(descriptor), folder)
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def mine(found: os.stat_result, path: str) -> None:
    """Refuses what another user owns, who could read it or change it at any time."""
    user = os.geteuid()
    if user == 0 or found.st_uid in (user, 0):
        return
    raise ReadError(
        f"expected a ledger of user {user}, found one of user {found.st_uid}",
        where=path,
        hint=f"{LOCAL} may name a folder of your own",
    )


def regular(found: os.stat_result, path: str) -> None:
    """Refuses what is no file, and what another user owns."""
    if not stat.S_ISREG(found.st_mode):
        raise ReadError("expected a file, found something else", where=path)
    mine(found, path)


def refusal(path: str, error: OSError) -> ReadError:
    """The error for what the operating system refused; a link is never followed."""
    with suppress(OSError):
        if os.path.islink(path):
            return ReadError(
                "expected a file, found a link, which would be replaced or lead elsewhere",
                where=path,
                hint=f"{LOCAL} may name the folder of the real file",
            )
    return ReadError(error.strerror or str(error), where=path)


def _variable(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None


def _open(folder: str, make: bool) -> int | None:
    try:
        if make:
            _make(folder)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(folder, flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise refusal(folder, error) from None


def _make(folder: str) -> None:
    if not os.path.isdir(folder):
        above = os.path.dirname(folder)
        if above != folder:
            _make(above)
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
