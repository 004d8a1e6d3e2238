"""What whoever runs the service asks it."""

from fastapi import APIRouter, Request, Response

from recollect.service.calls import Operating
from recollect.service.metrics import CONTENT_TYPE, Metrics

router = APIRouter(tags=["Store"])


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "All figures."}},
)
def metrics(_: Operating, request: Request) -> Response:
    """Give figures for Prometheus: requests, searches, what waits, what is stored. Numbers only, for a whole store."""
    figures: Metrics = request.app.state.metrics
    return Response(figures.show(), media_type=CONTENT_TYPE)
