"""The nouns: what goes in, what is kept, what comes out. Frozen values, no behaviour beyond their own shape.

Everything here may be imported by everybody; nothing here imports anything of ours but the vocabulary and the nouns
of conversations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from recollect.model.files import Chunk
from recollect.model.geo import Circle
from recollect.model.literals import ItemKind, MemoryType, MessageRole, Source, Trust, VectorKind
from recollect.model.messages import Compaction, Message
from recollect.model.places import PlacePart, PlaceRow

Vector: TypeAlias = NDArray[np.float32]
VectorLike: TypeAlias = Sequence[float] | NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scope:
    """The user a query may see. No query runs without one."""

    user_id: str


class CommonFields(TypedDict, total=False):
    """The optional fields that every typed memory has, as keyword arguments of `state_fact` and its like."""

    importance: float
    confidence: float
    context: str
    source: str
    trust: int
    session: str
    valid_from: datetime | None
    valid_until: datetime | None
    expires_at: datetime | None
    lat: float | None
    lng: float | None
    address: str
    place_label: str
    metadata: Mapping[str, Any]
    vector: VectorLike | None


class MemoryFields(CommonFields, total=False):
    """The optional fields of a memory, as keyword arguments of `remember`."""

    type: MemoryType
    subject: str
    key: str
    value: str
    occurred_at: datetime | None


class MemoryChanges(MemoryFields, total=False):
    """What `update` may change: any field, and the content."""

    content: str


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory on its way in. Only the content is required.

    `subject`, `key` and `context` name a slot: a new value for the same slot supersedes the old one. `vector` may carry
    an embedding made elsewhere with the configured model; otherwise one is made here.
    """

    content: str
    type: MemoryType = "other"
    importance: float = 0.7
    confidence: float = 1.0
    subject: str = ""
    key: str = ""
    value: str = ""
    context: str = ""
    source: str = "user_stated"
    trust: int = Trust.STATED
    session: str = ""
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    lat: float | None = None
    lng: float | None = None
    address: str = ""
    place_label: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    vector: VectorLike | None = None


class MemoryRecord(NamedTuple):
    """A memory as it is kept. Times are aware and in UTC; texts are never None, an absent one is empty.

    A tuple, because rows come and go by the hundred thousand and a tuple costs a tenth of any other object.
    """

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
    metadata: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime


# Whatever is searched, and can be found; and whatever has a vector.
def lapsed(record: MemoryRecord, now: datetime) -> bool:
    """Tell whether a record has expired or ceased to be true."""
    return any(end is not None and end <= now for end in (record.expires_at, record.valid_until))


Item: TypeAlias = MemoryRecord | Message | Chunk
Embeddable: TypeAlias = Item | PlaceRow


def kind_of(item: Embeddable) -> VectorKind:
    """Say what an item is."""
    if isinstance(item, MemoryRecord):
        return "memory"
    if isinstance(item, PlaceRow):
        return "place"
    return "chunk" if isinstance(item, Chunk) else "message"


class Draft(NamedTuple):
    """A record ready to be written: with the hash that makes it unique, its search terms and its vector."""

    record: MemoryRecord
    content_hash: str
    terms: tuple[str, ...]
    vector: Vector | None


class MessageDraft(NamedTuple):
    """A message ready to be written: with its search terms, and its vector if there is one already."""

    message: Message
    terms: tuple[str, ...]
    vector: Vector | None = None


