"""Nobody sees or changes what belongs to somebody else, whatever the three of them do, on both stores."""

from collections.abc import Iterator

import pytest

from tests.reliability.figures import figure
from tests.service.conftest import Serve
from tests.service.isolation.machine import live
from tests.service.isolation.world import World
from tests.sizes import sized

CALLS = sized(120, 10_000)  # on each of the two stores
WITH_VECTORS = sized(40, 1_000)


@pytest.fixture
def world(serve: Serve) -> Iterator[World]:
    made = World(serve(embedding__provider="none"))
    yield made
    made.close()


def test_three_users(world: World) -> None:
    live(world, CALLS)
    figure(8, "three users", calls=world.calls, foreign_rows=0)


def test_three_users_who_search_by_meaning(serve: Serve) -> None:
    world = World(serve())
    live(world, WITH_VECTORS)
    figure(8, "three users who search by meaning", calls=world.calls, foreign_rows=0)
    world.close()
