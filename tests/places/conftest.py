"""Stores that know where things are."""

import os
from collections.abc import Callable, Iterator

import pytest

from recollect import Memory, UserMemory, load_settings
from recollect.api import composition
from recollect.ports import Embedder, Geocoder
from tests.congruence.twins import WordSum
from tests.fixtures import SteppingClock

OpenPlaces = Callable[..., Memory]


@pytest.fixture
def open_places(database: str, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenPlaces]:
    """Open the test's store with a geocoder and an embedder of the test's own, as often as needed."""
    opened: list[Memory] = []

    def opener(geocoder: Geocoder | None = None, embedder: Embedder | None = None, **overrides: object) -> Memory:
        monkeypatch.setattr(composition, "create_geocoder", lambda _: geocoder)
        named = {name.replace("__", "."): value for name, value in overrides.items()}
        settings = load_settings(
            os.devnull,
            environ={},
            overrides={
                "database": database,
                "embedding.worker": False,
                "recall.deadline_s": 600,
                "hooks.budget_s": 60,
                **named,
            },
        )
        usual = WordSum() if settings.embedding.provider == "local" else None
        opened.append(Memory.open(settings=settings, clock=clock, embedder=embedder or usual))
        return opened[-1]

    yield opener
    for memory in opened:
        memory.close()


@pytest.fixture
def here(open_places: OpenPlaces) -> UserMemory:
    """A user of a store without a geocoder."""
    return open_places().user("me")
