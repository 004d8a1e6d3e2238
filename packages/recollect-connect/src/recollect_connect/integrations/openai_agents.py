"""The OpenAI Agents SDK: a `Session` whose items are kept in a conversation.

It needs no extra: the SDK takes whatever has these methods.
"""

from asyncio import to_thread
from collections.abc import Mapping, Sequence
from typing import Any

from recollect_connect.integrations.chat_items import ChatItem, ChatItems
from recollect_connect.integrations.write_spool import AnyUserMemory

__all__ = ["RecollectSession"]


class RecollectSession:
    """The history of an agent: `Runner.run(agent, "...", session=RecollectSession(memory.user("anna"), "chat-1"))`.

    While the memory is away, what is added waits in files of `spool_folder`, by default in the user's data folder.
    """

    session_settings: Any = None

    def __init__(self, me: AnyUserMemory, session_id: str, *, spool_folder: str | None = None) -> None:
        self.session_id = session_id
        self._items = ChatItems(me, session_id, "openai_agents", spool_folder)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Give the items in order; with a limit the last ones."""
        return await to_thread(self._items.all, limit)

    async def add_items(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Append items, all or none."""
        await to_thread(self._items.add, [ChatItem(str(item.get("role", "")), _text(item), item) for item in items])

    async def pop_item(self) -> Any | None:  # noqa: ANN401 - a type of the SDK
        """Remove the last item and give it."""
        return await to_thread(self._items.pop)

    async def clear_session(self) -> None:
        """Forget the conversation, and what was learned in it."""
        await to_thread(self._items.clear)


def _text(item: Mapping[str, Any]) -> str:
    """Give what an item says: its text, that of its parts, or the output of a tool."""
    content = item.get("content") or item.get("output") or ""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and part.get("text"))
