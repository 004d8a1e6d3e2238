"""The client of the load measurement counts what it was answered, and takes nothing for fine that is not."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.service_load import Answered, Load, run

FINE = b'HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n{"degraded":[]}'
LACKING = b'HTTP/1.1 200 OK\r\ncontent-length: 23\r\n\r\n{"degraded":["vector"]}'
BUSY = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy"
ENDLESS = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


@contextmanager
def answering(*answers: bytes) -> Iterator[str]:
    """Answer the requests of one connection in turn, each answer in two pieces, and then hang up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            line, _ = listener.accept()
            with line:
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for answer in answers:
                    line.recv(1_000)
                    line.sendall(answer[:20])
                    line.sendall(answer[20:])

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def asked(*answers: bytes) -> Answered:
    with answering(*answers) as url:
        return run(Load(url, [b"GET / HTTP/1.1\r\n\r\n"], connections=1, amount=3))


def test_all_is_well() -> None:
    answered = asked(FINE, FINE, FINE)
    assert len(answered.latencies_s) == 3
    assert answered.errors == {}
    assert answered.per_second > 0


def test_what_is_not_fine() -> None:
    answered = asked(FINE, LACKING, BUSY)
    assert len(answered.latencies_s) == 1
    assert answered.errors == {"something was missing in the answer": 1, "status 503": 1}


def test_a_connection_that_is_lost() -> None:
    (told, times) = next(iter(asked(FINE).errors.items()))  # whether it was closed or reset depends on who was faster
    assert told in ("connection lost: NoneType", "connection lost: ConnectionResetError")
    assert times == 1


def test_an_answer_without_an_end() -> None:
    assert asked(ENDLESS).errors == {"an answer without a length": 1}
