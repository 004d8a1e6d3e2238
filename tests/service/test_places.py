"""Places over HTTP, on both stores: kept with memories and messages, searched from, named; and what is refused."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from recollect import UserMemory
from tests.geocoding.server import BRNO, NOWHERE, NominatimServer
from tests.service.conftest import Running, Serve
from tests.service.test_memories import ON_SQLITE
from tests.sizes import sized

PUB: dict[str, Any] = {"lat": 49.1951, "lng": 16.6068, "address": "Česká 1, Brno", "place_label": "U Karla pub"}
VIENNA: dict[str, Any] = {"lat": 48.2082, "lng": 16.3738}
NOWHERE_SAID = {"lat": None, "lng": None, "address": "", "place_label": ""}


def placed(shown: dict[str, Any]) -> dict[str, Any]:
    return {name: shown.get(name) for name in PUB}


def fill(client: httpx2.Client) -> None:
    memories = [
        {"content": "Usually orders the dumplings", **PUB},
        {"content": "Usually orders the schnitzel", "location": VIENNA},
        {"content": "Usually orders tea at the office"},
    ]
    assert client.post("/api/memories/bulk", json={"memories": memories}).status_code == 200


def contents(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [hit["content"] for hit in answer.json()["hits"]]


def test_a_memory_keeps_its_place(anna: httpx2.Client) -> None:
    made = ""
    for sent in (PUB, {"location": PUB}, {**PUB, "location": {"lat": 49.1951, "lng": 16.6068}}):
        if made:
            anna.delete(f"/api/memories/{made}")
        made = anna.post("/api/memories/unified", json={"content": "Pays by card", **sent}).json()["id"]
        assert placed(anna.get(f"/api/memories/{made}").json()) == PUB
    assert placed(anna.get("/api/memories").json()["items"][0]) == PUB
    (hit,) = anna.get("/api/memories/search", params={"query": "card"}).json()["hits"]
    assert placed(hit) == PUB
    assert hit["place"] == {"lat": 49.1951, "lng": 16.6068, "address": "Česká 1, Brno", "label": "U Karla pub"}
    moved = anna.patch(f"/api/memories/{made}", json=VIENNA)
    assert placed(moved.json()) == {**PUB, **VIENNA, "address": ""}  # that was the address of where it was
    gone = anna.patch(f"/api/memories/{made}", json=NOWHERE_SAID)
    assert placed(gone.json()) == NOWHERE_SAID


def test_what_is_near_comes_first(anna: httpx2.Client) -> None:
    fill(anna)
    here = {"query": "usually orders"}
    found = anna.get("/api/memories/search", params={**here, **VIENNA})
    assert contents(found)[0] == "Usually orders the schnitzel"
    near, *others = found.json()["hits"]
    share = near["place_share"]
    assert near["distance_km"] == share["distance_km"] == 0
    assert share["nearness"] == 1
    assert near["score"] == pytest.approx((1 - share["weight"]) * share["content"] + share["weight"] * share["geo"])
    assert all("place_share" not in one for one in others if "lat" not in one)
    for asked in ({"location": VIENNA, "radius_km": 1.5}, {**VIENNA, "location_radius_km": 1.5}):
        body = {**here, **asked}
        assert contents(anna.post("/api/context/search", json=body)) == ["Usually orders the schnitzel"]
        (simple,) = anna.post("/search", json=body).json()
        assert simple["context"]["distance_km"] == 0
    assert contents(anna.get("/api/memories/search", params={**here, "at": "u karla PUB", "radius_km": 0.1})) == [
        "Usually orders the dumplings"
    ]
    by_other_name = anna.get("/api/memories/search", params={**here, **VIENNA, "location_radius_km": 0.1})
    assert contents(by_other_name) == ["Usually orders the schnitzel"]
    both = anna.get("/api/memories/search", params={**here, **VIENNA, "radius_km": 1, "location_radius_km": 1})
    assert (both.status_code, "give one of them" in both.text) == (422, True)
    plain = anna.get("/api/memories/search", params={**here, **VIENNA, "location_weight": 0})
    scores = {one["content"]: one["score"] for one in anna.get("/api/memories/search", params=here).json()["hits"]}
    assert {one["content"]: one["score"] for one in plain.json()["hits"]} == scores


def test_places_with_names(service: Running, anna: httpx2.Client) -> None:
    address = "/api/places/named/the%20flat%2Fwork"
    once = {"Idempotency-Key": "n1"}
    named = anna.put(address, json={**VIENNA, "address": "Wollzeile 5"}, headers=once)
    assert named.json() == anna.put(address, json={**VIENNA, "address": "Wollzeile 5"}, headers=once).json()
    assert anna.put(address, json=VIENNA, headers=once).status_code == 422
    anna.put(address, json=VIENNA)
    assert [one["address"] for one in anna.get("/api/places/named").json()["items"]] == [""]
    fill(anna)
    asked: dict[str, Any] = {"query": "orders", "at": "The Flat/Work", "radius_km": 0.1}
    assert contents(anna.get("/api/memories/search", params=asked)) == ["Usually orders the schnitzel"]
    with service.client(service.key("ben")) as ben:
        assert ben.get("/api/places/named").json() == {"items": []}
        assert ben.delete(address).status_code == 404
        assert ben.get("/api/memories/search", params=asked).status_code == 422
    for _ in range(2):
        gone = anna.delete(address, headers={"Idempotency-Key": "d1"})
        assert (gone.status_code, gone.json()) == (200, {"name": "the flat/work"})
    assert anna.delete(address).status_code == 404
    assert anna.get("/api/memories/search", params=asked).status_code == 422
    assert anna.get("/api/stats").json()["memories"] == 3


NUMBERS = [
    ("lat", "NaN"), ("lng", "NaN"), ("lat", "Infinity"), ("lng", "-Infinity"), ("lat", "1e999"), ("lat", "90.0001"),
    ("lng", "-180.0001"), ("lat", "181"), ("lng", "181"), ("lat", '"NaN"'), ("lat", '"49.2"'), ("lng", "true"),
    ("lng", "[1]"), ("lat", "9" * 400), ("lat", "null"), ("lng", "null"),
]  # fmt: skip
PAIRS = [
    *((name, f'"{name}": {value}, "{"lng" if name == "lat" else "lat"}": 0') for name, value in NUMBERS),
    ("lng", '"lat": 0'),
    ("lat", '"lng": 0'),
]
BODIES = [
    ("POST /api/memories/unified", '{"content": "x", %s}'),
    ("POST /api/memories/unified", '{"content": "x", "location": {%s}}'),
    ("POST /api/memories/bulk", '{"memories": [{"content": "fine"}, {"content": "x", %s}]}'),
    ("PATCH /api/memories/{id}", "{%s}"),
    ("POST /api/conversations/c1/messages", '{"role": "user", "content": "x", %s}'),
    ("POST /api/conversations/c1/messages", '{"messages": [{"role": "user", "content": "x", "location": {%s}}]}'),
    ("POST /api/hooks/before-prompt", '{"prompt": "x", "session": "c1", "location": {%s}}'),
    ("POST /api/context/search", '{"query": "x", "location": {%s}}'),
    ("POST /search", '{"query": "x", %s}'),
    ("PUT /api/places/named/home", "{%s}"),
]


@pytest.fixture
def plain(serve: Serve) -> Running:
    """A service for what is refused before anything is searched."""
    return serve(embedding__provider="none")


@ON_SQLITE
def test_wrong_coordinates_are_refused_and_nothing_is_kept(plain: Running) -> None:
    me: UserMemory = plain.memory.user("anna")
    kept = me.remember("Was here before", **VIENNA)
    with plain.client(plain.key(), **{"Content-Type": "application/json"}) as client:
        for number, (route, body) in enumerate(BODIES):
            method, _, path = route.replace("{id}", kept.id).partition(" ")
            for name, pair in PAIRS[number % 3 :: sized(3, 1)]:
                answer = client.request(method, path, content=(body % pair).encode())
                assert answer.status_code == 422, (route, pair, answer.text)
                assert answer.headers["content-type"] == "application/problem+json"
                assert name in answer.json()["detail"], (route, pair, answer.text)
    assert (me.count(), me.get(kept.id).lat, me.places.named()) == (1, VIENNA["lat"], ())
    assert me.conversation("c1").info() is None


WRONG_SEARCHES: list[tuple[dict[str, Any], str]] = [
    ({"lat": "1"}, "lng is missing"),
    ({"lng": "1"}, "lat is missing"),
    ({"lat": "nan", "lng": "1"}, "lat"),
    ({"lat": "1", "lng": "1e999"}, "lng"),
    ({"lat": "north", "lng": "1"}, "lat"),
    ({**VIENNA, "radius_km": "NaN"}, "radius_km"),
    ({**VIENNA, "location_mode": "near"}, "location_mode"),
    ({**VIENNA, "at": "home"}, "in one way"),
    ({"near": "Brno", "at": "home"}, "in one way"),
    ({"at": " "}, "at"),
    ({"near": ""}, "near"),
    ({"radius_km": "5"}, "needs a location"),
    ({"at": "home", "radius_km": "5"}, "no place of yours is called"),
]


@ON_SQLITE
def test_wrong_searches_are_refused(plain: Running) -> None:
    with plain.client(plain.key()) as client:
        for asked, words in WRONG_SEARCHES:
            answer = client.get("/api/memories/search", params={"query": "x", **asked})
            assert answer.status_code == 422, asked
            assert words in answer.json()["detail"], (asked, answer.text)


WRONG_LOCATIONS: list[tuple[dict[str, Any], str]] = [
    ({"location": {}}, "location"),
    ({"location": {"address": " "}}, "location"),
    ({"location": {"place_label": "x" * 201}}, "place_label"),
    ({"location": {"address": "x" * 501}}, "address"),
    ({"location": {**VIENNA, "zip": 1}}, "zip"),
    ({"location": "home"}, "location"),
    ({"location": [1, 2]}, "location"),
    ({"address": "x" * 501}, "address"),
    ({"place_label": "x" * 201}, "place_label"),
    ({**VIENNA, "location": PUB}, "lat and location.lat differ"),
    ({"place_label": "here", "location": PUB}, "place_label and location.place_label differ"),
]
TAKING: list[tuple[str, dict[str, Any]]] = [
    ("/api/memories/unified", {"content": "x"}),
    ("/api/conversations/c1/messages", {"role": "user", "content": "x"}),
    ("/api/hooks/before-prompt", {"prompt": "x", "session": "c1"}),
    ("/api/context/search", {"query": "x"}),
]


@ON_SQLITE
def test_wrong_locations_are_refused(plain: Running) -> None:
    with plain.client(plain.key()) as client:
        for path, body in TAKING:
            for wrong, words in WRONG_LOCATIONS:
                answer = client.post(path, json={**body, **wrong})
                assert answer.status_code == 422, (path, wrong)
                assert words in answer.json()["detail"], (path, wrong, answer.text)
    assert plain.memory.user("anna").count() == 0
    assert plain.memory.user("anna").conversations() == ()


@pytest.fixture
def nominatim() -> Iterator[NominatimServer]:
    """Somebody who knows what places are called."""
    with NominatimServer() as server:
        yield server


@pytest.fixture
def travelled(serve: Serve, nominatim: NominatimServer) -> Iterator[httpx2.Client]:
    """A client of a service that knows whom to ask."""
    running = serve(places__geocoder="nominatim", places__nominatim_url=nominatim.url, embedding__provider="none")
    with running.client(running.key()) as client:
        yield client


@ON_SQLITE
def test_what_the_world_calls_places(travelled: httpx2.Client, nominatim: NominatimServer) -> None:
    (found,) = travelled.get("/api/places/locate", params={"name": "Brno"}).json()["items"]
    assert (found["name"], found["country_code"], found["lat"]) == ("Česká", "CZ", 49.1952)
    there = travelled.get("/api/places/at", params={"lat": 49.1953, "lng": 16.608}).json()
    assert there["address"].startswith("Česká, Veveří, Brno")
    fill(travelled)
    asked: dict[str, Any] = {"query": "usually orders", "near": "Brno", "radius_km": 1}
    assert contents(travelled.get("/api/memories/search", params=asked)) == ["Usually orders the dumplings"]
    assert contents(travelled.post("/api/context/search", json=asked)) == ["Usually orders the dumplings"]
    nominatim.reverse, nominatim.search = NOWHERE, []
    assert travelled.get("/api/places/locate", params={"name": "Atlantis"}).status_code == 404
    assert travelled.get("/api/memories/search", params={**asked, "near": "Atlantis"}).status_code == 404
    assert travelled.get("/api/places/at", params={"lat": 0, "lng": -160}).status_code == 404


@ON_SQLITE
def test_a_geocoder_that_is_away(travelled: httpx2.Client, nominatim: NominatimServer) -> None:
    nominatim.fault = "unavailable"
    nominatim.retry_after = "7"
    for path, asked in (
        ("/api/places/locate", {"name": "Brno"}),
        ("/api/places/at", {"lat": "1", "lng": "2"}),
        ("/api/memories/search", {"query": "x", "near": "Brno"}),
    ):
        answer = travelled.get(path, params=asked)
        assert answer.status_code == 503
        assert answer.headers["content-type"] == "application/problem+json"
        assert "cannot be asked right now" in answer.json()["detail"]
        assert nominatim.url not in answer.text
    nominatim.fault = "rate_limited"
    busy = travelled.get("/api/places/locate", params={"name": "Brno"})
    assert (busy.status_code, busy.headers["retry-after"]) == (503, "7")
    found = travelled.get("/api/memories/search", params={"query": "x", "lat": 1, "lng": 2})
    assert found.status_code == 200
    kept = travelled.post("/api/memories/unified", json={"content": "Still stored", **VIENNA})
    assert kept.status_code == 201


@ON_SQLITE
def test_the_service_finds_out_addresses_by_itself(serve: Serve, nominatim: NominatimServer) -> None:
    running = serve(
        places__geocoder="nominatim", places__nominatim_url=nominatim.url, embedding__provider="none",
        places__requests_per_s=0,
    )  # fmt: skip
    with running.client(running.key()) as client:
        made = client.post("/api/memories/unified", json={"content": "Parked", **VIENNA}).json()["id"]
        assert client.get(f"/api/memories/{made}").json()["address"] == ""
        assert running.memory.embed_waiting().located == 1
        assert client.get(f"/api/memories/{made}").json()["address"] == BRNO["display_name"]
