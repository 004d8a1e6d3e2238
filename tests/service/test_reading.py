"""A message read over HTTP: what would be remembered of it, and what happens when it cannot be read."""

import httpx2
import pytest

from tests.rows import every
from tests.service.conftest import Running, Serve

TOLD = "I live in Brno. Please always answer in Czech."
ON_SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def said(span: dict[str, int]) -> str:
    return TOLD[span["start"] : span["end"]]


def test_a_message_is_read_and_nothing_is_stored(anna: httpx2.Client) -> None:
    answer = anna.post("/api/read", json={"text": TOLD})
    assert answer.status_code == 200
    read = answer.json()
    assert read["text"] == TOLD
    assert read["reading"]["reader"] == "recollect-reader-1"
    assert sum(read["reading"]["need"].values()) == pytest.approx(1.0)
    home = next(one for one in read["captured"] if one["property"] == "home")
    assert (home["content"], home["key"], home["value"], said(home["span"]).rstrip(".")) == (
        "I live in Brno",
        "home",
        "Brno",
        "I live in Brno",
    )
    (rule,) = [one for one in read["captured"] if one["standing"]]
    assert (rule["subject"], rule["type"]) == ("assistant", "preference")
    assert anna.get("/api/stats").json()["memories"] == 0


@ON_SQLITE
def test_secrets_and_private_parts_are_not_read(anna: httpx2.Client) -> None:
    answer = anna.post("/api/read", json={"text": "My password is hunter2abc. I like <private>gin and</private> jazz."})
    assert answer.json()["text"] == "My password is [redacted: password]. I like jazz."
    assert "secret" in {one["reason"] for one in answer.json()["skipped"]}
    assert "hunter2abc" not in answer.text
    assert "gin" not in answer.text


def test_an_older_value_is_named(anna: httpx2.Client) -> None:
    fact = {"type": "fact", "subject": "user", "key": "home", "value": "Linz"}
    old = anna.post("/api/memories/unified", json={"content": "I live in Linz", **fact}).json()["id"]
    captured = anna.post("/api/read", json={"text": TOLD}).json()["captured"]
    assert next(one for one in captured if one["key"] == "home")["replaces"] == old


@ON_SQLITE
def test_text_that_was_handed_over_is_named(anna: httpx2.Client) -> None:
    text = "Is this polite?\n> I have a dog called Rex and I live in Oslo."
    read = anna.post("/api/read", json={"text": text}).json()
    (span,) = read["handed_over"]
    assert text[span["start"] : span["end"]] == "> I have a dog called Rex and I live in Oslo."
    assert read["captured"] == []


@ON_SQLITE
@every("body", [{}, {"text": ""}, {"text": " \n"}, {"text": "a" * 100_001}, {"text": "a", "more": 1}])
def test_what_is_no_message_is_refused(anna: httpx2.Client, body: dict[str, object]) -> None:
    assert anna.post("/api/read", json=body).status_code == 422


@ON_SQLITE
def test_the_longest_text_is_a_paste(anna: httpx2.Client) -> None:
    read = anna.post("/api/read", json={"text": "I live in Brno. " * 6_250}).json()
    assert (read["reading"]["pasted"], read["captured"]) == (True, [])


@ON_SQLITE
def test_a_key_that_may_not_read_is_refused(service: Running) -> None:
    with service.client(service.key(scopes=("write",))) as writer:
        assert writer.post("/api/read", json={"text": TOLD}).status_code == 403


@ON_SQLITE
def test_a_reader_that_fails_is_unavailable(serve: Serve) -> None:
    nowhere = {"llm__base_url": "http://127.0.0.1:9/v1", "llm__model": "none", "llm__retries": 0}
    running = serve(capture__reader="llm", **nowhere)
    with running.client(running.key()) as anna:
        answer = anna.post("/api/read", json={"text": TOLD})
    assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
    assert "127.0.0.1" not in answer.text


@ON_SQLITE
def test_without_a_reader_the_answer_says_so(serve: Serve) -> None:
    running = serve(capture__reader="none")
    with running.client(running.key()) as anna:
        answer = anna.post("/api/read", json={"text": TOLD})
    assert (answer.status_code, "capture.reader is none" in answer.json()["detail"]) == (422, True)
