"""Insights: what is asked of a memory, what it holds, groups of what is similar, and what could be tidied up."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from recollect.model.literals import ItemKind, SearchLog, Source
from recollect.model.memories import MemoryRecord
from recollect.model.stats import SearchFigures

TidyRule = Literal["noise", "short", "system", "old_chat"]
TIDY_RULES: tuple[TidyRule, ...] = get_args(TidyRule)
TidyAction = Literal["forget", "archive"]


@dataclass(frozen=True, slots=True)
class TypeCoverage:
    """How many items of a type there are, and how many of them have a vector.

    The type is that of a memory, the role of a message, or the kind of a chunk's file.
    """

    kind: ItemKind
    type: str
    items: int
    vectors: int


@dataclass(frozen=True, slots=True)
class QueryFigures:
    """A query that was asked, whatever its case and spaces: how often, how often without an answer, and when last."""

    query: str
    searches: int
    unanswered: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class AgentFigures:
    """A program that searched, by the name that it gives itself: how often, and when last."""

    agent: str
    searches: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class RecalledItem:
    """A memory, a message or a passage of a file, how often it was among the first hits, and when last."""

    source: Source
    id: str
    content: str
    times: int
    last_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class MonthGrowth:
    """What was stored in a month, such as `2026-03`, in UTC. Earlier versions of memories count."""

    month: str
    memories: int
    messages: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Insights:
    """What is asked of a user's memory, and what it holds.

    What is known about searches comes from the search log `since` a moment; `log` is its setting. A search is
    `unanswered` when it found nothing, or nothing that is likely an answer. `degraded` counts searches by the part that
    they went without. `often` and `never` are items by how often they were recalled; `unrecalled` counts the memories
    from before the first search in the log that were never recalled since, None without a log. `waiting` and `parked`
    items lack a vector of the `model`.
    """

    since: datetime
    log: SearchLog
    searches: tuple[SearchFigures, ...]
    popular: tuple[QueryFigures, ...]
    unanswered: tuple[QueryFigures, ...]
    agents: tuple[AgentFigures, ...]
    degraded: Mapping[str, int]
    often: tuple[RecalledItem, ...]
    never: tuple[RecalledItem, ...]
    unrecalled: int | None
    coverage: tuple[TypeCoverage, ...]
    growth: tuple[MonthGrowth, ...]
    waiting: int
    parked: int
    model: str


@dataclass(frozen=True, slots=True)
class TidySuggestion:
    """Something that could go, by which rule, and what would become of it.

    The `id` is that of a memory or a message to `forget`, or of a conversation to `archive`.
    """

    rule: TidyRule
    action: TidyAction
    source: Literal["memory", "message", "conversation"]
    id: str
    content: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Tidying:
    """What `tidy` suggests, and the ids of what it has `forgotten` or `archived` because the caller named them.

    `pending` says why traces of what was forgotten are still in the database's files.
    """

    suggestions: tuple[TidySuggestion, ...]
    forgotten: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()
    pending: str = ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A group of similar memories. `terms` are the words that tell it from others, `members` its most typical ones.

    `size` counts all of its memories. `x` and `y`, in [0, 1], are where to draw it: what is alike is near. `radius` is
    how large, so that an area stands for a number of memories and no two groups overlap.
    """

    terms: tuple[str, ...]
    size: int
    members: tuple[MemoryRecord, ...]
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two memories that say the same: `keep` is the one to keep, `repeat` the one that `merge` would supersede."""

    keep: MemoryRecord
    repeat: MemoryRecord
    similarity: float


@dataclass(frozen=True, slots=True)
class Clusters:
    """The result of `clusters`, the largest group first.

    `memories` were compared, `grouped` of them are in one of `total` groups. `found_at` is when: for a user with many
    memories a result is used again for some minutes. `degraded` names `vector` if memories have none yet.
    """

    clusters: tuple[Cluster, ...]
    duplicates: tuple[DuplicatePair, ...]
    memories: int
    grouped: int
    total: int
    found_at: datetime
    degraded: tuple[str, ...] = ()
