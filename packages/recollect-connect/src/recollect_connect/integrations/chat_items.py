"""The items of a framework's chat history as messages of a conversation, which give them back as they were.

The text of an item is what people read and searches find; the item itself is kept beside it in the metadata. While the
memory is away, what is added waits in a spool and is part of the history; what was stored before cannot be read then.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from recollect.errors import InvalidInput
from recollect.model.literals import MessageRole
from recollect.model.messages import Message
from recollect.model.search import Hit
from recollect_connect.integrations.write_spool import AWAY, LOG, AnyUserMemory, WriteSpool

_PAGE: Final = 1_000
_ROLES: Final[Mapping[str, MessageRole]] = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}


class ChatItem(NamedTuple):
    """An item of a chat history: the role that its framework names, its text, and all of it as JSON."""

    role: str
    text: str
    item: Mapping[str, Any]


class ChatItems:
    """The chat history of one conversation of a user, for the adapter of that name."""

    def __init__(self, me: AnyUserMemory, conversation: str, adapter: str, spool_folder: str | None = None) -> None:
        self._me, self._conversation, self._adapter = me, me.conversation(conversation), adapter
        self._writes = WriteSpool(me.address, lambda _: me, spool_folder)

    def add(self, added: Iterable[ChatItem]) -> None:
        """Append items, all or none. Raises InvalidInput for one that cannot be kept."""
        messages = [self._message(item) for item in added]
        if messages:
            self._writes.extend(self._me.user_id, self._conversation.id, messages)

    def all(self, limit: int | None = None) -> list[dict[str, Any]]:
        """Give the items in order; with a limit the last ones."""
        self._writes.deliver()
        kept: Sequence[Message] = ()
        try:
            if not self._writes.cools_down:
                with self._writes.asking():
                    kept = self._kept(limit)
        except AWAY as error:
            LOG.warning("The memory is away; the history has only what waits to be stored. %s", error)
        known = {message.external_id for message in kept}
        waiting = [message for message in self._writes.waiting(self._conversation.id) if message["id"] not in known]
        found = [message.metadata for message in kept] + [message["metadata"] for message in waiting]
        first = 0 if limit is None else max(0, len(found) - limit)
        return [dict(metadata[self._adapter]) for metadata in found[first:]]

    def pop(self) -> dict[str, Any] | None:
        """Remove the last item and give it; None when there is none."""
        self._writes.deliver()
        kept = self._kept(1)
        if not kept:
            return None
        self._me.forget(kept[-1].id)
        return dict(kept[-1].metadata[self._adapter])

    def clear(self) -> None:
        """Forget the conversation, and what was learned in it."""
        if self._conversation.info() is not None:
            self._me.forget(session=self._conversation.id)
        self._writes.discard(self._conversation.id)

    def _message(self, item: ChatItem) -> dict[str, Any]:
        try:
            whole = json.loads(json.dumps(item.item, ensure_ascii=False, allow_nan=False))
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"An item of the chat history cannot be written as JSON: {error}.") from error
        text = item.text.strip() or json.dumps(whole, ensure_ascii=False)
        return {"role": _ROLES.get(item.role, "assistant"), "content": text, "metadata": {self._adapter: whole}}

    def _kept(self, limit: int | None) -> Sequence[Message]:
        """Give the last messages that are items; others, such as summaries, are passed over."""
        kept: list[Message] = []
        before: int | None = None
        while limit is None or len(kept) < limit:
            page = self._conversation.messages(limit=_PAGE, before=before)
            kept = [message for message in page if self._adapter in message.metadata] + kept
            if len(page) < _PAGE:
                break
            before = page[0].sequence
        return kept if limit is None else kept[len(kept) - min(limit, len(kept)) :]


def found_hits(
    me: AnyUserMemory,
    query: str,
    limit: int,
    *,
    messages: bool = False,
    only_related: bool | None = None,
    conversation: str | None = None,
) -> tuple[Hit, ...]:
    """Search memories and files, or all sources without the last turn of the conversation that is going on.

    While the memory is away, nothing is found, and a warning logged.
    """
    if not query.strip():
        return ()
    try:
        if messages:
            return me.search_context(query, limit=limit, only_related=only_related, current=conversation).hits
        return me.recall(query, limit=limit, files=True, only_related=only_related).hits
    except AWAY as error:
        LOG.warning("The memory is away; nothing could be searched. %s", error)
        return ()


def as_metadata(hit: Hit) -> dict[str, Any]:
    """Give the source, date and score of a hit, as JSON."""
    moment = hit.occurred_at or hit.created_at
    known = {"id": hit.id, "source": hit.source, "type": hit.type, "score": hit.score, "date": moment.isoformat()}
    return known | ({"corrected": [one.mark(whole=False) for one in hit.corrected]} if hit.corrected else {})
