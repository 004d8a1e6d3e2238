"""Searching everything: memories, what was said, and files, in one ranking."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.engine.base.context import Engine
from recollect.engine.search import recall
from recollect.engine.search.prepared_query import SearchOptions
from recollect.errors import InvalidInput
from recollect.model.literals import SOURCE_OF, SOURCES, MessageRole, Source
from recollect.model.memories import ChunkFilters, Filters, ItemFilters, MessageFilters, Recall, Scope, VectorLike
from recollect.ports import StoreReader

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
    files: ChunkFilters | None,
    wish: SearchOptions,
    vector: VectorLike | None = None,
) -> Recall:
    """Ask several sources at once; files only if `files` says which of them."""
    roles = roles_of(sources)
    shelves: list[ItemFilters] = [memories] if "memory" in sources else []
    if roles:
        shelves.append(replace(messages, roles=roles))
    if "file" in sources and files is not None:
        shelves.append(files)
    if not shelves:
        return Recall(())
    return recall.recall(engine, scope, query, vector=vector, looking_at=shelves, wish=wish)


def roles_of(sources: Sequence[Source]) -> tuple[MessageRole, ...]:
    """Give the roles of messages that these sources stand for."""
    if isinstance(sources, str):
        raise InvalidInput(f"sources is the text {sources!r}; give several, for example ({sources!r},).")
    unknown = [source for source in sources if source not in SOURCES]
    if unknown:
        raise InvalidInput(f"Unknown source {unknown[0]!r}. Sources are: {', '.join(SOURCES)}.")
    return tuple(role for role, source in SOURCE_OF.items() if source in sources)


def current_turn(reader: StoreReader, conversation: str) -> tuple[str, ...]:
    """Give the ids of the turn that is going on: what was said since the user last spoke, and that."""
    for most in (_TURN, _LONGEST_TURN):
        last = reader.last_messages(conversation, most)
        asked = [position for position, message in enumerate(last) if message.role == "user"]
        if asked:
            return tuple(message.id for message in last[asked[-1] :])
        if len(last) < most:
            return ()
    return tuple(message.id for message in last)
