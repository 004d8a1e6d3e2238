"""A message read over HTTP: what would be remembered of it, and what happens when it cannot be read."""

import httpx2
import pytest

from tests.service.conftest import Serve

TOLD = "I live in Brno. Please always answer in Czech."
ON_SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@ON_SQLITE
def test_the_longest_text_is_a_paste(anna: httpx2.Client) -> None:
    read = anna.post("/api/read", json={"text": "I live in Brno. " * 6_250}).json()
    assert (read["reading"]["pasted"], read["captured"]) == (True, [])


@ON_SQLITE
def test_a_reader_that_fails_is_unavailable_and_without_one_the_answer_says_so(serve: Serve) -> None:
    nowhere = {"llm__base_url": "http://127.0.0.1:9/v1", "llm__model": "none", "llm__retries": 0}
    running = serve(capture__reader="llm", **nowhere)
    with running.client(running.key()) as anna:
        answer = anna.post("/api/read", json={"text": TOLD})
    assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
    assert "127.0.0.1" not in answer.text
    without = serve(capture__reader="none")
    with without.client(without.key()) as anna:
        answer = anna.post("/api/read", json={"text": TOLD})
    assert (answer.status_code, "capture.reader is none" in answer.json()["detail"]) == (422, True)


@ON_SQLITE
def test_a_reply_is_read_after_what_was_said_before_it(anna: httpx2.Client) -> None:
    question = "Nice. What's your sister's name?"
    read = anna.post("/api/read", json={"text": "Jana", "before": question}).json()
    (captured,), (statement,) = read["captured"], read["reading"]["statements"]
    assert (captured["content"], captured["value"]) == ("What's your sister's name? Jana", "Jana")
    assert captured["question"] == {"start": 6, "end": len(question)}
    assert (statement["needs"] > 0.5, statement["about"]) == (True, "your sister")
    assert anna.post("/api/read", json={"text": "Jana"}).json()["captured"] == []
    assert anna.post("/api/read", json={"text": "Jana", "before": 7}).status_code == 422
