"""Answers that were given already, for as long as they are true.

The invariant: an answer is given again only to the same user, for the same question, while nothing of that user was
written and none of its hits has lapsed. What is forgotten goes from here at once.
"""

from collections import OrderedDict
from collections.abc import Hashable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import NamedTuple

from recollect.model.files import Chunk
from recollect.model.memories import Hit, MemoryRecord, Recall, Scope, lapsed
from recollect.model.messages import Message

_GOOD_FOR = timedelta(minutes=1)  # recency fades while one waits, though not by much


class CachedRecall(NamedTuple):
    """An answer, and when it was found: at which of the user's writes, after how many drops, at which time."""

    generation: int
    dropped: int
    given_at: datetime
    answer: Recall


@dataclass(slots=True)
class ResultCache:
    """The latest answers of a process. A question is known by a key that holds all that its answer depends on."""

    most: int
    dropped: int = 0  # how often answers were dropped: what was found before that is not kept after it
    _kept: OrderedDict[tuple[str, Hashable], CachedRecall] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def find(self, scope: Scope, question: Hashable, generation: int, now: datetime) -> Recall | None:
        """Give the answer to a question if it is known and still true."""
        key = (scope.user_id, question)
        with self._lock:
            known = self._kept.get(key)
            if known is None:
                return None
            if known.generation != generation or not _fresh(known, now):
                del self._kept[key]
                return None
            self._kept.move_to_end(key)
        return _own(known.answer)

    def keep(self, scope: Scope, question: Hashable, kept: CachedRecall) -> None:
        """Keep an answer, unless a part was missing from it, or somebody has forgotten something meanwhile."""
        if not self.most or kept.answer.degraded:
            return
        own = kept._replace(answer=_own(kept.answer))
        with self._lock:
            if kept.dropped != self.dropped:
                return
            self._kept[scope.user_id, question] = own
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)

    def drop(self, scope: Scope) -> None:
        """Let go of a user's answers."""
        with self._lock:
            self.dropped += 1
            for key in [key for key in self._kept if key[0] == scope.user_id]:
                del self._kept[key]

    def __len__(self) -> int:
        return len(self._kept)


def _fresh(known: CachedRecall, now: datetime) -> bool:
    if not known.given_at <= now < known.given_at + _GOOD_FOR:
        return False
    records = (hit.record for hit in known.answer.hits)
    return not any(isinstance(record, MemoryRecord) and lapsed(record, now) for record in records)


def _own(answer: Recall) -> Recall:
    """Give an answer of which no part can be changed through another."""
    return replace(answer, hits=tuple(map(_own_hit, answer.hits)))


def _own_hit(hit: Hit) -> Hit:
    parts = replace(hit.parts, channels=dict(hit.parts.channels), factors=dict(hit.parts.factors))
    metadata = deepcopy(hit.metadata)
    if isinstance(hit.record, Chunk):  # it has no part that could be changed
        return replace(hit, parts=parts, metadata=metadata)
    record = hit.record._replace(metadata=metadata)
    if isinstance(record, Message) and record.blocks:
        record = record._replace(blocks=deepcopy(record.blocks))
    return replace(hit, parts=parts, metadata=metadata, record=record)
