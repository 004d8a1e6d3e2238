import socket
import subprocess
import sys
import traceback

import pytest

from recollect.errors import LlmError, SettingsError
from recollect.llm import ChatClient
from recollect.model.messages import Usage
from tests.llm.conftest import KEY, make_client
from tests.llm.server import HELLO, ChatServer, Reply, completion, failure
from tests.rows import every


def ask(client: ChatClient) -> str:
    return client.ask("Be brief.", "Hello?").text


def refused(client: ChatClient) -> str:
    """Ask, expect an error that gives no secret away, and give its text."""
    with pytest.raises(LlmError) as caught:
        ask(client)
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert KEY not in shown
    assert KEY[3:12] not in shown
    return str(caught.value)


def test_the_request_is_the_one_of_the_protocol(server: ChatServer, client: ChatClient) -> None:
    answer = client.ask("Be brief.", "Hello?")
    assert (answer.text, answer.usage, answer.finish) == (HELLO, Usage(120, 30), "stop")
    [request] = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "test-model",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}],
        "stream": False,
    }


def test_without_a_key_none_is_sent(server: ChatServer) -> None:
    client = ChatClient(f"{server.url}/chat/completions/", "local", options={"temperature": 0})
    assert ask(client) == HELLO
    client.close()
    [request] = server.requests
    assert "Authorization" not in request.headers
    assert request.body["temperature"] == 0
    assert request.path == "/v1/chat/completions"


@pytest.mark.parametrize("status", [500, 502, 503, 529])
def test_a_server_that_stumbles_is_asked_again(
    server: ChatServer, client: ChatClient, pauses: list[float], status: int
) -> None:
    server.replies = [failure(status), failure(status), completion(HELLO)]
    assert ask(client) == HELLO
    assert len(server.requests) == 3
    assert pauses == [0.5, 1.0]


def test_it_gives_up_after_the_last_attempt(server: ChatServer, client: ChatClient) -> None:
    server.replies = [failure(500, "the disk is full")]
    text = refused(client)
    assert "500" in text
    assert "the disk is full" in text
    assert "asked 3 times" in text
    assert len(server.requests) == 3


@pytest.mark.parametrize(("asked", "waited"), [("7", 7.0), ("99999", 30.0), ("-5", 0.0), ("Wed, 21 Oct 2026", 0.5)])
def test_it_waits_as_long_as_it_is_asked_to_but_not_forever(
    server: ChatServer, client: ChatClient, pauses: list[float], asked: str, waited: float
) -> None:
    server.replies = [failure(429, Retry_After=asked), completion(HELLO)]
    assert ask(client) == HELLO
    assert pauses == [waited]


@pytest.mark.parametrize(("status", "advice"), [(401, "API key"), (404, "/v1"), (400, "model"), (413, "too long")])
def test_a_refusal_is_not_argued_with(server: ChatServer, client: ChatClient, status: int, advice: str) -> None:
    server.replies = [failure(status, f"Incorrect API key provided: {KEY}")]
    text = refused(client)
    assert str(status) in text
    assert "[key]" in text
    assert advice in text
    assert len(server.requests) == 1


def test_half_a_key_at_the_end_of_an_excerpt_is_no_key(server: ChatServer, client: ChatClient) -> None:
    for padding in range(150, 215):
        server.replies = [Reply(b"x" * padding + KEY.encode(), 403)]
        assert "sk-" not in refused(client)


def test_a_redirect_is_not_followed(server: ChatServer, client: ChatClient) -> None:
    with ChatServer().running() as other:
        server.replies = [Reply(b"", 307, {"Location": f"{other.url}/chat/completions"})]
        text = refused(client)
        assert other.requests == []
    assert "redirect" in text
    assert len(server.requests) == 1


def test_a_slow_server_is_asked_again_and_then_left(server: ChatServer, pauses: list[float]) -> None:
    server.replies = [Reply(b"{}", delay_s=1.0)]
    client = make_client(server.url, pauses.append, timeout_s=0.1)
    assert "within 0.1 s" in refused(client)
    assert len(pauses) == 2
    client.close()


def test_a_server_that_drips_is_slow_too(server: ChatServer, pauses: list[float]) -> None:
    server.replies = [Reply(b" " * 200, drip_s=0.02)]
    client = make_client(server.url, pauses.append, timeout_s=0.15)
    assert "within 0.15 s" in refused(client)
    client.close()


