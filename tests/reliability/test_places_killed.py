"""SIGKILL while addresses are being found out: nothing is lost, nothing is there twice, and every address is right."""

import time
from collections import Counter
from datetime import timedelta
from random import Random

import numpy as np

from recollect import Memory, Message
from recollect.model.filters import PlaceFilters
from recollect.model.geo import STREET
from recollect.model.memories import MemoryRecord, Scope
from tests.reliability.figures import figure
from tests.reliability.opening import WITH_QUICK_PLACES, WITH_QUICK_VECTORS, LaterClock, QuickEmbedder, open_memory
from tests.reliability.zygote import Zygote, was_killed
from tests.sizes import sized
from tests.storage.catalogue import plain

_ITEMS = sized(40, 600)
_KILLS = sized(1, 60)
_SETTINGS = {**WITH_QUICK_VECTORS, **WITH_QUICK_PLACES}


def _store(memory: Memory) -> None:
    me = memory.user("me")
    me.remember_many(
        [
            {"content": f"pump {number}", "lat": 10.0 + number / 100, "lng": 20.0, "place_label": f"label {number % 7}"}
            for number in range(_ITEMS)
        ]
    )
    for number in range(10):
        me.conversation("c1").append("user", f"said {number}", lat=-10.0 - number, lng=20.0)


def _insist_right(memory: Memory, database: str) -> None:
    me = memory.user("me")
    records = me.list(limit=1_000).items
    assert len(records) == _ITEMS
    everything: list[MemoryRecord | Message] = [*records, *me.conversation("c1").messages()]
    for one in everything:
        assert one.lat is not None
        assert one.lng is not None
        spot = STREET.rounded(one.lat, one.lng)
        assert one.address == f"Village {spot.lat:.3f} {spot.lng:.5f}"
    space = QuickEmbedder.space
    names = {(one.address, one.place_label) for one in everything}
    with plain(database) as store:
        assert Counter(store.rows("SELECT address, place_label FROM places")) == Counter(names)
        assert store.rows("SELECT count(*) FROM jobs") == [(0,)]
    probe = np.eye(1, space.dimensions, dtype=np.float32)[0]
    found = memory._engine.store.read(Scope("me"), lambda reader: reader.nearest(space, probe, PlaceFilters(), 10_000))
    assert len({place for place, _ in found}) == len(found) == len(names)
    assert memory.doctor() == ()


def test_workers_that_are_killed_lose_no_address(database: str, zygote: Zygote) -> None:
    chance, killed = Random(8), 0
    with open_memory(database, **_SETTINGS) as memory:
        _store(memory)
    for _ in range(_KILLS):
        worker = zygote.serve(database, **_SETTINGS)
        worker.say({"verb": "embed_waiting"})
        time.sleep(chance.uniform(0.005, 0.2))
        worker.kill()
        worker.rest()
        killed += was_killed(worker.end())
        with open_memory(database, **_SETTINGS) as memory:
            assert memory.doctor() == ()
    clock = LaterClock()
    with open_memory(database, clock=clock, **_SETTINGS) as memory:
        clock.ahead = timedelta(hours=1)
        memory.embed_waiting()
        _insist_right(memory, database)
    assert killed == _KILLS
    store = "postgresql" if "://" in database else "sqlite"
    figure(1, f"{store}, finding addresses", kill_points=killed, lost=0, half_done=0)


def test_workers_at_once_find_every_address_once(database: str, zygote: Zygote) -> None:
    with open_memory(database, **_SETTINGS) as memory:
        _store(memory)
        workers = [zygote.serve(database, **_SETTINGS) for _ in range(2)]
        for worker in workers:
            worker.say({"verb": "embed_waiting"})
        located = [worker.hear()["located"] for worker in workers]
        assert sum(located) == _ITEMS + 10
        _insist_right(memory, database)
        for worker in workers:
            worker.close()
