"""Retrievers, chat histories, sessions and tools for frameworks, on both stores."""

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool

from recollect import InvalidInput, Memory, UserMemory
from recollect_connect.integrations.langchain import RecollectChatMessageHistory, RecollectRetriever
from recollect_connect.integrations.openai_agents import RecollectSession
from recollect_connect.integrations.tools import memory_tools

TEA = "Prefers green tea in the morning"


def test_a_retriever_gives_documents_with_source_date_and_score(me: UserMemory, memory: Memory) -> None:
    stored = me.remember(TEA)
    me.conversation("c").append("user", "I bought a teapot yesterday")
    memory.user("bert").remember("Prefers black tea")
    (document,) = RecollectRetriever(me=me, k=3).invoke("which tea?")
    assert (document.id, document.page_content) == (stored.id, TEA)
    assert document.metadata["source"] == "memory"
    assert document.metadata["date"].startswith("2026-03-01")
    assert 0 < document.metadata["score"] <= 1
    json.dumps(document.metadata)
    sources = {found.metadata["source"] for found in RecollectRetriever(me=me, messages=True).invoke("tea teapot")}
    assert sources == {"memory", "request"}
    assert RecollectRetriever(me=me).invoke("  ") == []
    assert asyncio.run(RecollectRetriever(me=me, k=1).ainvoke("which tea?"))[0].id == stored.id


def test_a_chat_history_gives_messages_back_as_they_were(me: UserMemory) -> None:
    history = RecollectChatMessageHistory(me, "chat")
    call = {"id": "t1", "name": "boil", "args": {"cups": 2}, "type": "tool_call"}
    said = [
        SystemMessage("Be brief."),
        HumanMessage([{"type": "text", "text": "Tea, please"}], id="h1"),
        AIMessage("", tool_calls=[call]),
        ToolMessage("done", tool_call_id="t1"),
        AIMessage("Here you are."),
    ]
    history.add_messages(said)
    history.add_user_message("Thanks")
    assert history.messages == [*said, HumanMessage("Thanks")]
    assert [hit.content for hit in me.search_context("tea", limit=1).hits] == ["Tea, please"]
    assert RecollectChatMessageHistory(me, "other").messages == []
    history.clear()
    history.clear()
    assert history.messages == []


def test_a_turn_of_a_kept_history_teaches_with_the_turn_before_it(me: UserMemory) -> None:
    history = RecollectChatMessageHistory(me, "chat")
    session = RecollectSession(me, "chat-2")
    for asked, answered in (("Hello!", "Nice. What's your sister's name?"), ("Jana", "Noted.")):
        turn = [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
        history.add_messages([HumanMessage(asked), AIMessage(answered)])
        asyncio.run(session.add_items(turn))
        for conversation in ("chat", "chat-2"):
            assert me.after_turn(turn, session=conversation).saved == 0
    (kept,) = me.list().items
    assert kept.content == "What's your sister's name? Jana"
    assert {origin.message.conversation for origin in me.messages.origins(kept.id)} == {"chat", "chat-2"}


def test_a_session_keeps_items_in_order(me: UserMemory, memory: Memory) -> None:
    items: list[dict[str, Any]] = [
        {"role": "user", "content": "Tea, please"},
        {"type": "function_call", "call_id": "1", "name": "boil", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "boiled"},
        {"role": "assistant", "type": "message", "content": [{"type": "output_text", "text": "Here you are."}]},
    ]

    async def use() -> None:
        session = RecollectSession(me, "chat")
        await session.add_items(items[:2])
        await session.add_items(items[2:])
        await session.add_items([])
        assert await session.get_items() == items
        assert await session.get_items(limit=2) == items[2:]
        assert await session.pop_item() == items[3]
        assert await session.get_items() == items[:3]
        assert await RecollectSession(memory.user("bert"), "chat").get_items() == []
        with pytest.raises(InvalidInput, match="cannot be written as JSON"):
            await session.add_items([{"role": "user", "content": "x", "what": object()}])
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None

    asyncio.run(use())


def test_tools_answer_in_words_a_model_can_use(me: UserMemory) -> None:
    recall, store, forget = (tool(function) for function in memory_tools(me))
    assert recall.invoke({"query": "tea"}) == "No relevant memories found."
    stored = store.invoke({"content": TEA})
    assert stored.startswith("created: ")
    assert store.invoke({"content": " "}).startswith("Not stored: The content is empty")
    found = recall.invoke({"query": "green tea", "limit": 500})
    assert TEA in found
    assert stored.removeprefix("created: ") in found
    assert forget.invoke({}).startswith("Nothing was deleted")
    assert forget.invoke({"memory_id": "nonsense"}) == "not_found"
    assert forget.invoke({"query": "green tea"}).startswith("candidates\n- id ")
    gone = forget.invoke({"query": "Prefers green tea in the morning"})
    assert gone.startswith("deleted")
    assert gone.endswith("Prefers green tea in the morning")
    assert me.count() == 0


@pytest.mark.parametrize(
    ("module", "package"),
    [("langgraph", "langgraph.store.base"), ("langchain", "langchain_core"), ("llamaindex", "llama_index")],
)
def test_an_import_without_its_package_names_the_extra(module: str, package: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None\nimport recollect.integrations.{module}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert f"pip install 'recollect[{module}]'" in ran.stderr.splitlines()[-1]
