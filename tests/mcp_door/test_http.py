"""The door over HTTP, behind somebody who knows the keys: each request is answered for whoever makes it."""

from collections.abc import Iterator
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client

from recollect import Memory
from tests.mcp_door.conftest import (
    LEGACY,
    MODERN,
    called,
    listening,
    over_http,
    refused,
    somebody,
    speak,
)
from tests.plain_http import NO_CERTIFICATES
from tests.rows import every
from tests.waiting import PATIENCE_S

ONE_STORE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # which one makes no difference
KNOWN = {
    "anna": (somebody("anna", "read", "write", "forget"), ""),
    "ben": (somebody("ben", "read", "write", "forget"), ""),
    "looker": (somebody("anna", "read"), ""),
    "admin": (somebody("", "admin"), "anna"),
    "nosy": (somebody("ben", "read"), "anna"),
}


@pytest.fixture
def url(memory: Memory) -> Iterator[str]:
    """The address of the door."""
    with listening(memory, KNOWN) as address:
        yield address


@ONE_STORE
@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_each_caller_has_their_own_memories(url: str, mode: str) -> None:
    async def work(who: str, lines: int) -> None:
        async with over_http(url, who, mode=mode) as client:
            for number in range(lines):
                await called(client, "memory_store", content=f"{who} counts shelf {number} in {who}town", type="fact")
            text, found = await called(client, "memory_recall", query="shelf", limit=100)
            assert found["count"] == lines
            assert all(one["content"].startswith(f"{who} ") for one in found["memories"])
            assert f"{who}town" in text

    async def everybody() -> None:
        with anyio.fail_after(PATIENCE_S):
            async with anyio.create_task_group() as group:
                for who, lines in (("anna", 6), ("ben", 4)):
                    group.start_soon(work, who, lines)

    anyio.run(everybody)

    async def admin(client: Client) -> None:
        _, found = await called(client, "memory_recall", query="shelf", limit=100)
        assert found["count"] == 6

    speak(over_http(url, "admin", mode=mode), admin)


@ONE_STORE
def test_scopes_count_here_too(url: str) -> None:
    async def looker(client: Client) -> None:
        assert "memory_store" not in {tool.name for tool in (await client.list_tools()).tools}
        assert "scope `write`" in await refused(client, "memory_store", {"content": "x"})
        (content,) = (await client.read_resource("memory://recent")).contents
        assert content.mime_type == "text/markdown"

    async def nosy(client: Client) -> None:
        assert "belongs to another user" in await refused(client, "memory_recall", {"query": "x"})

    speak(over_http(url, "looker"), looker)
    speak(over_http(url, "nosy"), nosy)


def _post(url: str, method: str, who: str = "anna", **params: Any) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {who}", "Accept": "application/json, text/event-stream"}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with httpx2.Client(verify=NO_CERTIFICATES, trust_env=False, timeout=PATIENCE_S) as http:
        return http.post(url, json=body, headers=headers)


@ONE_STORE
def test_a_request_stands_on_its_own(url: str) -> None:
    """Any worker may answer it: there is no handshake to remember, no session, and the answer is plain JSON."""
    answer = _post(url, "tools/call", name="memory_about", arguments={"topic": "tea"})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert "mcp-session-id" not in answer.headers
    assert answer.json()["result"]["content"][0]["text"] == "No relevant memories found."


@ONE_STORE
def test_without_a_principal_nothing_is_answered(url: str) -> None:
    for method, params in (
        ("tools/list", {}),
        ("resources/list", {}),
        ("prompts/list", {}),
        ("resources/read", {"uri": "memory://recent"}),
        ("prompts/get", {"name": "memory"}),
    ):
        assert _post(url, method, "stranger", **params).json()["error"]["message"].startswith("This needs a key.")
    result = _post(url, "tools/call", "stranger", name="memory_recall", arguments={"query": "x"}).json()["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith("This needs a key.")


@ONE_STORE
def test_only_messages_are_taken(url: str) -> None:
    large = _post(url, "tools/call", name="memory_store", arguments={"content": "x" * 1_100_000})
    assert large.status_code == 413
    headers = {"Authorization": "Bearer anna", "Accept": "application/json, text/event-stream"}
    with httpx2.Client(verify=NO_CERTIFICATES, trust_env=False, timeout=PATIENCE_S, headers=headers) as http:
        for method in ("GET", "DELETE", "PUT", "OPTIONS"):
            answer = http.request(method, url)
            assert (answer.status_code, answer.headers["allow"]) == (405, "POST"), method


CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_recall","arguments":%s}}'
HOSTILE = [
    b"",
    b"{nonsense",
    b"[]",
    b"null",
    b"[" * 100_000,
    b"\xff\xfe",
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":1,"method":"no/such"}',
    b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
    CALL % b"[]",
    CALL % b'{"query": "\\ud800"}',
    CALL % b'{"query": "\\u0000\\u0001"}',
    CALL % b'{"query": "x", "limit": 1e999}',
    CALL % b'{"query": "x", "limit": NaN}',
    CALL % (b'{"query": "x", "limit": ' + b"9" * 10_000 + b"}"),
    CALL % (b'{"query": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}"),
    CALL % b'{"\\ud800": 1, "query": "x"}',
    b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"memory://about/%00%ff\\ud800"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"memory://memories/\\ud800"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"memory","arguments":{"question":"\\ud800"}}}',
]


@ONE_STORE
@every("version", ["2025-06-18", "2026-07-28"])
def test_no_body_is_the_servers_fault(url: str, version: str) -> None:
    headers = {
        "Authorization": "Bearer anna",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": version,
    }
    with httpx2.Client(verify=NO_CERTIFICATES, trust_env=False, timeout=PATIENCE_S, headers=headers) as http:
        for body in HOSTILE:
            answer = http.post(url, content=body)
            assert answer.status_code < 500, (body[:80], answer.text)
            error = answer.json().get("error", {}) if answer.content else {}
            assert error.get("code") != -32603, (body[:80], error)
