"""The nouns of a conversation: what was said, what of it is shown to a model, and what was made of the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

from recollect.model.literals import MemoryType, MessageRole, MessageStatus

Content: TypeAlias = str | Sequence[str | Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the assistant asked for. `arguments` is JSON, as the model wrote it."""

    id: str
    name: str
    arguments: str = "{}"


class MessageFields(TypedDict, total=False):
    """The optional fields of a message, as keyword arguments of `append`."""

    id: str
    speaker: str
    tool_calls: Sequence[ToolCall | Mapping[str, Any]]
    tool_call_id: str
    sequence: int | None
    said_at: datetime | None
    model: str
    input_tokens: int | None
    output_tokens: int | None
    thinking_tokens: int | None
    metadata: Mapping[str, Any]
    lat: float | None
    lng: float | None
    address: str
    place_label: str


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message on its way in.

    `id` is the host's own id for it: a message that is delivered twice is kept once. `sequence` is for hosts that
    number their messages; without it a message comes after those that are there. `speaker` is the name of whoever says
    it, where a conversation has several people in it. `lat`, `lng`, `address` and `place_label` say where it is said.
    """

    role: MessageRole
    content: Content = ""
    id: str = ""
    tool_calls: Sequence[ToolCall | Mapping[str, Any]] = ()
    tool_call_id: str = ""
    sequence: int | None = None
    said_at: datetime | None = None
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    speaker: str = ""
    lat: float | None = None
    lng: float | None = None
    address: str = ""
    place_label: str = ""


class Message(NamedTuple):
    """A turn of a conversation as it is kept. Order within a conversation is by `sequence`, then by `said_at`.

    `content` is the plain text, `blocks` what it consisted of when it came in parts. `external_id` is the host's own id
    for the message; delivering it again changes nothing. `speaker` is the name of whoever spoke, empty when unknown.
    """

    id: str
    conversation: str
    external_id: str
    sequence: int
    role: MessageRole
    speaker: str
    content: str
    blocks: tuple[Mapping[str, Any], ...]
    tool_calls: tuple[ToolCall, ...]
    tool_call_id: str
    tokens: int
    status: MessageStatus
    trust: int
    model: str
    input_tokens: int | None
    output_tokens: int | None
    thinking_tokens: int | None
    feedback: int | None
    metadata: Mapping[str, Any]
    said_at: datetime
    created_at: datetime
    lat: float | None = None
    lng: float | None = None
    address: str = ""
    place_label: str = ""


AppendedAction = Literal["created", "duplicate", "skipped"]


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of a message: `created`, `duplicate` (it is known), or `skipped` (nothing of it may be kept)."""

    action: AppendedAction
    message: Message | None = None

    @property
    def id(self) -> str | None:
        """The id under which the message is kept."""
        return self.message.id if self.message else None


@dataclass(frozen=True, slots=True)
class Window:
    """What of a conversation to show a model: system prompts, the live summary, the newest turns that fit.

    `omitted` counts active messages that did not fit, or that a model would refuse: tool calls without their results.
    """

    messages: tuple[Message, ...]
    tokens: int
    max_tokens: int
    omitted: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model was paid for."""

    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.input_tokens + self.output_tokens


CompactionAction = Literal["compacted", "unchanged", "busy", "failed"]


@dataclass(frozen=True, slots=True)
class Compaction:
    """What compacting did.

    - `compacted`: `folded` messages are now in the summary; they stay, marked, and search still finds them.
    - `unchanged`: there was nothing to fold, or another process was faster.
    - `busy`: another process is paying a model for this summary right now, or has just failed to get one.
    - `failed`: no usable summary came back; everything is as it was, and `reason` says why.
    """

    action: CompactionAction
    summary: Message | None = None
    folded: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    summarizer: str = ""
    usage: Usage = Usage()
    reason: str = ""
    degraded: tuple[str, ...] = ()


class ConversationRecord(NamedTuple):
    """A conversation as it is kept. Of a private one, nothing that is said is."""

    id: str
    private: bool
    last_sequence: int
    compacting_until: datetime | None
    metadata: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime


class ConversationInfo(NamedTuple):
    """A conversation in a listing, with its figures. Summaries do not count as messages."""

    id: str
    private: bool
    messages: int
    active_messages: int
    tokens: int
    active_tokens: int
    metadata: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Captured:
    """Something worth keeping that was found in what a user said.

    `content` is the sentence as it was said. `subject`, `key` and `value` are filled where the sentence says them; a
    `key` names something that has one value at a time, so that the next value supersedes this one.
    """

    content: str
    type: MemoryType
    subject: str = ""
    key: str = ""
    value: str = ""
    context: str = ""
    importance: float = 0.7
    confidence: float = 0.9
    rule: str = ""


@dataclass(frozen=True, slots=True)
class SummaryPoints:
    """What a summary says, before it is put into its format."""

    key_points: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    open_items: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.key_points or self.actions or self.open_items)


@dataclass(frozen=True, slots=True)
class SummaryTask:
    """What is to be summarised: turns in order, the summary they come after, and how long the new one may be."""

    turns: Sequence[Message]
    previous: SummaryPoints
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Summarized:
    """A summary and what it cost."""

    points: SummaryPoints
    usage: Usage = Usage()
