"""What is answered when other services were searched, too."""

from datetime import datetime

from recollect.federation import Federated
from recollect.service.answered import Answer, PlaceBody


class FederatedHitBody(Answer):
    """Something that was found, and where. Scores of two nodes cannot be compared.

    Of what is in a file, `where` is its place there, such as `notes/setup.md:12-30`.
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
    also_in: list[str]
    where: str
    place: PlaceBody | None


class NodeBody(Answer):
    """How a node that was to be asked fared."""

    name: str
    state: str
    hits: int
    reason: str
    degraded: list[str]


class FederatedBody(Answer):
    """The answer of this store and others, best first."""

    hits: list[FederatedHitBody]
    degraded: list[str]
    nodes: list[NodeBody]


def federated_body(value: Federated) -> FederatedBody:
    """Show what was found here and elsewhere."""
    return FederatedBody.model_validate(value)
