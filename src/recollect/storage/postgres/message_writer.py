"""Changes one user's conversations inside one transaction."""

from collections.abc import Sequence
from datetime import datetime

from recollect.model.literals import MessageStatus
from recollect.model.memories import MessageDraft, Space
from recollect.model.messages import ConversationRecord, Usage
from recollect.ports.conversations import Derivation
from recollect.storage.postgres import codec
from recollect.storage.postgres.items import Written
from recollect.storage.postgres.place_writer import PlaceWriter
from recollect.storage.postgres.rows import QUERIES


class MessageWriter(PlaceWriter):
    """The part of a writer that is about conversations."""

    def save_conversation(self, record: ConversationRecord) -> None:
        """Write a conversation."""
        self._run("save_conversation", codec.to_conversation_parameters(record))

    def insert_messages(self, drafts: Sequence[MessageDraft], space: Space | None) -> None:
        """Write messages with all that belongs to them."""
        if not drafts:
            return
        for draft in drafts:
            self._run("insert_message", codec.to_message_parameters(self._user, draft))
        written = [Written(draft.message.id, draft.vector) for draft in drafts]
        self._owe("message", written, space, drafts[0].message.created_at)
        self._settle("message", [draft.message for draft in drafts], drafts[0].message.created_at)

    def set_status(self, ids: Sequence[str], status: MessageStatus) -> None:
        """Mark messages."""
        self._run("set_status", {"ids": list(ids), "status": status})

    def mark_learned(self, ids: Sequence[str]) -> None:
        """Note that what these teach has been kept."""
        self._run("mark_learned", {"ids": list(ids)})

    def name_message(self, message_id: str, external_id: str) -> None:
        """Note the host's own id of a message."""
        self._run("name_message", {"id": message_id, "external_id": external_id})

    def set_feedback(self, message_id: str, feedback: int | None) -> None:
        """Note what the user thought."""
        self._run("set_feedback", {"id": message_id, "feedback": feedback})

    def delete_messages(self, ids: Sequence[str]) -> None:
        """Remove messages."""
        self._remove("message", ids)

    def delete_conversation(self, conversation_id: str) -> None:
        """Remove a conversation."""
        self._run("delete_conversation", {"id": conversation_id})

    def derive(self, derivations: Sequence[Derivation], now: datetime) -> None:
        """Note what was made from what."""
        rows = [{"user_id": self._user, "now": now, **derivation._asdict()} for derivation in derivations]
        with self._connection.cursor() as cursor:
            cursor.executemany(QUERIES["insert_derivation"].encode(), rows)

    def drop_derivations(self, ids: Sequence[str]) -> None:
        """Remove the notes about these."""
        self._run("delete_derivations", {"ids": list(ids)})

    def bury(self, fingerprints: Sequence[str], now: datetime) -> None:
        """Note that these were forgotten."""
        for fingerprint in fingerprints:
            values = {"fingerprint": fingerprint, "now": now}
            self._run("insert_tombstone", values)

    def exhume(self, fingerprints: Sequence[str]) -> None:
        """Note that these were said again."""
        self._run("lift_tombstones", {"fingerprints": list(fingerprints)})

    def delete_tombstones(self) -> None:
        """Leave no trace."""
        self._run("delete_tombstones")

    def record_spending(self, day: str, purpose: str, model: str, usage: Usage) -> None:
        """Add to what was spent."""
        tokens = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
        self._run("add_spending", {"day": day, "purpose": purpose, "model": model, **tokens})
