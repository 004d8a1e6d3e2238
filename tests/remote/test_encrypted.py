"""The same over TLS: who cannot prove who they are is not asked, and the deadline holds there too."""

import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from recollect.http_client import ApiKey, Endpoint, HttpRequest, HttpResponse, RemoteError, RetryPolicy

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates are made with openssl")

ASKED = HttpRequest("/slowly", 10_000, b"{}")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    keys: list[str]

    def do_POST(self) -> None:
        self.keys.append(self.headers["Authorization"])
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/slowly":
            for letter in b"HTTP/1.1 200 OK\r\nX-Slowly: " + b"x" * 500:
                self.wfile.write(bytes((letter,)))
                time.sleep(0.02)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:
        pass


class Quiet(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: refusing us is what some tests are about."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    key, found = folder / "key.pem", folder / "certificate.pem"
    subject = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2")
    command = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    subprocess.run([*command, *subject, "-keyout", key, "-out", found], check=True, capture_output=True)
    return key, found


@pytest.fixture
def url(certificate: tuple[Path, Path]) -> Iterator[str]:
    Handler.keys = []
    server = Quiet(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate[1], certificate[0])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"https://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def endpoint(url: str) -> Iterator[Endpoint]:
    made = Endpoint(url, ApiKey("sk-tls"), RetryPolicy(60.0, 0))
    yield made
    made.close()


def test_a_stranger_does_not_get_the_key(endpoint: Endpoint) -> None:
    with pytest.raises(RemoteError, match="certificate"):
        endpoint.ask(HttpRequest("/x", 1000, b"{}"), HttpResponse.parsed)
    assert Handler.keys == []


def test_who_is_trusted_is_asked(
    endpoint: Endpoint, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
    for _ in range(3):
        assert endpoint.ask(HttpRequest("/x", 1000, b"{}"), HttpResponse.parsed) == {}
    assert Handler.keys == ["Bearer sk-tls"] * 3


def test_the_deadline_holds(
    endpoint: Endpoint, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
    with pytest.raises(RemoteError, match="did not answer within 1 s"):
        endpoint.ask(
            replace(ASKED, timeout_s=1), HttpResponse.parsed
        )  # each letter comes in time, the last one too late
