"""`recollect search --nodes`: a search here and in other services."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.cli.formatting import ago, percent, place_line, shortened
from recollect.cli.runner import CommandContext, CommandResult
from recollect.cli.search import STILL_WORKS
from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect_connect.federation import FederatedHit, FederatedResult

_LONGEST = 300


def search_nodes(
    context: CommandContext, query: str, limit: int, named: str, narrowing: Mapping[str, object]
) -> "CommandResult[FederatedResult]":
    """Search here and in the nodes that are named: `all`, or names with commas between them.

    Other nodes are not told how the search is narrowed, and to drop that silently would show what was excluded.
    """
    from recollect_connect.federation import federated_search

    refused = [f"--{name.replace('_', '-')}" for name, value in narrowing.items() if value]
    if refused:
        raise InvalidInput(
            f"{refused[0]} does not go with --nodes: other nodes are told the query and the limit, nothing else."
        )
    names = [name.strip() for name in named.split(",")]
    if not all(names) or ("all" in names and len(names) > 1) or "none" in names:
        raise InvalidInput("--nodes takes `all`, `none`, or the names of nodes with commas between them.")
    nodes = None if names == ["all"] else names
    found = federated_search(context.memory, context.me, query, nodes=nodes, limit=limit)
    return CommandResult(found, _show_federated)


def _show_federated(view: "View", federated: "FederatedResult") -> None:
    """Show the hits in their order; scores stand beside them, because those of two nodes cannot be compared."""
    if not federated.hits:
        view.line("Nothing was found, neither here nor elsewhere.")
    table = view.grid("mark", "text", expand=True)
    for position, hit in enumerate(federated.hits, start=1):
        table.add_row(view.text(f"{position}.", "bold cyan"), _federated_hit(view, hit))
    if federated.hits:
        view.print(table)
    view.degraded([failed for failed in federated.degraded if not failed.startswith("node:")], STILL_WORKS)
    for node in federated.nodes:
        if node.state != "answered":
            view.line(f"Without the node {node.name}: it {node.reason}.", "yellow")
        elif node.degraded:
            view.line(f"The node {node.name} searched without {' and '.join(node.degraded)}.", "yellow")
    if not federated.nodes:
        view.line("No other node was asked: none is enabled for this user.", "yellow")


def _federated_hit(view: "View", hit: "FederatedHit") -> Any:  # noqa: ANN401 - a text of rich
    from recollect_connect.federation import LOCAL_NODE

    when = ago(hit.occurred_at or hit.created_at, view.now)
    kind = (hit.source, hit.type) if hit.source == "memory" else (hit.source,)
    score = percent(hit.score) if hit.node == LOCAL_NODE else f"{percent(hit.score)} there"
    also = (f"also in {', '.join(hit.also_in)}",) if hit.also_in else ()
    details = " · ".join((hit.node, *kind, when, score, *also))
    entry = view.text(shortened(hit.content, _LONGEST)).append("\n")
    entry.append_text(view.text(f"{hit.id}  {details}", "dim"))
    if hit.place:
        told = place_line(hit.place.label, hit.place.address, hit.place.lat, hit.place.lng)
        entry.append("\n").append_text(view.text(f"at {told}", "dim"))
    return entry
