import gc
import json
import traceback
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from recollect import __version__
from recollect.errors import SettingsError
from recollect.http_client import (
    ApiKey,
    CircuitBreaker,
    Endpoint,
    HttpRequest,
    HttpResponse,
    RemoteError,
    RetryPolicy,
    Transient,
    checked_url,
)
from recollect.http_client.connection import _proxied, retry_after_s
from recollect.http_client.deadline import _Backend
from tests.providers.server import ProviderServer
from tests.remote.test_breaker import Ticks
from tests.rows import every
from tests.waiting import PATIENCE_S

KEY = "sk-REMOTE-0123456789"
MakeEndpoint = Callable[..., Endpoint]


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def make(server: ProviderServer, pauses: list[float]) -> Iterator[MakeEndpoint]:
    made: list[Endpoint] = []

    def endpoint(timeout_s: float = 60.0, retries: int = 2, *, stubborn: bool = True, **more: Any) -> Endpoint:
        patience = RetryPolicy(timeout_s, retries, longest_wait_s=10.0, stubborn=stubborn)
        options = {"sleep": pauses.append, "chance": lambda: 0.5, **more}
        made.append(Endpoint(server.url("openai"), ApiKey(KEY), patience, **options))
        return made[-1]

    yield endpoint
    for each in made:
        each.close()


def question(text: str = "hello", most_bytes: int = 100_000, **more: Any) -> HttpRequest:
    body = {"model": "text-embedding-3-small", "input": [text], "dimensions": 8}
    return HttpRequest.json("/embeddings", body, most_bytes, **more)


def failure(endpoint: Endpoint, request: HttpRequest | None = None) -> RemoteError:
    """Ask, and expect an error that gives no secret away."""
    with pytest.raises(RemoteError) as caught:
        endpoint.ask(request or question(), HttpResponse.parsed)
    assert KEY not in "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    return caught.value


def test_it_asks_and_gives_what_is_read(server: ProviderServer, make: MakeEndpoint) -> None:
    answer = make().ask(question(), HttpResponse.parsed)
    assert answer["usage"]["prompt_tokens"] == 1
    [request] = server.requests
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"
    assert request.texts == ("hello",)


def test_connections_are_used_again(server: ProviderServer, make: MakeEndpoint) -> None:
    listener = server._listener
    assert listener
    endpoint = make()
    for _ in range(5):
        endpoint.ask(question(), HttpResponse.parsed)
    assert len(listener._open) == 1


def test_threads_share_it(server: ProviderServer, make: MakeEndpoint) -> None:
    server.at_once = 2
    endpoint = make(timeout_s=PATIENCE_S)
    with ThreadPoolExecutor(max_workers=8) as pool:
        answers = list(
            pool.map(lambda number: endpoint.ask(question(f"text {number}"), HttpResponse.parsed), range(24))
        )
    assert len(answers) == 24
    assert server.activity.most_at_once >= 2


@pytest.mark.parametrize("fault", ["error_500", "rate_limited", "reset", "slow", "hang", "down"])
def test_what_may_pass_is_asked_again(
    server: ProviderServer, make: MakeEndpoint, pauses: list[float], fault: str
) -> None:
    endpoint = make()
    server.fault = fault
    error = failure(endpoint, replace(question(), timeout_s=0.15))
    assert error.transient
    assert error.attempts == 3
    assert pauses == [0.5, 1.0]
    server.fault = None
    assert endpoint.ask(question(), HttpResponse.parsed)["object"] == "list"


def test_what_the_reader_calls_transient_is_asked_again(server: ProviderServer, make: MakeEndpoint) -> None:
    with server.misbehaving("html", times=2):
        assert make().ask(question(), HttpResponse.parsed)["object"] == "list"
    assert len(server.requests) == 3


def test_what_must_not_be_repeated_is_not(server: ProviderServer, make: MakeEndpoint) -> None:
    server.fault = "error_500"
    assert failure(make(), question(repeatable=False)).attempts == 1
    assert len(server.requests) == 1


def test_a_pause_that_is_asked_for_is_made(server: ProviderServer, make: MakeEndpoint, pauses: list[float]) -> None:
    server.retry_after_s = 7
    with server.misbehaving("rate_limited_with_pause", times=1):
        make().ask(question(), HttpResponse.parsed)
    assert pauses == [7.0]


def test_a_pause_that_is_too_long_is_for_the_caller(
    server: ProviderServer, make: MakeEndpoint, pauses: list[float]
) -> None:
    server.retry_after_s = 90
    server.fault = "rate_limited_with_pause"
    error = failure(make(stubborn=False))
    assert (error.retry_after_s, error.attempts, error.status) == (90.0, 1, 429)
    assert pauses == []


