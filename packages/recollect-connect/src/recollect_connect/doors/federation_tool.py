"""The tool that searches several services, with what it found as text for a model and as data for a program."""

from collections.abc import Mapping
from typing import Any

from recollect.mcp.context import ToolContext
from recollect.mcp.handlers import unanswered
from recollect.mcp.render import (
    NOTHING,
    Details,
    ToolAnswer,
    content_details,
    counted,
    iso_utc,
    missing_part,
    numbered_lines,
    room,
)
from recollect.model.literals import Trust
from recollect.text.fence import quoted
from recollect.text.harmless import harmless
from recollect_connect.federation import FederatedHit, FederatedResult, federated_search

_LONGEST_LABEL = 60


def search_federated(context: ToolContext, arguments: Mapping[str, Any]) -> ToolAnswer:
    """Search here and in other services."""
    found = federated_search(
        context.memory,
        context.me,
        arguments["query"],
        nodes=arguments.get("nodes"),
        limit=arguments["limit"],
        current=unanswered(context),
    )
    return _rendered(found)


def _rendered(result: FederatedResult) -> ToolAnswer:
    """Render hits, each with the service that gave it, and name the services that are missing."""
    count = len(result.hits)
    nodes = [{"name": node.name, "state": node.state, "hits": node.hits} for node in result.nodes]
    details: Details = {"count": count, "results": [_details(hit, count) for hit in result.hits], "nodes": nodes}
    lines = [_line(hit, room(count)) for hit in result.hits]
    text = numbered_lines(f"Found {counted(count, 'result', 'results')}:", lines) if lines else NOTHING
    return ToolAnswer(missing_part(text, result.degraded), {**details, "degraded": [*result.degraded]})


def _details(hit: FederatedHit, count: int) -> Details:
    data = {"node": hit.node, "id": harmless(hit.id), "source": harmless(hit.source), "type": harmless(hit.type)}
    return {
        **data,
        **content_details(hit.content, count),
        "score": hit.score,
        "trust": int(hit.trust),
        "created_at": iso_utc(hit.created_at),
    }


def _line(hit: FederatedHit, longest: int) -> str:
    labels = [hit.node, hit.type if hit.source == "memory" else hit.source]
    labels += [hit.occurred_at.date().isoformat()] if hit.occurred_at is not None else []
    labels += ["external"] if hit.trust == Trust.EXTERNAL else []
    shown = " · ".join(quoted(label, _LONGEST_LABEL).replace("[", "(").replace("]", ")") for label in labels)
    return f"[{shown}] {quoted(hit.content, longest)}"
