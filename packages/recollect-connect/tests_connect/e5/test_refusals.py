"""What is turned away, with which status, and in which words."""

import json
import socket
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

import httpx2
import numpy as np
import pytest
from tests.rows import every
from tests.waiting import PATIENCE_S, until

from recollect.model.memories import Vector
from recollect.ports import Role
from recollect.web.body_limits import BodyLimitMiddleware
from recollect_connect.e5.limits import EmbeddingServerLimits
from recollect_connect.e5.models import ServedModel
from tests_connect.e5.conftest import serving

MIB = 1024 * 1024
PRIVATE = "the safe is behind the painting"


def refused(answer: httpx2.Response, status: int) -> str:
    """Check that an answer is a problem document, and give what it says."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    document: dict[str, Any] = answer.json()
    assert document.keys() == {"type", "title", "status", "detail"}
    assert (document["type"], document["title"]) == ("about:blank", HTTPStatus(status).phrase)
    assert document["status"] == status
    assert PRIVATE not in answer.text
    assert "Traceback" not in answer.text
    detail: str = document["detail"]
    return detail


WRONG: dict[str, tuple[str, object, int, str]] = {
    "no text": ("/embed", {}, 422, "text: Field required."),
    "an empty text": ("/embed", {"text": ""}, 422, "text is empty"),
    "a blank text": ("/embed", {"text": " \n\t"}, 422, "text is empty"),
    "an empty text among others": ("/batch", {"texts": ["a", "b", ""]}, 422, "texts[2] is empty"),
    "a number": ("/embed", {"text": 7}, 422, "text: Input should be a valid string."),
    "nothing": ("/embed", {"text": None}, 422, "text: Input should be a valid string."),
    "half a letter": ("/embed", {"text": f"{PRIVATE} \ud800"}, 422, "text is not valid Unicode"),
    "a list for a text": ("/embed", {"text": [PRIVATE]}, 422, "text: "),
    "a text for a list": ("/batch", {"texts": PRIVATE}, 422, "texts: Input should be a valid list."),
    "a number among texts": ("/batch", {"texts": [PRIVATE, 7]}, 422, "texts[1]: Input should be a valid string."),
    "many mistakes": ("/batch", {"texts": [1, 2, 3, 4, 5]}, 422, "And 2 more."),
    "an unknown type": ("/embed", {"text": PRIVATE, "type": "question"}, 422, "type: Input should be 'query' or"),
    "a mistyped field": ("/embed", {"text": PRIVATE, "typ": "query"}, 422, "typ: Extra inputs are not permitted."),
    "a list": ("/embed", [PRIVATE], 422, "The body: "),
    "a bare text": ("/embed", PRIVATE, 422, "The body: "),
    "too many texts": ("/batch", {"texts": ["x"] * 257}, 413, "texts holds 257; at most 256 are taken at a time"),
    "a long text": ("/embed", {"text": "x" * 100_001}, 413, "text has 100,001 characters; at most 100,000"),
    "a long text among others": ("/batch", {"texts": ["x", "x" * 100_001]}, 413, "texts[1] has 100,001 characters"),
}


@every(("path", "body", "status", "said"), WRONG.values())
def test_what_is_wrong_is_said(server: httpx2.Client, path: str, body: object, status: int, said: str) -> None:
    sent = json.dumps(body).encode()
    assert said in refused(server.post(path, content=sent, headers={"Content-Type": "application/json"}), status)


@every("body", [b"", b"{", b'{"text": "x"', b"{'text': 'x'}", b'{"text": "caf\xe9"}', b"[" * 100_000])
def test_what_is_no_json_is_a_bad_request(server: httpx2.Client, body: bytes) -> None:
    answer = server.post("/embed", content=body, headers={"Content-Type": "application/json"})
    if body:
        assert "JSON" in refused(answer, 400)
    else:
        assert refused(answer, 422) == "The body: Field required."


@every("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
def test_another_kind_of_body_is_told_so(server: httpx2.Client, kind: str) -> None:
    answer = server.post("/embed", content=b'{"text": "x"}', headers={"Content-Type": kind})
    assert "Content-Type: application/json" in refused(answer, 415)


def test_json_may_say_its_encoding(server: httpx2.Client) -> None:
    headers = {"Content-Type": "application/json; charset=utf-8"}
    assert server.post("/embed", content=b'{"text": "x"}', headers=headers).status_code == 200


@every("path", ["/", "/docs", "/embed/", "/health/x", "/%0Aembed"])
def test_an_unknown_route_is_not_found(server: httpx2.Client, path: str) -> None:
    assert "POST /embed, POST /batch, GET /health" in refused(server.get(path), 404)


def test_a_wrong_method_names_the_right_one(server: httpx2.Client) -> None:
    for method, path, allowed in (("GET", "/embed", "POST"), ("PUT", "/batch", "POST"), ("POST", "/health", "GET")):
        answer = server.request(method, path, json={} if method != "GET" else None)
        assert refused(answer, 405).startswith(f"{method} is not for this.")
        assert answer.headers["allow"] == allowed


def test_a_body_that_announces_too_much_is_refused(server: httpx2.Client) -> None:
    answer = server.post("/embed", json={"text": "x" * 9 * MIB})
    assert refused(answer, 413) == "The body is larger than 8,388,608 bytes. Send several batches."


def test_a_body_of_unknown_length_is_counted_while_it_is_read(server: httpx2.Client) -> None:
    def endless() -> Iterator[bytes]:
        yield b'{"text": "'
        for _ in range(48):
            yield b"x" * MIB

    answer = server.post("/embed", content=endless(), headers={"Content-Type": "application/json"})
    assert "larger than 8,388,608 bytes" in refused(answer, 413)
    assert server.get("/health").status_code == 200


def test_a_body_of_unknown_length_is_welcome_when_it_is_small(server: httpx2.Client) -> None:
    pieces = iter([b'{"text"', b': "in ', b'pieces"}'])
    answer = server.post("/embed", content=pieces, headers={"Content-Type": "application/json"})
    assert answer.json() == server.post("/embed", json={"text": "in pieces"}).json()


def test_a_body_that_never_arrives_gives_up_its_place(bundled: ServedModel) -> None:
    with serving(bundled, EmbeddingServerLimits(inside=1, body_wait_s=0.2)) as http:
        address = (http.base_url.host, http.base_url.port or 0)
        with socket.create_connection(address, timeout=PATIENCE_S) as slow:
            slow.sendall(
                b"POST /embed HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
            )
            assert slow.recv(100).startswith(b"HTTP/1.1 408 ")
        with socket.create_connection(address, timeout=PATIENCE_S) as gone:
            gone.sendall(
                b"POST /embed HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
            )
        while http.post("/embed", json={"text": "x"}).status_code == 503:
            pass  # until the server has noticed that nobody is there


def broken(vectors: Vector) -> ServedModel:
    """Make a model whose vectors are these, whatever it is asked."""
    return ServedModel("broken", 2, lambda _texts, _role: vectors)


@every("row", [[float("nan"), 1.0], [float("inf"), 1.0], [0.0, 0.0], [1.0, 2.0, 3.0]])
def test_no_useless_vector_leaves(row: list[float]) -> None:
    with serving(broken(np.array([row], np.float32))) as http:
        said = refused(http.post("/embed", json={"text": PRIVATE}), 500)
        assert said == "The server failed on this request. Its operator can see why."


def test_a_failure_is_logged_without_what_was_sent(caplog: pytest.LogCaptureFixture) -> None:
    def fail(texts: Sequence[str], _role: Role) -> Vector:
        raise ValueError(f"cannot embed {texts[0]}")

    with serving(ServedModel("failing", 2, fail)) as http:
        refused(http.post("/embed?key=1", json={"text": PRIVATE}), 500)
        assert http.get("/health").status_code == 200
    logged = [record.getMessage() for record in caplog.records if record.name == "recollect.e5"]
    assert any(line.startswith("POST /embed failed: ValueError at test_refusals.py:") for line in logged)
    assert PRIVATE not in caplog.text
    assert "key=1" not in caplog.text


def test_a_request_is_asked_to_come_again_when_the_queue_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    gates: list[BodyLimitMiddleware] = []
    made = BodyLimitMiddleware.__init__

    def noted(self: BodyLimitMiddleware, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        gates.append(self)

    monkeypatch.setattr(BodyLimitMiddleware, "__init__", noted)
    started, go_on = threading.Semaphore(0), threading.Event()
    vector = np.array([[0.6, 0.8]], np.float32)

    def wait(_texts: Sequence[str], _role: Role) -> Vector:
        started.release()
        assert go_on.wait(PATIENCE_S)
        return vector

    with (
        serving(ServedModel("slow", 2, wait), EmbeddingServerLimits(inside=2)) as http,
        ThreadPoolExecutor(2) as clients,
    ):
        waiting = [clients.submit(http.post, "/embed", json={"text": "x"}) for _ in range(2)]
        assert started.acquire(timeout=PATIENCE_S)
        until(lambda: gates[0]._inside == 2, "the second request")
        busy = http.post("/embed", json={"text": "x"})
        assert "busy" in refused(busy, 503)
        assert busy.headers["retry-after"] == "1"
        assert http.get("/health").json()["status"] == "ok"
        go_on.set()
        assert [answer.result(PATIENCE_S).status_code for answer in waiting] == [200, 200]
        assert http.post("/embed", json={"text": "x"}).status_code == 200
