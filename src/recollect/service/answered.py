"""What is answered: the bodies of answers, made from what the façade gives."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from recollect.model.files import Chunk
from recollect.model.literals import MemoryType, MessageRole, MessageStatus, Source
from recollect.model.memories import MemoryRecord, Remembered
from recollect.model.messages import Appended, Compaction, ConversationInfo, Message, Window
from recollect.model.search import About, Forgotten, Hit, PromptContext, Recall, TurnOutcome


class Answer(BaseModel):
    """A body that is made from a value of the façade."""

    model_config = ConfigDict(from_attributes=True)


class Problem(BaseModel):
    """An error, as RFC 9457 has it."""

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["No memory 01a1dfdf-9755-700c-8ecf-655f449c5cac."])


class MemoryBody(Answer):
    """A memory as it is kept."""

    id: str
    type: MemoryType
    content: str
    subject: str
    key: str
    value: str
    context: str
    importance: float
    confidence: float
    source: str
    trust: int
    session: str
    occurred_at: datetime | None
    valid_from: datetime
    valid_until: datetime | None
    superseded_by: str | None
    expires_at: datetime | None
    lat: float | None
    lng: float | None
    address: str
    place_label: str
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class MemoryPage(BaseModel):
    """A part of a listing, newest first. Pass `cursor` to get the next part; it is null at the end."""

    items: list[MemoryBody]
    cursor: str | None = None


class Memories(BaseModel):
    """Memories of one kind."""

    items: list[MemoryBody]


class RememberedBody(Answer):
    """What became of a memory that was offered."""

    action: Literal["created", "duplicate", "superseded", "outranked"]
    id: str
    existing_id: str | None = None
    degraded: list[str] = Field(default_factory=list)


class RememberedMany(BaseModel):
    """What became of each memory, in order."""

    results: list[RememberedBody]


class PlaceBody(Answer):
    """Where something is."""

    lat: float | None
    lng: float | None
    address: str
    label: str


class PlaceShare(Answer):
    """What a place did to a score: (1 - `weight`) x `content` + `weight` x `geo` is the score.

    `geo` is the larger of `nearness`, which comes from `distance_km`, and `likeness`, that of the places' names.
    Without a `location_weight` it counts times `fit`, how good the content is compared with the best one, and for no
    less than `least`.
    """

    weight: float
    content: float
    geo: float
    distance_km: float | None
    nearness: float | None
    likeness: float | None
    fit: float
    least: float


def _nothing(value: object) -> bool:
    return value is None


IfAny: Final = Field(default=None, exclude_if=_nothing)  # left out where there is nothing to say


class HitBody(Answer):
    """Something that was found. `score` and `similarity` are from 0 to 1.

    In a `file` it is a part of its text: `metadata` has its `path`, `start_line`, `end_line`, `heading` and `file_id`.
    What has a place has `lat`, `lng`, `address` and `place_label`, as far as they are known. When it was said where
    somebody is, `distance_km` is how far that is, and `place_share` what it did to the score.
    """

    id: str
    source: Source
    type: str
    content: str
    score: float
    similarity: float | None
    created_at: datetime
    occurred_at: datetime | None
    place: PlaceBody | None
    trust: int
    metadata: dict[str, Any]
    folded: list[str]
    conversation: str | None = None
    lat: Annotated[float | None, IfAny]
    lng: Annotated[float | None, IfAny]
    address: Annotated[str | None, IfAny]
    place_label: Annotated[str | None, IfAny]
    distance_km: Annotated[float | None, IfAny]
    place_share: Annotated[PlaceShare | None, IfAny]


class RecallBody(BaseModel):
    """The answer to a question. `degraded` names what was missing; `answerable` says how likely an answer is here."""

    hits: list[HitBody]
    degraded: list[str]
    answerable: float


class SimpleHit(BaseModel):
    """Something that was found, in the form that simple clients use."""

    source_type: Source
    source_id: str
    content: str
    similarity: float
    context: dict[str, Any]


class ForgottenBody(BaseModel):
    """What forgetting did, or would do: `ids` are gone; `candidates` wait for a choice."""

    action: Literal["deleted", "not_found", "candidates"]
    ids: list[str]
    candidates: list[HitBody]
    dry_run: bool
    messages: int
    files: int = 0


class AboutBody(BaseModel):
    """What is known about a topic."""

    topic: str
    subjects: list[str]
    facts: list[MemoryBody]
    preferences: list[MemoryBody]
    events: list[MemoryBody]
    lessons: list[MemoryBody]
    hits: list[HitBody]
    degraded: list[str]


class MessageAnswer(Answer):
    """A turn of a conversation as it is kept."""

    id: str
    conversation: str
    external_id: str
    sequence: int
    role: MessageRole
    speaker: str
    content: str
    blocks: list[dict[str, Any]]
    tool_calls: list["ToolCallAnswer"]
    tool_call_id: str
    tokens: int
    status: MessageStatus
    trust: int
    model: str
    input_tokens: int | None
    output_tokens: int | None
    thinking_tokens: int | None
    feedback: int | None
    metadata: dict[str, Any]
    said_at: datetime
    created_at: datetime
    lat: float | None
    lng: float | None
    address: str
    place_label: str


class ToolCallAnswer(Answer):
    """A tool that the assistant asked for."""

    id: str
    name: str
    arguments: str


class AppendedBody(BaseModel):
    """What became of a message."""

    action: Literal["created", "duplicate", "skipped"]
    id: str | None


class AppendedMany(BaseModel):
    """What became of each message, in order."""

    results: list[AppendedBody]


class ConversationBody(Answer):
    """A conversation with its figures."""

    id: str
    private: bool
    messages: int
    active_messages: int
    tokens: int
    active_tokens: int
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class ConversationPage(BaseModel):
    """Conversations, the one that was spoken in last first."""

    items: list[ConversationBody]
    cursor: str | None = None


class ConversationAnswer(BaseModel):
    """A conversation with its last messages, in order. Pass `cursor` to get those before them."""

    conversation: ConversationBody
    messages: list[MessageAnswer]
    cursor: str | None = None


class WindowBody(BaseModel):
    """What of a conversation to show a model."""

    messages: list[MessageAnswer]
    tokens: int
    omitted: int


class CompactionBody(BaseModel):
    """What compacting did."""

    action: Literal["compacted", "unchanged", "busy", "failed"]
    summary: MessageAnswer | None
    folded: int
    tokens_before: int
    tokens_after: int
    summarizer: str
    reason: str
    degraded: list[str]


class PromptBody(BaseModel):
    """What an agent gets before it answers; `block` is ready to stand before the prompt."""

    block: str
    hits: list[HitBody]
    message_id: str | None
    degraded: list[str]


class TurnBody(BaseModel):
    """What was kept of a turn."""

    saved: int
    captured: list[RememberedBody]
    events: list[RememberedBody]
    compaction: CompactionBody | None
    degraded: list[str]


class SessionBody(BaseModel):
    """What was kept of a session that ended, if anything was."""

    summary: RememberedBody | None


class Live(BaseModel):
    """It runs."""

    status: Literal["alive"] = "alive"


class Ready(BaseModel):
    """Whether requests can be answered, and what is wrong with each part if not."""

    status: Literal["ready", "degraded", "unavailable"]
    checks: dict[str, str]


def memory_body(record: MemoryRecord) -> MemoryBody:
    """Show a memory."""
    return MemoryBody.model_validate(record)


def memories(records: Iterable[MemoryRecord]) -> list[MemoryBody]:
    """Show memories."""
    return [memory_body(record) for record in records]


def remembered(value: Remembered) -> RememberedBody:
    """Show what became of a memory."""
    return RememberedBody(
        action=value.action, id=value.id, existing_id=value.existing_id, degraded=list(value.degraded)
    )


def hit_body(hit: Hit) -> HitBody:
    """Show a hit."""
    shown = HitBody.model_validate(hit)
    if isinstance(hit.record, Message):
        shown.conversation = hit.record.conversation
    if hit.place is not None:
        for name, value in whereabouts(hit).items():
            setattr(shown, name, value)
    if hit.parts.place is not None:
        shown.place_share = PlaceShare.model_validate(hit.parts.place)
    return shown


def whereabouts(hit: Hit) -> dict[str, Any]:
    """Say where a hit is, and how far away, as far as that is known."""
    if hit.place is None:
        return {}
    part = hit.parts.place
    said = {
        "lat": hit.place.lat,
        "lng": hit.place.lng,
        "address": hit.place.address or None,
        "place_label": hit.place.label or None,
        "distance_km": None if part is None else part.distance_km,
    }
    return {name: value for name, value in said.items() if value is not None}


def hit_bodies(found: Iterable[Hit]) -> list[HitBody]:
    """Show hits."""
    return [hit_body(hit) for hit in found]


def recall_body(found: Recall) -> RecallBody:
    """Show the answer to a question."""
    return RecallBody(hits=hit_bodies(found.hits), degraded=list(found.degraded), answerable=found.answerable)


def simple_hit(hit: Hit) -> SimpleHit:
    """Show a hit to a simple client."""
    context: dict[str, Any] = {"type": hit.type, "created_at": hit.created_at.isoformat(), "score": hit.score}
    if isinstance(hit.record, Message):
        context["conversation"] = hit.record.conversation
    if isinstance(hit.record, Chunk):
        context |= hit.metadata
    context |= whereabouts(hit)
    similarity = hit.score if hit.similarity is None else max(0.0, hit.similarity)
    return SimpleHit(
        source_type=hit.source, source_id=hit.id, content=hit.content, similarity=similarity, context=context
    )


def forgotten(value: Forgotten) -> ForgottenBody:
    """Show what forgetting did."""
    return ForgottenBody(
        action=value.action,
        ids=list(value.ids),
        candidates=hit_bodies(value.candidates),
        dry_run=value.dry_run,
        messages=value.messages,
        files=value.files,
    )


def about_body(value: About) -> AboutBody:
    """Show what is known about a topic."""
    return AboutBody(
        topic=value.topic,
        subjects=list(value.subjects),
        facts=memories(value.facts),
        preferences=memories(value.preferences),
        events=memories(value.events),
        lessons=memories(value.lessons),
        hits=hit_bodies(value.hits),
        degraded=list(value.degraded),
    )


def message_body(message: Message) -> MessageAnswer:
    """Show a message."""
    return MessageAnswer.model_validate(message)


def appended(values: Iterable[Appended]) -> AppendedMany:
    """Show what became of messages."""
    return AppendedMany(results=[AppendedBody(action=one.action, id=one.id) for one in values])


def conversation_body(info: ConversationInfo) -> ConversationBody:
    """Show a conversation."""
    return ConversationBody.model_validate(info)


def window_body(window: Window) -> WindowBody:
    """Show what a model is to see."""
    return WindowBody(
        messages=[message_body(one) for one in window.messages], tokens=window.tokens, omitted=window.omitted
    )


def compaction_body(value: Compaction) -> CompactionBody:
    """Show what compacting did."""
    return CompactionBody(
        action=value.action,
        summary=message_body(value.summary) if value.summary else None,
        folded=value.folded,
        tokens_before=value.tokens_before,
        tokens_after=value.tokens_after,
        summarizer=value.summarizer,
        reason=value.reason,
        degraded=list(value.degraded),
    )


def prompt_body(value: PromptContext) -> PromptBody:
    """Show what an agent gets."""
    return PromptBody(
        block=value.block, hits=hit_bodies(value.hits), message_id=value.message_id, degraded=list(value.degraded)
    )


def turn_body(value: TurnOutcome) -> TurnBody:
    """Show what was kept of a turn."""
    return TurnBody(
        saved=value.saved,
        captured=[remembered(one) for one in value.captured],
        events=[remembered(one) for one in value.events],
        compaction=compaction_body(value.compaction) if value.compaction else None,
        degraded=list(value.degraded),
    )
