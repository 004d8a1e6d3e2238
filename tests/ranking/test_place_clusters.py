"""Which places there are: what lies close together is one place, whatever the order in which it was seen."""

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from recollect.model.geo import Point, distance_km
from recollect.model.places import NamedPlace, PlaceSummary, Sighting
from recollect.ranking.geo import summarize
from tests.congruence.twins import examples
from tests.places.globe import CENTRES, destination
from tests.rows import every
from tests.sizes import sized

_NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
_HOME = NamedPlace("home", 49.2, 16.6, "Home Street 1", _NOON)


def _seen(
    spot: tuple[float, float], label: str = "", address: str = "", *, message: bool = False, days: float = 0
) -> Sighting:
    return Sighting(*spot, address, label, "message" if message else "memory", _NOON + timedelta(days=days))


def _places(*seen: Sighting, named: tuple[NamedPlace, ...] = (), limit: int = 100) -> tuple[PlaceSummary, ...]:
    return summarize(seen, named, limit, UTC)


def test_nothing_is_nowhere() -> None:
    assert _places() == ()
    assert _places(named=(_HOME,)) == ()


@every("middle", CENTRES)
def test_what_lies_close_together_is_one_place(middle: Point) -> None:
    """All around a spot, also at a pole and on both sides of the meridian at which longitudes begin."""
    around = [destination(middle, bearing, 0.12) for bearing in range(7)]
    far = [destination(middle, bearing, 30.0) for bearing in (1, 4)]
    (one, *others) = _places(*map(_seen, [*around, middle, *far]))
    assert (one.memories, [other.memories for other in others]) == (8, [1, 1])
    assert distance_km(*middle, one.lat, one.lng) < 0.25
    assert one.radius_km <= 0.25
    assert -180 <= one.lng <= 180


@examples(sized(60, 2_000))
@given(
    spots=st.lists(
        st.tuples(
            st.sampled_from(CENTRES),
            st.floats(0, 6.2),
            st.floats(0, 3),
            st.sampled_from(["", "pub", "shop"]),
            st.booleans(),
        ),
        max_size=25,
    ),
    seed=st.integers(0, 100),
)
def test_the_order_does_not_matter(spots: list[tuple[Point, float, float, str, bool]], seed: int) -> None:
    seen = [
        _seen(destination(where, bearing, km), label, f"{label} street" if message else "", message=message, days=n % 3)
        for n, (where, bearing, km, label, message) in enumerate(spots)
    ]
    named = (_HOME, NamedPlace("pole", 90.0, 0.0, "", _NOON), NamedPlace("date line", 0.0, 180.0, "", _NOON))
    found = _places(*seen, named=named)
    shuffled = random.Random(seed).sample(seen, len(seen))
    assert _places(*shuffled, named=named) == found
    assert _places(*reversed(seen), named=named) == found
    assert sum(place.memories + place.messages for place in found) == len(seen)


@examples(sized(200, 5_000))
@given(where=st.sampled_from(CENTRES), bearing=st.floats(0, 6.2), start=st.floats(0, 50), turn=st.floats(0, 6.2))
def test_what_is_closer_than_half_a_cell_is_at_the_same_place(
    where: Point, bearing: float, start: float, turn: float
) -> None:
    one = destination(where, bearing, start)
    assert len(_places(_seen(one), _seen(destination(one, turn, 0.27)))) == 1


def test_what_a_place_is_called() -> None:
    spot = (49.2, 16.6)
    (place,) = _places(
        _seen(spot, "pub", "Street 1"),
        _seen(spot, "pub", "Street 2"),
        _seen(spot, "bar", "Street 2"),
        _seen(spot),
        _seen(spot, message=True, days=1),
    )
    assert (place.name, place.labels, place.address) == ("pub", ("pub", "bar"), "Street 2")
    assert (place.memories, place.messages, place.visits) == (4, 1, 2)
    assert (place.first_visit, place.last_visit, place.named) == (_NOON, _NOON + timedelta(days=1), False)
    assert _places(_seen(spot, address="Street 1"))[0].name == "Street 1"
    assert _places(_seen(spot))[0].name == "49.2000,16.6000"


