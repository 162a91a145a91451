"""The scripted server of BigQuery as a program: starts it, asks its administration, stops it.

What it knows and what can be asked of it: the page of crates/hs-scripted-bigquery (`cargo doc`). The fixture
`bigquery` in conftest.py gives one that runs.
"""

import json
import subprocess
import urllib.request
from pathlib import Path
from typing import Any, Self

PROGRAM = Path(__file__).parents[2] / "target/release/scripted-bigquery"


class ScriptedBigQuery:
    """One server, from `with` to its end."""

    def __init__(self, folder: Path, **options: Any):
        command = [PROGRAM, "--dir", folder, "--options", json.dumps(options)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{PROGRAM} ended with {self.process.wait()}")
        #: url, project, and the path of each credential file
        self.about = json.loads(line)
        self.url = self.about["url"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> int:
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=10)

    def environment(self, credentials: str = "service_account") -> dict[str, str]:
        """What headstart and Google's tools read."""
        return {
            "BIGQUERY_EMULATOR_HOST": self.url,
            "GOOGLE_APPLICATION_CREDENTIALS": self.about[credentials],
            "CLOUDSDK_CORE_PROJECT": self.about["project"],
        }

    def log(self, method: str = "", path: str = "") -> list[dict[str, Any]]:
        """The requests with this method whose path contains this."""
        entries = self._ask("GET", "log")
        return [
            entry
            for entry in entries
            if method in ("", entry["method"]) and path in entry["path"]
        ]

    def jobs(self) -> list[dict[str, Any]]:
        return self._ask("GET", "jobs")

    def clear(self, **what: Any) -> None:
        self._ask("POST", "clear", what)

    def fault(self, **fields: Any) -> None:
        self._ask("POST", "fault", fields)

    def options(self, **fields: Any) -> None:
        self._ask("POST", "options", fields)

    def revoke(self) -> None:
        self._ask("POST", "revoke", {})

    def _ask(self, method: str, what: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url}/_/{what}", data=data, method=method
        )
        # A proxy of the environment is not asked for what runs here.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=10) as reply:
            return json.load(reply)
