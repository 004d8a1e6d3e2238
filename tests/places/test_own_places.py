"""Places of one's own: those that have a name, those at which things cluster, and how exactly they are kept."""

from datetime import timedelta
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NotFound, UserMemory
from recollect.engine.places import user_places
from recollect.model.geo import CITY, DISTRICT, STREET
from recollect.model.places import Location
from tests.fixtures import SteppingClock
from tests.places.conftest import OpenPlaces
from tests.places.gazetteer import Gazetteer, address_of
from tests.storage.catalogue import plain

_PUB = (49.19514, 16.60683)
_SCHOOL = (50.08804, 14.42076)


def test_a_place_is_named_moved_and_forgotten(here: UserMemory) -> None:
    made = here.places.set("  The Pub ", Location(*_PUB, address="Street 1"))
    assert (made.name, made.lat, made.lng, made.address) == ("The Pub", *_PUB, "Street 1")
    assert here.places.named() == (made,)
    for name in ("The Pub", "the pub", "THE  PUB"):
        assert here.places.get(name) == Location(*_PUB, "Street 1", "The Pub")
    moved = here.places.set("the PUB", _SCHOOL)
    assert here.places.named() == (moved,)
    here.places.set("école", _PUB)
    assert [place.name for place in here.places.named()] == ["the PUB", "école"]
    here.places.forget("The pub")
    assert [place.name for place in here.places.named()] == ["école"]
    for ask in (here.places.get, here.places.forget):
        with pytest.raises(NotFound, match="'The pub'"):
            ask("The pub")


