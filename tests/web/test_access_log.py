"""What the operator reads of a request, and what nobody reads."""

import io
import json
import logging
import sys
from typing import Any

import pytest
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.settings.sections import ServeSettings
from recollect.web.access_log import AccessLogMiddleware, route_of
from recollect.web.middleware import LOG, RequestIdMiddleware, start_logging
from tests.web.conftest import LOCAL, ask, echo, empty

PRIVATE = "the-safe-is-behind-the-painting"


def noted(app: ASGIApp) -> ASGIApp:
    return RequestIdMiddleware(AccessLogMiddleware(app, LOG, route_of))


def lines(log: pytest.LogCaptureFixture) -> list[Any]:
    return [record.args for record in log.records if record.name == LOG.name]


def raising(error: BaseException) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise error

    return app


def test_a_request_is_one_line_of_figures(log: pytest.LogCaptureFixture) -> None:
    headers = (*LOCAL, (b"x-request-id", b"r-1"))
    ask(noted(echo), "POST", f"/api/memories/{PRIVATE}?q={PRIVATE}", headers, [b"12345"])
    (line,) = lines(log)
    assert line.pop("ms") >= 0
    assert line == {"request_id": "r-1", "method": "POST", "place": "/api", "status": 200, "bytes": 5}
    assert PRIVATE not in log.text


def test_the_route_stands_for_the_path_and_the_key_for_the_user(log: pytest.LogCaptureFixture) -> None:
    class Route:
        path = "/api/memories/{id}"

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = Route()
        scope["state"].update(principal_id="k1", user_id=PRIVATE)
        await empty(scope, receive, send)

    ask(noted(routed), "DELETE", f"/api/memories/{PRIVATE}")
    (line,) = lines(log)
    assert (line["place"], line["key"], line["status"]) == ("/api/memories/{id}", "k1", 204)
    assert PRIVATE not in str(line)


@pytest.mark.parametrize("path", ["/", "//x", "/what%20is it?", f"/{PRIVATE}-{PRIVATE}", "/\n", "/\u00e4"])
def test_a_path_that_is_not_plain_is_not_written(log: pytest.LogCaptureFixture, path: str) -> None:
    ask(noted(empty), path=path)
    assert lines(log)[0]["place"] in ("/", "/x")


def test_a_failure_is_answered_and_written_without_what_it_said(log: pytest.LogCaptureFixture) -> None:
    answer = ask(noted(raising(ValueError(PRIVATE))), path="/api")
    assert (answer.status, answer.headers["content-type"]) == (500, "application/problem+json")
    failed, line = lines(log)
    assert failed["failure"].startswith("ValueError at test_access_log.py:")
    assert failed["request_id"] == line["request_id"] == answer.headers["x-request-id"]
    assert line["status"] == 500
    assert PRIVATE not in log.text
    assert PRIVATE not in answer.body.decode()


def test_a_failure_in_the_middle_of_an_answer_is_written_once(log: pytest.LogCaptureFixture) -> None:
    async def breaking(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise OSError

    assert ask(noted(breaking)).status == 200
    assert [record.levelno for record in log.records] == [logging.ERROR, logging.INFO]


@pytest.mark.parametrize(
    "error",
    [ClientDisconnect(), ExceptionGroup("all", [ClientDisconnect(), ExceptionGroup("in", [ClientDisconnect()])])],
)
def test_a_client_that_went_away_is_no_failure(log: pytest.LogCaptureFixture, error: Exception) -> None:
    assert ask(noted(raising(error))).status == 0
    assert [line["status"] for line in lines(log)] == [499]


def test_a_failure_beside_it_is_one(log: pytest.LogCaptureFixture) -> None:
    ask(noted(raising(ExceptionGroup("all", [ClientDisconnect(), ValueError()]))))
    assert "failure" in lines(log)[0]


@pytest.mark.parametrize("access_log", [True, False])
def test_each_line_is_a_json_object(
    log: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, *, access_log: bool
) -> None:
    monkeypatch.setattr(sys, "stderr", written := io.StringIO())
    start_logging(ServeSettings(access_log=access_log))
    ask(noted(empty), path="/api/x")
    ask(noted(raising(KeyError(PRIVATE))), path="/api/x")
    LOG.error("the store went away")
    entries = [json.loads(line) for line in written.getvalue().splitlines()]
    shown = [(entry["level"], entry.get("status", entry.get("message", "failed"))) for entry in entries]
    failed, said = ("error", "failed"), ("error", "the store went away")
    assert shown == ([("info", 204), failed, ("info", 500), said] if access_log else [failed, said])
    assert all(entry["time"].endswith("Z") and len(entry["time"]) == 24 for entry in entries)
    assert PRIVATE not in written.getvalue()
