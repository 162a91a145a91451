"""Hosts of the launcher for tests: one for a file, and others of another make."""

from __future__ import annotations

import pytest
from host import Host


@pytest.fixture(scope="module")
def host():
    """A host with an open session, for the tests of a file."""
    started = Host()
    try:
        started.open()
    except BaseException:
        started.clean()
        raise
    yield started
    started.close()


@pytest.fixture
def start():
    """Starts hosts of another make; they end with the test, and nothing of them is left."""
    hosts: list[Host] = []

    def another(*, opened: bool = True, **options) -> Host:
        hosts.append(Host(**options))
        if opened:
            hosts[-1].open()
        return hosts[-1]

    yield another
    failures = []
    for started in hosts:
        try:
            started.close()
        except AssertionError as failure:
            failures.append(failure)
    if failures:
        raise failures[0]


@pytest.fixture(autouse=True)
def paired(request):
    """Whatever a test does with the host of its file: each cell that begins also ends, before its result."""
    yield
    if "host" in request.fixturenames:
        assert request.getfixturevalue("host").unpaired() == []
