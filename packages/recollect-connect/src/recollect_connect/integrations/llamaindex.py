"""LlamaIndex: a retriever over a user's memory, and a chat memory that is kept in it."""

from typing import Any

try:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.memory.types import BaseMemory
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise ImportError(
        "recollect.integrations.llamaindex needs a package that is not there: pip install 'recollect[llamaindex]'."
    ) from error

from recollect_connect.integrations.chat_items import ChatItem, ChatItems, as_metadata, found_hits
from recollect_connect.integrations.write_spool import AnyUserMemory

__all__ = ["RecollectChatMemory", "RecollectNodeRetriever"]


class RecollectNodeRetriever(BaseRetriever):
    """Nodes from a user's memory: `RecollectNodeRetriever(memory.user("anna"))`, for query engines and agents.

    Memories and files are searched, with `messages` also what was said, without the last turn of the `conversation`
    that is going on. Without `only_related` they are what comes closest.
    """

    def __init__(
        self,
        me: AnyUserMemory,
        *,
        similarity_top_k: int = 5,
        messages: bool = False,
        only_related: bool | None = None,
        conversation: str | None = None,
    ) -> None:
        self._me, self._limit = me, similarity_top_k
        self._messages, self._only_related, self._conversation = messages, only_related, conversation
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Search."""
        hits = found_hits(
            self._me,
            query_bundle.query_str,
            self._limit,
            messages=self._messages,
            only_related=self._only_related,
            conversation=self._conversation,
        )
        nodes = [TextNode(id_=hit.id, text=hit.content, metadata=as_metadata(hit)) for hit in hits]
        return [NodeWithScore(node=node, score=hit.score) for node, hit in zip(nodes, hits, strict=True)]


class RecollectChatMemory(BaseMemory):
    """The history of one conversation, for chat engines and agents: `RecollectChatMemory.of(me, "chat-1")`.

    While the memory is away, what is put waits in files of `spool_folder`, by default in the user's data folder.
    """

    _items: ChatItems = PrivateAttr()

    @classmethod
    def of(cls, me: AnyUserMemory, conversation: str, *, spool_folder: str | None = None) -> "RecollectChatMemory":
        """Give the history of a conversation."""
        return cls.from_defaults(me=me, conversation=conversation, spool_folder=spool_folder)

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> "RecollectChatMemory":  # noqa: ANN401 - as the base class has it
        """Give the history of the `conversation` of `me`."""
        memory = cls()
        memory._items = ChatItems(kwargs["me"], kwargs["conversation"], "llamaindex", kwargs.get("spool_folder"))
        return memory

    def get(self, input: str | None = None, **_: Any) -> list[ChatMessage]:  # noqa: ANN401, ARG002 - as the base class
        """Give all messages, in order."""
        return self.get_all()

    def get_all(self) -> list[ChatMessage]:
        """Give all messages, in order."""
        return [ChatMessage.model_validate(item) for item in self._items.all()]

    def put(self, message: ChatMessage) -> None:
        """Append a message."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Append messages, all or none."""
        self._items.add(
            ChatItem(message.role.value, message.content or "", message.model_dump(mode="json")) for message in messages
        )

    def set(self, messages: list[ChatMessage]) -> None:
        """Forget what was said, and begin with these messages."""
        self.reset()
        self.put_messages(messages)

    def reset(self) -> None:
        """Forget the conversation, and what was learned in it."""
        self._items.clear()
