"""A circle holds what is inside it and nothing else, whatever else is asked for, on both stores, all over the globe."""

import math
import random
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import NewMessage, UserMemory
from recollect.model.filters import Filters, ItemFilters, MessageFilters
from recollect.model.geo import Circle, Point, distance_km
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.places import Location
from recollect.storage.base import StoreReader
from tests.congruence.twins import WordSum, examples
from tests.fixtures import SteppingClock
from tests.places.conftest import OpenPlaces
from tests.places.globe import CENTRES, apart_km, circles, destination, insist_inside, scattered
from tests.sizes import sized

_FEW, _MORE = 290, 360  # a user with few rows is kept in memory whole on SQLite
_CIRCLES = sized(3, 160)
_TYPES = ("fact", "event", "preference")


def _numbered(contents: Any) -> set[int]:
    return {int(one.content.rpartition(" ")[2]) for one in contents}


def _store(me: UserMemory, points: list[Point]) -> None:
    me.remember_many(
        [
            {
                "content": f"The pump hums {number}",
                "lat": point.lat,
                "lng": point.lng,
                "type": _TYPES[number % 3],
                "session": f"s{number % 2}",
            }
            for number, point in enumerate(points)
        ]
    )


def _all_ways(me: UserMemory, wanted: ItemFilters) -> set[frozenset[str]]:
    """Give what each of the store's ways of searching finds; they must be the same."""
    space, vector = WordSum.space, WordSum().embed(["pump"], "query")[0]

    def look(reader: Any) -> set[frozenset[str]]:
        ways = [
            frozenset(row.id for row in reader.text_candidates(["pump"], wanted, 10_000).rows),
            frozenset(row.id for row in reader.nearest(space, vector, wanted, 10_000)),
        ]
        if isinstance(wanted, Filters):
            ways += [
                frozenset(row.id for row in reader.select(wanted, 10_000)),
                frozenset(row.id for row in reader.timeline(wanted, 10_000)),
            ]
            assert reader.count(wanted) == len(ways[-1])
        else:
            ways.append(frozenset(row.id for row in reader.said_between(wanted, 10_000)))
        return set(ways)

    return me._engine.store.read(Scope(me.user_id), look)


@pytest.mark.parametrize("amount", [_FEW, _MORE], ids=["few", "more"])
def test_what_is_inside_is_found(here: UserMemory, amount: int) -> None:
    chance = random.Random(amount)
    points = scattered(amount, chance)
    _store(here, points)
    ids = {record.id: record for record in here.list(limit=1_000).items}
    now = here._engine.clock.now()
    for circle in circles(_CIRCLES, chance):
        (found,) = _all_ways(here, Filters(now, near=circle))
        insist_inside(points, circle, _numbered(ids[one] for one in found))
        (some,) = _all_ways(here, Filters(now, near=circle, types=("fact", "event"), session="s1"))
        assert some == {one for one in found if ids[one].type in ("fact", "event") and ids[one].session == "s1"}
        hits = here.recall("pump hums", location=(circle.lat, circle.lng), radius_km=circle.radius_km, limit=1_000).hits
        assert {hit.id for hit in hits} == found
        hits = here.recall(
            "pump", location=(circle.lat, circle.lng), radius_km=circle.radius_km, limit=1_000, type="fact"
        ).hits
        assert {hit.id for hit in hits} == {one for one in found if ids[one].type == "fact"}
    for circle in circles(3, chance, most_km=20_000.0):  # larger than a search allows
        (found,) = _all_ways(here, Filters(now, near=circle))
        insist_inside(points, circle, _numbered(ids[one] for one in found))


def test_messages_that_were_sent_inside_are_found(open_places: OpenPlaces) -> None:
    memory = open_places()
    here = memory.user("me")
    chance = random.Random(3)
    points = scattered(sized(60, 290), chance)
    for part in range(2):
        here.after_turn(
            [
                NewMessage("user", f"The pump hums {number}", lat=point.lat, lng=point.lng)
                for number, point in enumerate(points)
                if number % 2 == part
            ],
            session=f"s{part}",
        )
    here.conversation("s0").append("user", "The pump hums nowhere")
    memory.embed_waiting()
    said = {one.id: one for name in ("s0", "s1") for one in here.conversation(name).messages(limit=1_000)}
    for circle in circles(_CIRCLES, chance):
        (found,) = _all_ways(here, MessageFilters(near=circle))
        insist_inside(points, circle, _numbered(said[one] for one in found))
        (some,) = _all_ways(here, MessageFilters(near=circle, conversation="s1", excluded=tuple(sorted(found)[:2])))
        assert some == {one for one in found if said[one].conversation == "s1"} - set(sorted(found)[:2])
        where: dict[str, Any] = {"location": (circle.lat, circle.lng), "radius_km": circle.radius_km, "limit": 1_000}
        assert {hit.id for hit in here.search_context("pump hums", **where).hits if hit.source != "memory"} == found
        in_session = here.search_context("pump hums", session="s1", **where).hits
        assert {hit.id for hit in in_session if hit.source != "memory"} == {
            one for one in found if said[one].conversation == "s1"
        }


