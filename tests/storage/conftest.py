"""Databases that were never opened."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from tests.fixtures import BACKENDS, Server

FreshDatabase = Callable[[], str]


@pytest.fixture(params=BACKENDS)
def fresh_database(request: pytest.FixtureRequest, tmp_path: Path) -> FreshDatabase:
    """Name empty databases without any schema, as many as needed, on each backend in turn."""
    if request.param == "sqlite":
        numbers = count()
        return lambda: str(tmp_path / f"{next(numbers)}.db")
    server: Server = request.getfixturevalue("server")
    return lambda: server.fresh(empty=True)
