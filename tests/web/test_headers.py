"""What stands on every answer."""

from starlette.types import Receive, Scope, Send

from recollect.web.middleware import RequestIdMiddleware, SecurityHeadersMiddleware
from tests.rows import every
from tests.web.conftest import LOCAL, ask, empty


@every("given", ["a", "Az09._-", "x" * 64])
def test_a_number_that_can_be_used_is_kept(given: str) -> None:
    answer = ask(RequestIdMiddleware(empty), headers=(*LOCAL, (b"x-request-id", given.encode())))
    assert answer.headers["x-request-id"] == answer.scope["state"]["request_id"] == given


@every("given", ["", "x" * 65, "a b", "a\nb", "a\n", "\u00e4", '"', "<script>", "a/b"])
def test_another_one_is_replaced(given: str) -> None:
    answer = ask(RequestIdMiddleware(empty), headers=(*LOCAL, (b"x-request-id", given.encode("latin-1"))))
    assert len(answer.headers["x-request-id"]) == 32
    assert answer.headers["x-request-id"] == answer.scope["state"]["request_id"]


def test_without_one_or_with_two_a_new_one_is_made() -> None:
    first, second = ask(RequestIdMiddleware(empty)), ask(RequestIdMiddleware(empty))
    assert first.headers["x-request-id"] != second.headers["x-request-id"]
    twice = ask(RequestIdMiddleware(empty), headers=((b"x-request-id", b"a"), (b"x-request-id", b"b")))
    assert len(twice.headers["x-request-id"]) == 32


def test_browsers_are_told_to_be_careful() -> None:
    assert ask(SecurityHeadersMiddleware(empty)).headers == {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "cache-control": "no-store",
    }


def test_a_route_says_how_long_its_answer_may_be_kept_and_nothing_else() -> None:
    async def loose(scope: Scope, receive: Receive, send: Send) -> None:
        own = [(b"Cache-Control", b"max-age=60"), (b"Content-Security-Policy", b"default-src *"), (b"etag", b'"1"')]
        await send({"type": "http.response.start", "status": 200, "headers": own})
        await send({"type": "http.response.body"})

    headers = ask(SecurityHeadersMiddleware(loose)).headers
    assert (headers["cache-control"], headers["etag"]) == ("max-age=60", '"1"')
    assert headers["content-security-policy"].startswith("default-src 'none'")
