"""Requests of which nobody can say where they end."""

import json

from recollect.settings.sections import ServeSettings
from recollect.web.middleware import add_middleware
from tests.rows import every
from tests.web.conftest import LOCAL, ask, empty, serving, typed

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"


@every("method", ["GET", "POST", "DELETE"])
@every("first", ["Content-Length", "Transfer-Encoding"])
def test_two_lengths_are_refused_and_nothing_after_them_is_read(method: str, first: str) -> None:
    lengths = {"Content-Length": "5", "Transfer-Encoding": "chunked"}
    lines = [f"{name}: {lengths[name]}" for name in sorted(lengths, key=lambda name: name != first)]
    head = "\r\n".join([f"{method} / HTTP/1.1", "Host: localhost", "Content-Type: application/json", *lines, "", ""])
    with serving(add_middleware(empty, ServeSettings())) as http:
        answer = typed(http, head.encode() + b"0\r\n\r\n" + SMUGGLED)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"connection: close" in answer
    assert b"x-request-id: " in answer
    assert answer.count(b"HTTP/1.1 ") == 1


@every("pair", [(b"content-length", b"0"), (b"transfer-encoding", b"chunked")])
def test_one_length_is_enough(pair: tuple[bytes, bytes]) -> None:
    assert ask(add_middleware(empty, ServeSettings()), "POST", headers=(*LOCAL, pair)).status == 204


def test_the_refusal_says_what_to_do() -> None:
    both = (*LOCAL, (b"Content-Length", b"0"), (b"Transfer-Encoding", b"chunked"))
    assert "Send one of them" in json.loads(ask(add_middleware(empty, ServeSettings()), headers=both).body)["detail"]
