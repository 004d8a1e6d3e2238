"""A Nominatim over real HTTP: what it is asked, what is believed of its answers, and what it may do wrong."""

import gc
import json
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from recollect import __version__
from recollect.errors import GeocoderUnavailable, SettingsError
from recollect.geocoding.nominatim import MOST_BYTES, NominatimGeocoder
from recollect.http_client import CircuitBreaker
from recollect.model.geo import STREET, distance_km
from recollect.model.places import LONGEST_ADDRESS, LONGEST_LABEL
from tests.geocoding.server import BRNO, FAULTS, NOWHERE, NominatimServer
from tests.rows import every

MakeGeocoder = Callable[..., NominatimGeocoder]
HERE = (49.19523, 16.60791)
BUDGET_S = 0.4


@pytest.fixture
def server() -> Iterator[NominatimServer]:
    with NominatimServer() as running:
        yield running


@pytest.fixture
def make(server: NominatimServer) -> Iterator[MakeGeocoder]:
    made: list[NominatimGeocoder] = []

    def geocoder(**more: Any) -> NominatimGeocoder:
        made.append(NominatimGeocoder(server.url, **{"timeout_s": 60.0, **more}))
        return made[-1]

    yield geocoder
    for each in made:
        each.close()


def test_it_says_where_coordinates_are(server: NominatimServer, make: MakeGeocoder) -> None:
    found = make().reverse(*HERE)
    assert found
    assert (found.name, found.region, found.country, found.country_code) == (
        "Česká",
        "Jihomoravský kraj",
        "Česko",
        "CZ",
    )
    assert found.address == "Česká, Veveří, Brno, okres Brno-město, Jihomoravský kraj, 602 00, Česko"
    assert (found.lat, found.lng, found.timezone) == (49.1952, 16.608, "")
    assert found.distance_km == distance_km(*HERE, found.lat, found.lng)


def test_it_asks_as_the_manual_says(server: NominatimServer, make: MakeGeocoder) -> None:
    geocoder = make(language="cs,en")
    geocoder.reverse(*HERE)
    geocoder.find("Brno, Česko & more", limit=3)
    reverse, search = server.requests
    usual = {"format": "jsonv2", "addressdetails": "1", "accept-language": "cs,en"}
    about = STREET.rounded(*HERE)
    assert reverse.path == "/reverse"
    assert reverse.fields == usual | {"lat": f"{about.lat:.5f}", "lon": f"{about.lng:.5f}", "zoom": "16"}
    assert search.path == "/search"
    assert search.fields == usual | {"q": "Brno, Česko & more", "limit": "3"}
    assert {each.headers["User-Agent"] for each in server.requests} == {f"recollect/{__version__}"}
    assert not any("accept-language" in each.fields for each in _asked_without_a_language(server, make))


def _asked_without_a_language(server: NominatimServer, make: MakeGeocoder) -> list[Any]:
    server.requests.clear()
    make().reverse(*HERE)
    return server.requests


def test_coordinates_do_not_leave_more_exact_than_a_street(server: NominatimServer, make: MakeGeocoder) -> None:
    make().reverse(49.195234567, 16.607912345)
    make().reverse(49.195199999, 16.607999999)
    first, second = server.requests
    assert first.fields == second.fields


def test_it_finds_the_places_of_a_name(server: NominatimServer, make: MakeGeocoder) -> None:
    server.search = [BRNO, {**BRNO, "name": "", "lat": 1.5}, BRNO]
    first, second = make().find("Brno", limit=2)
    assert (first.name, first.distance_km) == ("Česká", 0.0)
    assert (second.name, second.lat) == ("Česká", 1.5)
    server.search = []
    assert make().find("Atlantis") == ()


@every(("name", "limit"), [("", 5), (" \n", 5), ("Brno", 0), ("Brno", -1)])
def test_what_asks_for_nothing_is_not_sent(server: NominatimServer, make: MakeGeocoder, name: str, limit: int) -> None:
    assert make().find(name, limit) == ()
    assert server.requests == []


def test_half_a_character_does_not_stop_a_question(server: NominatimServer, make: MakeGeocoder) -> None:
    make().find("half \ud83d")
    assert server.requests[0].fields["q"] == "half ?"


def test_where_nothing_has_a_name_there_is_none(server: NominatimServer, make: MakeGeocoder) -> None:
    server.reverse = NOWHERE
    geocoder = make(breaker=CircuitBreaker(failures=1))
    assert geocoder.reverse(0, -160) is None
    assert geocoder.reverse(0, -160) is None  # which is no failure


def test_what_it_says_is_cleaned_and_bounded(server: NominatimServer, make: MakeGeocoder) -> None:
    long = ", ".join(["Ves\x00nice\u202e"] * 200)
    server.reverse = {
        **BRNO,
        "name": "A\x1b[31m\nB\ud800" + "x" * 999,
        "display_name": long,
        "address": {"state": 17, "county": "Kraj\r\n", "country": ["Česko"], "country_code": "<b>"},
    }
    found = make().reverse(*HERE)
    assert found
    assert found.name.startswith("A [31m B x")
    assert len(found.name) <= LONGEST_LABEL
    assert len(found.address) <= LONGEST_ADDRESS
    assert found.address.endswith("Ves nice")
    assert set(found.address) == set("Ves nice,")
    assert (found.region, found.country, found.country_code) == ("Kraj", "", "")


