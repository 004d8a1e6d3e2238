"""Sessions of browsers: a link opens one, a key opens some; neither a foreign page nor the thief of a link has any."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from recollect.service.authentication import CSRF_HEADER
from tests.fixtures import SteppingClock
from tests.service.conftest import Running, Serve

WHERE = "/api/session"
COOKIE = "recollect_session"


@pytest.fixture
def running(serve: Serve) -> Running:
    return serve(embedding__provider="none")


@pytest.fixture
def browser(running: Running) -> Iterator[httpx2.Client]:
    with running.client() as opened:
        yield opened


def link(running: Running, user: str = "anna") -> str:
    return running.memory.keys.create_link(user=user).secret


def log_in(browser: httpx2.Client, secret: str) -> dict[str, str]:
    """Log in, and give the headers of the page's requests."""
    answer = browser.post(WHERE, json={"secret": secret})
    assert answer.status_code == 200, answer.text
    return {CSRF_HEADER: answer.json()["csrf"]}


def test_a_link_opens_one_session(running: Running, browser: httpx2.Client) -> None:
    secret = link(running)
    answer = browser.post(WHERE, json={"secret": secret})
    told = answer.json()
    assert (answer.status_code, told["user"], told["scopes"]) == (200, "anna", ["read", "write", "forget"])
    cookie = answer.headers["set-cookie"].lower()
    assert all(part in cookie for part in ("httponly", "samesite=strict", "path=/api", "max-age=43200"))
    assert browser.get(WHERE).json() == told
    with running.client() as second:
        refused = second.post(WHERE, json={"secret": secret})
        assert (refused.status_code, second.get(WHERE).status_code) == (401, 401)
        assert "recollect open" in refused.json()["detail"]


@pytest.mark.on_both_stores
def test_of_many_who_use_a_link_at_once_one_gets_in(running: Running) -> None:
    secret = link(running)

    def attempt(_: int) -> int:
        with running.client() as one:
            return one.post(WHERE, json={"secret": secret}).status_code

    with ThreadPoolExecutor(8) as crowd:
        assert sorted(crowd.map(attempt, range(8))) == [200] + [401] * 7


def test_what_changes_something_needs_the_token(running: Running, browser: httpx2.Client) -> None:
    token = log_in(browser, link(running))
    body = {"content": "Prefers window seats"}
    for headers in ({}, {CSRF_HEADER: ""}, {CSRF_HEADER: "0" * 64}):
        refused = browser.post("/api/memories/unified", json=body, headers=headers)
        assert (refused.status_code, CSRF_HEADER in refused.json()["detail"]) == (403, True)
    for foreign in ("http://127.0.0.1:1", "https://evil.example", "null"):
        answer = browser.post("/api/memories/unified", json=body, headers={**token, "Origin": foreign})
        assert (answer.status_code, "access-control-allow-origin" in answer.headers) == (403, False), foreign
    own = {**token, "Origin": running.url}
    assert browser.post("/api/memories/unified", json=body, headers=own).status_code == 201
    assert [one["content"] for one in browser.get("/api/memories").json()["items"]] == ["Prefers window seats"]


def test_kinds_of_secrets_open_nothing_but_their_own(running: Running, browser: httpx2.Client) -> None:
    log_in(browser, link(running))
    session = browser.cookies[COOKIE]
    with running.client() as other:
        for secret in (session, link(running), session.replace("rs_", "rk_"), link(running).replace("rl_", "rk_")):
            assert other.get("/api/memories", headers={"Authorization": f"Bearer {secret}"}).status_code == 401
        assert other.post(WHERE, json={"secret": session}).status_code == 401
        for value in (running.key(), link(running), "", "x" * 5000):
            assert other.get("/api/memories", headers={"Cookie": f"{COOKIE}={value}"}).status_code == 401
        twice = {"Cookie": f"{COOKIE}={session}; {COOKIE}={session}"}
        assert other.get("/api/memories", headers=twice).status_code == 401
        beside = {"Cookie": f"theirs=1; {COOKIE}={session}; other=a=b"}
        assert other.get("/api/memories", headers=beside).status_code == 200
        assert other.get("/metrics", headers=beside).status_code == 401
        assert other.post("/mcp", json={}, headers=beside).status_code == 401


def test_a_session_may_no_more_than_its_key_and_ends_with_it(running: Running, browser: httpx2.Client) -> None:
    keys = running.memory.keys
    made = keys.create(user="anna", scopes=("read",))
    token = log_in(browser, made.secret)
    assert browser.post("/api/memories/unified", json={"content": "New"}, headers=token).status_code == 403
    assert browser.get("/api/memories", headers={"X-Recollect-User": "ben"}).status_code == 403
    keys.revoke(made.key.id)
    assert browser.get("/api/memories").status_code == 401


def test_a_session_ends(running: Running, browser: httpx2.Client, clock: SteppingClock) -> None:
    token = log_in(browser, link(running))
    assert browser.delete(WHERE, headers=token).status_code == 204
    assert COOKIE not in browser.cookies
    log_in(browser, link(running))
    late = link(running)
    clock.advance(minutes=11)
    assert browser.post(WHERE, json={"secret": late}).status_code == 401, "a link is good for minutes"
    assert browser.get("/api/memories").status_code == 200
    clock.advance(hours=13)
    assert browser.get("/api/memories").status_code == 401


@pytest.mark.on_both_stores
def test_sessions_are_listed_and_ended_by_whose_they_are(running: Running, browser: httpx2.Client) -> None:
    token = log_in(browser, link(running))
    with running.client() as bens, running.client() as admins:
        log_in(bens, link(running, "ben"))
        theirs = log_in(admins, running.memory.keys.create_link(scopes=("admin",)).secret)
        (mine,) = browser.get("/api/sessions").json()["items"]
        (bens_own,) = bens.get("/api/sessions").json()["items"]
        assert (mine["user"], mine["this_one"]) == ("anna", True)
        assert len(admins.get("/api/sessions").json()["items"]) == 3
        assert browser.delete(f"/api/sessions/{bens_own['id']}", headers=token).status_code == 404
        assert admins.delete(f"/api/sessions/{bens_own['id']}", headers=theirs).status_code == 204
        assert (bens.get("/api/memories").status_code, browser.get("/api/memories").status_code) == (401, 200)
    with running.client(running.key("eve")) as program:  # with a key there is no session
        assert program.get(WHERE).status_code == 404
        assert program.get("/api/sessions").json() == {"items": []}


def test_an_admin_who_looks_at_a_memory_is_in_its_audit_log(running: Running, browser: httpx2.Client) -> None:
    keys = running.memory.keys
    log_in(browser, keys.create_link(scopes=("admin",)).secret)
    for _ in range(3):
        assert browser.get("/api/memories", headers={"X-Recollect-User": "anna"}).status_code == 200
    (session,) = keys.open_sessions()
    looked = [(line.actor, line.action) for line in running.memory.operations.audit_log("anna")]
    assert looked == [(session.id, "page.view")]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_logins_are_limited_by_address(serve: Serve) -> None:
    running = serve(embedding__provider="none", serve__burst=30, serve__requests_per_minute=1)
    with running.client() as guesser:
        told = [guesser.post(WHERE, json={"secret": f"rk_{'0' * 16}_{'A' * 43}"}).status_code for _ in range(5)]
    assert told == [401, 401, 401, 429, 429]
