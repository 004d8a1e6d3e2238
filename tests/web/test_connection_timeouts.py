"""Connections on which nothing is asked: how long they are kept, and how many."""

import asyncio
import json
import logging
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from recollect.web.body_limits import BodyLimitMiddleware
from recollect.web.limits import BodyLimits, ConnectionLimits
from recollect.web.server import configure
from tests.plain_http import NO_CERTIFICATES
from tests.rows import every
from tests.waiting import PATIENCE_S
from tests.web.conftest import connect, echo, empty, serving, typed, wait_for

SHORT = ConnectionLimits(head_wait_s=0.3, answer_wait_s=0.3)
ENDLESS = ConnectionLimits(head_wait_s=3_600)
FEW_FILES = 256
HELLO = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
PROMISE = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n"
DRIP_S = 0.02

_SERVER = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[1])))
from recollect.web.server import HttpServer, bind, configure, listen, url_of
from tests.web.conftest import empty
listener = bind("127.0.0.1", 0)
listen(listener)
server = HttpServer(configure(empty, last_requests_s=1))
server.announce = lambda: print(url_of(listener), flush=True)
server.run(sockets=[listener])
"""


def is_over(connection: socket.socket) -> bool:
    """Tell whether the other side ends it; waits for that or for an answer."""
    try:
        return connection.recv(65_536) == b""
    except ConnectionError:
        return True


def drip(connection: socket.socket, piece: bytes, *, begun: bytes = b"") -> None:
    """Send a little now and then, until the other side has had enough."""
    last = time.monotonic() + PATIENCE_S
    with suppress(ConnectionError):
        connection.sendall(begun)
        while time.monotonic() < last:
            connection.sendall(piece)
            time.sleep(DRIP_S)
    assert time.monotonic() < last, "it was kept"


def answered(http: httpx2.Client, request: bytes) -> tuple[socket.socket, bytes]:
    """Ask on a connection, and on another if that was cut before a busy machine came to send; gives its answer."""
    for _ in range(100):
        connection = connect(http)
        with suppress(ConnectionError):
            connection.sendall(request)
            if head := connection.recv(65_536):
                return connection, head
        connection.close()
    pytest.fail("no connection was kept long enough to send a request")


@every("begun", [b"", b"G", b"GET / HTTP/1.1\r\n", HELLO[:-2]])
def test_who_does_not_finish_a_head_is_cut(begun: bytes) -> None:
    with serving(empty, limits=SHORT) as http, connect(http) as idle:
        with suppress(ConnectionError):
            idle.sendall(begun)
        assert is_over(idle)


def test_who_drips_a_head_is_cut() -> None:
    with serving(empty, limits=SHORT) as http, connect(http) as slow:
        drip(slow, b"X-A: b\r\n", begun=b"GET / HTTP/1.1\r\n")


def test_who_drips_the_next_head_is_cut() -> None:
    with serving(empty, limits=SHORT) as http:
        slow, head = answered(http, HELLO)
        with slow:
            assert head.startswith(b"HTTP/1.1 204 ")
            drip(slow, b"X-A: b\r\n", begun=b"GET / HTTP/1.1\r\n")


def test_who_drips_a_body_that_was_refused_is_cut() -> None:
    with serving(BodyLimitMiddleware(echo, BodyLimits(body_bytes=10)), limits=SHORT) as http:
        slow, head = answered(http, PROMISE)
        with slow:
            assert head.startswith(b"HTTP/1.1 413 ")
            drip(slow, b"x")


def test_who_does_not_read_the_end_of_an_answer_is_cut() -> None:
    waiting: list[Callable[[], int]] = []

    async def large(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"50000000")]})
        await send({"type": "http.response.body", "body": b"x" * 50_000_000})
        waiting.append(scope["extensions"]["recollect.abort"].__self__.get_write_buffer_size)

    with serving(large, limits=ConnectionLimits(head_wait_s=3_600, answer_wait_s=0.3)) as http, connect(http) as deaf:
        deaf.sendall(HELLO)
        wait_for(lambda: bool(waiting) and waiting[0]() == 0)  # although the client has read nothing
        assert sum(len(piece) for piece in iter(lambda: _received(deaf), b"")) < 50_000_000


def test_who_reads_slowly_is_not_cut() -> None:
    async def large(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"connection", b"close")]})
        await send({"type": "http.response.body", "body": b"x" * 30_000_000})

    limits = ConnectionLimits(head_wait_s=0.1, answer_wait_s=1)
    with serving(large, limits=limits) as http:
        for _ in range(20):  # a busy machine may itself keep a reader from reading for as long
            received, longest_pause_s = _read_slowly(*answered(http, HELLO))
            if received > 30_000_000:
                return
            assert longest_pause_s > limits.answer_wait_s / 2, "it was cut although it read"
    pytest.fail("the reader never came to read often enough")


def _read_slowly(connection: socket.socket, head: bytes) -> tuple[int, float]:
    """Read an answer piece by piece; gives how much there was, and the longest time without reading."""
    received, longest_pause_s, read_s = len(head), 0.0, time.monotonic()
    with connection:
        while piece := _received(connection, 250_000):
            longest_pause_s, read_s = max(longest_pause_s, time.monotonic() - read_s), time.monotonic()
            received += len(piece)
            time.sleep(DRIP_S)
    return received, max(longest_pause_s, time.monotonic() - read_s)


def _received(connection: socket.socket, most: int = 65_536) -> bytes:
    try:
        return connection.recv(most)
    except ConnectionError:
        return b""


def test_an_answer_may_take_longer_than_the_wait_for_a_request() -> None:
    started, go_on = threading.Event(), threading.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"first ", "more_body": True})
        started.set()
        while not go_on.is_set():  # noqa: ASYNC110 - set by another thread
            await asyncio.sleep(0.01)
        await send({"type": "http.response.body", "body": b"last"})

    with serving(slow, limits=SHORT) as http:
        listening, received = answered(http, HELLO)
        with listening:
            assert started.wait(PATIENCE_S)
            with connect(http) as later:
                assert is_over(later)  # it came later, and its time is up already
            go_on.set()
            while not received.endswith(b"last\r\n0\r\n\r\n"):
                piece = listening.recv(65_536)
                assert piece, "it was cut"
                received += piece
            assert b"first " in received
            assert is_over(listening)  # the wait begins again


def test_requests_that_come_together_are_all_answered() -> None:
    last = HELLO.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with serving(empty, limits=SHORT) as http:
        connection, received = answered(http, HELLO * 3 + last)
        with connection:
            received += b"".join(iter(lambda: connection.recv(65_536), b""))
    assert received.count(b"HTTP/1.1 204 ") == 4


def test_one_connection_too_many_is_closed_and_the_others_are_kept() -> None:
    with serving(empty, limits=ConnectionLimits(most=3, head_wait_s=3_600)) as http, ExitStack() as stack:
        kept = [stack.enter_context(connect(http)) for _ in range(3)]
        for one in kept:
            one.sendall(HELLO)
            assert one.recv(65_536).startswith(b"HTTP/1.1 204 ")
            one.sendall(HELLO[:-2])  # or it would be closed for keeping silent
        for _ in range(5):
            with connect(http) as refused:
                assert is_over(refused)
        for one in kept:
            one.sendall(b"\r\n")
            assert one.recv(65_536).startswith(b"HTTP/1.1 204 ")
            one.sendall(HELLO[:-2])
        kept[0].close()
        _wait_for_room(http)


def _wait_for_room(http: httpx2.Client) -> None:
    last = time.monotonic() + PATIENCE_S
    while time.monotonic() < last:
        with suppress(httpx2.TransportError):
            assert http.get("/").status_code == 204
            return
    pytest.fail("nobody is let in any more")


def test_limits_leave_room_for_the_store() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, before[1]))
        limits = ConnectionLimits.of_this_process()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert (limits.most, limits.at_once) == (512, 32)
    assert ConnectionLimits().most == 2_000
    assert configure(empty, last_requests_s=1, limits=limits).backlog == 32


def test_a_crowd_does_not_use_up_the_files_of_the_process(tmp_path: Path) -> None:
    command, errors = [sys.executable, "-c", _SERVER, str(FEW_FILES)], tmp_path / "errors"
    with (
        errors.open("wb") as said,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True) as server,
        ExitStack() as ending,
    ):
        ending.callback(server.terminate)
        assert server.stdout is not None
        with httpx2.Client(
            base_url=server.stdout.readline().strip(), timeout=PATIENCE_S, verify=NO_CERTIFICATES, trust_env=False
        ) as http:
            with ExitStack() as crowd:
                for _ in range(FEW_FILES * 2):
                    crowd.enter_context(connect(http))
            _wait_for_room(http)
    assert errors.read_text(encoding="utf-8") == ""


@every("noise", [b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"HELO there\r\n\r\n", b"G" * 100_000])
def test_what_is_no_http_is_answered_with_a_problem_document(noise: bytes) -> None:
    with serving(empty, limits=ENDLESS) as http:
        head, _, body = typed(http, noise).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request")
    assert b"content-type: application/problem+json" in head
    assert b"connection: close" in head
    assert json.loads(body)["status"] == 400
    assert "cannot be read" in json.loads(body)["detail"]


def test_a_body_that_goes_wrong_after_the_answer_ends_the_connection_quietly(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with serving(empty, limits=ENDLESS) as http, connect(http) as broken:
        broken.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert broken.recv(65_536).startswith(b"HTTP/1.1 204 ")
        broken.sendall(b"no length\r\n")
        assert is_over(broken)
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_a_body_that_goes_wrong_before_the_answer_is_answered_once() -> None:
    with serving(BodyLimitMiddleware(echo, BodyLimits()), limits=ENDLESS) as http:
        answer = typed(
            http,
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\nno length\r\n",
        )
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1
