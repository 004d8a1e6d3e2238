"""Tools for agents of any framework: plain functions, whose names, types and docstrings tell a model what they do.

CrewAI, LangChain, LlamaIndex and the OpenAI Agents SDK each have a wrapper for such functions. The user is fixed when
the tools are made; no argument of a model can name another.
"""

from collections.abc import Callable

from recollect.api.user import UserMemory
from recollect.errors import InvalidInput, NotFound

__all__ = ["memory_tools"]

_MOST = 20


def memory_tools(me: UserMemory) -> tuple[Callable[..., str], ...]:
    """Give the tools `recall_memory`, `store_memory` and `forget_memory` of a user."""

    def recall_memory(query: str, limit: int = 5) -> str:
        """Search the user's long-term memory for what is known about something. Use it before answering from memory."""
        hits = me.recall(query, limit=max(1, min(limit, _MOST)), files=True, only_related=True).hits
        lines = [
            f"{number}. [{hit.source} {hit.type} {hit.created_at:%Y-%m-%d} id {hit.id}] {hit.content} ({hit.score:.0%})"
            for number, hit in enumerate(hits, 1)
        ]
        return "\n".join(lines) or "No relevant memories found."

    def store_memory(content: str, importance: float = 0.7) -> str:
        """Store something about the user that should be known in later conversations, in one sentence."""
        try:
            stored = me.remember(content, importance=importance, source="agent")
        except InvalidInput as error:
            return f"Not stored: {error}"
        return f"{stored.action}: {stored.id}"

    def forget_memory(query: str = "", memory_id: str = "") -> str:
        """Delete a memory for good, by its id, or by what it says. If several are meant, they are only listed."""
        if bool(query.strip()) == bool(memory_id.strip()):
            return "Nothing was deleted: give either a query or a memory_id."
        try:
            forgotten = me.forget(memory_id) if memory_id.strip() else me.forget(query=query)
        except (InvalidInput, NotFound) as error:
            return f"Nothing was deleted: {error}"
        lines = [f"- id {hit.id}: {hit.content}" for hit in forgotten.candidates]
        return "\n".join([forgotten.action, *lines])

    return recall_memory, store_memory, forget_memory
