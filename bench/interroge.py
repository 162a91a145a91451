"""Measures interroge against Google's own client, in turns in one process, on the scripted server of this project.

Both ask for the same 200,000 rows of 10 columns (crates/hs-scripted-bigquery/src/tables/big.rs says which) and get them
page by page over the REST API: google-cloud-bigquery would read large results through another service, with
google-cloud-bigquery-storage, which no server stands in for here; it is not installed. Its client, and so its token, is made once;
ours asks for a token and makes its dry run in each turn. The server is a process of its own, whose work counts in wall
seconds only. Frames of both are compared first; then wall seconds, CPU seconds, and peak memory of a fresh interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from side_by_side import PEAK
from turns import OURS, head, measure

PROGRAM = Path(__file__).parents[1] / "target/release/scripted-bigquery"
SQL = "SELECT * FROM d.big"
FRAME = "google.cloud.bigquery to_dataframe"
ARROW = "google.cloud.bigquery to_arrow"

# How each comes to its frame, for a fresh interpreter too.
IMPORTS = {
    OURS: "import pandas, pyarrow, headstart as hs; hs.options.quiet = True",
    FRAME: "import pandas, pyarrow; from google.cloud.bigquery import Client; client = Client()",
    ARROW: "import pandas, pyarrow; from google.cloud.bigquery import Client; client = Client()",
}
CALLS = {
    OURS: f"hs.interroge({SQL!r}, cap='1 TB')",
    FRAME: f"client.query({SQL!r}).to_dataframe(create_bqstorage_client=False)",
    ARROW: f"client.query({SQL!r}).to_arrow(create_bqstorage_client=False)",
}


@contextmanager
def server(rows: int) -> Iterator[None]:
    """The scripted server, and an environment that leads to it."""
    with tempfile.TemporaryDirectory() as folder:
        options = json.dumps({"big_rows": rows})
        command = [PROGRAM, "--dir", folder, "--options", options]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            about = json.loads(process.stdout.readline())
            os.environ |= {
                "BIGQUERY_EMULATOR_HOST": about["url"],
                "GOOGLE_APPLICATION_CREDENTIALS": about["service_account"],
                "CLOUDSDK_CORE_PROJECT": about["project"],
                "GOOGLE_CLOUD_PROJECT": about["project"],
            }
            try:
                yield
            finally:
                process.stdin.close()


def way(name: str) -> Any:
    """A function that asks, with what it needs imported and made."""
    names: dict[str, Any] = {}
    exec(IMPORTS[name], names)  # noqa: S102 - our own statements, above
    return eval(f"lambda: {CALLS[name]}", names)


def peak_megabytes(name: str) -> float:
    """How far resident memory rises at most above the imports."""
    script = (
        f"{PEAK}\n{IMPORTS[name]}\nbefore = resident('VmRSS')\nframe = {CALLS[name]}\n"
        "print(resident('VmHWM') - before)"
    )
    return float(
        subprocess.check_output([sys.executable, "-c", script], text=True).split()[-1]
    )


def values(frame: Any) -> dict[str, list[Any]]:
    """The columns as lists of Python values, missing ones None."""
    if not hasattr(frame, "to_pydict"):
        import pyarrow

        frame = pyarrow.Table.from_pandas(frame, preserve_index=False)
    return frame.to_pydict()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--rows", type=int, default=200_000)
    arguments = parser.parse_args()
    head()
    wanted: list[dict[str, list[Any]]] = []

    def check(name: str, frame: Any) -> None:
        found = values(frame)
        wanted.append(found)
        assert len(found["id"]) == arguments.rows, f"{name}: {len(found['id'])} rows"
        for column, expected in wanted[0].items():
            assert list(map(plain, found[column])) == list(map(plain, expected)), (
                f"{name}: other values in {column}"
            )

    with server(arguments.rows):
        ways = {name: way(name) for name in CALLS}
        title = f"interroge, {arguments.rows:,} x 10"
        measure(title, ways, arguments.turns, check)
        for name in ways:
            print(f"  {name:34} peak +{peak_megabytes(name):.0f} MB")


def plain(value: Any) -> Any:
    """Days as midnights: pandas has no days, and Google's client keeps them as objects."""
    import datetime

    if type(value) is datetime.date:
        return datetime.datetime(value.year, value.month, value.day)
    return value


if __name__ == "__main__":
    main()
