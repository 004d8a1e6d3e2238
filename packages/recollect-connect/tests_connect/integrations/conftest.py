"""A store of LangGraph on each of our stores."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.fixtures import SteppingClock

from recollect import Memory

OpenStore = Callable[..., Any]


@pytest.fixture
def open_store(memory: Memory, clock: SteppingClock) -> OpenStore:
    """Make a store of LangGraph; options as of `RecollectStore`."""
    from recollect_connect.integrations.langgraph import RecollectStore  # noqa: PLC0415 - other tests do without its package

    return lambda **options: RecollectStore(memory, clock=clock, **options)


@pytest.fixture
def store(open_store: OpenStore) -> Any:
    """A store of LangGraph whose items belong to one user."""
    return open_store(user="anna")
