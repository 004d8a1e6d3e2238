"""Bodies: how large, how slow, of which kind, and how many at a time."""

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from starlette.types import Receive, Scope, Send

from recollect.web.body_limits import BodyLimitMiddleware
from recollect.web.limits import BodyLimits
from tests.rows import every
from tests.waiting import PATIENCE_S
from tests.web.conftest import LOCAL, Pairs, ask, connect, echo, empty, serving

JSON = (*LOCAL, (b"content-type", b"application/json"))
SMALL = BodyLimits(body_bytes=10, larger={"/files": 20})
WITH_BODY = ("POST", "PUT", "PATCH", "DELETE", "PROPFIND")


def announced(length: int, headers: Pairs = JSON) -> Pairs:
    return (*headers, (b"content-length", str(length).encode()))


@every("method", WITH_BODY)
def test_a_body_of_the_largest_size_passes_and_one_byte_more_does_not(method: str) -> None:
    gate = BodyLimitMiddleware(echo, SMALL)
    assert ask(gate, method, headers=JSON, body=[b"x" * 10]).body == b"x" * 10
    assert ask(gate, method, headers=JSON, body=[b"x" * 11]).status == 413
    assert ask(gate, method, headers=announced(11), body=[b"x" * 11]).status == 413


def test_a_body_is_counted_while_it_arrives_whatever_was_announced() -> None:
    gate = BodyLimitMiddleware(echo, SMALL)
    assert ask(gate, "POST", headers=JSON, body=[b"x" * 5, b"x" * 5]).body == b"x" * 10
    assert ask(gate, "POST", headers=JSON, body=[b"x" * 5] * 3).status == 413
    assert ask(gate, "POST", headers=announced(3), body=[b"x" * 5] * 3).status == 413
    assert ask(gate, "POST", headers=(*JSON, (b"content-length", b"few")), body=[b"x" * 11]).status == 413


def test_what_announces_too_much_is_not_even_read() -> None:
    answer = ask(BodyLimitMiddleware(echo, SMALL), "POST", headers=announced(11), body=())
    assert answer.status == 413
    assert json.loads(answer.body)["detail"] == "The body is larger than 10 bytes. Send several batches."


def test_some_paths_may_take_more() -> None:
    gate = BodyLimitMiddleware(echo, SMALL)
    assert ask(gate, "POST", "/files", JSON, [b"x" * 20]).status == 200
    assert ask(gate, "POST", "/files", JSON, [b"x" * 21]).status == 413
    assert ask(gate, "POST", "/files/", JSON, [b"x" * 20]).status == 413


def test_some_paths_take_any_form_unless_it_is_packed() -> None:
    gate = BodyLimitMiddleware(echo, BodyLimits(any_form=frozenset({"/files"})))
    plain = (*LOCAL, (b"content-type", b"text/plain"))
    assert ask(gate, "POST", "/files", plain, [b"x"]).body == b"x"
    assert ask(gate, "POST", "/files", LOCAL, [b"x"]).body == b"x"
    assert ask(gate, "POST", "/files", (*plain, (b"content-encoding", b"gzip")), [b"x"]).status == 415
    assert ask(gate, "POST", "/file", plain, [b"x"]).status == 415


def test_larger_bodies_have_longer_but_leave_half_of_the_room_to_others() -> None:
    limits = BodyLimits(larger={"/files": 80}, room_bytes=100, body_wait_s=1, slowest_bytes_per_s=10)
    assert (limits.wait_s("/"), limits.wait_s("/files")) == (1, 9)
    gate = BodyLimitMiddleware(echo, limits)
    assert ask(gate, "POST", "/files", JSON, [b"x" * 50]).status == 200
    assert ask(gate, "POST", "/files", JSON, [b"x" * 51]).status == 503
    assert ask(gate, "POST", "/", JSON, [b"x" * 100]).status == 200


def test_a_body_of_unknown_length_is_refused_over_http() -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(1000):
            yield b"x" * 100_000

    with serving(BodyLimitMiddleware(echo, SMALL)) as http:
        answer = http.post("/", content=endless(), headers={"Content-Type": "application/json"})
        assert answer.status_code == 413
        assert http.post("/", json=1).json() == 1


