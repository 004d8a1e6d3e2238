"""What the engine asks of a store about conversations, and about what was made from what."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from recollect.model.filters import MessageFilters
from recollect.model.literals import ItemKind, MessageRole, MessageStatus
from recollect.model.memories import MessageDraft, Scope, Space
from recollect.model.messages import ConversationInfo, ConversationRecord, Message, Usage
from recollect.model.stats import UnreadMessages


class Derivation(NamedTuple):
    """One item was made from another."""

    made_kind: ItemKind
    made_id: str
    source_kind: ItemKind
    source_id: str


class ConversationSize(NamedTuple):
    """How much of a conversation is active."""

    messages: int
    tokens: int


class MessagePosition(NamedTuple):
    """Where a message stands, and what of it counts in ranking without its text. `asks`: it ends as a question."""

    id: str
    conversation: str
    sequence: int
    role: MessageRole
    speaker: str
    tokens: int
    trust: int
    said_at: datetime
    asks: bool
    lat: float | None = None
    lng: float | None = None
    address: str = ""
    place_label: str = ""
    feedback: int | None = None


class ReadJob(NamedTuple):
    """A message that waits to be read. `attempts` counts how often that failed through its own fault."""

    scope: Scope
    message: Message
    attempts: int


class ConversationRows(Protocol):
    """What reading and writing have in common."""

    def conversation(self, conversation_id: str) -> ConversationRecord | None:
        """Give a conversation, if there is one."""

    def get_messages(self, ids: Sequence[str]) -> Sequence[Message]:
        """Give the messages with these ids in any order; unknown ids are left out."""

    def active_messages(self, conversation_id: str, limit: int) -> Sequence[Message]:
        """Give the newest active messages in order; system prompts and the live summary come whatever the limit."""

    def active_size(self, conversation_id: str) -> ConversationSize:
        """Count the active messages and their tokens, the summary among them, but no system prompts."""

    def last_messages(self, conversation_id: str, limit: int, before: int | None = None) -> Sequence[Message]:
        """Give the last messages of any status in order, without summaries; those with a sequence below `before`."""

    def delivered(self, conversation_id: str, external_ids: Sequence[str]) -> Mapping[str, Message]:
        """Find messages by the ids that their host has for them."""

    def buried(self, fingerprints: Sequence[str]) -> Mapping[str, datetime]:
        """Say which of these were forgotten, and when."""

    def unlearned(self, ids: Sequence[str]) -> Sequence[str]:
        """Say which of these messages have not been learned from yet."""

    def sources(self, made_ids: Sequence[str]) -> Sequence[Derivation]:
        """Say what these items were made from."""

    def made_from(self, source_ids: Sequence[str]) -> Sequence[Derivation]:
        """Say what was made from these items."""

    def message_ids(self, conversation_id: str) -> Sequence[str]:
        """Give the ids of all messages of a conversation, summaries among them."""

    def conversation_ids(self) -> Sequence[str]:
        """Give the ids of all conversations."""


class ConversationReader(ConversationRows, Protocol):
    """Questions about one user's conversations."""

    def conversations(
        self, limit: int, conversation_id: str | None = None, before: tuple[datetime, str] | None = None
    ) -> Sequence[ConversationInfo]:
        """List the conversations, the one that was spoken in last first; or only the one with this id.

        `before` is when the last one of another listing was spoken in, and its id: what comes after it is given.
        """

    def around(self, ids: Sequence[str], reach: int, filters: MessageFilters) -> Sequence[MessagePosition]:
        """Give these messages and those up to `reach` before and after each of them, as far as they pass; each once."""

    def said_between(self, filters: MessageFilters, limit: int) -> Sequence[Message]:
        """Give the newest messages that pass, in the order in which they were said."""

    def untidy_messages(self, short: int, limit: int, before: datetime) -> Sequence[Message]:
        """Give messages from before a moment that may be too short, without words, or a system's, oldest first."""


class ConversationWriter(ConversationRows, Protocol):
    """Changes of one user's conversations."""

    def save_conversation(self, record: ConversationRecord) -> None:
        """Write a conversation, new or changed."""

    def insert_messages(self, drafts: Sequence[MessageDraft], space: Space | None) -> None:
        """Write messages with their terms and vectors, which are of `space`; what lacks one is owed it by a job."""

    def set_status(self, ids: Sequence[str], status: MessageStatus) -> None:
        """Mark messages."""

    def mark_learned(self, ids: Sequence[str]) -> None:
        """Note that what these messages teach has been kept."""

    def owe_readings(self, ids: Sequence[str], now: datetime) -> None:
        """Write a job for each of these messages, which are still to be read; one that has a job keeps it."""

    def finish_readings(self, ids: Sequence[str]) -> Sequence[str]:
        """Remove the jobs of messages; says which of them were still to be read."""

    def name_message(self, message_id: str, external_id: str) -> None:
        """Note the host's own id of a message that had none."""

    def set_feedback(self, rated: Message) -> None:
        """Note what the user thought of a message, and its metadata."""

    def disliked_messages(self) -> Sequence[Message]:
        """Give the messages that were rated down."""

    def delete_messages(self, ids: Sequence[str]) -> None:
        """Remove messages with their terms, vectors and jobs."""

    def delete_conversation(self, conversation_id: str) -> None:
        """Remove a conversation, whose messages are gone already."""

    def derive(self, derivations: Sequence[Derivation], now: datetime) -> None:
        """Note what was made from what; what is noted already stays as it is."""

    def drop_derivations(self, ids: Sequence[str]) -> None:
        """Remove every note about these items, as makers and as made."""

    def bury(self, fingerprints: Sequence[str], now: datetime) -> None:
        """Note what was forgotten, by fingerprints."""

    def exhume(self, fingerprints: Sequence[str]) -> None:
        """Note that these were said again, after they were forgotten."""

    def has_tombstones(self) -> bool:
        """Say whether the user has forgotten anything that left a tombstone."""

    def delete_tombstones(self) -> None:
        """Forget also what was forgotten."""

    def record_spending(self, day: str, purpose: str, model: str, usage: Usage) -> None:
        """Add to what was spent."""


class ReadingStore(Protocol):
    """The part of a store that is about messages of all users that wait to be read."""

    def unread(self) -> UnreadMessages:
        """Count the messages that wait to be read."""

    def claim_readings(
        self, limit: int, *, now: datetime, lease_until: datetime, scope: Scope | None = None
    ) -> Sequence[ReadJob]:
        """Lease messages that are due, the oldest first: no other worker takes their users before the lease ends.

        So the messages of a user are read one after the other, in the order in which they came.
        """

    def postpone_readings(self, jobs: Sequence[ReadJob], reason: str, due: datetime | None, *, to_blame: bool) -> None:
        """Note why jobs failed: try again when due, or park them when it is None; `to_blame` counts an attempt."""
