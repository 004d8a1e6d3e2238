"""Reading what the service tells whoever runs it."""

from collections.abc import Iterator

import httpx2
import pytest

from tests.service.conftest import Running
from tests.service.operations.figures import Figures, parsed


class Operator:
    """Somebody with an admin's key who watches the service."""

    def __init__(self, client: httpx2.Client) -> None:
        self._client = client

    def figures(self) -> Figures:
        """Scrape."""
        answer = self._client.get("/metrics")
        assert answer.status_code == 200
        return parsed(answer.text)

    def get(self, path: str) -> httpx2.Response:
        """Ask for something else."""
        return self._client.get(path)


@pytest.fixture
def operator(service: Running) -> Iterator[Operator]:
    """Whoever runs the service of the test."""
    with service.client(service.key(scopes=("admin",))) as client:
        yield Operator(client)
