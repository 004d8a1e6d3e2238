"""A host goes on, whatever fails, and nothing that was to be saved is lost or saved twice."""

import io
import json
import socket
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.service.conftest import Running
from tests.waiting import PATIENCE_S

from recollect_connect.hook_client import exchange, main
from recollect_connect.hook_client.connection import Connection, InvalidConnection, load
from recollect_connect.hook_client.spool import DELIVERED, LATER, SpooledRequest
from tests_connect.hook_client.conftest import Connect, context_of, event, said, serve, spool_of

STOP = event("Stop", last_assistant_message="The light is on.")
SAVED = [("assistant", "The light is on.")]


@contextmanager
def answering(answer: bytes | None) -> Iterator[str]:
    """Listen on loopback and answer each request with the same bytes; None: accept, and never answer."""
    accepted: list[socket.socket] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:

        def run() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                accepted.append(connection)
                if answer is not None:
                    connection.recv(65_536)
                    connection.sendall(answer)
                    connection.close()

        thread = threading.Thread(target=run)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(PATIENCE_S)
    for connection in accepted:
        connection.close()


def http(status: str, body: bytes = b"{}") -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status.encode(), len(body), body)


def run_hook(monkeypatch: pytest.MonkeyPatch, content: bytes, *words: str) -> int:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    return main.run(["claude-code", *words])


@pytest.mark.parametrize(
    "answer",
    [
        http("401 Unauthorized"),
        http("404 Not Found"),
        http("503 Service Unavailable"),
        http("429 Too Many Requests"),
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"",
        None,
    ],
    ids=["wrong key", "wrong version", "unavailable", "rate limit", "not HTTP", "cut off", "closed", "slow"],
)
def test_a_turn_that_is_not_taken_waits_and_is_delivered_later(
    running: Running, connect: Connect, answer: bytes | None
) -> None:
    right = connect()
    with answering(answer) as url:
        wrong = connect(url=url, turn_budget_s=0.2)
        assert serve(wrong, STOP) == ""
    assert spool_of(wrong).status().waiting == 1
    wrong.url, wrong.host, wrong.port = url, right.host, right.port  # the service is back where it was
    wrong.key, wrong.turn_budget_s = right.key, PATIENCE_S
    assert serve(wrong, event("SessionStart", source="resume")) == ""
    assert spool_of(wrong).status().waiting == 0
    assert said(running) == SAVED


def test_turns_that_tell_a_transcript_again_wait_without_repetitions(
    running: Running, connect: Connect, tmp_path: Path
) -> None:
    transcript = tmp_path / "transcript.jsonl"
    right, wrong = connect(), connect()
    wrong.port = 1  # nothing listens there
    turns = [[("user", "Is the light on?"), ("assistant", "Yes.")], [("user", "And now?"), ("assistant", "No.")]]
    for number, turn in enumerate(turns):
        lines = [
            {"type": role, "uuid": f"{number}-{role}", "message": {"role": role, "content": text}}
            for role, text in turn
        ]
        with transcript.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        serve(wrong, event("Stop", transcript_path=str(transcript)))
    waiting = [request.body for request in spool_of(wrong).waiting()]
    assert [len(body["messages"]) for body in waiting if isinstance(body, dict)] == [2, 2]
    serve(right, event("SessionStart", source="resume"))
    assert said(running) == [*turns[0], *turns[1]]


def test_nothing_is_printed_and_the_host_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "hook.json"
    file.write_text(json.dumps({"url": "http://127.0.0.1:1", "spool_folder": str(tmp_path / "spool")}))
    for content in (event("SessionStart"), event("UserPromptSubmit", prompt="Hello?"), STOP, b"nonsense"):
        assert run_hook(monkeypatch, content, "--connection", str(file)) == 0
    file.write_text("nonsense")
    assert run_hook(monkeypatch, STOP, f"--connection={file}") == 0
    assert capsys.readouterr() == ("", "")
    assert run_hook(monkeypatch, STOP, "--connection", str(file), "--verbose") == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "cannot be read" in err