@pytest.mark.parametrize("fault", ["trickled", "dripped"])
def test_a_server_that_drips_is_out_of_time_at_the_deadline(
    server: ProviderServer, make: MakeEndpoint, fault: str
) -> None:
    server.fault = fault  # each letter comes in time, and the last one in half a minute
    error = failure(make(retries=0), replace(question(), timeout_s=0.3))
    assert "did not answer within 0.3 s" in error.reason


def test_a_redirect_is_not_followed(server: ProviderServer, make: MakeEndpoint) -> None:
    server.fault = "redirect"
    error = failure(make())
    assert error.status == 307
    assert "redirect" in error.reason
    assert len(server.requests) == 1
    assert server.elsewhere.requests == []


def test_a_huge_body_is_refused_unread(server: ProviderServer, make: MakeEndpoint) -> None:
    endpoint = make()
    endpoint.ask(question(), HttpResponse.parsed)
    server.fault = "huge"
    gc.collect()
    tracemalloc.start()
    error = failure(endpoint)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "more than 100,000 bytes" in error.reason
    assert peak < 2_000_000
    assert len(server.requests) == 2


def test_a_server_that_stalls_has_no_second_deadline(
    server: ProviderServer, make: MakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    left_s = _Backend.left_s

    def noted(self: _Backend, timeout: float | None, late: type[Exception]) -> float:
        waits.append(left_s(self, timeout, late) or 0.0)
        return waits[-1]

    monkeypatch.setattr(_Backend, "left_s", noted)
    server.fault = "stalled"  # the first letters come after half a second, and no more
    assert "did not answer within 2 s" in failure(make(timeout_s=2, retries=0)).reason
    assert waits == sorted(waits, reverse=True), "time that is gone was given again"


def test_a_length_that_is_announced_is_believed(server: ProviderServer, make: MakeEndpoint) -> None:
    server.fault = "announced"
    assert "more than 100,000 bytes" in failure(make()).reason


def test_a_body_without_an_end_is_not_awaited(server: ProviderServer, make: MakeEndpoint) -> None:
    server.fault = "endless"
    assert "more than 100,000 bytes" in failure(make()).reason


@pytest.mark.parametrize(("fault", "status"), [("unauthorized", 401), ("forbidden", 403), ("not_found", 404)])
def test_a_refusal_is_not_argued_with(server: ProviderServer, make: MakeEndpoint, fault: str, status: int) -> None:
    server.fault = fault
    error = failure(make(advice={status: "Do this."}))
    assert (error.status, error.transient, error.attempts) == (status, False, 1)
    assert error.reason.endswith("Do this.")


def test_after_five_failures_nobody_is_asked(server: ProviderServer, make: MakeEndpoint) -> None:
    endpoint = make(retries=0)
    server.fault = "error_500"
    for _ in range(5):
        failure(endpoint)
    error = failure(endpoint)
    assert len(server.requests) == 5
    assert "left in peace" in error.reason
    assert error.attempts == 0
    assert error.retry_after_s is not None
    assert 0 < error.retry_after_s <= 5.0


def test_a_probe_brings_it_back(server: ProviderServer, make: MakeEndpoint, ticks: Ticks) -> None:
    endpoint = make(retries=0, breaker=CircuitBreaker(failures=2, first_pause_s=5, monotonic=ticks))
    server.fault = "error_500"
    for _ in range(3):
        failure(endpoint)
    server.fault = None
    ticks.now += 6
    assert endpoint.ask(question(), HttpResponse.parsed)["object"] == "list"
    assert len(server.requests) == 3


def test_a_probe_is_one_request(server: ProviderServer, make: MakeEndpoint, ticks: Ticks) -> None:
    endpoint = make(retries=2, breaker=CircuitBreaker(failures=1, first_pause_s=5, monotonic=ticks))
    server.fault = "error_500"
    assert failure(endpoint).attempts == 3
    ticks.now += 6
    assert failure(endpoint).attempts == 1
    assert len(server.requests) == 4


def test_what_a_reader_raises_does_not_hold_the_probe(server: ProviderServer, make: MakeEndpoint, ticks: Ticks) -> None:
    endpoint = make(retries=0, breaker=CircuitBreaker(failures=1, first_pause_s=5, monotonic=ticks))
    server.fault = "error_500"
    failure(endpoint)
    server.fault = None
    ticks.now += 6

    def surprised(_: HttpResponse) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        endpoint.ask(question(), surprised)
    assert endpoint.ask(question(), HttpResponse.parsed)["object"] == "list"


def test_which_failures_count_can_be_said(server: ProviderServer, make: MakeEndpoint) -> None:
    server.fault = "unauthorized"
    patient = make()
    for _ in range(8):
        failure(patient)
    assert len(server.requests) == 8
    wary = make(trips=lambda error: True)
    for _ in range(8):
        failure(wary)
    assert len(server.requests) == 8 + 5


def test_no_proxy_sees_a_key_in_clear_text(
    server: ProviderServer, make: MakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, server.elsewhere.url)
    assert make().ask(question(), HttpResponse.parsed)["object"] == "list"
    assert server.elsewhere.requests == []


def test_a_proxy_of_the_environment_carries_what_is_encrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ALL_PROXY", "all_proxy", "https_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert _proxied("https://api.example/v1")
    monkeypatch.setenv("NO_PROXY", "api.example")
    assert not _proxied("https://api.example/v1")
    monkeypatch.delenv("HTTPS_PROXY")
    assert not _proxied("https://other.example/v1")


def test_a_date_is_read_by_the_clock_of_the_server() -> None:
    later, now = "Wed, 21 Oct 2026 07:28:30 GMT", "Wed, 21 Oct 2026 07:28:00 GMT"
    assert retry_after_s({"retry-after": later, "date": now}) == 30.0
    assert retry_after_s({"retry-after": now, "date": later}) == 0.0
    assert retry_after_s({"retry-after": later}) is None
    assert retry_after_s({"retry-after": "soon", "date": now}) is None
    assert retry_after_s({}) is None


@every("content", [b"", b"<html>", b'{"data": [', b"[1]", b"\xff", b"[" * 100_000])
def test_what_is_no_object_may_be_one_next_time(content: bytes) -> None:
    with pytest.raises(Transient, match=r"^host answered with"):
        HttpResponse("host", "text/html", content, ApiKey(KEY)).parsed()


@every(
    ("content", "said"),
    [
        (b'{"error": {"message": "too long", "type": "invalid"}}', "too long"),
        (b'{"error": "model not found"}', "model not found"),
        (b'{"type": "about:blank", "status": 422, "detail": "A text is empty."}', "A text is empty"),
        (b'{"message": "no"}', "no"),
        (b'{"error": {"code": 7}}', '{"error": {"code": 7}}'),
        (b"<html>Bad gateway</html>", "<html>Bad gateway</html>"),
        (b'{"error": "wrong key ' + KEY.encode() + b'"}', "wrong key [key]"),
    ],
)
def test_a_complaint_is_given_in_its_own_words(content: bytes, said: str) -> None:
    assert HttpResponse("host", "application/json", content, ApiKey(KEY)).complaint == said


def test_half_a_character_does_not_stop_a_request() -> None:
    request = HttpRequest.json("/x", {"input": ["half \ud83d"]}, 10)
    assert json.loads(request.content) == {"input": ["half ?"]}


def test_a_key_is_never_shown() -> None:
    key = ApiKey(f"  {KEY} ", "x-goog-api-key", "")
    assert key.headers == {"x-goog-api-key": KEY}
    assert KEY not in repr(key)
    assert KEY not in repr(HttpResponse("host", "", KEY.encode(), key))
    assert key.hidden_in(f"your key {KEY}!") == "your key [key]!"
    assert ApiKey().headers == {}
    assert ApiKey().hidden_in("abc") == "abc"


def test_addresses_are_checked() -> None:
    assert checked_url(" https://host/v1/ ", "it", "x") == "https://host/v1"
    for wrong in ("", "host/v1", "ftp://host", "http://u:p@host", "http://host?key=1", "http://host:99999"):
        with pytest.raises(SettingsError, match="address of it"):
            checked_url(wrong, "it", "x")


def test_it_says_who_asks(server: ProviderServer, make: MakeEndpoint) -> None:
    make().ask(question(), HttpResponse.parsed)
    assert server.requests[0].headers["User-Agent"] == f"recollect/{__version__}"


def test_a_question_may_have_less_time_than_usual(server: ProviderServer, make: MakeEndpoint) -> None:
    server.fault = "hang"
    endpoint = make(timeout_s=3_600.0, retries=0)
    assert "did not answer within 0.2 s" in failure(endpoint, replace(question(), timeout_s=0.2)).reason


def test_a_question_has_no_more_time_than_usual(server: ProviderServer, make: MakeEndpoint) -> None:
    server.fault = "hang"
    endpoint = make(timeout_s=0.2, retries=0)
    assert "did not answer within 0.2 s" in failure(endpoint, replace(question(), timeout_s=60.0)).reason


def test_json_of_any_kind_is_read() -> None:
    assert HttpResponse("host", "application/json", b"[1, 2]", ApiKey(KEY)).value() == [1, 2]
    with pytest.raises(Transient, match="not JSON"):
        HttpResponse("host", "text/html", b"<html>", ApiKey(KEY)).value()
