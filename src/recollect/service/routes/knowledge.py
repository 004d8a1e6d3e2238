"""What is known: about a topic, as facts, preferences, events and lessons; and searching everything."""

from typing import Annotated

from fastapi import Query

from recollect.federation import federated_search
from recollect.model.literals import USUAL_SOURCES
from recollect.service import answered as out
from recollect.service import asked
from recollect.service.answered_nodes import FederatedBody, federated_body
from recollect.service.calls import Reading
from recollect.service.direct import direct
from recollect.service.strict import BARE

router = direct("Knowledge")
searching = direct("Search")

Limit = Annotated[int, Query(ge=1, le=asked.MOST_ITEMS), BARE]
Word = Annotated[str | None, Query(max_length=128)]


@router.get("/api/about")
def about(
    call: Reading, topic: Annotated[asked.Queried, Query(examples=["garage"])], limit: Limit = 5
) -> out.AboutBody:
    """Give all that is known about a topic: under its name, under what people call it, and by meaning."""
    return out.about_body(call.me.about(topic, limit=limit))


@router.get("/api/facts")
def facts(call: Reading, subject: Word = None, key: Word = None, limit: Limit = 100) -> out.Memories:
    """Give what is known for a fact, newest first."""
    return out.Memories(items=out.memories(call.me.facts(subject, key=key, limit=limit)))


@router.get("/api/preferences")
def preferences(call: Reading, category: Word = None, key: Word = None, limit: Limit = 100) -> out.Memories:
    """Give what the user prefers, the surest first."""
    return out.Memories(items=out.memories(call.me.preferences(category, key=key, limit=limit)))


@router.get("/api/events")
def events(
    *,
    call: Reading,
    since: Annotated[asked.Moment | None, Query()] = None,
    until: Annotated[asked.Moment | None, Query()] = None,
    min_importance: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False), BARE] = None,
    entity: Word = None,
    kind: Word = None,
    limit: Limit = 100,
) -> out.Memories:
    """Give what happened, in order; the newest when there is more than the limit."""
    found = call.me.events(
        since=since, until=until, min_importance=min_importance, entity=entity, kind=kind, limit=limit
    )
    return out.Memories(items=out.memories(found))


@router.get("/api/lessons")
def lessons(call: Reading, context: Word = None, limit: Limit = 100) -> out.Memories:
    """Give what was learned, the surest first."""
    return out.Memories(items=out.memories(call.me.lessons(context=context, limit=limit)))


@searching.post("/api/context/search")
def search_context(body: asked.ContextQuery, call: Reading) -> out.RecallBody:
    """Search memories, all that was said, and files, best first.

    With a place, by `lat` and `lng`, `location`, `near` or `at`, what is near or at a place like that ranks higher.
    """
    me = call.me
    found = me.search_context(
        body.query,
        limit=body.limit,
        sources=tuple(body.sources or USUAL_SOURCES),
        session=body.session,
        current=body.current,
        since=body.since,
        until=body.until,
        min_score=body.min_score,
        prefer=tuple(body.prefer),
        diverse=body.diverse,
        **body.where.found(me),
    )
    return out.recall_body(found)


@searching.post("/search")
def simple_search(body: asked.SimpleQuery, call: Reading) -> list[out.SimpleHit]:
    """Search memories, all that was said, and files, in the form that simple clients use.

    `threshold` is held against `similarity`.
    """
    me = call.me
    found = me.search_context(body.query, limit=body.limit, **body.where.found(me))
    hits = (out.simple_hit(hit) for hit in found.hits)
    return [hit for hit in hits if hit.similarity >= body.threshold]


@searching.post("/api/federated/search")
def search_nodes(body: asked.FederatedQuery, call: Reading) -> FederatedBody:
    """Search this store and other services, merged by rank.

    Nothing is sent to a node unless it is enabled for you. One that is away, slow or lying is named in `degraded`.
    """
    nodes = None if body.nodes is None else tuple(body.nodes)
    return federated_body(federated_search(call.memory, call.me, body.query, nodes=nodes, limit=body.limit))
