"""What a search found, as retrievers of frameworks give it: text, and where it comes from."""

from typing import Any

from recollect.model.search import Hit
from recollect_connect.integrations.write_spool import AWAY, LOG, AnyUserMemory


def found_hits(
    me: AnyUserMemory,
    query: str,
    limit: int,
    *,
    messages: bool = False,
    only_related: bool = False,
    conversation: str | None = None,
) -> tuple[Hit, ...]:
    """Search memories and files, or all sources without the last turn of the conversation that is going on.

    While the memory is away, nothing is found, and a warning logged.
    """
    if not query.strip():
        return ()
    try:
        if messages:
            return me.search_context(query, limit=limit, only_related=only_related, current=conversation).hits
        return me.recall(query, limit=limit, files=True, only_related=only_related).hits
    except AWAY as error:
        LOG.warning("The memory is away; nothing could be searched. %s", error)
        return ()


def as_metadata(hit: Hit) -> dict[str, Any]:
    """Give the source, date and score of a hit, as JSON."""
    moment = hit.occurred_at or hit.created_at
    return {"id": hit.id, "source": hit.source, "type": hit.type, "score": hit.score, "date": moment.isoformat()}
