"""Where something is: both coordinates or neither, on this globe, and a name that fits; or it is refused by name."""

import math
from collections.abc import Callable
from typing import Any

import apsw
import numpy as np
import psycopg
import pytest

from recollect import InvalidInput, Memory, UserMemory
from recollect.errors import InvalidMemory
from recollect.model.places import Location, place_id
from tests.fixtures import OpenMemory
from tests.storage.catalogue import plain

_WRONG: list[tuple[dict[str, Any], str]] = [
    ({"lat": 49.2}, "lng"),
    ({"lng": 16.6}, "lat"),
    ({"lat": 90.001, "lng": 0.0}, "lat"),
    ({"lat": -90.001, "lng": 0.0}, "lat"),
    ({"lat": 0.0, "lng": 180.001}, "lng"),
    ({"lat": 0.0, "lng": -181}, "lng"),
    ({"lat": math.nan, "lng": 0.0}, "lat"),
    ({"lat": 0.0, "lng": math.nan}, "lng"),
    ({"lat": math.inf, "lng": 0.0}, "lat"),
    ({"lat": 0.0, "lng": -math.inf}, "lng"),
    ({"lat": "49.2", "lng": 16.6}, "lat"),
    ({"lat": 49.2, "lng": "16.6"}, "lng"),
    ({"lat": True, "lng": 16.6}, "lat"),
    ({"lat": 49.2, "lng": False}, "lng"),
    ({"lat": 10**400, "lng": 0}, "lat"),
    ({"lat": 0, "lng": -(10**400)}, "lng"),
    ({"lat": np.float32(49), "lng": 0.0}, "lat"),
    ({"lat": 0.0, "lng": np.int64(5)}, "lng"),
    ({"lat": 1 + 0j, "lng": 0.0}, "lat"),
    ({"lat": [49.2], "lng": 16.6}, "lat"),
]
_TOO_LONG: list[tuple[dict[str, Any], str]] = [
    ({"address": "x" * 501}, "address"),
    ({"place_label": "x" * 201}, "place_label"),
]
_LONG_ENOUGH: dict[str, Any] = {"address": "ž" * 500, "place_label": "ß" * 200}


def test_a_memory_is_refused_with_the_field_named(here: UserMemory) -> None:
    made = here.remember("Elsewhere")
    for where, field in (*_WRONG, *_TOO_LONG):
        for store in (
            lambda where=where: here.remember("Somewhere", **where),
            lambda where=where: here.remember_many([{"content": "Somewhere", **where}]),
            lambda where=where: here.update(made.id, **where),
        ):
            with pytest.raises(InvalidMemory, match=rf"\b{field}\b"):
                store()
    assert [(one.content, one.lat) for one in here.list().items] == [("Elsewhere", None)]


def test_a_message_is_refused_with_the_field_named(here: UserMemory) -> None:
    talk = here.conversation("c1")
    for where, field in (*_WRONG, *_TOO_LONG):
        with pytest.raises(InvalidInput, match=rf"\b{field}\b"):
            talk.append("user", "Somewhere", **where)
    assert talk.messages() == ()


def test_a_location_is_refused_with_the_field_named(here: UserMemory) -> None:
    asks: list[Callable[[Location], object]] = [
        lambda location: here.recall("what?", location=location),
        lambda location: here.search_context("what?", location=location),
        lambda location: here.places.set("home", location),
        lambda location: here.places.reverse_geocode(location.lat, location.lng),  # type: ignore[arg-type]
    ]
    for where, field in _WRONG:
        for ask in asks:
            with pytest.raises(InvalidInput, match=rf"\b{field}\b"):
                ask(Location(where.get("lat"), where.get("lng")))


def test_what_was_asked_for_wrongly_is_named(here: UserMemory) -> None:
    for wrong in (0.09, 100.1, math.nan, math.inf, True, "5"):
        with pytest.raises(InvalidInput, match="radius_km"):
            here.recall("what?", location=(1.0, 2.0), radius_km=wrong)  # type: ignore[arg-type]
    for wrong in (-0.1, 1.1, math.nan, True, "1"):
        with pytest.raises(InvalidInput, match="location_weight"):
            here.recall("what?", location=(1.0, 2.0), location_weight=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="location_mode is 'near'"):
        here.recall("what?", location=(1.0, 2.0), location_mode="near")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="radius needs a location"):
        here.recall("what?", radius_km=5)
    with pytest.raises(InvalidInput, match="no place of yours is called 'nowhere'"):
        here.recall("what?", location="nowhere", radius_km=5)
    with pytest.raises(InvalidInput, match="location is empty"):
        here.recall("what?", location=" ")
    with pytest.raises(InvalidInput, match="it must be a pair"):
        here.recall("what?", location=(1.0,))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="address has 501 characters"):
        here.recall("what?", location=Location(address="x" * 501))
    with pytest.raises(InvalidInput, match="place_label has 201 characters"):
        here.recall("what?", location="x" * 201)
    with pytest.raises(InvalidInput, match="lat and lng"):
        here.places.reverse_geocode(None, None)  # type: ignore[arg-type]


