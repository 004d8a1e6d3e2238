"""Searching other nodes too, as `search --nodes` asks for it."""

from typing import Final

from recollect.cli.errand import Errand
from recollect.errors import InvalidInput
from recollect.federation import FederatedResult, federated_search

# What another node is not told. To drop it silently would show what nobody wanted to see.
_ONLY_HERE: Final = (
    "source", "session", "current", "since", "until", "prefer", "diverse", "around", "min_score", "explain",
    "near", "at", "radius_km", "location_weight", "location_mode",
)  # fmt: skip


def search_nodes(errand: Errand, named: str) -> FederatedResult:
    """Search here and in the nodes that are named: `all`, or names with commas between them."""
    asked = errand.asked
    refused = [f"--{name.replace('_', '-')}" for name in _ONLY_HERE if asked[name]]
    if refused:
        raise InvalidInput(
            f"{refused[0]} does not go with --nodes: other nodes are told the query and the limit, nothing else."
        )
    names = [name.strip() for name in named.split(",")]
    if not all(names) or ("all" in names and len(names) > 1) or "none" in names:
        raise InvalidInput("--nodes takes `all`, `none`, or the names of nodes with commas between them.")
    nodes = None if names == ["all"] else names
    return federated_search(errand.memory, errand.me, asked["query"], nodes=nodes, limit=asked["limit"])
