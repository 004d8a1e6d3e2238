"""The command, started as a host starts it: what it says, on which stream, and how it ends."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self

import pytest
from mcp import Client

from recollect import Memory, load_settings
from recollect.authorization import NewKey
from recollect.errors import NotPermitted, UnknownKey
from recollect.mcp import stdio
from tests.mcp_door.conftest import MODERN, called, over_stdio, speak
from tests.program import Program
from tests.waiting import PATIENCE_S

PRIVATE = "the safe is behind the painting"
HELLO = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "a test", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
)


class Process:
    """The command, spoken to line by line."""

    def __init__(self, environment: Mapping[str, str], *typed: str) -> None:
        pipe = subprocess.PIPE
        self.process = Program(
            *typed, env=dict(environment), stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8"
        )

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing behind."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()

    def send(self, *messages: Mapping[str, Any]) -> None:
        """Write messages."""
        assert self.process.stdin
        for message in messages:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def send_bytes(self, written: bytes) -> None:
        """Write what need not be a message."""
        assert self.process.stdin
        os.write(self.process.stdin.fileno(), written)

    def answer(self) -> dict[str, Any]:
        """Read one message."""
        assert self.process.stdout
        read: dict[str, Any] = json.loads(self.process.stdout.readline())
        return read

    def end(self, last: str = "") -> tuple[int, str, str]:
        """Close standard input, after a last word, and give the exit code and what was printed since."""
        printed, logged = self.process.communicate(last, timeout=PATIENCE_S)
        return self.process.returncode, printed, logged


def call(number: int, tool: str, **given: Any) -> dict[str, Any]:
    """A call of a tool."""
    return {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": given}}


def test_it_remembers_from_one_run_to_the_next(environment: dict[str, str], tmp_path: Path) -> None:
    typed = ("--database", str(tmp_path / "new folder" / "memory.db"), "--user", "anna", "mcp")

    async def store(client: Client) -> None:
        assert len((await client.list_tools()).tools) == 13
        assert (await called(client, "memory_store", content="Žofie má ráda čaj"))[1]["action"] == "created"

    speak(over_stdio(environment, *typed, mode=MODERN), store)
    with Process(environment, *typed) as host:
        host.send(*HELLO, call(2, "memory_recall", query="čaj"))
        assert host.answer()["id"] == 1
        found = host.answer()["result"]["structuredContent"]
        assert [one["content"] for one in found["memories"]] == ["Žofie má ráda čaj"]
        assert host.end()[0] == 0


def test_standard_output_holds_the_protocol_and_standard_error_no_content(
    environment: dict[str, str], tmp_path: Path
) -> None:
    with Process(environment, "--database", str(tmp_path / "memory.db"), "mcp", "--verbose") as host:
        host.send(*HELLO)
        assert host.answer()["result"]["serverInfo"]["name"] == "recollect"
        host.send(call(2, "memory_store", content=PRIVATE))
        assert host.answer()["result"]["structuredContent"]["action"] == "created"
        host.send(call(3, "memory_recall", query=PRIVATE, nonsense=PRIVATE))
        assert host.answer()["result"]["isError"] is True
        host.send_bytes(f"{PRIVATE}, and no JSON\n".encode())
        host.send({"id": 4, "method": f"no/{PRIVATE}"}, {"id": 5, "method": "ping"})
        assert {host.answer()["id"] for _ in range(3)} == {None, 4, 5}
        code, printed, logged = host.end()
    assert (code, printed) == (0, "")
    assert [line.rpartition(" ms")[0].rpartition(" ")[0] for line in logged.splitlines()] == [
        "recollect.mcp: memory_store ok",
        "recollect.mcp: memory_recall InvalidInput",
    ]


def test_a_host_may_change_its_mind_or_vanish(environment: dict[str, str], tmp_path: Path) -> None:
    typed = ("--database", str(tmp_path / "memory.db"), "mcp")
    with Process(environment, *typed) as fickle, Process(environment, *typed) as vanishing:
        assert fickle.end() == (0, "", "")
        pipes = vanishing.process
        assert pipes.stdin
        assert pipes.stdout
        assert pipes.stderr
        vanishing.send(HELLO[0])
        vanishing.answer()
        pipes.stdout.close()
        vanishing.send(HELLO[1], {"id": 2, "method": "tools/list"})
        pipes.stdin.close()
        assert pipes.wait(PATIENCE_S) == 0
        assert pipes.stderr.read() == ""


def test_a_signal_ends_it_though_standard_input_is_open(environment: dict[str, str], tmp_path: Path) -> None:
    with Process(environment, "--database", str(tmp_path / "memory.db"), "mcp") as host:
        host.send(*HELLO, call(2, "memory_store", content=PRIVATE))
        assert [host.answer()["id"], host.answer()["id"]] == [1, 2]
        host.process.send_signal(signal.SIGTERM)
        assert host.process.wait(PATIENCE_S) == 0
        assert host.end()[1:] == ("", "")


def test_an_interruption_counts_as_a_signal_and_what_was_set_before_comes_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stdio._exit_on_signals(Future()):
        assert signal.getsignal(signal.SIGINT) is signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGINT) is before


@pytest.fixture
def key(tmp_path: Path) -> NewKey:
    """A key of Anna's to a store in a file: it may only look."""
    with Memory.open(settings=load_settings(os.devnull, environ={}, overrides=_settings(tmp_path))) as memory:
        memory.user("anna").remember("Anna likes tea")
        memory.user("ben").remember("Ben likes tea")
        return memory.keys.create("laptop", user="anna", scopes=["read"])


