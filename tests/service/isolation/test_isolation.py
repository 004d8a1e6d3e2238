"""Nobody sees or changes what belongs to somebody else, whatever the three of them do, on both stores."""

from collections.abc import Iterator

import pytest

from tests.service.conftest import Serve
from tests.service.fuzz.profile import LOG
from tests.service.isolation.machine import live
from tests.service.isolation.world import World
from tests.sizes import sized

CALLS = sized(500, 10_000)  # on each of the two stores
WITH_VECTORS = sized(60, 1_000)


@pytest.fixture
def world(serve: Serve) -> Iterator[World]:
    made = World(serve(embedding__provider="none"))
    yield made
    made.close()


def test_three_users(world: World) -> None:
    live(world, CALLS)
    LOG.info("%d calls, nothing foreign", world.calls)


def test_three_users_who_search_by_meaning(serve: Serve) -> None:
    world = World(serve())
    live(world, WITH_VECTORS)
    world.close()
