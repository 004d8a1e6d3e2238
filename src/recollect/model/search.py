"""Results of searching and forgetting, and of the hooks around a turn."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

from recollect.model.files import Chunk
from recollect.model.literals import FileState, Source
from recollect.model.media import Media
from recollect.model.memories import Item, MemoryRecord, Remembered, participants_of
from recollect.model.messages import Compaction, Message
from recollect.model.places import PlacePart
from recollect.model.receipts import Receipt
from recollect.model.scopes import AUTHOR

_ON_DISK: Mapping[FileState, str] = {
    "": "",
    "changed": "the file has changed on disk since it was read",
    "gone": "the file is no longer on disk",
}
_LONGEST_MARK = 60  # characters of what was said, and of what holds now


@dataclass(frozen=True, slots=True)
class Place:
    """Where a hit is: coordinates, an address, the label that the user gave it."""

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
class RerankPart:
    """What the reranker did to a hit: its score, a logit, and the place (from 1) before and after."""

    score: float
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """The explanation of a score, in numbers that can be checked by hand.

    The channels add up to the relevance; times all factors, and cut at 1, that is the score. In a search with a
    location, for an item that has a place, that is the content's score, and `place` has the rest. A reranker changes
    places, not scores: the factor `reranker` makes the score that of the new place, and `rerank` has the rest.
    """

    channels: Mapping[str, ChannelPart]
    relevance: float
    factors: Mapping[str, float]
    place: PlacePart | None = None
    rerank: RerankPart | None = None


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_MARK else f"{line[: _LONGEST_MARK - 1]}\N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True, slots=True)
class Correction:
    """Words of a hit that no longer hold, and what was told since.

    `said` are the words, `at` is when something else was told or they were forgotten. `by` is the id of the memory that
    holds now, `now` its content and `value` its value; all three are empty for what was forgotten. When `doubted`, the
    words may hold still: another memory says otherwise since, and both are kept.
    """

    said: str
    at: datetime
    by: str = ""
    now: str = ""
    value: str = ""
    doubted: bool = False

    def mark(self, *, whole: bool) -> str:
        """Say on one line that words no longer hold, and what holds now; which ones, where they are not the `whole`."""
        day, words = self.at.date().isoformat(), "" if whole else f': "{_shortened(self.said)}"'
        if not self.by:
            return f"forgotten{words} ({day})"
        if self.doubted:
            return f"possibly outdated{words} (said before {day}; later: {_shortened(self.value or self.now)})"
        return f"no longer so{words} (said before {day}; now: {_shortened(self.value or self.now)})"


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result. `score` and `similarity` are in [0, 1]; `parts` explains the score.

    `record` is the whole item: a MemoryRecord when the source is `memory`, a Chunk when it is `file`, a Message
    otherwise. `type` is the type of a memory, the kind of a file or the role of a message. `folded` are the ids of
    further hits that say the same. `scope` is the shared scope that it is from; '' for the user's own memory.
    `corrected` are words of a message, a file or a summary that were corrected or forgotten since. `on_disk` says of a
    part of a synced file that the file has `changed` since it was read or is `gone`, where its folder is here.
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
    scope: str = ""
    corrected: tuple[Correction, ...] = ()
    on_disk: FileState = ""

    @property
    def marks(self) -> tuple[str, ...]:
        """Say on a line each what no longer holds, and what has become of its file."""
        return (*(one.mark(whole=False) for one in self.corrected), *filter(None, (_ON_DISK[self.on_disk],)))

    @property
    def learned_from(self) -> str:
        """Give the source of a memory, such as user_stated; empty for other items."""
        return self.record.source if isinstance(self.record, MemoryRecord) else ""

    @property
    def author(self) -> str:
        """Give the member who wrote an item of a shared scope; empty for the user's own."""
        named = self.metadata.get(AUTHOR) if self.scope else ""
        return named if isinstance(named, str) else ""

    @property
    def media(self) -> tuple[Media, ...]:
        """Give the pictures and the like of a memory or message."""
        return () if isinstance(self.record, Chunk) else self.record.media

    @property
    def participants(self) -> tuple[str, ...]:
        """Give who took part in an event."""
        return participants_of(self.metadata)

    @property
    def channel(self) -> str:
        """Give the channel through which a message came, as its host named it; empty when unknown."""
        named = self.metadata.get("channel")
        return named if isinstance(named, str) else ""