def test_what_waits_is_for_the_owners_eyes_only(tmp_path: Path) -> None:
    serve(Connection("http://127.0.0.1:1", spool_folder=str(tmp_path / "spool")), STOP)
    (file,) = (tmp_path / "spool").glob("*.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_request_whose_answer_got_lost_is_carried_out_once(running: Running, connect: Connect) -> None:
    connection = connect()
    spool = spool_of(connection)
    spool.add("/api/memories/unified", {"content": "The boiler is in the cellar", "type": "event"})
    answers = []

    def send(request: SpooledRequest) -> str:
        deadline = exchange.Deadline(PATIENCE_S)
        key = request.idempotency_key
        answers.append(exchange.post(connection, request.path, request.body, deadline, idempotency_key=key))
        return LATER if len(answers) == 1 else DELIVERED

    assert not spool.deliver(send)
    assert spool.deliver(send)
    assert answers[0].status == 201
    assert answers[0].content == answers[1].content
    assert running.memory.user("default").count() == 1


def test_nothing_is_delivered_into_a_service_of_another_version(
    running: Running, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = connect()
    with monkeypatch.context() as newer:
        newer.setattr(exchange, "__version__", "9.0.0")
        assert serve(connection, STOP) == ""
    assert spool_of(connection).status().waiting == 1
    assert said(running) == []
    serve(connection, event("SessionStart", source="resume"))
    assert said(running) == SAVED


def test_a_full_disk_costs_only_the_spool(running: Running, connect: Connect, tmp_path: Path) -> None:
    (tmp_path / "full").write_text("")
    serve(connect(spool_folder=str(tmp_path / "full" / "spool")), STOP)  # a folder that cannot be made
    assert said(running) == SAVED


@pytest.mark.parametrize("content", [STOP, event("UserPromptSubmit", prompt="Hello?")], ids=["turn", "prompt"])
def test_what_neither_the_disk_nor_the_service_takes_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    (tmp_path / "full").write_text("")
    file = tmp_path / "hook.json"
    file.write_text(json.dumps({"url": "http://127.0.0.1:1", "spool_folder": str(tmp_path / "full" / "spool")}))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert main.run(["codex", "--connection", str(file)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "the spool cannot keep a turn" in err


def test_a_request_whose_answer_was_forgotten_is_done(connect: Connect) -> None:
    with answering(http("410 Gone")) as url:
        connection = connect(url=url)
        serve(connection, STOP)
    assert spool_of(connection).status().waiting == 0


def test_a_request_that_is_refused_is_kept_aside_and_the_next_goes_through(running: Running, connect: Connect) -> None:
    connection = connect()
    spool_of(connection).add("/api/hooks/agent-end", {"session": "", "messages": []})
    serve(connection, STOP)
    status = spool_of(connection).status()
    assert (status.waiting, status.refused) == (0, 1)
    assert said(running) == SAVED


SERVICE = """
import http.server, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'{"block": "from a service that was started"}'
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
        self.wfile.write(body)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).handle_request()
"""


def test_a_service_is_started_once_when_the_connection_says_how(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    connection = Connection(
        f"http://127.0.0.1:{port}",
        start=(sys.executable, "-c", SERVICE, str(port)),
        spool_folder=str(tmp_path / "spool"),
        turn_budget_s=PATIENCE_S,
    )
    assert context_of(serve(connection, event("SessionStart"))) == "from a service that was started"


@pytest.mark.parametrize(
    ("said_in_file", "found"),
    [
        ("[]", "no JSON object"),
        ('{"url": "ftp://memory"}', "http"),
        ('{"url": "http://memory:x"}', "http"),
        ('{"start": "recollect serve"}', "start must be a list"),
        ('{"turn_budget_s": 0}', "turn_budget_s"),
        ('{"key": "a\\nb"}', "key must be"),
    ],
)
def test_a_connection_that_cannot_be_one_is_refused(tmp_path: Path, said_in_file: str, found: str) -> None:
    file = tmp_path / "hook.json"
    file.write_text(said_in_file)
    with pytest.raises(InvalidConnection, match=found):
        load(str(file))


def test_a_connection_knows_ports_and_paths() -> None:
    remote = Connection("https://memory.example/anna/")
    assert (remote.secure, remote.host, remote.port, remote.prefix) == (True, "memory.example", 443, "/anna")
    local = Connection("http://[::1]:8787")
    assert (local.secure, local.host, local.port, local.prefix) == (False, "::1", 8787, "")