def test_a_name_that_was_given_wins() -> None:
    near, far = destination(Point(49.2, 16.6), 1.0, 0.4), destination(Point(49.2, 16.6), 1.0, 0.8)
    found = _places(_seen(near, "pub", "Street 1"), _seen(far, "pub"), named=(_HOME,))
    assert [(place.name, place.named) for place in found] == [("home", True), ("pub", False)] or [
        (place.name, place.named) for place in found
    ] == [("pub", False), ("home", True)]
    home = next(place for place in found if place.named)
    assert (home.lat, home.lng, home.address, home.labels) == (49.2, 16.6, "Home Street 1", ("pub",))
    closer = NamedPlace("closer", near.lat, near.lng, "", _NOON)
    assert {place.name for place in _places(_seen(near), named=(_HOME, closer))} == {"closer"}
    assert {place.name for place in _places(_seen(near), named=(closer, _HOME))} == {"closer"}


@every("where", CENTRES)
def test_a_name_reaches_as_far_as_it_should(where: Point) -> None:
    home = NamedPlace("home", *where, "", _NOON)
    for bearing in range(7):
        assert _places(_seen(destination(where, bearing, 0.49)), named=(home,))[0].named
        assert not _places(_seen(destination(where, bearing, 0.51)), named=(home,))[0].named


def test_visits_are_counted_by_local_days() -> None:
    late = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    seen = [Sighting(49.2, 16.6, "", "", "memory", late + timedelta(hours=hours)) for hours in (0, 0.2, 1)]
    assert summarize(seen, (), 10, UTC)[0].visits == 2
    assert summarize(seen, (), 10, ZoneInfo("Europe/Prague"))[0].visits == 1


def test_where_most_was_comes_first() -> None:
    spots = [(10.0 + number, 20.0) for number in range(5)]
    seen = [_seen(spot, days=day) for number, spot in enumerate(spots) for day in range(number + 1)]
    assert [place.lat for place in _places(*seen)] == [14.0, 13.0, 12.0, 11.0, 10.0]
    assert [place.lat for place in _places(*seen, limit=2)] == [14.0, 13.0]


def test_a_city_is_many_places() -> None:
    """Something every few hundred metres does not make one place of all of it."""
    streets = [_seen((49.15 + row * 0.004, 16.55 + column * 0.006)) for row in range(25) for column in range(20)]
    found = _places(*streets)
    assert len(found) > 20
    assert max(place.radius_km for place in found) < 2
    assert sum(place.memories for place in found) == len(streets)


def test_many_sightings_and_names() -> None:
    """So many that comparing each with each would take minutes."""
    chance = random.Random(1)
    spots = [(chance.uniform(-90, 90), chance.uniform(-180, 180)) for _ in range(sized(3_000, 10_000))]
    named = [NamedPlace(str(n), *spot, "", _NOON) for n, spot in enumerate(spots[:1_000])]
    found = summarize(map(_seen, spots), named, 100_000, UTC)
    assert len(found) > len(spots) * 0.99
    assert sum(place.named for place in found) > 990


def test_a_short_list_is_the_beginning_of_the_whole_one() -> None:
    """Also where many places have as much and were seen at the same time, so that their names decide."""
    spots = [Sighting(lat, 10.0, "", f"label {(lat * 7) % 11:g}", "memory", _NOON) for lat in range(30)]
    everything = summarize([*spots, *spots[:5]], (), 100, UTC)
    assert len(everything) == 30
    for limit in (1, 4, 5, 6, 12, 29, 30, 31):
        assert summarize([*spots, *spots[:5]], (), limit, UTC) == everything[:limit]
