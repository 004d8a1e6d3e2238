"""Federated search: other Recollect services together with one's own store.

    nodes         the services, and for which users each may be asked
    node_clients  all of them at once, within one time budget
    node_answers  parses and checks what a node answers
    merge         one list out of several
    results       what comes out
    search        `federated_search`, which does all of that

The invariant: nothing is sent to a node unless it is enabled for the user who searches, and a broken node costs its own
results only.
"""

from recollect_connect.federation.node_answers import LOCAL_NODE, FederatedHit, FederatedResult, NodeReport, NodeState
from recollect_connect.federation.nodes import FederationNode, parse_nodes
from recollect_connect.federation.search import federated_search

__all__ = [
    "LOCAL_NODE",
    "FederatedHit",
    "FederatedResult",
    "FederationNode",
    "NodeReport",
    "NodeState",
    "federated_search",
    "parse_nodes",
]