RememberedAction = Literal["created", "duplicate", "superseded", "outranked"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a memory that was offered.

    - `created`: it is new.
    - `duplicate`: `existing_id` already says the same; nothing was added, and `id` is that of the existing one.
    - `superseded`: it is new and took the place of `existing_id`, which stays in the history.
    - `outranked`: `existing_id` stands, because its source is more trusted or the new value is about a time that is
      over; the new one went straight to the history.

    `degraded` names what failed on the way. `vector`: it is stored and found by its words, and a job will embed it.
    `rewording`: whether it repeats another memory in other words could not be found out.
    """

    action: RememberedAction
    id: str
    existing_id: str | None = None
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search may return, decided inside the store. An absent filter lets everything pass.

    `since` and `until` bound the time a memory is about: when it occurred, or else when it was stored. `as_of` asks for
    what was held true at that moment instead of now. `now` is the caller's clock, against which things expire. Of each
    group of terms in `holding` one must be there, of those in `lacking` none. `near` is a circle that holds it, and
    `places` are the ids of the names that its place has one of.
    """

    kind: ClassVar[ItemKind] = "memory"

    now: datetime
    types: tuple[MemoryType, ...] = ()
    holding: tuple[tuple[str, ...], ...] = ()
    lacking: tuple[str, ...] = ()
    subject: str | None = None
    key: str | None = None
    context: str | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    min_importance: float | None = None
    min_trust: int | None = None
    near: Circle | None = None
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MessageFilters:
    """What a search of messages may return.

    `excluded` are ids that it may not: the turn that is being asked about. `beyond` is a conversation whose active
    messages the asker has in front of them anyway.
    """

    kind: ClassVar[ItemKind] = "message"

    roles: tuple[MessageRole, ...] = ()
    conversation: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    min_trust: int | None = None
    excluded: tuple[str, ...] = ()
    beyond: str | None = None
    holding: tuple[tuple[str, ...], ...] = ()
    lacking: tuple[str, ...] = ()
    near: Circle | None = None
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkFilters:
    """What a search of files may return. `files` are the ids of those that are meant; `since` and `until` bound the
    day that a dated note is about or a turn was said, or else when the chunk was written.
    """

    kind: ClassVar[ItemKind] = "chunk"

    files: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    min_trust: int | None = None
    holding: tuple[tuple[str, ...], ...] = ()
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaceFilters:
    """What a search of the names of places may return: any of them."""

    kind: ClassVar[VectorKind] = "place"


ItemFilters: TypeAlias = Filters | MessageFilters | ChunkFilters


class FilterFields(TypedDict, total=False):
    """The filters of `recall`, `list` and `count`, as keyword arguments."""

    type: MemoryType | Sequence[MemoryType] | None
    subject: str | None
    key: str | None
    context: str | None
    session: str | None
    since: datetime | None
    until: datetime | None
    as_of: datetime | None
    min_importance: float | None


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is, for people and for maps."""

    lat: float | None
    lng: float | None
    address: str
    label: str


@dataclass(frozen=True, slots=True)
class ChannelPart:
    """One channel's share of a hit: `weight` x `score` is what it adds to the relevance."""

    rank: int | None
    raw: float
    score: float
    weight: float


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """How a score came about, in numbers a person can check by hand.

    The channels add up to the relevance; times all factors, and cut at 1, that is the score. Where somebody said where
    they are, and the item is somewhere too, that is the content's score, and `place` says what became of it.
    """

    channels: Mapping[str, ChannelPart]
    relevance: float
    factors: Mapping[str, float]
    place: PlacePart | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A found item. `score` and `similarity` are in [0, 1]; `parts` explains the score.

    `record` is all there is to know: a MemoryRecord when the source is `memory`, a Chunk when it is `file`, a Message
    otherwise. `type` is the type of a memory, the kind of a file or the role of a message. `folded` are the ids of
    further hits that say the same.
    """

    id: str
    source: Source
    type: str
    content: str
    score: float
    similarity: float | None
    parts: ScoreParts
    created_at: datetime
    occurred_at: datetime | None
    place: Place | None
    trust: int
    metadata: Mapping[str, Any]
    record: Item
    folded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to a question. `degraded` names the channels that failed or were late: the hits come from the others.

    `answerable`, in [0, 1], says how likely an answer is among the hits. When it is low, better say that nothing is
    known.
    """

    hits: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()
    answerable: float = 0.0


ForgottenAction = Literal["deleted", "not_found", "candidates"]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting did: `ids` are gone (or would be, with `dry_run`); `candidates` wait for a choice.

    `messages` and `files` say how many of the ids are messages and files; the others are memories and their versions.
    """

    action: ForgottenAction
    ids: tuple[str, ...] = ()
    candidates: tuple[Hit, ...] = ()
    dry_run: bool = False
    messages: int = 0
    files: int = 0

    @property
    def id(self) -> str | None:
        """The id of the memory that was asked for, when exactly one was forgotten together with its history."""
        return self.ids[0] if self.ids else None


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a listing, newest first. Pass `cursor` to get the next part; it is None at the end."""

    items: tuple[MemoryRecord, ...]
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Space:
    """An embedding space. Vectors of different spaces are never compared."""

    provider: str
    model: str
    revision: str
    prefix_scheme: str
    dimensions: int
    normalised: bool


@dataclass(frozen=True, slots=True)
class About:
    """What is known about a topic: everything recorded under the subjects it names, and what else speaks of it.

    `subjects` are the things the topic stands for: their names contain it, or somebody calls them that.
    """

    topic: str
    subjects: tuple[str, ...]
    facts: tuple[MemoryRecord, ...]
    preferences: tuple[MemoryRecord, ...]
    events: tuple[MemoryRecord, ...]
    lessons: tuple[MemoryRecord, ...]
    hits: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.facts or self.preferences or self.events or self.lessons or self.hits)


@dataclass(frozen=True, slots=True)
class PromptContext:
    """What an agent gets before it answers. `block` is ready to stand before the prompt, empty when nothing is related.

    `message_id` is the id under which the request was saved; None when nothing of it may be kept.
    """

    block: str
    hits: tuple[Hit, ...]
    message_id: str | None
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """What was kept of a turn: how many messages, what was learned from them, and what happened."""

    saved: int
    captured: tuple[Remembered, ...] = ()
    events: tuple[Remembered, ...] = ()
    compaction: Compaction | None = None
    degraded: tuple[str, ...] = ()
