"""Memories: what is offered, what is stored, what became of it. Frozen values without I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypedDict,
    runtime_checkable,
)

from recollect.model import kinds
from recollect.model.files import Chunk
from recollect.model.literals import KEPT_MARK, REDACTION_MARK, SEALED, MemoryType, VectorKind, marked
from recollect.model.media import Media, MediaLike, media_texts
from recollect.model.messages import Message
from recollect.model.parameters import Kind
from recollect.model.places import PlaceRow

if TYPE_CHECKING:  # help reads signatures that name these, and does without NumPy
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]
else:
    Vector = Any


@runtime_checkable
class Array(Protocol):
    """An array of NumPy, or what it reads as one."""

    def __array__(self) -> Any:  # noqa: ANN401 - an array, and NumPy is not imported here
        """Give the array."""


VectorLike: TypeAlias = Sequence[float] | Array
OwnVector: TypeAlias = Annotated[
    VectorLike, Kind(here="A vector cannot be sent to a service, which makes its own. Leave `vector` out.")
]


# In the metadata of a memory: its key has several values at a time, and this is one of them.
MANY: Final = "many"

# In the metadata of a memory: what the user thought of it, 1 or -1.
FEEDBACK: Final = "feedback"


@dataclass(frozen=True, slots=True)
class Scope:
    """The user a query may see. No query runs without one."""

    user_id: str


class CommonFields(TypedDict, total=False):
    """The optional fields that every typed memory has, as keyword arguments of `me.facts.set` and the like.

    `location` stands for `lat`, `lng`, `address` and `place_label`.
    """

    importance: kinds.Importance
    confidence: kinds.Confidence
    context: kinds.HoldsIn
    source: kinds.SaidBy
    trust: kinds.TrustTier | None
    session: kinds.SaidIn
    valid_from: kinds.HoldsFrom | None
    valid_until: kinds.HoldsUntil | None
    expires_at: kinds.Expires | None
    lat: kinds.Latitude | None
    lng: kinds.Longitude | None
    address: kinds.Address
    place_label: kinds.PlaceLabel
    location: kinds.WhereSaid | None
    metadata: kinds.MoreFields
    media: Sequence[MediaLike]
    vector: OwnVector | None
    keep_secret: kinds.KeepSecret


class KeyedFields(CommonFields, total=False):
    """The optional fields of facts and preferences. With `many` the key has several values, side by side."""

    many: kinds.Many


class MemoryFields(KeyedFields, total=False):
    """The optional fields of a memory, as keyword arguments of `remember`."""

    type: kinds.KindOfMemory
    subject: kinds.SubjectText
    key: kinds.KeyText
    value: kinds.BareValue
    occurred_at: kinds.Happened | None


class MemoryChanges(MemoryFields, total=False):
    """What `update` may change: any field, and the content."""

    content: kinds.MemoryText


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be stored. Only the content is required.

    `subject`, `key` and `context` name a slot: a new value for the same slot supersedes the old one. With `many` it is
    one of several, and supersedes none: so does every later value of that slot. The `source` says
    how far it is trusted (see `Trust`); `trust` may only say less. `vector` may be an embedding that was made elsewhere
    with the configured model. `media` are pictures and the like (see `Media`), or mappings with their fields. With
    `keep_secret` the secrets in content and value are kept, encrypted, for `me.get(id, reveal=True)`.
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
    trust: int | None = None
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
    many: bool = False
    media: Sequence[MediaLike] = ()
    keep_secret: bool = False


# What can be stored: a text alone has everything else at its default.
OfferedMemory: TypeAlias = NewMemory | str


class MemoryRecord(NamedTuple):
    """A stored memory. Times are aware and in UTC; a missing text is empty, never None.

    A tuple, because a tuple costs a tenth of any other object and there are hundreds of thousands.
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
    media: tuple[Media, ...] = ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """The kinds of secrets that were left out of it."""
        texts = (self.content, self.subject, self.value, self.context, self.address, self.place_label)
        more = (*media_texts(self.media), repr(self.metadata)) if self.media or self.metadata else ()
        return marked((*texts, *more), REDACTION_MARK)

    @property
    def kept_secret(self) -> tuple[str, ...]:
        """The kinds of secrets that it keeps apart, encrypted: `me.get(id, reveal=True)` shows them."""
        return marked((self.content, self.value), KEPT_MARK) if SEALED in self.metadata else ()


def is_many(record: MemoryRecord) -> bool:
    """Tell whether a memory is one of several values of its key."""
    return record.metadata.get(MANY) is True


