"""What a search found, as retrievers of frameworks give it: text, and where it comes from."""

from typing import Any

from recollect.api.user import UserMemory
from recollect.model.search import Hit


def found_hits(
    me: UserMemory, query: str, limit: int, *, messages: bool = False, only_related: bool = False
) -> tuple[Hit, ...]:
    """Search memories and files, or all sources."""
    if not query.strip():
        return ()
    if messages:
        return me.search_context(query, limit=limit, only_related=only_related).hits
    return me.recall(query, limit=limit, files=True, only_related=only_related).hits


def as_metadata(hit: Hit) -> dict[str, Any]:
    """Give the source, date and score of a hit, as JSON."""
    moment = hit.occurred_at or hit.created_at
    return {"id": hit.id, "source": hit.source, "type": hit.type, "score": hit.score, "date": moment.isoformat()}
