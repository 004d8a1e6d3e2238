"""LangChain: a retriever over a user's memory, and a chat history that is kept in it.

It prints:

    memory: Prefers green tea in the morning
    human: What should I drink? / ai: Green tea, as you like it.
"""

from recollect import Memory
from recollect.integrations.langchain import RecollectChatMessageHistory, RecollectRetriever

with Memory.open() as memory:
    me = memory.user("example-langchain")
    me.remember("Prefers green tea in the morning", type="preference")
    me.remember("Is allergic to peanuts", type="fact")
    (document,) = RecollectRetriever(me=me, k=1).invoke("which hot beverage does she like?")
    print(f"{document.metadata['source']}: {document.page_content}")

    history = RecollectChatMessageHistory(me, "chat-1")
    history.add_user_message("What should I drink?")
    history.add_ai_message("Green tea, as you like it.")
    print(" / ".join(f"{message.type}: {message.text}" for message in history.messages))
