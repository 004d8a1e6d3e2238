"""A store of LangGraph on each of our stores."""

from collections.abc import Callable

import pytest

from recollect import Memory
from tests.conftest import SteppingClock

langgraph = pytest.importorskip("langgraph.store.base", reason="needs recollect[langgraph]")

from recollect.integrations.langgraph import RecollectStore  # noqa: E402

OpenStore = Callable[..., RecollectStore]


@pytest.fixture
def open_store(memory: Memory, clock: SteppingClock) -> OpenStore:
    """Make a store of LangGraph; options as of `RecollectStore`."""
    return lambda **options: RecollectStore(memory, clock=clock, **options)


@pytest.fixture
def store(open_store: OpenStore) -> RecollectStore:
    """A store of LangGraph whose items belong to one user."""
    return open_store(user="anna")
