"""Searching other Recollect services together with one's own store.

    nodes      which services there are, and for whom each may be asked
    asking     all of them at once, within one time
    reading    what a node says, believed as far as it can be checked
    merging    one list out of several
    answers    what comes out
    searching  `federated_search`, which does all of that

The invariant: nothing is sent to a node unless it is enabled for the user who searches, and whatever a node does costs
its own results only.
"""

from recollect.federation.nodes import FederationNode, parse_nodes
from recollect.federation.results import LOCAL_NODE, FederatedHit, FederatedResult, NodeReport, NodeState
from recollect.federation.search import federated_search

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
