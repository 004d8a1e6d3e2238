"""LangChain: a retriever over a user's memory, and a chat history that is kept in it."""

from collections.abc import Sequence
from typing import Any

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise ImportError(
        "recollect.integrations.langchain needs a package that is not there: pip install 'recollect[langchain]'."
    ) from error

from recollect_connect.integrations.chat_items import ChatItem, ChatItems, as_metadata, found_hits
from recollect_connect.integrations.write_spool import AnyUserMemory

__all__ = ["RecollectChatMessageHistory", "RecollectRetriever"]


class RecollectRetriever(BaseRetriever):
    """Documents from a user's memory: `RecollectRetriever(me=memory.user("anna"))`.

    Memories and files are searched, with `messages` also what was said, without the last turn of the `conversation`
    that is going on. Without `only_related` they are what comes closest. Each has its
    source, date and score in its metadata.
    """

    me: Any
    k: int = 5
    messages: bool = False
    only_related: bool | None = None
    conversation: str | None = None

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - as the base class has it
    ) -> list[Document]:
        """Search."""
        hits = found_hits(
            self.me,
            query,
            self.k,
            messages=self.messages,
            only_related=self.only_related,
            conversation=self.conversation,
        )
        return [Document(id=hit.id, page_content=hit.content, metadata=as_metadata(hit)) for hit in hits]


class RecollectChatMessageHistory(BaseChatMessageHistory):
    """The history of one conversation, for `RunnableWithMessageHistory` and the like.

    While the memory is away, what is added waits in files of `spool_folder`, by default in the user's data folder.
    """

    def __init__(self, me: AnyUserMemory, conversation: str, *, spool_folder: str | None = None) -> None:
        self._items = ChatItems(me, conversation, "langchain", spool_folder)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """All messages, in order."""
        return messages_from_dict(self._items.all())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages, all or none."""
        self._items.add(ChatItem(message.type, message.text, message_to_dict(message)) for message in messages)

    def clear(self) -> None:
        """Forget the conversation, and what was learned in it."""
        self._items.clear()