def test_what_is_at_the_very_edge_is_kept(here: UserMemory) -> None:
    for number, (lat, lng) in enumerate([(90, 180), (-90, -180), (0, 0), (-0.0, 180.0), (5e-324, -1e-15)]):
        made = here.remember(f"At the edge {number}", lat=lat, lng=lng, **_LONG_ENOUGH)
        kept = here.get(made.id)
        assert (kept.lat, kept.lng, kept.address, kept.place_label) == (lat, lng, *_LONG_ENOUGH.values())
        assert type(kept.lat) is type(kept.lng) is float
        here.conversation("c1").append("user", f"At the edge {number}", lat=lat, lng=lng, **_LONG_ENOUGH)
        said = here.conversation("c1").messages()[-1]
        assert (said.lat, said.lng, said.address, said.place_label) == (lat, lng, *_LONG_ENOUGH.values())


def test_a_float_of_numpy_is_a_number_wherever_it_is_given(here: UserMemory) -> None:
    lat, lng = np.float64(49.25), np.float64(16.5)
    made = here.remember("Somewhere near", lat=lat, lng=lng)
    here.conversation("c1").append("user", "Somewhere near", lat=lat, lng=lng)
    assert type(here.get(made.id).lat) is float
    found = here.search_context("somewhere", location=(lat, lng), radius_km=np.float64(1.0))
    assert {hit.source for hit in found.hits} == {"memory", "request"}
    assert here.places.set("home", (lat, lng)).lat == 49.25


def test_a_place_comes_out_as_it_went_in(here: UserMemory) -> None:
    where: dict[str, Any] = {"lat": 49.1951, "lng": 16.6068, "address": "Dvořákova 1", "place_label": "the pub"}
    one = here.remember("I order the goulash here", **where)
    (many,) = here.remember_many([{"content": "I order the dumplings here", **where}])
    talk = here.conversation("c1")
    talk.append("user", "The beer is warm here", **where)
    for found in (here.get(one.id), here.get(many.id), talk.messages()[0]):
        assert (found.lat, found.lng, found.address, found.place_label) == (*where.values(),)
    for hit in here.search_context("goulash dumplings beer here").hits:
        assert hit.place is not None
        assert (hit.place.lat, hit.place.lng, hit.place.address, hit.place.label) == (*where.values(),)


_ROW = {"lat": "49.2", "lng": "16.6", "address": "''", "place_label": "''"}


_WRONG_ROWS = [
    {"lng": "NULL"},
    {"lat": "NULL"},
    {"lat": "90.1"},
    {"lat": "-90.1"},
    {"lng": "180.1"},
    {"lng": "-180.1"},
    {"address": f"'{'x' * 501}'"},
    {"place_label": f"'{'x' * 201}'"},
]


@pytest.mark.parametrize("table", ["memories", "messages"])
def test_the_schema_refuses_it_too(here: UserMemory, database: str, table: str) -> None:
    here.remember("Somewhere", lat=1.0, lng=2.0)
    here.conversation("c1").append("user", "Somewhere", lat=1.0, lng=2.0)

    def update(values: dict[str, str]) -> None:
        changes = ", ".join(f"{name} = {value}" for name, value in values.items())
        with plain(database) as store:
            store.rows(f"UPDATE {table} SET {changes}")  # noqa: S608 - fixed texts

    update(_ROW)
    for wrong in _WRONG_ROWS:
        with pytest.raises((apsw.ConstraintError, psycopg.errors.CheckViolation)):
            update(_ROW | wrong)


def test_a_server_that_is_told_of_no_number_refuses_it(here: UserMemory, database: str) -> None:
    here.remember("Somewhere", lat=1.0, lng=2.0)
    with plain(database) as store, pytest.raises((apsw.ConstraintError, psycopg.errors.CheckViolation)):
        store.rows("UPDATE memories SET lat = 'NaN'" if "://" in database else "UPDATE memories SET lat = 9e999")


def test_the_same_names_are_the_same_place() -> None:
    assert place_id("", "") is None
    assert place_id("a", "b") == place_id("a", "b")
    assert (
        len({place_id("a", "b"), place_id("ab", ""), place_id("", "ab"), place_id("a b", ""), place_id("", "a b")}) == 5
    )
    assert place_id("\ud800", "x") is not None


def test_without_a_location_places_do_nothing(open_memory: OpenMemory) -> None:
    """The same memories, in one store nowhere, in the other somewhere: the answers are the same bit for bit."""
    memory: Memory = open_memory()
    texts = [
        f"The {thing} of the {whose} is {colour}"
        for thing in ("door", "roof")
        for whose in ("pub", "school")
        for colour in ("red", "blue")
    ]
    plainly, placed = memory.user("plainly"), memory.user("placed")
    plainly.remember_many([{"content": text} for text in texts])
    placed.remember_many(
        [
            {"content": text, "lat": 49.0 + number, "lng": 16.0, "address": f"Street {number}", "place_label": "school"}
            for number, text in enumerate(texts)
        ]
    )
    for question in ("which door is red?", "the school", "Street 3", "roof -blue", '"the pub"'):
        answers = [user.recall(question, limit=20) for user in (plainly, placed)]
        seen = [[(hit.content, hit.score, hit.similarity, hit.parts) for hit in answer.hits] for answer in answers]
        assert seen[0] == seen[1]
        assert all(hit.parts.place is None for answer in answers for hit in answer.hits)
        memory.embed_waiting()  # the names of the places get their vectors
        again = placed.recall(question, limit=20)
        assert [(hit.content, hit.score, hit.similarity, hit.parts) for hit in again.hits] == seen[1]
