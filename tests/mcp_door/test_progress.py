"""A call that takes long reports its progress to a client that asked for it."""

from threading import Event

import pytest
from mcp import Client

from recollect import Memory
from recollect.authorization import LOCAL
from recollect.mcp import server
from recollect.mcp.dispatch import Dispatcher
from recollect.mcp.permissions import Caller
from tests.mcp_door.conftest import LEGACY, MODERN, listening, over_http, somebody, speak
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_a_long_call_reports_progress_until_it_is_done(
    memory: Memory, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_PROGRESS_S", 0.01)
    enough, dispatcher = Event(), Dispatcher(lambda: memory)
    told: list[float] = []

    def slow() -> Dispatcher:
        assert enough.wait(PATIENCE_S)
        return dispatcher

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert (total, message) == (None, "The memory is at work.")
        told.append(progress)
        if len(told) == 3:
            enough.set()

    async def talk(client: Client) -> None:
        result = await client.call_tool("memory_store", {"content": "Likes tea"}, progress_callback=note)
        assert not result.is_error
        amount = len(told)
        assert told == sorted(set(told))
        refused = await client.call_tool("memory_get", {"id": 5}, progress_callback=note)
        assert refused.is_error
        assert not (await client.call_tool("memory_recall", {"query": "tea"})).is_error
        assert amount >= 3

    speak(Client(server.create_server(slow, lambda _: Caller(LOCAL, "")), mode=mode), talk)


def test_over_http_a_call_that_asks_for_progress_is_answered(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_PROGRESS_S", 0.0)

    async def note(progress: float, total: float | None, message: str | None) -> None:
        raise AssertionError("an answer in plain JSON has no room for progress")

    async def talk(client: Client) -> None:
        assert not (await client.call_tool("memory_recall", {"query": "tea"}, progress_callback=note)).is_error

    with listening(memory, {"anna": (somebody("anna", "read"), "")}) as url:
        for mode in (LEGACY, MODERN):
            speak(over_http(url, "anna", mode=mode), talk)
