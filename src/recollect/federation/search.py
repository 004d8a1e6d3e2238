"""The search itself: here and elsewhere at the same time, then merged."""

from collections.abc import Sequence
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary, finalize

from recollect.api.memory import Memory, UserMemory
from recollect.engine.search.prepared_query import MAX_QUERY
from recollect.errors import InvalidInput
from recollect.federation.merge import merge_hits
from recollect.federation.node_clients import NodeClients
from recollect.federation.nodes import choose_nodes, parse_nodes
from recollect.federation.results import LOCAL_NODE, FederatedHit, FederatedResult
from recollect.model.files import Chunk
from recollect.model.memories import Hit
from recollect.text.clean import clean

MOST_HITS: Final = 100  # no service gives more

# The lines live as long as the store that is searched: with each question they would forget who keeps failing.
_lines: WeakKeyDictionary[Memory, NodeClients] = WeakKeyDictionary()
_lock = Lock()


def federated_search(
    memory: Memory, me: UserMemory, query: str, *, nodes: Sequence[str] | None = None, limit: int = 10
) -> FederatedResult:
    """Search this user's memories, all that was said, and files, here and in other nodes.

    `nodes` names those to ask; without it all are asked that are enabled for this user, and with `()` none is. They are
    sent the query and the limit, nothing else. A node that is away, slow or lying is named in `degraded`. Raises
    InvalidInput for an unknown node and NotPermitted for one that is not enabled for the user, before anything is sent.
    """
    asked = _checked(query, limit)
    lines = clients_of(memory)
    on_their_way = lines.ask(choose_nodes(lines.nodes, me.user_id, nodes), asked, limit)
    here = me.search_context(asked, limit=limit)
    elsewhere = on_their_way.wait()
    answers = {LOCAL_NODE: tuple(_ours(hit, rank) for rank, hit in enumerate(here.hits, start=1))}
    answers |= {report.name: hits for report, hits in elsewhere}
    reports = tuple(report for report, _ in elsewhere)
    missing = tuple(f"node:{report.name}" for report in reports if report.state != "answered")
    return FederatedResult(merge_hits(answers, limit), (*here.degraded, *missing), reports)


def clients_of(memory: Memory) -> NodeClients:
    """Give the lines to the nodes that the settings of a store name. Raises SettingsError."""
    with _lock:
        lines = _lines.get(memory)
        if lines is None:
            wanted = memory.settings.federation
            lines = NodeClients(parse_nodes(wanted.nodes), wanted.budget_s)
            _lines[memory] = lines
            finalize(memory, lines.close)
        return lines


def _checked(query: str, limit: int) -> str:
    """Insist on a question that can be asked, before anybody hears it."""
    asked = clean(query)
    if not asked:
        raise InvalidInput("The query is empty. Ask with at least one word.")
    if len(asked) > MAX_QUERY:
        raise InvalidInput(f"The query has {len(asked)} characters; at most {MAX_QUERY} are searched.")
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST_HITS:
        raise InvalidInput(f"limit is {limit}; it must be from 1 to {MOST_HITS}.")
    return asked


def _ours(hit: Hit, rank: int) -> FederatedHit:
    return FederatedHit(
        node=LOCAL_NODE,
        rank=rank,
        id=hit.id,
        source=hit.source,
        type=hit.type,
        content=hit.content,
        score=hit.score,
        created_at=hit.created_at,
        occurred_at=hit.occurred_at,
        trust=hit.trust,
        where=hit.record.place if isinstance(hit.record, Chunk) else "",
        place=hit.place,
    )
