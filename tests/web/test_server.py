"""Ports and the life of a server."""

import threading
from contextlib import closing

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from recollect.web.server import HttpServer, ServerError, bind, configure, listen, open_to, resolve_host, url_of
from tests.rows import every
from tests.waiting import PATIENCE_S
from tests.web.conftest import empty, serving


def test_a_server_says_when_it_answers_and_when_it_begins_to_end() -> None:
    ready, ending = threading.Event(), threading.Event()

    with closing(bind("127.0.0.1", 0)) as listener:
        listen(listener)
        server = HttpServer(configure(empty, last_requests_s=PATIENCE_S))
        server.announce, server.ending = ready.set, ending.set
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            assert ready.wait(PATIENCE_S)
            assert httpx2.get(url_of(listener), timeout=PATIENCE_S, trust_env=False).status_code == 204
            assert not ending.is_set()
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)
        assert ending.is_set()


def test_nothing_is_told_about_the_server_and_nothing_believed_about_a_proxy() -> None:
    seen: list[Scope] = []

    async def see(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope)
        await empty(scope, receive, send)

    with serving(see) as http:
        headers = {"X-Forwarded-For": "8.8.8.8", "X-Forwarded-Proto": "https"}
        answer = http.get("/", headers=headers)
    assert "server" not in answer.headers
    assert seen[0]["client"][0] == "127.0.0.1"
    assert seen[0]["scheme"] == "http"


def test_the_application_may_have_a_life_of_its_own() -> None:
    heard: list[str] = []

    async def living(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await empty(scope, receive, send)
            return
        for _ in range(2):
            heard.append((await receive())["type"])
            await send({"type": f"{heard[-1]}.complete"})

    with serving(living, lifespan="on") as http:
        assert http.get("/").status_code == 204
        assert heard == ["lifespan.startup"]
    assert heard == ["lifespan.startup", "lifespan.shutdown"]


@every(("host", "is_open"), [("127.0.0.1", False), ("0.0.0.0", True)])  # noqa: S104 - it says so
def test_a_port_says_where_it_is_and_who_may_reach_it(host: str, *, is_open: bool) -> None:
    with closing(bind(host, 0)) as listener:
        assert url_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"
        assert open_to(listener) == (host if is_open else None)


def test_a_stop_waits_whole_seconds() -> None:
    assert configure(empty, last_requests_s=0.2).timeout_graceful_shutdown == 1
    assert configure(empty, last_requests_s=0).timeout_graceful_shutdown == 0


def test_a_name_that_means_nothing_is_no_address() -> None:
    assert [str(address) for address in resolve_host("127.1")] == ["127.0.0.1"]
    with pytest.raises(ServerError, match="no address of this machine"):
        resolve_host("")
