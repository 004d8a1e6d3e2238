"""What made-up requests have found, kept as plain examples."""

import unicodedata

import httpx2
import pytest

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # none of it depends on the store
BIG = 2**53


def test_a_whole_number_may_be_written_with_a_point(anna: httpx2.Client) -> None:
    assert anna.post("/search", json={"query": "lamp", "limit": 7.0}).status_code == 200
    assert anna.post("/search", json={"query": "lamp", "limit": 7.5}).status_code == 422
    assert anna.post("/search", json={"query": "lamp", "limit": True}).status_code == 422


def test_what_cannot_be_seen_is_nothing(anna: httpx2.Client) -> None:
    assert anna.post("/api/memories/unified", json={"content": "\x01 \x02"}).status_code == 422
    assert anna.post("/search", json={"query": "\x17"}).status_code == 422
    assert anna.post("/api/conversations/c1/messages", json={"role": "user", "content": " \x1c"}).status_code == 422
    skipped = anna.post("/api/conversations/c1/messages", json={"role": "user", "content": "\x01"}).json()["results"]
    assert skipped == [{"action": "skipped", "id": None, "left_out": []}]


def test_a_conversation_has_one_name_however_it_is_typed(anna: httpx2.Client) -> None:
    composed, apart = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    said = anna.post(f"/api/conversations/{apart}/messages", json={"role": "user", "content": "Hello"})
    assert said.status_code == 201
    assert anna.get(f"/api/conversations/{composed}").json()["conversation"]["id"] == composed


def test_half_a_place_is_none(anna: httpx2.Client) -> None:
    kept = anna.post("/api/memories/unified", json={"content": "Home", "lat": 49.2, "lng": 16.6}).json()["id"]
    assert anna.post("/api/memories/unified", json={"content": "Away", "lat": 49.2}).status_code == 422
    assert anna.patch(f"/api/memories/{kept}", json={"lat": 50.1}).status_code == 422
    assert anna.patch(f"/api/memories/{kept}", json={"lat": None, "lng": None}).json()["lat"] is None


def test_numbers_end_where_the_document_says(anna: httpx2.Client) -> None:
    message = {"role": "user", "content": "Hello"}
    assert anna.post("/api/conversations/c1/messages", json={**message, "input_tokens": BIG - 1}).status_code == 201
    assert anna.post("/api/conversations/c1/messages", json={**message, "input_tokens": BIG}).status_code == 422
