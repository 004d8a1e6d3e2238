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

from recollect.federation.answers import LOCAL_NODE, Federated, FederatedHit, NodeReport, NodeState
from recollect.federation.nodes import Node, configured
from recollect.federation.searching import federated_search

__all__ = [
    "LOCAL_NODE",
    "Federated",
    "FederatedHit",
    "Node",
    "NodeReport",
    "NodeState",
    "configured",
    "federated_search",
]