@dataclass(frozen=True, slots=True)
class Reranking:
    """What the reranker did in a search: how many of the first hits its model scored, or why it was `skipped`."""

    model: str
    scored: int = 0
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Recall:
    """The result of a search. `degraded` names the channels that failed or timed out; the hits come from the others.

    `answerable`, in [0, 1], is the likelihood that the hits contain an answer; when low, say that nothing is known.
    `reranking` is None when the reranker is off.
    """

    hits: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()
    answerable: float = 0.0
    reranking: Reranking | None = None


ForgottenAction = Literal["deleted", "would_delete", "not_found", "candidates"]


class ForgottenItem(NamedTuple):
    """An item that says what is forgotten, and what becomes of it. `text` are the words that go, or have just gone.

    A message is rewritten when other sentences of it stay. A summary is remade without what is forgotten. A file on
    disk, at `path`, belongs to the user: its sentences go from memory and stay out of it. The original of a document is
    kept as it is, with all it says, unless documents are to be forgotten.
    """

    kind: Literal["memory", "version", "message", "summary", "file", "document"]
    id: str
    fate: Literal["deleted", "rewritten", "remade", "kept"]
    text: str = ""
    path: str = ""
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The result of `forget`: `ids` are deleted, or would be; `candidates` wait for a choice.

    `messages` and `files` count the ids of messages and files; the others are memories and their versions. `rewritten`
    are messages that stay without what was forgotten. `items` says in words what goes or has gone, long texts cut short
    once they are gone: all of it, or the first of a whole conversation, source or folder. `sources` are messages that
    still say what was forgotten. `pending` says why traces of it are still in the database's files, '' when none are:
    no search finds them, and they are erased later. `receipt` is there if one was asked for and something was
    forgotten.
    """

    action: ForgottenAction
    ids: tuple[str, ...] = ()
    candidates: tuple[Hit, ...] = ()
    dry_run: bool = False
    messages: int = 0
    files: int = 0
    rewritten: tuple[str, ...] = ()
    items: tuple[ForgottenItem, ...] = ()
    sources: tuple[str, ...] = ()
    pending: str = ""
    receipt: Receipt | None = None

    def wordless(self) -> "Forgotten":
        """Give the result as it may be stored: without the words and names of what is gone."""
        if self.action != "deleted":
            return self
        bare = (item._replace(text="", path="" if item.fate == "deleted" else item.path) for item in self.items)
        return replace(self, items=tuple(bare))

    @property
    def id(self) -> str | None:
        """The id of the memory that was named, when one was forgotten together with its history."""
        return self.ids[0] if self.ids else None


@dataclass(frozen=True, slots=True)
class About:
    """What is known about a topic: everything stored under the subjects it names, and further hits.

    `subjects` are the things that the topic stands for: it is part of their name, or their nickname.
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
    """The result of `before_prompt`. `block` goes before the prompt; it is empty when nothing is related.

    `message_id` is the id of the saved request; None in a private conversation.
    """

    block: str
    hits: tuple[Hit, ...]
    message_id: str | None
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """The result of `after_turn`: how many messages were saved, and what was captured from them.

    `left_out` names the kinds of secrets that were left out of messages that are new.
    """

    saved: int
    captured: tuple[Remembered, ...] = ()
    events: tuple[Remembered, ...] = ()
    compaction: Compaction | None = None
    degraded: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaceContents:
    """What is within a circle: memories, the newest first, and messages, in the order in which they were said."""

    memories: tuple[MemoryRecord, ...] = ()
    messages: tuple[Message, ...] = ()