@every("kind", [b"text/plain", b"application/x-www-form-urlencoded", b"application/jsonp", b""])
def test_a_body_has_to_be_json(kind: bytes) -> None:
    headers = (*LOCAL, (b"content-type", kind))
    assert ask(BodyLimitMiddleware(echo, SMALL), "POST", headers=headers, body=[b"{}"]).status == 415
    assert ask(BodyLimitMiddleware(echo, SMALL), "POST", headers=announced(2, headers), body=()).status == 415


@every(
    ("kind", "coding"),
    [
        (b"application/json", b""),
        (b"Application/JSON; charset=utf-8", b"identity"),
        (b"application/x.y+json", b"Identity"),
    ],
)
def test_json_goes_by_several_names_and_may_say_that_it_is_not_packed(kind: bytes, coding: bytes) -> None:
    headers = (*LOCAL, (b"content-type", kind), (b"content-encoding", coding))
    assert ask(BodyLimitMiddleware(echo, SMALL), "POST", headers=headers, body=[b"{}"]).status == 200


@every("coding", [b"gzip", b"Deflate", b"identity, br", b"zstd"])
def test_a_packed_body_is_refused_before_it_is_read(coding: bytes) -> None:
    headers = (*JSON, (b"content-encoding", coding))
    answer = ask(BodyLimitMiddleware(echo, SMALL), "POST", headers=announced(2, headers), body=())
    assert (answer.status, answer.headers["accept-encoding"]) == (415, "identity")
    assert "without the header Content-Encoding" in json.loads(answer.body)["detail"]
    assert ask(BodyLimitMiddleware(echo, SMALL), "POST", headers=headers, body=[b"{}"]).status == 415


@every("method", WITH_BODY)
def test_no_body_needs_no_kind(method: str) -> None:
    assert ask(BodyLimitMiddleware(empty, SMALL), method).status == 204
    assert ask(BodyLimitMiddleware(empty, SMALL), method, headers=announced(0, LOCAL)).status == 204


def test_who_sends_no_body_is_not_held_up() -> None:
    for method in ("GET", "HEAD", "OPTIONS"):
        assert ask(BodyLimitMiddleware(empty, BodyLimits(inside=0)), method, body=()).status == 204
    assert ask(BodyLimitMiddleware(empty, BodyLimits(inside=0)), "POST").status == 503


def test_a_slow_body_is_given_up() -> None:
    with serving(BodyLimitMiddleware(echo, BodyLimits(inside=1, body_wait_s=0.05))) as http, connect(http) as slow:
        slow.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
        answer = b"".join(iter(lambda: slow.recv(65_536), b""))  # and then it is over
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"connection: close" in answer
        assert http.post("/", json=1).status_code == 200


def test_a_client_that_goes_away_while_it_sends_is_not_answered_and_not_kept() -> None:
    gate = BodyLimitMiddleware(echo, BodyLimits(inside=1, room_bytes=10))

    async def stopped_short(scope: Scope, receive: Receive, send: Send) -> None:
        first = True

        async def interrupted() -> dict[str, object]:
            nonlocal first
            message = {"type": "http.request", "body": b"x" * 9, "more_body": True}
            was, first = first, False
            return message if was else {"type": "http.disconnect"}

        await gate(scope, interrupted, send)

    assert ask(stopped_short, "POST", headers=JSON).status == 0
    assert ask(gate, "POST", headers=JSON, body=[b"x" * 10]).status == 200


def test_all_bodies_together_take_only_so_much_room() -> None:
    started, go_on = threading.Event(), threading.Event()

    async def wait(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/first":
            started.set()
            while not go_on.is_set():  # noqa: ASYNC110 - set by another thread
                await asyncio.sleep(0.01)
        await echo(scope, receive, send)

    with (
        serving(BodyLimitMiddleware(wait, BodyLimits(body_bytes=60, room_bytes=100))) as http,
        ThreadPoolExecutor(1) as other,
    ):
        first = other.submit(http.post, "/first", json="x" * 50)
        assert started.wait(PATIENCE_S)
        busy = http.post("/", json="x" * 50)
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
        assert http.post("/", json="x" * 40).status_code == 200
        go_on.set()
        assert first.result(PATIENCE_S).status_code == 200
        assert http.post("/", json="x" * 50).status_code == 200
