"""One user's conversations: reading and writing them inside one transaction."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from recollect.model.messages import ConversationInfo, ConversationRecord, Message
from recollect.ports.conversations import ConversationSize, Derivation
from recollect.storage.postgres import codec
from recollect.storage.postgres.rows import PostgresRows, one

_ABOVE_ALL_SEQUENCES = 2**62


class MessageRows(PostgresRows):
    """What reading and writing have in common."""

    def conversation(self, conversation_id: str) -> ConversationRecord | None:
        """Give a conversation."""
        row = self._run("get_conversation", {"id": conversation_id}).fetchone()
        return codec.conversation_from_row(row) if row else None

    def get_messages(self, ids: Sequence[str]) -> Sequence[Message]:
        """Give messages by id."""
        return self._messages("get_messages", {"ids": list(ids)})

    def active_messages(self, conversation_id: str, limit: int) -> Sequence[Message]:
        """Give the newest active messages in order."""
        return self._messages("active_messages", {"conversation_id": conversation_id, "limit": limit})

    def active_size(self, conversation_id: str) -> ConversationSize:
        """Count what is active."""
        messages, tokens = one(self._run("active_size", {"conversation_id": conversation_id}))
        return ConversationSize(messages, int(tokens))

    def last_messages(self, conversation_id: str, limit: int, before: int | None = None) -> Sequence[Message]:
        """Give the last messages in order."""
        below = _ABOVE_ALL_SEQUENCES if before is None else before
        values = {"conversation_id": conversation_id, "limit": limit, "before": below}
        return self._messages("last_messages", values)[::-1]

    def delivered(self, conversation_id: str, external_ids: Sequence[str]) -> Mapping[str, Message]:
        """Find messages by their host's ids."""
        values = {"conversation_id": conversation_id, "ids": list(external_ids)}
        return {message.external_id: message for message in self._messages("delivered_messages", values)}

    def buried(self, fingerprints: Sequence[str]) -> Mapping[str, datetime]:
        """Say which of these were forgotten, and when."""
        values = {"fingerprints": list(fingerprints)}
        return {row[0]: row[1].astimezone(UTC) for row in self._run("tombstones", values)}

    def unlearned(self, ids: Sequence[str]) -> Sequence[str]:
        """Say which of these nobody has learned from yet."""
        return [row[0] for row in self._run("unlearned_messages", {"ids": list(ids)})]

    def sources(self, made_ids: Sequence[str]) -> Sequence[Derivation]:
        """Say what these were made from."""
        return [Derivation._make(row) for row in self._run("sources_of", {"ids": list(made_ids)})]

    def made_from(self, source_ids: Sequence[str]) -> Sequence[Derivation]:
        """Say what was made from these."""
        return [Derivation._make(row) for row in self._run("made_from", {"ids": list(source_ids)})]

    def message_ids(self, conversation_id: str) -> Sequence[str]:
        """Give the ids of a conversation's messages."""
        return [row[0] for row in self._run("message_ids", {"conversation_id": conversation_id})]

    def conversation_ids(self) -> Sequence[str]:
        """Give the ids of all conversations."""
        return [row[0] for row in self._run("conversation_ids")]

    def _messages(self, name: str, values: dict[str, Any]) -> list[Message]:
        return [codec.message_from_row(row) for row in self._run(name, values)]


class MessageReader(MessageRows):
    """Questions about conversations."""

    def conversations(
        self, limit: int, conversation_id: str | None = None, before: tuple[datetime, str] | None = None
    ) -> Sequence[ConversationInfo]:
        """List conversations with their figures, or one."""
        place = {"before": before[0], "before_id": before[1]} if before else {"before": None, "before_id": ""}
        values = {"limit": limit, "id": conversation_id, **place}
        return [codec.info_from_row(row) for row in self._run("list_conversations", values)]