def test_what_has_nothing_to_do_with_the_question_is_inside_all_the_same(here: UserMemory) -> None:
    spots = [destination(CENTRES[7], bearing, 4.0) for bearing in range(5)]
    here.remember_many(
        [{"content": f"Goulash {number}", "lat": spot.lat, "lng": spot.lng} for number, spot in enumerate(spots)]
    )
    here.remember("Goulash nowhere")
    found = here.recall("unrelated", location=CENTRES[7], radius_km=5.0).hits
    assert _numbered(hit for hit in found) == set(range(5))


def test_a_point_on_the_circle_is_judged_alike_everywhere(here: UserMemory) -> None:
    chance = random.Random(5)
    points = scattered(60, chance)
    _store(here, points)
    ids = {record.id: record for record in here.list(limit=1_000).items}
    now = here._engine.clock.now()
    for number in range(0, 60, 3):
        centre = points[number]
        for other in points[number + 1 : number + 3]:
            circle = Circle(*centre, distance_km(*centre, *other))
            (found,) = _all_ways(here, Filters(now, near=circle))
            assert _numbered(ids[one] for one in found) == {n for n, point in enumerate(points) if circle.holds(*point)}


def test_a_circle_in_time(here: UserMemory, clock: SteppingClock) -> None:
    pub, school = CENTRES[7], destination(CENTRES[7], 1.0, 50.0)
    moved = here.remember("The pump hums", lat=pub.lat, lng=pub.lng)
    stays = here.remember("The pump leaks", lat=pub.lat, lng=pub.lng)
    clock.advance(days=1)
    before = clock.now()
    clock.advance(days=1)
    here.update(moved.id, lat=school.lat, lng=school.lng)
    after = clock.now()
    clock.advance(days=1)

    def found(where: Point, **more: Any) -> set[str]:
        return {hit.content for hit in here.recall("pump", location=where, radius_km=10, **more).hits}

    assert found(pub) == {"The pump leaks"}
    assert found(school) == {"The pump hums"}
    assert found(pub, as_of=before) == {"The pump hums", "The pump leaks"}
    assert found(school, as_of=before) == set()
    assert found(pub, as_of=after) == {"The pump leaks"}
    assert found(pub, since=after) == set()
    assert found(pub, until=before) == {"The pump leaks"}
    here.forget(stays.id)
    assert found(pub) == set()
    assert found(pub, as_of=before) == {"The pump hums"}


def test_files_are_nowhere(here: UserMemory, tmp_path: Any) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "pump.md").write_text("The pump hums in the cellar", encoding="utf-8")
    here.files.sync(tmp_path / "notes")
    here.remember("The pump leaks", lat=1.0, lng=2.0)
    assert len(here.recall("pump", files=True).hits) == 2
    assert len(here.recall("pump", files=True, location=(1.0, 2.0)).hits) == 2
    assert [hit.source for hit in here.recall("pump", files=True, location=(1.0, 2.0), radius_km=1).hits] == ["memory"]


def test_a_circle_around_a_place_of_ones_own(here: UserMemory, clock: SteppingClock) -> None:
    here.remember("The pump hums", lat=49.2, lng=16.6, place_label="the  Pub")
    here.remember("The pump leaks", lat=50.2, lng=16.6)
    for location in ("THE PUB", Location(place_label="the pub"), (49.2001, 16.6)):
        assert [hit.content for hit in here.recall("pump", location=location, radius_km=1).hits] == ["The pump hums"]
    here.places.set("the pub", (50.2, 16.6))
    assert [hit.content for hit in here.recall("pump", location="the pub", radius_km=1).hits] == ["The pump leaks"]
    assert clock.now() - here.places.named()[0].updated_at < timedelta(minutes=1)


@examples(sized(60, 20_000))
@given(
    lat=st.floats(-90, 90) | st.sampled_from([-90.0, 90.0, 0.0, 89.99999, -89.99999]),
    lng=st.floats(-180, 180) | st.sampled_from([-180.0, 180.0, 179.99999, 0.0]),
    bearing=st.floats(0, 2 * math.pi),
    share=st.floats(0, 1.5),
    radius_km=st.floats(0.1, 100) | st.floats(100, 20_010),
)
def test_the_boxes_hold_the_circle(lat: float, lng: float, bearing: float, share: float, radius_km: float) -> None:
    centre, circle = Point(lat, lng), Circle(lat, lng, radius_km)
    point = destination(centre, bearing, share * radius_km)
    inside = any(b.south <= point.lat <= b.north and b.west <= point.lng <= b.east for b in circle.boxes())
    apart = apart_km(centre, point)
    if abs(apart - radius_km) > 1e-4 * max(1.0, radius_km / 1_000):
        assert circle.holds(*point) == (apart < radius_km)
    assert inside or not circle.holds(*point)


def test_many_points_and_circles(open_places: OpenPlaces) -> None:
    """Every point against every circle: two thousand pairs, or more than a hundred thousand in full size."""
    me = open_places(embedding__provider="none").user("crowd")
    chance = random.Random(sized(11, 12))
    points = scattered(sized(300, 1_000), chance)
    _store(me, points)
    numbers = {record.id: int(record.content.rpartition(" ")[2]) for record in me.list(limit=1_000).items}
    now = me._engine.clock.now()
    for circle in circles(sized(7, 110), chance):
        wanted = Filters(now, near=circle)
        found = me._engine.store.read(Scope("crowd"), partial(_selected, wanted))
        insist_inside(points, circle, {numbers[record.id] for record in found})


def _selected(wanted: Filters, reader: StoreReader) -> Sequence[MemoryRecord]:
    return reader.select(wanted, 10_000)