def test_a_body_that_breaks_off_is_asked_for_again(server: ChatServer, client: ChatClient) -> None:
    whole = completion(HELLO)
    server.replies = [Reply(whole.body[:20], announced=len(whole.body)), whole]
    assert ask(client) == HELLO
    assert len(server.requests) == 2


def test_a_server_that_is_not_there_is_named(pauses: list[float]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    client = make_client(f"http://127.0.0.1:{port}/v1", pauses.append)
    text = refused(client)
    assert f"127.0.0.1:{port}" in text
    assert "Check the address" in text
    assert len(pauses) == 2
    client.close()


def test_a_huge_body_is_not_read(server: ChatServer, client: ChatClient) -> None:
    server.replies = [Reply(b" " * 5_000_000)]
    assert "more than 100,000 bytes" in refused(client)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        (
            Reply(b"<html><h1>It works!</h1></html>", content_type="text/html; charset=utf-8"),
            "text/html that is not JSON",
        ),
        (Reply(b'{"choices": [', content_type=""), "an unnamed type that is not JSON"),
        (Reply(b""), "an empty body"),
        (Reply(b"\xff\xfe\x00"), "not JSON"),
        (Reply(b"[" * 90_000), "not JSON"),
        (Reply(b"[1, 2]"), "no object"),
        (Reply(b'{"choices": []}'), "without a choice"),
        (Reply(b'{"choices": [7]}'), "without a choice"),
        (Reply(b'{"choices": [{"text": "hi"}]}'), "without a choice"),
        (Reply(b'{"error": {"message": "no such model"}}'), "no such model"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none(server: ChatServer, client: ChatClient, reply: Reply, found: str) -> None:
    server.replies = [reply]
    assert found in refused(client)
    assert len(server.requests) == 1


def test_what_a_useless_answer_cost_is_known(server: ChatServer, client: ChatClient) -> None:
    server.replies = [Reply(b'{"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 2}}')]
    with pytest.raises(LlmError) as caught:
        ask(client)
    assert caught.value.usage_tokens == 42


@pytest.mark.parametrize(
    "usage", [0, [], {}, {"prompt_tokens": "many"}, {"prompt_tokens": -3, "completion_tokens": True}]
)
def test_a_cost_that_makes_no_sense_is_none(server: ChatServer, client: ChatClient, usage: object) -> None:
    server.replies = [completion(HELLO, usage=usage)]
    assert client.ask("", "").usage == Usage()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "Hello "}, {"type": "text", "text": "there"}, 7], "Hello there"),
        ("<think>what\nnow</think>\n\nHello", "Hello"),
        ("  Hello  ", "Hello"),
        (None, ""),
    ],
)
def test_a_text_may_come_in_parts_and_with_thoughts(
    server: ChatServer, client: ChatClient, content: object, text: str
) -> None:
    server.replies = [completion(content)]
    assert ask(client) == text


def test_a_refusal_is_a_reason_to_stop(server: ChatServer, client: ChatClient) -> None:
    server.replies = [completion(None, refusal="I will not.")]
    assert client.ask("", "").finish == "refusal"


def test_a_client_shows_no_key(client: ChatClient) -> None:
    assert KEY not in repr(client)
    assert "test-model" in repr(client)


def test_a_closed_client_can_be_asked_again(client: ChatClient) -> None:
    assert ask(client) == HELLO
    client.close()
    client.close()
    assert ask(client) == HELLO


@every(
    "url",
    ["", "api.openai.com/v1", "ftp://host/v1", "http://", "http://[::1", "https://me:pw@host/v1", "https://host?key=1"],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="address of the language model") as caught:
        ChatClient(url, "m")
    assert "pw" not in str(caught.value)


@every("key", ["line\nbreak", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    with pytest.raises(SettingsError, match="API key") as caught:
        ChatClient("https://host/v1", "m", key)
    assert key not in str(caught.value)


def test_nothing_is_loaded_before_the_first_question() -> None:
    program = (
        "import sys; from recollect.llm import ChatClient, ChatReader\n"
        "ChatReader(ChatClient('http://localhost:1/v1', 'm', 'k')).read('')\nprint('httpx2' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "False"
