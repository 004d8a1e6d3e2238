"""The door, spoken to by the SDK's own client: in this process, over standard input and output, and over HTTP."""

import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from recollect import Memory
from recollect.authorization import LOCAL, Principal
from recollect.mcp.dispatch import Dispatcher
from recollect.mcp.http import create_mcp
from recollect.mcp.permissions import Caller
from recollect.mcp.server import create_server
from recollect.model.literals import Permission
from tests.cli.conftest import PLAIN_ENVIRONMENT
from tests.plain_http import NO_CERTIFICATES
from tests.waiting import PATIENCE_S

LEGACY = "legacy"
MODERN = "auto"

Scope = MutableMapping[str, Any]
Talk = Callable[[Client], Awaitable[None]]


def somebody(user: str, *scopes: Permission) -> Principal:
    """Whoever has a key of a user, with these scopes."""
    return Principal(f"key-of-{user or 'nobody'}", user, frozenset(scopes))


def in_process(memory: Memory, who: Principal = LOCAL, *, user: str = "", mode: str = MODERN) -> Client:
    """A client of a server in this process."""
    desk = Dispatcher(lambda: memory)
    return Client(create_server(lambda: desk, lambda _: Caller(who, user)), mode=mode)


def speak(client: Client, talk: Talk) -> None:
    """Let a test talk to the door, and insist that it ends."""

    async def whole() -> None:
        with anyio.fail_after(PATIENCE_S):
            async with client:
                await talk(client)

    anyio.run(whole)


async def called(client: Client, tool: str, **given: Any) -> tuple[str, dict[str, Any]]:
    """Call a tool that must succeed, and give what it says to a model and to a program."""
    result = await client.call_tool(tool, given)
    assert not result.is_error, result
    (content,) = result.content
    assert content.type == "text"
    assert isinstance(result.structured_content, dict)
    return content.text, result.structured_content


async def refused(client: Client, tool: str, given: Mapping[str, Any]) -> str:
    """Call a tool that must refuse, and give its reason."""
    result = await client.call_tool(tool, dict(given))
    assert result.is_error
    assert result.structured_content is None
    (content,) = result.content
    assert content.type == "text"
    return content.text


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """What a process of the command gets from its host: a home of its own, and nothing of this machine's settings."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    return {**surroundings, **PLAIN_ENVIRONMENT, "HOME": str(tmp_path), "PYTHONWARNINGS": "error"}


def command(*typed: str) -> list[str]:
    """The command as a host starts it."""
    return [sys.executable, "-m", "recollect", *typed]


def over_stdio(environment: Mapping[str, str], *typed: str, mode: str = MODERN) -> Client:
    """A client that starts the command."""
    program, *arguments = command(*typed)
    return Client(StdioServerParameters(command=program, args=arguments, env=dict(environment)), mode=mode)


def over_http(url: str, who: str, *, mode: str = MODERN) -> Client:
    """A client of a server on loopback, as somebody."""
    return Client(_transport(url, who), mode=mode)


@asynccontextmanager
async def _transport(url: str, who: str) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(
            httpx2.AsyncClient(
                headers={"Authorization": f"Bearer {who}"}, verify=NO_CERTIFICATES, trust_env=False, timeout=PATIENCE_S
            )
        )
        yield await stack.enter_async_context(streamable_http_client(url, http_client=http))


class Guarded:
    """Stands for the service: it knows who has which key, and mounts the door at /mcp."""

    def __init__(self, memory: Memory, known: Mapping[str, tuple[Principal, str]]) -> None:
        self._mcp = create_mcp(lambda: memory)
        self._known = known

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer requests, and run the door for as long as the server runs."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        secret = dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer ")
        principal, user = self._known.get(secret, (None, ""))
        state = {**scope.get("state", {}), "principal": principal, "user": user}
        await self._mcp.app({**scope, "state": state}, receive, send)

    async def _live(self, receive: Any, send: Any) -> None:
        assert (await receive())["type"] == "lifespan.startup"
        async with self._mcp.lifespan():
            await send({"type": "lifespan.startup.complete"})
            assert (await receive())["type"] == "lifespan.shutdown"
        await send({"type": "lifespan.shutdown.complete"})


@contextmanager
def listening(memory: Memory, known: Mapping[str, tuple[Principal, str]]) -> Iterator[str]:
    """Serve the door on a free port of loopback, and give its address."""
    config = uvicorn.Config(
        Guarded(memory, known), port=0, lifespan="on", log_config=None, http="h11", ws="none", access_log=False
    )
    server = uvicorn.Server(config)
    ready = threading.Event()
    startup = server.startup

    async def announced(sockets: Any = None) -> None:
        await startup(sockets)
        ready.set()

    server.startup = announced  # type: ignore[method-assign]
    thread = threading.Thread(target=partial(server.run))
    thread.start()
    try:
        assert ready.wait(PATIENCE_S)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)
