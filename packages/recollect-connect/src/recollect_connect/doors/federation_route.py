"""The route that searches this store and other services."""

from typing import Annotated

from pydantic import ConfigDict, Field

from recollect.service.body_model import EXAMPLES, StrictBody
from recollect.service.json_routes import json_router
from recollect.service.request_context import ReadCall
from recollect.service.requests import MOST_ITEMS, ItemLimit, QueryText
from recollect.service.responses import body
from recollect_connect.federation import FederatedHit, FederatedResult, NodeReport, federated_search

router = json_router("Search")

FederatedHitBody = body("FederatedHitBody", FederatedHit)
NodeBody = body("NodeBody", NodeReport, state=str)
FederatedBody = body("FederatedBody", FederatedResult)


class FederatedQuery(StrictBody):
    """A search of this store and of other services."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["FederatedQuery"])

    query: QueryText
    nodes: (
        Annotated[
            list[Annotated[str, Field(min_length=1, max_length=100)]],
            Field(max_length=MOST_ITEMS, description="Nodes to ask by name; without it, all that are enabled for you."),
        ]
        | None
    ) = None
    limit: ItemLimit = 10


@router.post("/api/federated/search", response_model=FederatedBody)
def search_federated(body: FederatedQuery, call: ReadCall) -> FederatedResult:
    """Search this store and other services, merged by rank.

    Nothing is sent to a node unless it is enabled for you. One that is away, slow or lying is named in `degraded`.
    """
    nodes = None if body.nodes is None else tuple(body.nodes)
    return federated_search(call.memory, call.me, body.query, nodes=nodes, limit=body.limit)
