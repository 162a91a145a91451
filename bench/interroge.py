"""Measures interroge against Google's own client, on the scripted server of this project.

Both ask for the same 200,000 rows of 10 columns (crates/hs-scripted-bigquery/src/tables/big.rs says which) and get them
page by page over the REST API: google-cloud-bigquery would read large results through another service, with
google-cloud-bigquery-storage, which no server stands in for here; it is not installed. Its client, and so its token, is made once;
ours asks for a token and makes its dry run in each turn. The server is a process of its own, whose work counts in wall
seconds only. Frames of both are compared first.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from turns import OURS, Check, Way, Work, main

PROGRAM = Path(__file__).parents[1] / "target/release/scripted-bigquery"
SQL = "SELECT * FROM d.big"
#: Ends the server when this bench ends.
SERVERS = ExitStack()


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


def started(rows: int, _folder: Path) -> int:
    """The server, which fresh interpreters find by the environment that they inherit."""
    SERVERS.enter_context(server(rows))
    return rows


def ways(_rows: int) -> dict[str, Way]:
    import pandas  # noqa: F401 - before the times, for all of them
    import pyarrow  # noqa: F401
    from google.cloud.bigquery import Client

    import headstart as hs

    hs.options.quiet = True
    client = Client()
    rest = {"create_bqstorage_client": False}
    return {
        OURS: lambda: hs.interroge(SQL, cap="1 TB"),
        "google-cloud-bigquery to_dataframe": lambda: client.query(SQL).to_dataframe(
            **rest
        ),
        "google-cloud-bigquery to_arrow": lambda: client.query(SQL).to_arrow(**rest),
    }


def equal(rows: int) -> Check:
    wanted: list[dict[str, list[Any]]] = []

    def check(name: str, frame: Any) -> None:
        found = values(frame)
        wanted.append(found)
        assert len(found["id"]) == rows, f"{name}: {len(found['id'])} rows"
        for column, expected in wanted[0].items():
            assert list(map(plain, found[column])) == list(map(plain, expected)), (
                f"{name}: other values in {column}"
            )

    return check


def values(frame: Any) -> dict[str, list[Any]]:
    """The columns as lists of Python values, missing ones None."""
    if not hasattr(frame, "to_pydict"):
        import pyarrow

        frame = pyarrow.Table.from_pandas(frame, preserve_index=False)
    return frame.to_pydict()


def plain(value: Any) -> Any:
    """Days as midnights: pandas has no days, and Google's client keeps them as objects."""
    if type(value) is datetime.date:
        return datetime.datetime(value.year, value.month, value.day)
    return value


WORKS = [Work("interroge to pandas", started, ways, equal, rows=200_000)]

if __name__ == "__main__":
    with SERVERS:
        main(__doc__, WORKS)
