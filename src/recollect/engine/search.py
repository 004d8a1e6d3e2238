"""Searching everything: memories, and what was said, in one ranking."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.engine import recall
from recollect.engine.context import Engine
from recollect.errors import InvalidInput
from recollect.ports import Reader
from recollect.text.clean import clean, fingerprint_text
from recollect.types import Filters, Hit, MessageFilters, Recall, Scope, VectorLike, Wanted
from recollect.vocabulary import SOURCE_OF, SOURCES, MessageRole, Source

_TURN = 50
_LONGEST_TURN = 1_000


def search(
    engine: Engine,
    scope: Scope,
    query: str,
    *,
    sources: Sequence[Source],
    memories: Filters,
    messages: MessageFilters,
    limit: int,
    min_score: float,
    vector: VectorLike | None = None,
) -> Recall:
    """Ask several sources at once. A message that only says the query itself is no answer to it."""
    shelves: list[Wanted] = [memories] if "memory" in sources else []
    roles = roles_of(sources)
    if roles:
        shelves.append(replace(messages, roles=roles))
    if not shelves:
        return Recall(())
    more = limit + 5  # a few that repeat the query may be left out
    first, degraded = recall.prepare(
        engine, query, vector=vector, filters=shelves[0], limit=min(more, recall.MAX_LIMIT), min_score=min_score
    )
    found = recall.answer(engine, scope, [replace(first, filters=shelf) for shelf in shelves], degraded)
    asked = fingerprint_text(clean(query))
    kept = tuple(hit for hit in found.hits if not _repeats(hit, asked))
    return Recall(kept[:limit], found.degraded)


def _repeats(hit: Hit, asked: str) -> bool:
    return hit.source == "request" and fingerprint_text(hit.content) == asked


def roles_of(sources: Sequence[Source]) -> tuple[MessageRole, ...]:
    """Give the roles of messages that these sources stand for."""
    unknown = [source for source in sources if source not in SOURCES]
    if unknown:
        raise InvalidInput(f"Unknown source {unknown[0]!r}. Sources are: {', '.join(SOURCES)}.")
    return tuple(role for role, source in SOURCE_OF.items() if source in sources)


def current_turn(reader: Reader, conversation: str) -> tuple[str, ...]:
    """Give the ids of the turn that is going on: what was said since the user last spoke, and that."""
    for most in (_TURN, _LONGEST_TURN):
        last = reader.last_messages(conversation, most)
        asked = [position for position, message in enumerate(last) if message.role == "user"]
        if asked:
            return tuple(message.id for message in last[asked[-1] :])
        if len(last) < most:
            return ()
    return tuple(message.id for message in last)
