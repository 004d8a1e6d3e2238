"""The result of a federated search: hits with their node, and a report on each node."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from recollect.model.search import Place

LOCAL_NODE: Final = "local"  # how our own store is called among the nodes

# `late`: not within the time. `failed`: away, or answering with an error. `refused`: our key is not accepted there.
# `lying`: what came is no answer. `resting`: not asked, because it failed too often just now.
NodeState = Literal["answered", "late", "failed", "refused", "lying", "resting"]


@dataclass(frozen=True, slots=True)
class FederatedHit:
    """A hit, and its node.

    `rank` is its place in that node's own answer, from 1, and `score` what that node gave it; the scores of two nodes
    cannot be compared. What another node says has a `trust` of 0, always. `also_in` are other nodes with the same text.
    Of what is in a file, `where` is its place there, such as `notes/setup.md:12-30`. `place` is where in the world it
    was, if that is known.
    """

    node: str
    rank: int
    id: str
    source: str
    type: str
    content: str
    score: float
    created_at: datetime
    occurred_at: datetime | None
    trust: int
    also_in: tuple[str, ...] = ()
    where: str = ""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class NodeReport:
    """The report on a node: how many hits it gave, or why none.

    `reason` is in our words, never in the node's. `degraded` is what the node says of itself.
    """

    name: str
    state: NodeState
    hits: int = 0
    reason: str = ""
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FederatedResult:
    """The hits, best first. `degraded` names the nodes that are missing, such as `node:office`, and what failed here.

    `nodes` reports on each node, in the order of their names.
    """

    hits: tuple[FederatedHit, ...]
    degraded: tuple[str, ...] = ()
    nodes: tuple[NodeReport, ...] = ()
