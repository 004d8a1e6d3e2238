"""The name of a place has one vector: made by the queue, shared by all that is there, and gone with the last of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect import Memory
from recollect.model.filters import PlaceFilters
from recollect.model.memories import Scope, Space, Vector
from recollect.model.places import place_id
from recollect.ports import Role
from tests.congruence.twins import DIMENSIONS, WordSum
from tests.fixtures import SteppingClock
from tests.places.conftest import OpenPlaces
from tests.places.gazetteer import Gazetteer, address_of
from tests.storage.catalogue import is_server, plain

_PUB: dict[str, Any] = {"address": "Dvorakova 1 Brno", "place_label": "village pub"}


class OtherWords(WordSum):
    """Another model."""

    space = Space("test", "other-words", "1", "none", DIMENSIONS, normalised=True)

    def embed(self, texts: Any, role: Role) -> Vector:
        turned: Vector = np.roll(super().embed(texts, role), 7, axis=1)
        return turned


@pytest.fixture
def memory(open_places: OpenPlaces) -> Memory:
    return open_places()


def _names(database: str) -> set[tuple[str, str]]:
    with plain(database) as store:
        return {(str(address), str(label)) for address, label in store.rows("SELECT address, place_label FROM places")}


def _vectors(memory: Memory, user: str = "me") -> set[str]:
    """Give the places whose names have a vector."""
    space = memory._engine.space
    assert space is not None
    probe = memory._engine.models.embedder(space).embed(["village pub"], "query")[0]
    found = memory._engine.store.read(Scope(user), lambda reader: reader.nearest(space, probe, PlaceFilters(), 100))
    return {place for place, _ in found}


def _like(memory: Memory, location: str) -> dict[str, float | None]:
    found = memory.user("me").recall("pump", location=location, location_mode="semantic", limit=50)
    assert found.degraded == ()
    return {hit.content: hit.parts.place.likeness if hit.parts.place else None for hit in found.hits}


def test_the_queue_makes_it(memory: Memory, database: str) -> None:
    me = memory.user("me")
    me.remember("The pump hums", **_PUB)
    assert _names(database) == {("Dvorakova 1 Brno", "village pub")}
    assert memory.stats().pending_jobs == 1
    assert _like(memory, "old tavern") == {"The pump hums": None}
    assert memory.embed_waiting().embedded == 1
    assert memory.stats().pending_jobs == 0
    assert _like(memory, "Dvorakova 1 Brno village pub")["The pump hums"] == pytest.approx(1.0, abs=1e-5)
    assert {one.source: (one.items, one.vectors) for one in memory.status().coverage}["place"] == (1, 1)
    assert memory.doctor() == ()


@pytest.mark.on_both_stores
def test_it_is_shared_and_goes_with_the_last(memory: Memory, database: str) -> None:
    me, talk = memory.user("me"), memory.user("me").conversation("c1")
    ids = [me.remember(f"The pump hums {number}", **_PUB).id for number in range(3)]
    talk.append("user", "The pump leaks", **_PUB)
    memory.user("other").remember("The pump hums", **_PUB)
    memory.embed_waiting()
    assert len(_vectors(memory)) == 1
    for memory_id in ids:
        me.forget(memory_id)
        assert len(_vectors(memory)) == 1
        assert memory.doctor() == ()
    me.forget(session="c1")
    assert _vectors(memory) == set()
    assert len(_vectors(memory, "other")) == 1
    assert _names(database) == {("Dvorakova 1 Brno", "village pub")}
    memory.user("other").forget(everything=True)
    assert _names(database) == set()
    assert memory.doctor() == ()
    assert memory.stats().pending_jobs == 0


def test_what_waits_is_forgotten_too(memory: Memory, database: str) -> None:
    me = memory.user("me")
    made = me.remember("The pump hums", **_PUB)
    me.forget(made.id)
    assert _names(database) == set()
    assert memory.stats().pending_jobs == 0
    assert memory.doctor() == ()


def test_a_place_that_is_called_otherwise(memory: Memory, database: str, clock: SteppingClock) -> None:
    me = memory.user("me")
    made = me.remember("The pump hums", **_PUB)
    memory.embed_waiting()
    me.update(made.id, place_label="supermarket")
    memory.embed_waiting()
    assert _names(database) == {("Dvorakova 1 Brno", "village pub"), ("Dvorakova 1 Brno", "supermarket")}
    assert _like(memory, "Dvorakova 1 Brno supermarket")["The pump hums"] == pytest.approx(1.0, abs=1e-5)
    assert memory.doctor() == ()
    me.update(made.id, content="The pump hums loudly")
    assert me.get(made.id).place_label == "supermarket"
    memory.embed_waiting()
    assert memory.doctor() == ()
    me.update(made.id, address="", place_label="")
    assert _names(database) == {("Dvorakova 1 Brno", "village pub"), ("Dvorakova 1 Brno", "supermarket")}
    me.forget(made.id)
    assert _names(database) == set()
    clock.advance(days=1)
    assert memory.doctor() == ()


def test_what_is_superseded_or_expired(memory: Memory, database: str, clock: SteppingClock) -> None:
    me = memory.user("me")
    about: dict[str, Any] = {"type": "fact", "subject": "pump", "key": "state"}
    me.remember("The pump hums", value="hums", place_label="cellar", **about)
    new = me.remember("The pump leaks", value="leaks", place_label="attic", **about)
    me.remember("The pump is new", place_label="shop", expires_at=clock.now().replace(year=2027))
    memory.embed_waiting()
    assert _names(database) == {("", "cellar"), ("", "attic"), ("", "shop")}
    clock.advance(days=500)
    memory.maintain()
    assert _names(database) == {("", "cellar"), ("", "attic")}
    me.forget(new.id)
    assert ("", "attic") not in _names(database)
    me.forget(everything=True)
    assert _names(database) == set()
    assert memory.doctor() == ()


@pytest.mark.on_both_stores
def test_another_model_makes_it_anew(memory: Memory) -> None:
    me = memory.user("me")
    me.remember("The pump hums", **_PUB)
    me.remember("The pump leaks", place_label="supermarket")
    memory.embed_waiting()
    before = _like(memory, "supermarket")
    memory.models.reembed(embedder=OtherWords(), wait=False)
    late = me.remember("The pump drips", place_label="late place")
    done = memory.models.reembed()
    assert done.state == "finished"
    assert {one.source: (one.items, one.vectors) for one in done.coverage}["place"] == (3, 3)
    after = _like(memory, "supermarket")
    assert after["The pump leaks"] == pytest.approx(before["The pump leaks"], abs=1e-5)
    assert (after["The pump hums"] or 0.0) < 0.5
    assert memory.doctor() == ()
    me.forget(late.id)
    memory.models.drop("test/word-sum")
    assert memory.doctor() == ()
    assert len(_vectors(memory)) == 2


def test_places_that_were_stored_while_vectors_were_off(open_places: OpenPlaces) -> None:
    with open_places(embedding__provider="none") as memory:
        memory.user("me").remember("The pump hums", **_PUB)
        assert memory.user("me").recall("pump", location="old tavern").hits[0].parts.place is None
    memory = open_places()
    memory.maintain()
    assert _like(memory, "Dvorakova 1 Brno village pub")["The pump hums"] == pytest.approx(1.0, abs=1e-5)
    assert memory.doctor() == ()


def test_a_failing_embedder_does_not_keep_places_from_being_stored(open_places: OpenPlaces) -> None:
    embedder = WordSum()
    memory = open_places(embedder=embedder)
    me = memory.user("me")
    embedder.fails = True
    me.remember("The pump hums", lat=49.2, lng=16.6, **_PUB)
    found = me.recall("pump", location=(49.2, 16.6))
    assert set(found.degraded) == {"vector"}
    found = me.recall("pump", location="village pub")
    assert set(found.degraded) == {"vector", "place"}
    assert found.hits[0].parts.place is not None  # the place is known by its label, and so is how far it is
    embedder.fails = False
    memory.maintain()
    assert memory.doctor() == ()


_SECRETS = ("zqxjkvbw", "wvbkjxqz", "kkqqzzww", "ppqqxxzz")


@pytest.mark.on_both_stores
def test_forgotten_places_leave_no_bytes(open_places: OpenPlaces, database: str) -> None:
    geocoder = Gazetteer()
    memory = open_places(geocoder)
    me, other = memory.user("me"), memory.user("other")
    me.remember("The pump hums", lat=49.2, lng=16.6, address=f"{_SECRETS[0]} street", place_label=_SECRETS[1])
    me.conversation("c1").append("user", "The pump leaks", lat=49.2, lng=16.6, place_label=_SECRETS[2])
    me.places.set(_SECRETS[3], (49.2, 16.6))
    me.recall("pump", location=(10.0, 20.0))
    other.remember("The pump drips", lat=-30.0, lng=30.0)
    memory.embed_waiting()
    assert other.list().items[0].address == address_of(-30.0, 30.0)
    traces = [*_SECRETS, address_of(49.2, 16.6), address_of(10.0, 20.0)]
    assert _left(database, traces) == traces
    me.places.forget(_SECRETS[3])
    assert _left(database, traces[3:4]) == []
    me.forget(everything=True)
    assert _left(database, traces) == []
    assert _left(database, [address_of(-30.0, 30.0)]) == [address_of(-30.0, 30.0)]
    assert memory.doctor() == ()


def _left(database: str, words: list[str]) -> list[str]:
    """Give the words that are still in a file or its log; on a server, in a table."""
    if not is_server(database):
        files = (Path(f"{database}{suffix}") for suffix in ("", "-wal"))
        raw = b"".join(file.read_bytes() for file in files if file.exists())
        return [word for word in words if word.encode() in raw]
    tables = ("memories", "messages", "places", "named_places", "geocodes", "embedding_cache")
    with plain(database) as store:
        there = {str(row[0]) for row in store.rows("SELECT table_name FROM information_schema.tables")}
        text = "".join(str(row) for table in tables if table in there for row in store.rows(f"SELECT * FROM {table}"))  # noqa: S608
    return [word for word in words if word in text]


def test_who_only_asked_leaves_nothing_either(open_places: OpenPlaces, database: str) -> None:
    """The location of a search is in the cache alone; forgetting everything empties it."""
    memory = open_places(Gazetteer())
    me = memory.user("me")
    me.remember("The pump hums")
    me.recall("pump", location=(10.0, 20.0))
    assert _left(database, [address_of(10.0, 20.0)]) != []
    me.forget(everything=True)
    assert _left(database, [address_of(10.0, 20.0)]) == []


@pytest.mark.on_both_stores
def test_the_id_of_a_place_is_that_of_its_names(memory: Memory, database: str) -> None:
    memory.user("me").remember("The pump hums", **_PUB)
    with plain(database) as store:
        (row,) = store.rows("SELECT CAST(place AS text) FROM memories")
    assert row == (place_id("Dvorakova 1 Brno", "village pub"),)
