"""Adapters while the memory is away: turns go on, and what they were given is stored later, once."""

import asyncio
import logging
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from tests.fixtures import SteppingClock
from tests.service.conftest import Running, serving

from recollect import Memory, UserMemory
from recollect.client import Client
from recollect.errors import ServiceUnavailable, StoreError, StoreUnavailable
from recollect_connect.integrations.langchain import RecollectChatMessageHistory, RecollectRetriever
from recollect_connect.integrations.langgraph import RecollectStore
from recollect_connect.integrations.openai_agents import RecollectSession
from recollect_connect.integrations.tools import memory_tools
from recollect_connect.integrations.write_spool import WriteSpool

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
TEA = "Prefers green tea in the morning"


class Outage:
    """A service, a client of it, and a folder; the service comes and goes at one address."""

    def __init__(self, memory: Memory, client: Client, port: int, spool_folder: str) -> None:
        self.me, self.spool_folder = client.me, spool_folder
        self.anna = memory.user("anna")
        self._memory, self._port = memory, port

    def back(self) -> AbstractContextManager[Running]:
        """Serve the store again where it was."""
        return serving(self._memory, self._port)


@pytest.fixture
def outage(memory: Memory, tmp_path: Path) -> Iterator[Outage]:
    """A service that was there when a client opened it, and is away."""
    with serving(memory) as service:
        client = Client.open(service.url, key=service.key(), timeout_s=60)
    with client:
        yield Outage(memory, client, int(service.url.rpartition(":")[2]), str(tmp_path / "spool"))