def test_an_address_without_a_comma_is_cut_all_the_same(server: NominatimServer, make: MakeGeocoder) -> None:
    server.reverse = {"lat": "1", "lon": "-1", "display_name": "x" * 2_000}
    found = make().reverse(*HERE)
    assert found
    assert found.address == "x" * LONGEST_ADDRESS
    assert found.name == "x" * LONGEST_LABEL


NOT_OUR_FAULT = [fault for fault in FAULTS if fault != "refused"]


@every("fault", NOT_OUR_FAULT)
def test_a_server_that_misbehaves_is_reported_and_then_left_in_peace(
    server: NominatimServer, make: MakeGeocoder, fault: str
) -> None:
    breaker = CircuitBreaker(failures=2, first_pause_s=60)
    geocoder = make(timeout_s=BUDGET_S, breaker=breaker)
    server.fault = fault
    with pytest.raises(GeocoderUnavailable, match=r"^127\.0\.0\.1:\d+ "):
        geocoder.reverse(*HERE)
    with pytest.raises(GeocoderUnavailable, match=r"^127\.0\.0\.1:\d+ "):
        geocoder.find("Brno")
    server.fault = None
    asked = len(server.requests)
    with pytest.raises(GeocoderUnavailable, match="left in peace") as caught:
        geocoder.reverse(*HERE)
    assert caught.value.retry_after_s
    assert len(server.requests) == asked
    assert server.elsewhere.requests == []


def test_it_comes_back(server: NominatimServer, make: MakeGeocoder) -> None:
    now = [0.0]
    geocoder = make(breaker=CircuitBreaker(failures=1, first_pause_s=5, monotonic=lambda: now[0]))
    server.fault = "down"
    with pytest.raises(GeocoderUnavailable):
        geocoder.reverse(*HERE)
    server.fault = None
    with pytest.raises(GeocoderUnavailable):
        geocoder.reverse(*HERE)
    now[0] = 6.0
    assert geocoder.reverse(*HERE)


def test_a_question_that_it_does_not_take_says_nothing_about_the_next(
    server: NominatimServer, make: MakeGeocoder
) -> None:
    geocoder = make(breaker=CircuitBreaker(failures=1))
    server.fault = "refused"
    for _ in range(3):
        with pytest.raises(GeocoderUnavailable, match="answered 400"):
            geocoder.find("?" * 400)
    server.fault = None
    assert geocoder.reverse(*HERE)


def test_a_pause_that_it_asks_for_is_passed_on_and_kept(server: NominatimServer, make: MakeGeocoder) -> None:
    now = [100.0]
    geocoder = make(timeout_s=5.0, monotonic=lambda: now[0])
    server.fault, server.retry_after = "rate_limited", "30"
    with pytest.raises(GeocoderUnavailable, match="429") as caught:
        geocoder.reverse(*HERE)
    assert caught.value.retry_after_s == 30.0
    server.fault = None
    now[0] += 10
    with pytest.raises(GeocoderUnavailable) as again:
        geocoder.reverse(*HERE)
    assert again.value.retry_after_s == 20.0
    assert len(server.requests) == 1
    now[0] += 20
    assert geocoder.reverse(*HERE)


@pytest.mark.parametrize("fault", ["huge", "endless"])
def test_a_body_of_50_megabytes_is_not_taken_in(server: NominatimServer, make: MakeGeocoder, fault: str) -> None:
    geocoder = make()
    geocoder.reverse(*HERE)
    server.fault = fault
    gc.collect()
    tracemalloc.start()
    try:
        with pytest.raises(GeocoderUnavailable, match=f"more than {MOST_BYTES:,} bytes"):
            geocoder.reverse(*HERE)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000


def test_an_answer_that_is_just_short_enough_is_taken(server: NominatimServer, make: MakeGeocoder) -> None:
    room = MOST_BYTES - len(json.dumps({**BRNO, "filling": ""}))
    server.reverse = {**BRNO, "filling": "x" * room}
    assert make().reverse(*HERE)
    server.reverse = {**BRNO, "filling": "x" * (room + 1)}
    with pytest.raises(GeocoderUnavailable, match="bytes"):
        make().reverse(*HERE)


def test_what_is_wrong_is_shown(server: NominatimServer, make: MakeGeocoder) -> None:
    geocoder = make(breaker=CircuitBreaker(failures=99))
    for fault, shown in {
        "html": "Sign in to the network",
        "nan_text": "'nan' as lat",
        "no_coordinates": "None as lat",
        "no_name": "display_name is 17",
        "odd_error": "the database is asleep",
        "redirect": "redirect",
    }.items():
        server.fault = fault
        with pytest.raises(GeocoderUnavailable, match=shown):
            geocoder.reverse(*HERE)


def test_who_it_is(server: NominatimServer, make: MakeGeocoder) -> None:
    geocoder = make()
    assert geocoder.name == f"nominatim@{server.url.removeprefix('http://')}"
    assert geocoder.remote
    assert NominatimGeocoder("https://maps.example/nominatim/").name == "nominatim@maps.example"


@every("url", ["", "maps.example", "ftp://maps.example", "https://me:secret@maps.example"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"places\.nominatim_url") as caught:
        NominatimGeocoder(url)
    assert "secret" not in str(caught.value)
