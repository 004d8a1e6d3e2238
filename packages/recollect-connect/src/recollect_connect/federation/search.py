"""Federated search: here and on the nodes at the same time, then merged."""

from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary, finalize

from recollect.api.memory import Memory, UserMemory
from recollect.engine.search.prepared_query import MAX_QUERY
from recollect.errors import InvalidInput
from recollect.forking import module_lock
from recollect.model.files import Chunk
from recollect.model.search import Hit
from recollect.text.clean import clean
from recollect_connect.federation.node_answers import LOCAL_NODE, FederatedHit, FederatedResult, merge_hits
from recollect_connect.federation.nodes import NodeClients, choose_nodes, parse_nodes

MOST_HITS: Final = 100  # no service gives more

# Clients live as long as the store that is searched, so that their circuit breakers remember failures.
_clients: WeakKeyDictionary[Memory, NodeClients] = WeakKeyDictionary()
_lock = module_lock()


def federated_search(
    memory: Memory,
    me: UserMemory,
    query: str,
    *,
    nodes: Sequence[str] | None = None,
    limit: int = 10,
    current: str | None = None,
) -> FederatedResult:
    """Search this user's memories, all that was said, and files, here and in other nodes.

    `nodes` names those to ask; without it all are asked that are enabled for this user, and with `()` none is. They are
    sent the query and the limit, nothing else. A node that is away, slow or lying is named in `degraded`. The last turn
    of the conversation `current`, which is going on, is left out here. Raises InvalidInput for an unknown node and
    NotPermitted for one that is not enabled for the user, before anything is sent.
    """
    query = _checked(query, limit)
    clients = clients_of(memory)
    pending = clients.ask(choose_nodes(clients.nodes, me.user_id, nodes), query, limit)
    local = me.search_context(query, limit=limit, current=current)
    remote = pending.wait()
    answers = {LOCAL_NODE: tuple(_local_hit(hit, rank) for rank, hit in enumerate(local.hits, start=1))}
    answers |= {report.name: hits for report, hits in remote}
    reports = tuple(report for report, _ in remote)
    missing = tuple(f"node:{report.name}" for report in reports if report.state != "answered")
    return FederatedResult(merge_hits(answers, limit), (*local.degraded, *missing), reports)


def clients_of(memory: Memory) -> NodeClients:
    """Give the clients of the nodes in the settings of a store. Raises SettingsError."""
    with _lock:
        clients = _clients.get(memory)
        if clients is None:
            settings = memory.settings.federation
            clients = NodeClients(parse_nodes(settings.nodes), settings.budget_s)
            _clients[memory] = clients
            finalize(memory, clients.close)
        return clients


def _checked(query: str, limit: int) -> str:
    """Clean a query and check it before anything is sent. Raises InvalidInput."""
    cleaned = clean(query)
    if not cleaned:
        raise InvalidInput("The query is empty. Ask with at least one word.")
    if len(cleaned) > MAX_QUERY:
        raise InvalidInput(f"The query has {len(cleaned)} characters; at most {MAX_QUERY} are searched.")
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST_HITS:
        raise InvalidInput(f"limit is {limit}; it must be from 1 to {MOST_HITS}.")
    return cleaned


def _local_hit(hit: Hit, rank: int) -> FederatedHit:
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
