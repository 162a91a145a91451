"""Settings of the session: `hs.options.frames` and `hs.options.quiet`."""

from __future__ import annotations

import os

from headstart.errors import ArgumentError

LIBRARIES = ("pandas", "polars", "pyarrow")


class Options:
    """Settings that hold for all calls. What is not set follows the environment.

    frames : library of new frames, `"pandas"`, `"polars"` or `"pyarrow"`; `None` follows HEADSTART_FRAMES, else takes the
        first of them that is installed.
    quiet : `True` prints nothing but what a call was asked to show; `None` follows HEADSTART_QUIET.

    >>> import headstart as hs
    >>> hs.options.frames, hs.options.quiet = "polars", True
    >>> type(hs.charge("fixtures/orders.csv")).__module__.partition(".")[0]
    'polars'
    >>> hs.options.frames = hs.options.quiet = None
    """

    __slots__ = ("_frames", "_quiet")

    def __init__(self) -> None:
        self._frames: str | None = None
        self._quiet: bool | None = None

    @property
    def frames(self) -> str | None:
        """Library of new frames: "pandas", "polars" or "pyarrow"; `None` takes the first installed.

        Not set, it is what `HEADSTART_FRAMES` says.
        """
        if self._frames is not None:
            return self._frames
        wanted = os.environ.get("HEADSTART_FRAMES") or None
        return None if wanted is None else library(wanted, "HEADSTART_FRAMES")

    @frames.setter
    def frames(self, name: str | None) -> None:
        self._frames = None if name is None else library(name, "hs.options.frames")

    @property
    def quiet(self) -> bool:
        """True when calls print nothing but what they were asked to show.

        Not set, it is what `HEADSTART_QUIET` says.
        """
        if self._quiet is not None:
            return self._quiet
        return os.environ.get("HEADSTART_QUIET", "") not in ("", "0")

    @quiet.setter
    def quiet(self, value: bool | None) -> None:
        self._quiet = None if value is None else bool(value)

    def __repr__(self) -> str:
        return f"hs.options(frames={self.frames!r}, quiet={self.quiet!r})"


def library(name: str, setting: str) -> str:
    """The library's name, if it is one and installed."""
    if name in LIBRARIES:
        from importlib.util import find_spec

        if find_spec(name) is None:
            raise ArgumentError(
                f"{setting}: {name} is not installed", hint=f"pip install {name}"
            )
        return name
    known = ", ".join(repr(known) for known in LIBRARIES)
    import difflib

    close = difflib.get_close_matches(str(name).lower(), LIBRARIES, 1)
    raise ArgumentError(
        f"{setting}: expected one of {known}, found {name!r}",
        hint=f"did you mean {close[0]!r}?" if close else 'hs.options.frames = "pandas"',
    )


options = Options()
