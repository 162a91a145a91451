"""Fixtures: the data files, and settings that every test starts from."""

import signal
from pathlib import Path

import pytest
from scripted_bigquery import ScriptedBigQuery

import headstart as hs

FILES = Path(__file__).parents[2] / "fixtures"


# A suite that was started in the background has Ctrl-C ignored, and so has all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def orders() -> Path:
    """The workbook of orders: 45 rows x 10 columns in its first sheet."""
    return FILES / "orders.xlsx"


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("HEADSTART_FRAMES", raising=False)
    monkeypatch.delenv("HEADSTART_QUIET", raising=False)
    yield
    hs.options.frames = None
    hs.options.quiet = None


@pytest.fixture
def bigquery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A scripted server of BigQuery, and an environment that leads to it."""
    folder = tmp_path / "credentials"
    folder.mkdir()
    with ScriptedBigQuery(folder) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield server


def pytest_addoption(parser: pytest.Parser):
    parser.addoption(
        "--kills",
        type=int,
        default=6,
        help="kills in the middle of saves, for each format",
    )
    parser.addoption(
        "--expressions",
        type=int,
        default=400,
        help="random conditions that verifie and duckdb are asked",
    )


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    return request.config.getoption("--kills")


@pytest.fixture
def expressions(request: pytest.FixtureRequest) -> int:
    return request.config.getoption("--expressions")
