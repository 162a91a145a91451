"""`python -m headstart.kernel.wheel FOLDER`: the headstart that is installed here, as a wheel, and prints its path.

So that another environment gets the very same one, without asking an index. It packs what is there and builds nothing.
"""

from __future__ import annotations

import base64
import hashlib
import os
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

#: What the folder of a package may hold that belongs to no wheel.
LEFT_OUT = {"__pycache__"}


def pack(folder: str | os.PathLike[str]) -> Path:
    """
    Writes the wheel into the folder and returns its path.

    Raises
    ------
    PackageNotFoundError
        Where headstart runs without being installed.
    """
    import headstart

    found = distribution("headstart")
    described = f"headstart-{found.version}.dist-info"
    tags = [
        line.removeprefix("Tag:").strip()
        for line in (found.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag:")
    ]
    path = Path(folder) / f"headstart-{found.version}-{tags[-1]}.whl"
    records = []
    # Nobody keeps the wheel: packing it small would take longer than all else.
    with ZipFile(path, "w", ZIP_STORED) as wheel:

        def add(name: str, content: bytes) -> None:
            wheel.writestr(name, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
            records.append(
                f"{name},sha256={digest.rstrip(b'=').decode()},{len(content)}\n"
            )

        package = Path(headstart.__path__[0])
        for file in sorted(package.rglob("*")):
            inside = file.relative_to(package)
            if file.is_file() and not LEFT_OUT.intersection(inside.parts):
                add(f"headstart/{inside.as_posix()}", file.read_bytes())
        for name in ("METADATA", "WHEEL", "entry_points.txt"):
            add(f"{described}/{name}", (found.read_text(name) or "").encode())
        record = f"{described}/RECORD"
        wheel.writestr(record, "".join([*records, f"{record},,\n"]))
    return path


def main(arguments: list[str]) -> int:
    """Packs it, or says why it cannot."""
    try:
        print(pack(arguments[0]))
    except PackageNotFoundError:
        print(
            "expected headstart as an installed package, found only its folder\n"
            "hint: hs kernel setup --from WHEEL",
            file=sys.stderr,
        )
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
