"""Clients meet a service that runs in this process, on the test's store."""

from pathlib import Path
from typing import Any

import pytest

from recollect.service.app import create_app, create_limiter
from recollect.service.live.subscriptions import LiveSubscriptions
from recollect.service.metrics.service_metrics import Metrics
from tests.reliability.opening import open_memory
from tests.service.conftest import anna, serve, service

__all__ = ["anna", "serve", "service"]


@pytest.fixture(scope="session")
def document(empty_file: Path) -> dict[str, Any]:
    """The OpenAPI document, made once: that takes a second of CPU time."""
    with open_memory(str(empty_file)) as memory:
        return create_app(memory, LiveSubscriptions(memory), Metrics(memory), create_limiter(memory)).openapi()
