"""A conversation whose verbs are awaited."""

from asyncio import to_thread
from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from recollect.api.user import Conversation
from recollect.model.literals import MessageRole, Trust
from recollect.model.messages import (
    Appended,
    Compaction,
    Content,
    ConversationInfo,
    Message,
    MessageFields,
    NewMessage,
    Window,
)


class AsyncConversation:
    """One conversation, with verbs to await. See `Conversation`."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    @property
    def user_id(self) -> str:
        """See `Conversation.user_id`."""
        return self._conversation.user_id

    @property
    def id(self) -> str:
        """See `Conversation.id`."""
        return self._conversation.id

    async def append(self, role: MessageRole, content: Content = "", **fields: Unpack[MessageFields]) -> Appended:
        """See `Conversation.append`."""
        return await to_thread(self._conversation.append, role, content, **fields)

    async def extend(self, messages: Iterable[NewMessage | Mapping[str, Any]]) -> tuple[Appended, ...]:
        """See `Conversation.extend`."""
        return await to_thread(self._conversation.extend, messages)

    async def bring(
        self, messages: Iterable[NewMessage | Mapping[str, Any]], *, trust: int = Trust.EXTERNAL
    ) -> tuple[Appended, ...]:
        """See `Conversation.bring`."""
        return await to_thread(self._conversation.bring, messages, trust=trust)

    async def window(self, max_tokens: int | None = None, *, reasoning: bool = False) -> Window:
        """See `Conversation.window`."""
        return await to_thread(self._conversation.window, max_tokens, reasoning=reasoning)

    async def compact(self, *, keep_recent: int | None = None) -> Compaction:
        """See `Conversation.compact`."""
        return await to_thread(self._conversation.compact, keep_recent=keep_recent)

    async def info(self) -> ConversationInfo | None:
        """See `Conversation.info`."""
        return await to_thread(self._conversation.info)

    async def messages(self, *, limit: int = 100, before: int | None = None) -> tuple[Message, ...]:
        """See `Conversation.messages`."""
        return await to_thread(self._conversation.messages, limit=limit, before=before)

    async def summary(self) -> Message | None:
        """See `Conversation.summary`."""
        return await to_thread(self._conversation.summary)

    async def originals(self, summary_id: str) -> tuple[Message, ...]:
        """See `Conversation.originals`."""
        return await to_thread(self._conversation.originals, summary_id)

    async def describe(self, metadata: Mapping[str, Any]) -> None:
        """See `Conversation.describe`."""
        await to_thread(self._conversation.describe, metadata)

    async def set_private(self, private: bool = True) -> None:  # noqa: FBT001, FBT002 - as in the twin
        """See `Conversation.set_private`."""
        await to_thread(self._conversation.set_private, private)
