"""What a place does to a score: the formula holds, what is nowhere keeps its score, what is near is not overlooked."""

import random
from typing import Any

import pytest

from recollect import Hit, Memory, UserMemory
from recollect.model.geo import distance_km
from recollect.model.places import Location
from recollect.ranking import geo
from tests.congruence.twins import StillClock
from tests.places.conftest import OpenPlaces
from tests.places.gazetteer import Gazetteer
from tests.places.globe import CENTRES, destination, scattered

_PUB = CENTRES[7]
_SCALE_KM = 2.0


@pytest.fixture
def clock() -> StillClock:
    """A clock that stands still: nothing fades between two questions."""
    return StillClock()


@pytest.fixture
def memory(open_places: OpenPlaces) -> Memory:
    """A store without a geocoder, in which half of what is known is somewhere."""
    opened = open_places()
    me, chance = opened.user("me"), random.Random(1)
    spots = [destination(_PUB, chance.uniform(0, 6), 10 ** chance.uniform(-2, 2)) for _ in range(24)]
    for number, spot in enumerate(spots):
        where: dict[str, Any] = {"lat": spot.lat, "lng": spot.lng} if number % 2 else {}
        if number % 3 == 0:
            where["place_label"] = ("village pub", "supermarket", "railway station")[number % 9 // 3]
        words = " ".join(chance.sample(["pump", "hums", "leaks", "cellar", "valve", "red"], 3))
        me.remember(f"The {words} {number}", importance=chance.random(), **where)
        me.conversation("c1").append("user", f"Said {words} {number}", **where)
    opened.embed_waiting()
    return opened


def _insist_formula(hit: Hit, weight: float) -> None:
    part = hit.parts.place
    if part is None:
        return
    assert part.weight == weight
    assert abs((1 - part.weight) * part.content + part.weight * part.geo - hit.score) < 1e-9
    assert part.geo == max(part.nearness or 0.0, part.likeness or 0.0)
    assert 0.0 <= part.geo <= 1.0
    if part.distance_km is not None and part.nearness is not None:
        assert abs(part.nearness - 0.5 ** (part.distance_km / _SCALE_KM)) < 1e-12
        assert hit.place is not None
        assert hit.place.lat is not None
        assert hit.place.lng is not None
        assert part.distance_km == distance_km(*_PUB, hit.place.lat, hit.place.lng)


@pytest.mark.on_both_stores
@pytest.mark.parametrize("mode", ["boost", "semantic"])
def test_the_formula_holds(memory: Memory, mode: Any) -> None:
    me = memory.user("me")
    content = {hit.id: hit for hit in me.search_context("pump hums cellar", limit=100, only_related=False).hits}
    for weight in (0.0, 0.3, 0.5, 1.0):
        location = Location(*_PUB, place_label="supermarket")
        found = me.search_context(
            "pump hums cellar",
            limit=100,
            location=location,
            location_weight=weight,
            location_mode=mode,
            only_related=False,
        )
        assert found.degraded == ()
        assert {hit.id for hit in found.hits} == content.keys()
        assert any(hit.parts.place for hit in found.hits) or (weight == 0 and mode == "semantic")
        for hit in found.hits:
            _insist_formula(hit, weight)
            part, plain = hit.parts.place, content[hit.id]
            if part is None:
                assert (hit.score, hit.parts) == (plain.score, plain.parts)  # bit for bit
                assert mode == "semantic" or hit.place is None or hit.place.lat is None
            else:
                assert part.content == plain.score
                assert part.nearness is None or mode == "boost"
            if hit.place is None:
                assert part is None
        scores = [hit.score for hit in found.hits]
        assert scores == sorted(scores, reverse=True)


def test_scores_that_are_cut_keep_the_order_of_their_content(open_places: OpenPlaces) -> None:
    """A preferred memory of great importance is worth more than 1 before it is shown."""
    me = open_places(recall__importance_weight=1.0).user("me")
    for number in range(8):
        where: dict[str, Any] = {"lat": _PUB.lat, "lng": _PUB.lng} if number % 2 else {}
        me.remember(f"pump {'hums ' * (number + 1)}", type="preference", importance=1.0 - number / 100, **where)
    plain = me.recall("pump hums", prefer="preference", limit=20).hits
    placed = me.recall("pump hums", prefer="preference", limit=20, location=_PUB, location_weight=0.0).hits
    assert sum(hit.score == 1.0 for hit in plain) > 1, "nothing is cut here"
    assert [hit.id for hit in placed] == [hit.id for hit in plain]


@pytest.mark.on_both_stores
@pytest.mark.parametrize(
    ("amount", "vectors"),
    [
        pytest.param(300, "words", marks=pytest.mark.slow),
        pytest.param(300, "words and vectors", marks=pytest.mark.slow),
        pytest.param(460, "words", marks=pytest.mark.slow),
        (460, "words and vectors"),
    ],
)
def test_what_is_near_comes_in_however_far_down_it_is(open_places: OpenPlaces, vectors: str, amount: int) -> None:
    """More others than are looked at say more to the question, and they are far away."""
    settings: dict[str, Any] = {"embedding__provider": "none"} if vectors == "words" else {}
    memory = open_places(**settings)
    me = memory.user("me")
    far = destination(_PUB, 1.0, 500.0)
    me.remember_many(
        [{"content": f"Lunch menu: lunch {number} lunch", "lat": far.lat, "lng": far.lng} for number in range(amount)]
    )
    filler = " ".join(f"word{number}" for number in range(60))
    me.remember(f"Here lunch is {filler}", lat=_PUB.lat, lng=_PUB.lng, importance=0.1)
    assert "Here lunch" not in "".join(hit.content for hit in me.recall("lunch menu", limit=5).hits)
    found = me.recall("lunch menu", limit=5, location=_PUB, location_weight=0.5)
    assert found.hits[0].content.startswith("Here lunch")
    for number in range(amount):
        if number % 10 == 0:
            me.conversation("c1").append("user", f"Lunch menu: lunch {number} lunch", lat=far.lat, lng=far.lng)
    me.conversation("c2").append("user", f"Said here: lunch is {filler}", lat=_PUB.lat, lng=_PUB.lng)
    memory.embed_waiting()
    said = me.search_context("lunch menu", limit=5, sources=("request",), location=_PUB, location_weight=0.6)
    assert said.hits[0].content.startswith("Said here")


def test_places_that_are_called_alike(memory: Memory) -> None:
    me = memory.user("me")
    found = me.recall("pump", limit=50, location="supermarket", location_mode="semantic", location_weight=1.0).hits
    assert {hit.place.label for hit in found[:4] if hit.place} == {"supermarket"}
    parts = [hit.parts.place for hit in found if hit.place and hit.place.label == "supermarket"]
    assert all(part and part.likeness and part.likeness > 0.99 for part in parts)
    assert all(part.nearness is None for part in parts if part)
    others = [hit.parts.place for hit in found if hit.place and hit.place.label == "railway station"]
    assert others
    assert all(part and part.likeness is not None and part.likeness < 0.5 for part in others)


def test_a_kind_of_place_is_like_one_that_is_called_so(open_places: OpenPlaces) -> None:
    for provider in ("local", "none"):
        me = open_places(embedding__provider=provider).user(provider)
        me.remember("The pump hums", lat=_PUB.lat, lng=_PUB.lng, place_label="Opera Bar")
        me.remember("The old pump leaks", lat=50.0, lng=14.0, place_label="Barber")
        found = me.recall("pump", location="bar", location_weight=0.5).hits
        likeness = {hit.place.label: hit.parts.place.likeness for hit in found if hit.place and hit.parts.place}
        assert found[0].content == "The pump hums"
        assert likeness["Opera Bar"] == 1
        assert (likeness.get("Barber") or 0) < 0.9


def test_a_place_is_named_by_the_geocoder(open_places: OpenPlaces) -> None:
    geocoder = Gazetteer()
    memory = open_places(geocoder)
    me = memory.user("me")
    me.remember("The pump hums", lat=_PUB.lat, lng=_PUB.lng)
    me.remember("The pump leaks", lat=50.0, lng=14.0)
    memory.embed_waiting()
    found = me.recall("pump", location=_PUB, location_mode="semantic")
    assert found.degraded == ()
    like = {hit.content: hit.parts.place.likeness for hit in found.hits if hit.parts.place}
    assert (like["The pump hums"] or 0.0) > 0.99 > (like["The pump leaks"] or 0.0)


def test_what_a_turn_is_given(memory: Memory) -> None:
    me = memory.user("me")
    near = destination(_PUB, 0.0, 0.1)
    me.remember("pump hums cellar exactly here", lat=near.lat, lng=near.lng)
    context = me.before_prompt("Does my pump hum in the cellar exactly here?", session="now", location=_PUB)
    assert "exactly here" in context.block
    said = me.conversation("now").messages()[0]
    assert (said.lat, said.lng) == _PUB


def test_a_message_is_learned_where_it_is_said(open_places: OpenPlaces) -> None:
    me = open_places().user("me")
    me.before_prompt(
        "Remember that the key is under the mat", session="s", location=Location(*_PUB, place_label="home")
    )
    me.after_turn(
        [{"role": "user", "content": "Remember that the key is under the mat"}, {"role": "assistant", "content": "ok"}],
        session="s",
    )
    (learned,) = [record for record in me.list().items if "key" in record.content]
    assert (learned.lat, learned.lng, learned.place_label) == (*_PUB, "home")


def test_the_parts_of_a_score() -> None:
    assert geo.nearness(0.0, 2.0) == 1.0
    assert geo.nearness(2.0, 2.0) == 0.5
    assert geo.nearness(4.0, 2.0) == 0.25
    assert geo.nearness(20_000.0, 0.001) == 0.0
    assert [geo.likeness(cosine) for cosine in (-1.0, 0.25, 1.0, 1.5)] == [0.0, 0.0, 1.0, 1.0]
    assert geo.place_part(0.5, 0.3, 1.0, 0.2, 0.6).geo == 0.6
    assert geo.place_part(0.5, 0.3, 1.0, 0.7, 0.6).geo == 0.7
    assert geo.place_part(0.5, 0.3, None, None, 0.0).geo == 0.0
    assert geo.blend(geo.place_part(0.5, 0.3, 1.0, 1.0, None)) == pytest.approx(0.65)


@pytest.mark.on_both_stores
def test_points_all_over_the_globe_are_weighed(open_places: OpenPlaces) -> None:
    me: UserMemory = open_places().user("me")
    points = scattered(60, random.Random(2))
    me.remember_many([{"content": f"pump {n}", "lat": p.lat, "lng": p.lng} for n, p in enumerate(points)])
    for centre in CENTRES:
        for hit in me.recall("pump", limit=100, location=centre).hits:
            assert hit.parts.place is not None
            assert 0.0 <= hit.score <= 1.0
