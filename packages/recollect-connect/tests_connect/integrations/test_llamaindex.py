"""LlamaIndex, where its package is installed: a retriever and a chat memory, on both stores."""

import pytest

from recollect import UserMemory

pytest.importorskip("llama_index.core", reason="needs recollect[llamaindex]")

from llama_index.core.base.llms.types import ChatMessage

from recollect_connect.integrations.llamaindex import RecollectChatMemory, RecollectNodeRetriever


def test_a_retriever_gives_nodes_with_scores(me: UserMemory) -> None:
    stored = me.remember("Prefers green tea in the morning")
    (found,) = RecollectNodeRetriever(me, similarity_top_k=2).retrieve("which tea?")
    assert (found.node.node_id, found.text) == (stored.id, "Prefers green tea in the morning")
    assert found.metadata["source"] == "memory"
    assert 0 < (found.score or 0) <= 1


def test_a_chat_memory_gives_messages_back(me: UserMemory) -> None:
    memory = RecollectChatMemory.of(me, "chat")
    said = [ChatMessage(role="user", content="Tea?"), ChatMessage(role="assistant", content="Green.")]
    memory.put_messages(said)
    assert memory.get() == said
    memory.set(said[:1])
    assert memory.get_all() == said[:1]
    memory.reset()
    assert memory.get_all() == []
