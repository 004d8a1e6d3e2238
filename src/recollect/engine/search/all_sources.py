"""Search over all sources: memories, messages and files in one ranking."""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from recollect.engine.audit import search_log
from recollect.engine.base.context import Engine
from recollect.engine.search import recall
from recollect.engine.search.prepared_query import SearchOptions
from recollect.errors import InvalidInput
from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters
from recollect.model.literals import SOURCE_OF, SOURCES, MessageRole, Source
from recollect.model.memories import Scope, VectorLike
from recollect.model.search import Recall
from recollect.ports import StoreReader

_USUAL_TURN = 50  # messages
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
    options: SearchOptions,
    vector: VectorLike | None = None,
    log_as: str = "",
) -> Recall:
    """Search several sources at once; files only if `files` says which of them."""
    started, roles = perf_counter(), roles_of(sources)
    item_filters: list[ItemFilters] = [memories] if "memory" in sources else []
    if roles:
        item_filters.append(replace(messages, roles=roles))
    if "file" in sources and files is not None:
        item_filters.append(files)
    if item_filters:
        return recall.recall(
            engine, scope, query, item_filters=item_filters, options=options, vector=vector, log_as=log_as
        )
    if log_as:
        search_log.record(engine, scope, log_as, query, Recall(()), started=started)
    return Recall(())


def roles_of(sources: Sequence[Source]) -> tuple[MessageRole, ...]:
    """Give the message roles that these sources stand for."""
    if isinstance(sources, str):
        raise InvalidInput(f"sources is the text {sources!r}; give several, for example ({sources!r},).")
    unknown = [source for source in sources if source not in SOURCES]
    if unknown:
        raise InvalidInput(f"Unknown source {unknown[0]!r}. Sources are: {', '.join(SOURCES)}.")
    return tuple(role for role, source in SOURCE_OF.items() if source in sources)


def current_turn(reader: StoreReader, conversation: str) -> tuple[str, ...]:
    """Give the ids of the turn that is going on: the user's last message and everything since."""
    for limit in (_USUAL_TURN, _LONGEST_TURN):
        messages = reader.last_messages(conversation, limit)
        from_user = [position for position, message in enumerate(messages) if message.role == "user"]
        if from_user:
            return tuple(message.id for message in messages[from_user[-1] :])
        if len(messages) < limit:
            return ()
    return tuple(message.id for message in messages)
