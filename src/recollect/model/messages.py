"""Conversations: messages, context windows, compaction and summaries. Frozen values without I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypedDict

from recollect.errors import InvalidMessage
from recollect.model import kinds
from recollect.model.literals import REDACTION_MARK, MessageRole, MessageStatus, marked
from recollect.model.media import Media, MediaLike, media_texts
from recollect.model.places import with_location

# In the metadata of a message: the fingerprints of sentences that were forgotten where they had been learned, and when.
FORGOTTEN: Final = "forgotten_sentences"

# In the metadata of a message of a window: its role in the store, where models know no such role.
STORED_AS: Final = "stored_as"

Content: TypeAlias = str | Sequence[str | Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the assistant. `arguments` is JSON, as the model wrote it."""

    id: str
    name: str
    arguments: str = "{}"


class MessageFields(TypedDict, total=False):
    """The optional fields of a message, as keyword arguments of `append`."""

    id: kinds.HostId
    speaker: kinds.Speaker
    tool_calls: Sequence[ToolCall | Mapping[str, Any]]
    tool_call_id: kinds.HostName
    sequence: kinds.Count | None
    said_at: datetime | None
    model: kinds.HostName
    input_tokens: kinds.Count | None
    output_tokens: kinds.Count | None
    thinking_tokens: kinds.Count | None
    metadata: Mapping[str, Any]
    lat: float | None
    lng: float | None
    address: str
    place_label: str
    location: kinds.WhereSaid | None
    media: Sequence[MediaLike]


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to be stored.

    `id` is the host's own id for it, which makes storing idempotent. `sequence` is for hosts that number their
    messages; without it a message is appended. `speaker` is the name of the person who says it, where there are
    several. `lat`, `lng`, `address` and `place_label` say where it is said. `media` are pictures and the like.
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
    media: Sequence[MediaLike] = ()


def message_of(role: MessageRole, content: Content, fields: Mapping[str, Any]) -> NewMessage:
    """Make a message of keyword arguments. Raises InvalidMessage."""
    try:
        return NewMessage(role, content, **with_location(fields))
    except TypeError as error:
        names = ", ".join(sorted(MessageFields.__annotations__))
        said = str(error).replace("NewMessage.__init__() ", "")
        raise InvalidMessage(f"A message cannot be made from this: {said}. Its fields are: {names}.") from error


class Message(NamedTuple):
    """A stored message. Order within a conversation is by `sequence`, then by `said_at`.

    `content` is the plain text, `blocks` the parts it came in. `external_id` is the host's own id. `speaker` is the
    name of the person who said it, empty when unknown.
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
    media: tuple[Media, ...] = ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """The kinds of secrets that were left out of it."""
        calls = (call.arguments for call in self.tool_calls)
        more = (*media_texts(self.media), repr(self.metadata)) if self.media or self.metadata else ()
        return marked((self.content, *calls, *more), REDACTION_MARK)


AppendedAction = Literal["created", "duplicate", "skipped", "forgotten"]


@dataclass(frozen=True, slots=True)
class Appended:
    """The result of appending a message: `created`, `duplicate`, or `skipped` (nothing of it may be kept).

    `forgotten`: imported, and left out because it was forgotten here.
    """

    action: AppendedAction
    message: Message | None = None

    @property
    def id(self) -> str | None:
        """The id of the stored message."""
        return self.message.id if self.message else None

    @property
    def left_out(self) -> tuple[str, ...]:
        """The kinds of secrets that were left out of the stored message."""
        return self.message.left_out if self.message else ()


@dataclass(frozen=True, slots=True)
class Window:
    """The context window for a model: system prompts, the current summary, the newest turns that fit.

    All have roles that models take: the summary is `system`, a thought `assistant`; `stored_as` in their metadata has
    their own. `omitted` counts what is not shown word for word: messages that were folded into the summary or archived,
    that did not fit, or that a model would refuse: tool calls without their results.
    """

    messages: tuple[Message, ...]
    tokens: int
    max_tokens: int
    omitted: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a model was paid for."""

    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens


CompactionAction = Literal["compacted", "unchanged", "busy", "failed"]


@dataclass(frozen=True, slots=True)
class Compaction:
    """The result of compacting a conversation.

    - `compacted`: `folded` messages are now in the summary; they stay, marked, and search still finds them.
    - `unchanged`: there was nothing to fold, or another process was faster.
    - `busy`: another process holds the lease: it is making this summary.
    - `failed`: no usable summary came back; everything is as it was, and `reason` says why.

    `summarizer` made the summary. If it is not the one of the settings, because that failed or its budget is spent,
    `degraded` has `summarizer`, and `reason` says why.
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
    """A stored conversation. Nothing that is said in a private one is stored."""

    id: str
    private: bool
    last_sequence: int
    compacting_until: datetime | None
    metadata: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime


class ConversationInfo(NamedTuple):
    """A conversation with its statistics. Summaries do not count as messages.

    `title` is that of its metadata, else the first line of a user that says something. `speakers` are the names of
    those who spoke, in that order, as far as they are known. It was held from `first_said_at` to `last_said_at`, and
    stored from `created_at` on; `updated_at` is when it was last spoken in.
    """

    id: str
    private: bool
    messages: int
    active_messages: int
    tokens: int
    active_tokens: int
    metadata: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime
    title: str = ""
    speakers: tuple[str, ...] = ()
    first_said_at: datetime | None = None
    last_said_at: datetime | None = None


class SummaryPoints(NamedTuple):
    """The content of a summary, before it is formatted."""

    key_points: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    open_items: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(self)


@dataclass(frozen=True, slots=True)
class SummaryTask:
    """Input of a summarizer: turns in order, the summary before them, and the length limit."""

    turns: Sequence[Message]
    previous: SummaryPoints
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Summarized:
    """A summary and what it cost."""

    points: SummaryPoints
    usage: Usage = Usage()


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