def test_a_chat_history_goes_on_and_is_stored_later_once(
    outage: Outage, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    history = RecollectChatMessageHistory(outage.me, "chat", spool_folder=outage.spool_folder)
    history.add_messages([HumanMessage("My password is hunter2hunter2"), AIMessage("I did not hear that.")])
    history.add_messages([HumanMessage("Tea, please")])
    assert [message.text for message in history.messages][1:] == ["I did not hear that.", "Tea, please"]
    assert "waits in the spool" in caplog.text
    files = sorted((tmp_path / "spool").glob("*.json"))
    assert {stat.S_IMODE(file.stat().st_mode) for file in (*files, tmp_path / "spool")} == {0o600, 0o700}
    assert "hunter2" not in "".join(file.read_text() for file in files) + caplog.text
    with outage.back():
        history.add_messages([AIMessage("Here you are.")])
        said = ["I did not hear that.", "Tea, please", "Here you are."]
        assert [message.text for message in history.messages][1:] == said
        assert [message.content for message in outage.anna.conversation("chat").messages()][1:] == said
    assert not list((tmp_path / "spool").glob("*.json"))


def test_messages_whose_answer_got_lost_are_stored_once(memory: Memory, me: UserMemory, tmp_path: Path) -> None:
    lost = True

    class Losing:
        def extend(self, messages: object) -> object:
            stored = me.conversation("chat").extend(messages)  # type: ignore[arg-type]
            if lost:
                raise ServiceUnavailable("the answer got lost")
            return stored

        def conversation(self, _: str) -> "Losing":
            return self

    writes = WriteSpool("somewhere", lambda _: Losing(), str(tmp_path / "spool"))  # type: ignore[arg-type,return-value]
    assert writes.extend("anna", "chat", [{"role": "user", "content": "Tea?"}]) is None
    lost = False
    assert writes.deliver()
    assert [message.content for message in me.conversation("chat").messages()] == ["Tea?"]


def test_a_store_that_is_slow_to_fail_is_left_alone_for_a_while(me: UserMemory, tmp_path: Path) -> None:
    now, asked, away = 0.0, 0, True

    def slow(_: str) -> UserMemory:
        nonlocal now, asked
        asked += 1
        if away:
            now += 30.0
            raise ServiceUnavailable("did not answer within 30 s")
        return me

    writes = WriteSpool("somewhere", slow, str(tmp_path / "spool"), monotonic=lambda: now)
    for text in ("Tea?", "Now?"):
        assert writes.extend("anna", "chat", [{"role": "user", "content": text}]) is None
    assert (asked, writes.cools_down) == (1, True)
    now, away = now + 61.0, False
    assert writes.deliver()
    assert [message.content for message in me.conversation("chat").messages()] == ["Tea?", "Now?"]


def test_what_waited_while_everything_was_forgotten_is_dropped(
    outage: Outage, me: UserMemory, clock: SteppingClock, tmp_path: Path
) -> None:
    away = True

    def memory_of(_: str) -> UserMemory:
        if away:
            raise ServiceUnavailable("away")
        return me

    local = WriteSpool("here", memory_of, str(tmp_path / "here"))
    assert local.remember("anna", TEA) is None
    writes = WriteSpool("there", lambda _: outage.me, str(tmp_path / "there"))
    assert writes.remember("anna", TEA) is None
    clock.moment = datetime.now(UTC) + timedelta(hours=1)  # the spools have the machine's
    for forgetting in (me, outage.anna):
        forgetting.remember("The pump is in the attic")
        forgetting.forget(everything=True)
    away = False
    with outage.back():
        assert (local.deliver(), writes.deliver()) == (True, True)
        assert (me.count(), outage.anna.count()) == (0, 0)
        assert writes.remember("anna", TEA) is not None
    assert outage.anna.count() == 1


def test_a_session_and_a_retriever_go_on(outage: Outage, caplog: pytest.LogCaptureFixture) -> None:
    async def use() -> None:
        session = RecollectSession(outage.me, "chat", spool_folder=outage.spool_folder)
        await session.add_items([{"role": "user", "content": "Tea?"}, {"role": "assistant", "content": "Yes."}])
        assert await session.get_items(limit=1) == [{"role": "assistant", "content": "Yes."}]
        with pytest.raises(ServiceUnavailable):
            await session.pop_item()
        with pytest.raises(ServiceUnavailable):
            await session.clear_session()
        with outage.back():
            assert await session.pop_item() == {"role": "assistant", "content": "Yes."}
        await session.add_items([{"role": "user", "content": "More tea?"}])
        with outage.back():
            await session.clear_session()
            assert await session.get_items() == []

    asyncio.run(use())
    caplog.clear()
    assert RecollectRetriever(me=outage.me).invoke("tea") == []
    assert "nothing could be searched" in caplog.text


def test_tools_say_that_the_memory_is_away(outage: Outage) -> None:
    recall, store, forget = memory_tools(outage.me, spool_folder=outage.spool_folder)
    assert recall("tea") == "The memory is away right now; nothing could be searched."
    assert store(TEA) == "The memory is away right now; this is stored when it is back."
    assert forget(query="tea").startswith("Nothing was deleted: ")
    with outage.back():
        assert TEA in recall("green tea")
        assert store(TEA).startswith("duplicate")
    assert outage.anna.count() == 1


def test_a_full_disk_of_the_spool_is_an_error(outage: Outage, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "full").write_text("")
    history = RecollectChatMessageHistory(outage.me, "chat", spool_folder=str(tmp_path / "full" / "spool"))
    with caplog.at_level(logging.ERROR), pytest.raises(StoreError, match="did not answer"):
        history.add_messages([HumanMessage("Tea, please")])
    assert "the spool cannot keep it" in caplog.text
    assert memory_tools(outage.me, spool_folder=str(tmp_path / "full" / "spool"))[1](TEA).startswith("Not stored: ")


def test_what_is_refused_when_it_is_delivered_holds_up_nothing(outage: Outage, tmp_path: Path) -> None:
    _, store, _ = memory_tools(outage.me, spool_folder=outage.spool_folder)
    store(" ")
    store(TEA)
    with outage.back():
        assert store("Goes swimming on Thursdays").startswith("created")
    assert outage.anna.count() == 2
    assert len(list((tmp_path / "spool").glob("*.refused"))) == 1


def test_the_store_of_langgraph_raises_and_spools_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RecollectStore(memory, user="anna")
    store.put(("notes",), "drink", {"text": TEA})

    def away(*_: object, **__: object) -> None:
        raise StoreUnavailable("No connection to the database.")

    monkeypatch.setattr(memory._engine.store, "write", away)
    with pytest.raises(StoreUnavailable):
        store.put(("notes",), "drink", {"text": "Prefers coffee"})
    monkeypatch.undo()
    assert [item.value for item in store.search(("notes",))] == [{"text": TEA}]
