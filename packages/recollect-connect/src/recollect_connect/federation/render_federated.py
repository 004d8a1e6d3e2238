"""What a search of several services found, as text for a model and as data for a program."""

from recollect.federation import FederatedHit, FederatedResult
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
from recollect.text.quoting.fence import quoted
from recollect.text.quoting.harmless import harmless

_LONGEST_LABEL = 60


def render_federated(result: FederatedResult) -> ToolAnswer:
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
