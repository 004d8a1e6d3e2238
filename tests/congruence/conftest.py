"""Both stores at once."""

import os
from collections.abc import Iterator

import pytest

from recollect import Memory, load_settings
from recollect.api import composition
from tests.congruence.twins import StillClock, Twins, WordSum
from tests.fixtures import Server
from tests.places.gazetteer import Gazetteer


def opened(database: str, clock: StillClock, embedder: WordSum, **overrides: object) -> Memory:
    named = {name.replace("__", "."): value for name, value in overrides.items()}
    overrides = {
        "database": database,
        "embedding.worker": False,
        "recall.deadline_s": 600,
        **named,
    }
    settings = load_settings(os.devnull, environ={}, overrides=overrides)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composition, "create_geocoder", lambda _: Gazetteer())
        return Memory.open(settings=settings, clock=clock, embedder=embedder)


@pytest.fixture(scope="module")
def twins(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twins]:
    """The two stores; every example takes a user of its own. In the end both must be sound."""
    clock, embedder = StillClock(), WordSum()
    file = tmp_path_factory.mktemp("congruence") / "memory.db"
    with opened(str(file), clock, embedder) as sqlite, opened(server.fresh(), clock, embedder) as postgres:
        yield Twins(sqlite, postgres, clock, embedder)
        embedder.fails = False
        assert sqlite.doctor() == postgres.doctor() == ()


@pytest.fixture(scope="module")
def talkers(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twins]:
    """The two stores again, with a window so small that conversations are folded all the time."""
    small = {"window_tokens": 600, "summary_tokens": 120, "max_messages": 12, "keep_recent": 4}
    given = {**{f"compaction__{name}": value for name, value in small.items()}, "hooks__budget_s": 60}
    clock, embedder = StillClock(), WordSum()
    file = tmp_path_factory.mktemp("talkers") / "memory.db"
    with (
        opened(str(file), clock, embedder, **given) as sqlite,
        opened(server.fresh(), clock, embedder, **given) as postgres,
    ):
        yield Twins(sqlite, postgres, clock, embedder)
        assert sqlite.doctor() == postgres.doctor() == ()
