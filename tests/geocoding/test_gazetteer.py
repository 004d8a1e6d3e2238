"""The nearest place and the places of a name, by tables that are made of a few."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.geocoding.gazetteer import FARTHEST_KM, NAMED_KM, Gazetteer
from recollect.geocoding.tables import Country, Settlement, compiled
from recollect.model.geo import KM_PER_DEGREE, distance_km, half_chord
from recollect.model.places import LONGEST_ADDRESS
from tests.rows import every
from tests.sizes import sized

COUNTRIES: Final = {"CZ": "Czechia", "AT": "Austria", "US": "United States", "FR": "France", "GB": "United Kingdom",
                    "FJ": "Fiji", "SG": "Singapore"}  # fmt: skip
PLACES: Final = (
    Settlement(1, "Brno", 49.19522, 16.60796, "CZ", "South Moravian", "Europe/Prague", 379_466, "78",
               ("Brünn", "Брно", "BRQ")),
    Settlement(2, "Modřice", 49.11928, 16.60446, "CZ", "South Moravian", "Europe/Prague", 4_112, "78"),
    Settlement(3, "Prague", 50.08804, 14.42076, "CZ", "Prague", "Europe/Prague", 1_165_581, "52", ("Praha", "Prag")),
    Settlement(4, "Vienna", 48.20849, 16.37208, "AT", "Vienna", "Europe/Vienna", 1_691_468, "09", ("Wien",)),
    Settlement(5, "Paris", 48.85341, 2.3488, "FR", "Île-de-France", "Europe/Paris", 2_138_551, "11"),
    Settlement(6, "Paris", 33.66094, -95.55551, "US", "Texas", "America/Chicago", 24_782, "TX"),
    Settlement(7, "Springfield", 39.80172, -89.64371, "US", "Illinois", "America/Chicago", 114_394, "IL"),
    Settlement(8, "Springfield", 37.21533, -93.29824, "US", "Missouri", "America/Chicago", 169_176, "MO"),
    Settlement(9, "London", 51.50853, -0.12574, "GB", "England", "Europe/London", 8_961_989, "ENG"),
    Settlement(10, "Kbely", 50.13, 14.55, "CZ", "Prague", "Europe/Prague", 7_000, "52"),
    Settlement(11, "Singapore", 1.28967, 103.85007, "SG", "", "Asia/Singapore", 5_638_700, "00"),
    Settlement(12, "Labasa", -16.4332, 179.36451, "FJ", "Northern", "Pacific/Fiji", 27_949, "03"),
    Settlement(13, "St. Pölten", 48.2, 15.63333, "AT", "Lower Austria", "Europe/Vienna", 49_121, "03"),
    Settlement(14, "Kirchberg", 48.9, 16.6, "AT", "Lower Austria", "Europe/Vienna", 300, "03"),
)  # fmt: skip


def gazetteer_of(settlements: Iterable[Settlement], countries: Mapping[str, str] | None = None) -> Gazetteer:
    return Gazetteer(compiled(settlements, {code: Country(name) for code, name in (countries or {}).items()}))


@pytest.fixture(scope="module")
def gazetteer() -> Gazetteer:
    return gazetteer_of(PLACES, COUNTRIES)


def test_it_names_the_nearest_place(gazetteer: Gazetteer) -> None:
    found = gazetteer.reverse(49.12, 16.61)
    assert found
    assert found.name == "Modřice"
    assert (found.region, found.country, found.country_code) == ("South Moravian", "Czechia", "CZ")
    assert (found.lat, found.lng, found.timezone) == (49.11928, 16.60446, "Europe/Prague")
    assert found.address == "Modřice near Brno, South Moravian, Czechia"
    assert found.distance_km == distance_km(49.12, 16.61, 49.11928, 16.60446)


@every(
    ("lat", "lng", "address"),
    [
        (49.195, 16.608, "Brno, South Moravian, Czechia"),
        (50.088, 14.42, "Prague, Czechia"),  # what repeats is left out
        (50.131, 14.551, "Kbely near Prague, Czechia"),
        (1.29, 103.85, "Singapore"),
        (48.2085, 16.372, "Vienna, Austria"),
        (48.9, 16.6, "Kirchberg, Lower Austria, Austria"),  # Brno is 33 km away
        (-16.4, -179.9, "Northern, Fiji"),  # 78 km, across the meridian at which longitudes begin
        (0.0, -30.0, None),
        (90.0, 0.0, None),
        (-90.0, 77.0, None),
    ],
)
def test_addresses(gazetteer: Gazetteer, lat: float, lng: float, address: str | None) -> None:
    found = gazetteer.reverse(lat, lng)
    assert (found and found.address) == address


def test_a_large_place_is_named_beside_a_small_one_of_its_country_only() -> None:
    small = Settlement(1, "Dorf", 48.0, 17.0, "AT", "Burgenland", "", 1_000)
    large = Settlement(2, "Big", 48.1, 17.0, "AT", "", "", 15_000)

    def address(*places: Settlement) -> str:
        found = gazetteer_of((small, *places), COUNTRIES).reverse(48.0, 17.0)
        assert found
        return found.address

    assert address(large) == "Dorf near Big, Burgenland, Austria"
    assert address(large._replace(country_code="CZ")) == "Dorf, Burgenland, Austria"
    assert address(large._replace(population=14_999)) == "Dorf, Burgenland, Austria"
    assert address(large._replace(lat=48.14)) == "Dorf, Burgenland, Austria"
    assert address(large, large._replace(id=3, name="Larger", lat=47.9, population=16_000)) == (
        "Dorf near Larger, Burgenland, Austria"
    )
    assert address(large, Settlement(3, "Abroad", 48.0, 17.01, "CZ", population=999_999)) == (
        "Dorf near Big, Burgenland, Austria"
    )


def test_far_from_a_place_its_name_is_no_address() -> None:
    gazetteer = gazetteer_of(
        [Settlement(1, "Post", 0.0, 0.0, "FR", "Sahara"), Settlement(2, "Bare", 0.0, 90.0)], COUNTRIES
    )
    for km, address in (
        (0, "Post, Sahara, France"),
        (NAMED_KM - 1, "Post, Sahara, France"),
        (NAMED_KM + 1, "Sahara, France"),
    ):
        found = gazetteer.reverse(km / KM_PER_DEGREE, 0.0)
        assert found
        assert (found.name, found.address) == ("Post", address)
    assert gazetteer.reverse((FARTHEST_KM - 1) / KM_PER_DEGREE, 0.0)
    assert gazetteer.reverse((FARTHEST_KM + 1) / KM_PER_DEGREE, 0.0) is None
    bare = gazetteer.reverse(2.0, 90.0)
    assert bare
    assert bare.address == "Bare"  # there is nothing else to call it by


def test_of_equals_the_larger_is_meant_and_then_the_older() -> None:
    twins = [Settlement(number, f"T{number}", 10.0, lng, population=people) for number, lng, people in
             ((7, 20.0, 5), (3, 20.0, 5), (9, 20.0, 4), (1, 24.0, 6))]  # fmt: skip
    gazetteer = gazetteer_of(twins)
    assert [found.name for lng in (20.0, 22.0) if (found := gazetteer.reverse(10.0, lng))] == ["T3", "T1"]


def test_an_empty_one_knows_nothing() -> None:
    gazetteer = gazetteer_of([])
    assert gazetteer.reverse(1, 1) is None
    assert gazetteer.find("Brno") == ()


@every("wrong", [math.nan, math.inf, -math.inf])
def test_what_is_no_coordinate_is_nowhere(gazetteer: Gazetteer, wrong: float) -> None:
    assert gazetteer.reverse(wrong, 1.0) is None
    assert gazetteer.reverse(1.0, wrong) is None


@every(
    ("name", "ids"),
    [
        ("Brno", [1]),
        ("  BRNO ", [1]),
        ("Brünn", [1]),
        ("brunn", [1]),
        ("Брно", [1]),
        ("Modrice", [2]),
        ("Prague, Czechia", [3]),
        ("praha, czech republic", [3]),
        ("Prag CZ", [3]),
        ("Paris", [5, 6]),
        ("Paris, Texas", [6]),
        ("Paris TX", [6]),
        ("Paris, TX, US", [6]),
        ("Paris, Texas, United States", [6]),
        ("Paris, United States of America", [6]),
        ("Paris Ile-de-France", [5]),
        ("Paris, Texas, France", []),
        ("Springfield", [8, 7]),
        ("Springfield, Illinois", [7]),
        ("Springfield Illinois United States", [7]),
        ("Springfield United States Illinois", []),
        ("Springfield Illinois, United States", [7]),
        ("Brno, South Moravian Region", [1]),
        ("Brno, South Moravia", [1]),
        ("London, UK", [9]),
        ("London, England", [9]),
        ("St Pölten", [13]),
        ("Sankt Pölten", []),
        ("Modřice near Brno, South Moravian, Czechia", [2]),
        ("Atlantis", []),
        ("Brno, Atlantis", []),
        ("", []),
        (",", []),
        (", Czechia", []),
        ("x" * 100_000, []),
    ],
)
def test_places_are_found_by_name(gazetteer: Gazetteer, name: str, ids: list[int]) -> None:
    where = {(place.lat, place.lng): place.id for place in PLACES}
    assert [where[place.lat, place.lng] for place in gazetteer.find(name)] == ids


def test_no_more_are_given_than_wanted(gazetteer: Gazetteer) -> None:
    assert [place.region for place in gazetteer.find("Paris", 1)] == ["Île-de-France"]
    assert [place.region for place in gazetteer.find("Springfield, US", 1)] == ["Missouri"]
    assert gazetteer.find("Paris", 0) == ()
    assert gazetteer.find("Paris", -3) == ()


def test_every_address_leads_back_to_its_place(gazetteer: Gazetteer) -> None:
    for place in PLACES:
        found = gazetteer.reverse(place.lat, place.lng)
        assert found
        assert (place.lat, place.lng) in [(each.lat, each.lng) for each in gazetteer.find(found.address)]


def test_names_are_kept_on_one_line_and_addresses_short() -> None:
    odd = Settlement(1, "A\x1fB\n\x00C", 0.0, 0.0, "FR", "R" * 900, other_names=("\ud800x",))
    found = gazetteer_of([odd], COUNTRIES).reverse(0, 0)
    assert found
    assert found.name == "A B C"
    assert len(found.address) == LONGEST_ADDRESS


LATITUDES = st.one_of(st.floats(-90, 90), st.sampled_from([-90.0, 90.0, 0.0, 89.9999999]))
LONGITUDES = st.one_of(st.floats(-180, 180), st.sampled_from([-180.0, 180.0, 0.0, 179.9999999, -179.9999999]))
POINTS = st.tuples(LATITUDES, LONGITUDES)


def nearest(places: Sequence[Settlement], lat: float, lng: float) -> Settlement:
    return min(places, key=lambda place: (half_chord(lat, lng, place.lat, place.lng), -place.population, place.id))


@settings(max_examples=sized(100, 20_000), deadline=None)
@given(
    st.lists(st.tuples(POINTS, st.integers(0, 3)), min_size=1, max_size=40),
    st.lists(POINTS, min_size=1, max_size=10),
)
@example([((0.0, 180.0), 1), ((0.0, -180.0), 1), ((90.0, 5.0), 2), ((90.0, 7.0), 2)], [(0.0, 180.0), (90.0, 0.0)])
def test_it_is_never_another_than_the_nearest(
    where: list[tuple[tuple[float, float], int]], points: list[tuple[float, float]]
) -> None:
    places = [Settlement(row, f"P{row}", *at, population=people) for row, (at, people) in enumerate(where)]
    gazetteer = gazetteer_of(places)
    home = places[0]
    close = [(max(-90, min(90, home.lat + lat / 60)), (home.lng + lng / 60 + 180) % 360 - 180) for lat, lng in points]
    for lat, lng in [*points, *close]:
        expected = nearest(places, lat, lng)
        away_km = distance_km(lat, lng, expected.lat, expected.lng)
        found = gazetteer.reverse(lat, lng)
        assert (found is None) == (away_km > FARTHEST_KM)
        assert found is None or (found.name, found.distance_km) == (expected.name, away_km)