def test_names_that_make_no_sense(here: UserMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, location, why in (
        ("", _PUB, "name of the place is empty"),
        ("x" * 201, _PUB, "place_label has 201"),
        ("home", "Brno", "Give lat and lng"),
        ("home", Location(address="Street"), "Give lat and lng"),
        ("home", Location(*_PUB, address="x" * 501), "address has 501"),
        ("home", (91.0, 0.0), "lat is 91.0"),
        ("home", 5, "must be a pair"),
    ):
        with pytest.raises(InvalidInput, match=why):
            here.places.set(name, location)  # type: ignore[arg-type]
    assert here.places.named() == ()
    monkeypatch.setattr(user_places, "_MOST_NAMED", 2)
    for name in ("one", "two", "ONE"):  # the last is one of them, which moves
        here.places.set(name, _PUB)
    with pytest.raises(InvalidInput, match="have names already"):
        here.places.set("three", _PUB)


def test_each_user_has_places_of_their_own(open_places: OpenPlaces) -> None:
    memory = open_places()
    memory.user("me").places.set("home", _PUB)
    memory.user("other").places.set("home", _SCHOOL)
    assert memory.user("me").places.get("home").lat == _PUB[0]
    memory.user("other").forget(everything=True)
    assert memory.user("other").places.named() == ()
    assert len(memory.user("me").places.named()) == 1
    with pytest.raises(NotFound):
        memory.user("other").places.get("home")


def test_a_label_leads_to_the_latest_item_with_it(here: UserMemory, clock: SteppingClock) -> None:
    here.remember("The pump hums", lat=_PUB[0], lng=_PUB[1], place_label="Office")
    assert here.places.get("office") == Location(*_PUB, "", "Office")
    clock.advance(days=1)
    here.conversation("c1").append("user", "The pump leaks", lat=_SCHOOL[0], lng=_SCHOOL[1], place_label="OFFICE")
    assert here.places.get("office").lat == _SCHOOL[0]
    clock.advance(days=1)
    old = here.remember(
        "The pump drips", lat=1.0, lng=2.0, place_label="office", expires_at=clock.now() + timedelta(days=1)
    )
    assert here.places.get("office").lat == 1.0
    clock.advance(days=2)
    assert here.places.get("office").lat == _SCHOOL[0], "what has expired is nowhere any more"
    here.forget(old.id)
    here.places.set("office", (3.0, 4.0))
    assert here.places.get("office").lat == 3.0
    here.remember("The pump stops", place_label="cellar")
    with pytest.raises(NotFound):
        here.places.get("cellar")


def test_the_places_of_a_user(here: UserMemory, clock: SteppingClock) -> None:
    assert here.places.list() == ()
    for number in range(3):
        here.remember(f"The pump hums {number}", lat=_PUB[0] + number / 10_000, lng=_PUB[1], place_label="pub")
        clock.advance(days=1)
    here.remember("The pump leaks", lat=_SCHOOL[0], lng=_SCHOOL[1], address="School Street")
    here.conversation("c1").append("user", "The pump drips", lat=_SCHOOL[0], lng=_SCHOOL[1])
    here.remember("Nowhere")
    here.places.set("school", _SCHOOL)
    pub, school = here.places.list()
    assert (pub.name, pub.memories, pub.messages, pub.visits, pub.named) == ("pub", 3, 0, 3, False)
    assert (school.name, school.memories, school.messages, school.visits, school.named) == ("school", 1, 1, 1, True)
    assert here.places.list(limit=1) == (pub,)
    with pytest.raises(InvalidInput, match="limit"):
        here.places.list(limit=0)


_GRIDS = {"street": STREET, "district": DISTRICT, "city": CITY}


@pytest.mark.parametrize("precision", _GRIDS)
def test_places_are_kept_as_exactly_as_is_said(open_places: OpenPlaces, database: str, precision: str) -> None:
    geocoder = Gazetteer()
    memory = open_places(geocoder, places__precision=precision)
    me, coarse = memory.user("me"), _GRIDS[precision].rounded(*_PUB)
    where: dict[str, Any] = {"lat": _PUB[0], "lng": _PUB[1], "address": "Exactly Street 1", "place_label": "pub"}
    kept_address = "" if precision == "city" else "Exactly Street 1"
    one, (many,) = me.remember("The pump hums", **where), me.remember_many([{"content": "The pump leaks", **where}])
    me.conversation("c1").append("user", "The pump drips", **where)
    me.before_prompt("Where is the pump?", session="c2", location=Location(**where))
    me.places.set("home", Location(*_PUB, address="Exactly Street 1"))
    moved = me.remember("The pump moves")
    me.update(moved.id, **where)
    found: list[Any] = [me.get(one.id), me.get(many.id), me.get(moved.id), *me.places.named()]
    found += [me.conversation(name).messages()[0] for name in ("c1", "c2")]
    for item in found:
        assert (item.lat, item.lng, item.address) == (*coarse, kept_address)
    me.update(one.id, content="The pump hums loudly")
    assert (me.get(one.id).lat, me.get(one.id).lng, me.get(one.id).address) == (*coarse, kept_address)
    memory.maintain()
    assert me.get(one.id).address == (kept_address or address_of(*coarse))
    with plain(database) as store:
        everything = "".join(
            str(store.rows(f"SELECT * FROM {table}"))  # noqa: S608 - fixed names
            for table in ("memories", "messages", "places", "named_places", "geocodes", "jobs")
        )
    assert str(_PUB[0]) not in everything
    assert str(_PUB[1]) not in everything
    assert ("Exactly Street" in everything) == (precision != "city")
    assert memory.doctor() == ()


def test_a_place_that_was_kept_exactly_stays_so(open_places: OpenPlaces) -> None:
    with open_places() as memory:
        made = memory.user("me").remember("The pump hums", lat=_PUB[0], lng=_PUB[1], address="Street 1")
    with open_places(places__precision="city") as memory:
        me = memory.user("me")
        me.update(made.id, content="The pump leaks", importance=0.9)
        assert (me.get(made.id).lat, me.get(made.id).lng, me.get(made.id).address) == (*_PUB, "Street 1")
        me.update(made.id, place_label="pub")
        assert (me.get(made.id).lat, me.get(made.id).address, me.get(made.id).place_label) == (
            _PUB[0],
            "Street 1",
            "pub",
        )
        me.update(made.id, lat=_SCHOOL[0], lng=_SCHOOL[1])
        assert (me.get(made.id).lat, me.get(made.id).lng, me.get(made.id).address) == (*CITY.rounded(*_SCHOOL), "")
        me.update(made.id, lat=None, lng=None)
        assert (me.get(made.id).lat, me.get(made.id).lng) == (None, None)
        assert memory.doctor() == ()


def test_what_makes_no_sense_is_refused_however_exactly_places_are_kept(open_places: OpenPlaces) -> None:
    me = open_places(places__precision="city").user("me")
    for wrong in ({"lat": 91.0, "lng": 0.0}, {"lat": "x", "lng": 0.0}, {"lat": 1.0}, {"lat": float("nan"), "lng": 1.0}):
        with pytest.raises(InvalidInput, match=r"lat|lng"):
            me.remember("The pump hums", **wrong)
    for lat, lng in ((90, 180), (-90, -180), (0, 180), (89.99999, 0)):
        kept = me.get(me.remember(f"The pump hums {lat} {lng}", lat=lat, lng=lng).id)
        assert kept.lat is not None
        assert kept.lng is not None
        assert -90 <= kept.lat <= 90
        assert -180 <= kept.lng <= 180


def test_secrets_are_no_part_of_a_place(open_places: OpenPlaces, database: str) -> None:
    memory: Memory = open_places()
    me = memory.user("me")
    hidden = "<private>door code 58203917</private>"
    me.remember("The pump hums", lat=1.0, lng=2.0, address=f"Street 1 {hidden}", place_label=f"pub {hidden}")
    me.conversation("c1").append("user", "The pump leaks", lat=1.0, lng=2.0, address=f"Street 1 {hidden}")
    me.places.set(f"home {hidden}", Location(1.0, 2.0, address=f"Street 1 {hidden}"))
    with plain(database) as store:
        for table in ("memories", "messages", "places", "named_places"):
            assert "58203917" not in str(store.rows(f"SELECT * FROM {table}"))  # noqa: S608 - fixed names
