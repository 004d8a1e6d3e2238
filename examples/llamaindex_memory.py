"""LlamaIndex: a retriever over a user's memory, and a chat memory that is kept in it.

It prints:

    Prefers green tea in the morning
    user: What should I drink?
"""

from llama_index.core.base.llms.types import ChatMessage

from recollect import Memory
from recollect.integrations.llamaindex import RecollectChatMemory, RecollectNodeRetriever

with Memory.open() as memory:
    me = memory.user("example-llamaindex")
    me.remember("Prefers green tea in the morning", type="preference")
    me.remember("Is allergic to peanuts", type="fact")
    (best,) = RecollectNodeRetriever(me, similarity_top_k=1).retrieve("which hot beverage does she like?")
    print(best.text)

    chat = RecollectChatMemory.of(me, "chat-1")
    chat.put(ChatMessage(role="user", content="What should I drink?"))
    print(*(f"{message.role.value}: {message.content}" for message in chat.get()))