def _settings(folder: Path) -> dict[str, Any]:
    return {"database": str(folder / "memory.db"), "embedding.provider": "none", "embedding.worker": False}


def test_a_key_decides_for_whom_and_what(environment: dict[str, str], tmp_path: Path, key: NewKey) -> None:
    environment["RECOLLECT_KEY"] = key.secret
    with Process(environment, "--database", str(tmp_path / "memory.db"), "mcp") as host:

        def said(number: int, tool: str, **given: Any) -> str:
            host.send(call(number, tool, **given))
            return str(host.answer()["result"]["content"][0]["text"])

        host.send(*HELLO, {"id": 2, "method": "tools/list"})
        assert host.answer()["id"] == 1
        assert {tool["name"] for tool in host.answer()["result"]["tools"]} == {
            "memory_recall", "search_context", "memory_about", "memory_places",
            "memory_get", "memory_list", "memory_facts", "memory_similar", "memory_clusters",
        }  # fmt: skip
        recalled = said(3, "memory_recall", query="tea")
        assert "Anna likes tea" in recalled
        assert "Ben" not in recalled
        assert "scope `write`" in said(4, "memory_store", content="x")
        with Memory.open(settings=load_settings(os.devnull, environ={}, overrides=_settings(tmp_path))) as memory:
            memory.keys.revoke(key.key.id)
        assert "key" in said(5, "memory_recall", query="tea")


def test_what_cannot_be_opened_is_said_and_ends_it(environment: dict[str, str], tmp_path: Path) -> None:
    with Process(environment, "--database", str(tmp_path), "mcp") as host:
        host.send(*HELLO)
        assert host.process.wait(PATIENCE_S) == 1
        logged = host.process.communicate()[1]
    assert logged.startswith("Error: ")
    assert logged.count("\n") == 1


def test_a_key_that_opens_nothing_is_refused_before_anything_is_served(tmp_path: Path, key: NewKey) -> None:
    def opened(secret: str, user: str) -> stdio._OpenStore:
        return stdio._open(
            load_settings(os.devnull, environ={}, overrides={**_settings(tmp_path), "key": secret}), user
        )

    with pytest.raises(UnknownKey):
        opened(key.secret[:-1] + "~", "")
    with pytest.raises(NotPermitted, match="another user"):
        opened(key.secret, "ben")
    opened(key.secret, "anna").memory.close()