def participants_of(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Give who took part in what a record tells, as its metadata name them."""
    named = metadata.get("participants")
    return tuple(name for name in named if isinstance(name, str)) if isinstance(named, list) else ()


def lapsed(record: MemoryRecord, now: datetime) -> bool:
    """Tell whether a memory has expired or is no longer valid."""
    return any(end is not None and end <= now for end in (record.expires_at, record.valid_until))


# What a search can find, and what has a vector.
Item: TypeAlias = MemoryRecord | Message | Chunk
Embeddable: TypeAlias = Item | PlaceRow


def kind_of(item: Embeddable) -> VectorKind:
    """Return the kind of an item."""
    if isinstance(item, MemoryRecord):
        return "memory"
    if isinstance(item, PlaceRow):
        return "place"
    return "chunk" if isinstance(item, Chunk) else "message"


class Draft(NamedTuple):
    """A memory ready to be written: with the hash that makes it unique, its search terms and its vector.

    `passages` are the vectors of the passages of a long text, one below the other.
    """

    record: MemoryRecord
    content_hash: str
    terms: tuple[str, ...]
    vector: Vector | None
    passages: Vector | None = None


class MessageDraft(NamedTuple):
    """A message ready to be written: with its search terms, and its vector if there is one already."""

    message: Message
    terms: tuple[str, ...]
    vector: Vector | None = None


RememberedAction = Literal["created", "duplicate", "superseded", "outranked", "doubted", "forgotten"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """The result of `remember`.

    - `created`: it is new.
    - `duplicate`: `existing_id` says the same in the same words, and `id` is that of the existing memory. What was new
      in the repetition is in `taken_over`.
    - `superseded`: it is new and replaces `existing_id`, which stays in the history.
    - `outranked`: `existing_id` stays current, as its source is more trusted, or the new value is of the past or was
      said earlier; the new one went straight to the history.
    - `doubted`: captured from a conversation, it is new and stands beside `existing_id`, which says otherwise; it was
      not sure enough to replace it. `me.facts.doubts()` lists such pairs.
    - `forgotten`: imported, and left out because it was forgotten here; `id` is empty.

    `taken_over` names what a memory that was there took over from a repetition, as `place` or `expires_at`.

    `degraded` names what failed: `vector` (found by its words; a worker embeds it later). `left_out` names the kinds of
    secrets in what was offered, such as `access code`, that were not kept, not even where it is a `duplicate`;
    `kept_secret` those that were, because that was asked for.
    """

    action: RememberedAction
    id: str
    existing_id: str | None = None
    degraded: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    kept_secret: tuple[str, ...] = ()
    taken_over: tuple[str, ...] = ()


def taken_over_words(fields: Sequence[str]) -> str:
    """Say what a memory took over from a repetition, for people and agents; empty when there is nothing."""
    if not fields:
        return ""
    *most, last = (name.replace("_", " ") for name in fields)
    return f"its {', '.join(most)} and {last} were taken over" if most else f"its {last} was taken over"


class Loaded(NamedTuple):
    """The result of `Memory.load`: how many rows and users there were, and how many rows had which action.

    `actions` are those of `Remembered`. `refused` says why a user's rows were not stored, as those beyond a quota.
    """

    rows: int
    users: int
    actions: Mapping[str, int]
    refused: Mapping[str, str] = MappingProxyType({})
    degraded: tuple[str, ...] = ()


class Doubt(NamedTuple):
    """Two memories that give one property two values: the one that holds, and a later one that casts doubt on it.

    The later one is current too, if it was captured; if its source is less trusted, it is in the history only.
    """

    memory: MemoryRecord
    contradicted_by: MemoryRecord


@dataclass(frozen=True, slots=True)
class Page:
    """A page of memories, newest first. Pass `cursor` to get the next page; it is None at the end."""

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

    @property
    def is_bundled(self) -> bool:
        """Whether its vectors come from an encoder of this project."""
        return self.provider == "local"


WORDS_HASH = 32  # letters of a hash that say what the words are


@dataclass(frozen=True, slots=True)
class Slot:
    """What a memory is about, when a new value replaces the old one.

    What a user prefers is another slot than what is the case.
    """

    subject: str
    key: str
    context: str
    preference: bool


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What makes two live memories the same one."""

    type: str
    subject: str
    key: str
    context: str
    content_hash: str


class TextCandidate(NamedTuple):
    """A row that shares at least one term with the query, and all of its terms in order."""

    id: str
    terms: Sequence[str]


@dataclass(frozen=True, slots=True)
class TextCandidates:
    """Rows for BM25 to score, with the figures it needs.

    `frequencies` says how many rows hold each query term; `total` how many rows the user has.
    """

    rows: Sequence[TextCandidate]
    frequencies: Mapping[str, int]
    total: int
