"""A client says clearly what is wrong: nothing there, something else there, a wrong key, too many requests."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from recollect._version import is_compatible
from recollect.client import Client
from recollect.client.service import ServiceConnection
from recollect.errors import (
    AlreadyProcessed,
    InvalidInput,
    NotPermitted,
    QuotaExceeded,
    RateLimited,
    RecollectError,
    ServiceUnavailable,
    SettingsError,
    StaleVersion,
    StoreError,
    StoreFull,
    UnknownKey,
    VersionMismatch,
)
from recollect.http_client import RawResponse
from tests.rows import every
from tests.service.conftest import Running, Serve

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


class Other(BaseHTTPRequestHandler):
    """Something that is no service of this version."""

    answer = b""

    def do_GET(self) -> None:
        """Answer always alike."""
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.answer)))
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def other(request: pytest.FixtureRequest) -> Iterator[str]:
    handler = type("Answering", (Other,), {"answer": request.param})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_no_service(database: str) -> None:
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(ServiceUnavailable, match="recollect serve") as error:
            Client.open(f"http://127.0.0.1:{unused.getsockname()[1]}", key="rk_a_b", timeout_s=5)
    assert isinstance(error.value, StoreError)
    with pytest.raises(SettingsError, match="not a URL"):
        Client.open("memory.db", key="rk_a_b")


def test_a_service_that_never_answers_costs_the_timeout_once(database: str) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        service = ServiceConnection(f"http://127.0.0.1:{silent.getsockname()[1]}", "rk_a_b", timeout_s=0.2)
        with closing(service), pytest.raises(ServiceUnavailable, match="did not answer within"):
            service.get("anna", "/api/stats")
        silent.settimeout(0)
        silent.accept()[0].close()
        with pytest.raises(BlockingIOError):
            silent.accept()


@pytest.mark.parametrize("other", [b"<html>", b"[]", b'{"name": "Qdrant"}'], indirect=True)
def test_another_program_answers(database: str, other: str) -> None:
    with pytest.raises(ServiceUnavailable, match="no Recollect service"):
        Client.open(other, key="rk_a_b")


@pytest.mark.parametrize("other", [json.dumps({"name": "Recollect", "version": "9.1.0"}).encode()], indirect=True)
def test_another_version_answers(database: str, other: str) -> None:
    with pytest.raises(VersionMismatch, match=r"Recollect 9\.1\.0, this client is"):
        Client.open(other, key="rk_a_b")


def test_a_service_of_another_version_stores_nothing(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    with Client.open(service.url, key=service.key()) as client:
        monkeypatch.setattr("recollect.client.service.__version__", "0.2.0")
        with pytest.raises(VersionMismatch, match="of another release"):
            client.me.remember("x")
        monkeypatch.setattr("recollect.client.service.__version__", "0.1.9")
        assert client.me.remember("y").action == "created"
    assert service.memory.user("anna").count() == 1


@every(
    ("theirs", "ours", "fits"),
    [("0.1.7", "0.1.0", True), ("0.2.0", "0.1.0", False), ("1.0.0", "0.1.0", False), ("0.1.0", "1.1.0", False),
     ("1.9.0", "1.1.0", True), ("2.1.0", "1.1.0", False), ("", "0.1.0", False)],
)  # fmt: skip
def test_which_versions_fit(database: str, theirs: str, ours: str, fits: bool) -> None:  # noqa: FBT001 - of a table
    assert is_compatible(theirs, ours) is fits


def test_a_wrong_key_and_one_that_may_not(service: Running) -> None:
    with pytest.raises(UnknownKey, match="key"):
        Client.open(service.url, key="rk_a_b")
    with Client.open(service.url, key=service.key(scopes=("write",))) as client:
        assert client.me.remember("x").action == "created"
    with Client.open(service.url, key=service.key(scopes=("read",))) as client:
        assert len(client.me.recall("x").hits) == 1
        with pytest.raises(NotPermitted, match="write"):
            client.me.remember("x")
        with pytest.raises(NotPermitted):
            client.user("berta").recall("x")


def test_an_admin_names_a_user(service: Running) -> None:
    with Client.open(service.url, key=service.key(scopes=("admin",))) as client:
        client.user("jiří").remember("Likes tea")
    assert service.memory.user("jiří").count() == 1


def test_a_key_that_is_revoked_meanwhile(service: Running) -> None:
    with Client.open(service.url, key=service.key()) as client:
        service.memory.keys.revoke(service.memory.keys.list()[0].id)
        with pytest.raises(UnknownKey):
            client.me.recall("x")


def test_a_quota_and_a_full_disk_are_told_apart(serve: Serve) -> None:
    service = serve(limits__memories=1)
    with Client.open(service.url, key=service.key()) as client:
        client.me.remember("x")
        with pytest.raises(QuotaExceeded, match=r"limits\.memories") as error:
            client.me.remember("y")
    assert error.value.quota == "memories"


@every(
    ("status", "kind"),
    [(410, AlreadyProcessed), (412, StaleVersion), (413, InvalidInput), (500, ServiceUnavailable), (507, StoreFull)],
)
def test_statuses_become_errors(service: Running, status: int, kind: type[RecollectError]) -> None:
    with Client.open(service.url, key=service.key()) as client:
        found = client._service._error(RawResponse(status, {}, b""), {"detail": "Why."})
    assert type(found) is kind


def test_too_many_requests(serve: Serve) -> None:
    service = serve(serve__burst=3, serve__requests_per_minute=1, embedding__provider="none")
    with Client.open(service.url, key=service.key()) as client:
        client.me.recall("x")
        client.me.recall("x")
        with pytest.raises(RateLimited) as error:
            client.me.recall("x")
    assert error.value.retry_after_s >= 1
    assert str(error.value)


def test_connections_that_are_gone_are_opened_again(service: Running) -> None:
    with Client.open(service.url, key=service.key()) as client:
        client.me.remember("Before")
        client._service.close()
        assert client.me.remember("After").action == "created"
