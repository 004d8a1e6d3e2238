"""Tools for agents of any framework: plain functions, whose names, types and docstrings tell a model what they do.

CrewAI, LangChain, LlamaIndex and the OpenAI Agents SDK each have a wrapper for such functions. The user is fixed when
the tools are made; no argument of a model can name another.
"""

from collections.abc import Callable

from recollect.errors import InvalidInput, NotFound
from recollect.model.literals import without
from recollect.model.memories import Remembered
from recollect_connect.integrations.write_spool import AWAY, AnyUserMemory, WriteSpool

__all__ = ["memory_tools"]

_MOST = 20
_AWAY = "The memory is away right now; nothing could be searched."


def memory_tools(me: AnyUserMemory, *, spool_folder: str | None = None) -> tuple[Callable[..., str], ...]:
    """Give the tools `recall_memory`, `store_memory` and `forget_memory` of a user.

    They never raise because the memory is away, but say so; what is to be stored waits in files of `spool_folder`, by
    default in the user's data folder.
    """
    writes = WriteSpool(me.address, lambda _: me, spool_folder)

    def recall_memory(query: str, limit: int = 5) -> str:
        """Search the user's long-term memory for what is known about something. Use it before answering from memory."""
        writes.deliver()
        if writes.cools_down:
            return _AWAY
        try:
            with writes.asking():
                hits = me.recall(query, limit=max(1, min(limit, _MOST)), files=True).hits
        except AWAY:
            return _AWAY
        lines = [
            f"{number}. [{hit.source} {hit.type} {hit.created_at:%Y-%m-%d} id {hit.id}] {hit.content} ({hit.score:.0%})"
            for number, hit in enumerate(hits, 1)
        ]
        return "\n".join(lines) or "No relevant memories found."

    def store_memory(content: str, importance: float = 0.7) -> str:
        """Store something about the user that should be known in later conversations, in one sentence."""
        try:
            stored = writes.remember(me.user_id, content, importance=importance, source="agent")
        except (InvalidInput, *AWAY) as error:
            return f"Not stored: {error}"
        if stored is None:
            return "The memory is away right now; this is stored when it is back."
        return f"{stored.action}: {stored.id}{_left_out(stored)}"

    def forget_memory(query: str = "", memory_id: str = "") -> str:
        """Delete a memory for good: by its id, or by a query that says it in its own words.

        For any other query the candidates are only listed; ask the user, then call again with the memory_id of one.
        """
        if bool(query.strip()) == bool(memory_id.strip()):
            return "Nothing was deleted: give either a query or a memory_id."
        try:
            forgotten = me.forget(memory_id) if memory_id.strip() else me.forget(query=query)
        except (InvalidInput, NotFound, *AWAY) as error:
            return f"Nothing was deleted: {error}"
        said = {hit.id: f"- id {hit.id}: {hit.content}" for hit in forgotten.candidates}
        said |= {
            item.id: f"- id {item.id}: {item.kind}, {item.fate}: {item.text or item.path}" for item in forgotten.items
        }
        return "\n".join([forgotten.action, *said.values()])

    return recall_memory, store_memory, forget_memory


def _left_out(stored: Remembered) -> str:
    """Say which secrets were not kept, and who can keep them: a model is not offered that."""
    how = "tell the user, who alone can keep it, with `recollect store --keep-secret`"
    return f", {without(stored.left_out)}, because secrets are left out: {how}" if stored.left_out else ""
