"""The store and the service: figures, status, health checks, metrics, and the documentation of all routes."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from recollect.api.verbs import MemoryVerbs
from recollect.model.insights import Tidying, TidyRule
from recollect.service import requests
from recollect.service import responses as out
from recollect.service.body_model import PLAIN_NUMBER
from recollect.service.idempotency import run_idempotent
from recollect.service.metrics.service_metrics import CONTENT_TYPE, Metrics
from recollect.service.openapi_document import PROBLEM
from recollect.service.request_context import AdminCall, ForgetCall, ReadCall
from recollect.service.verb_fields import reading
from recollect.web.problems import MEDIA_TYPE
from recollect.web.reference import render

router = APIRouter(tags=["Store"])


@router.get("/api/stats", response_model=out.UserStatsBody)
def get_stats(call: ReadCall) -> Response:
    """Give figures about what the user has stored and, if `serve.search_log` is set, searched for."""
    searches = () if call.scope else call.memory.operations.search_stats(call.user_id)
    return out.answer(out.UserStatsBody, {**asdict(call.me.stats()), "searches": searches})


@reading(router, MemoryVerbs.insights, out.InsightsBody)
def get_insights(*, call: ReadCall, **given: int) -> Response:
    """Say what is asked of the user's memory, and what it holds.

    Queries, programs and recalled items come from the search log, if `serve.search_log` is set.
    """
    return out.answer(out.InsightsBody, call.me.insights(**given))


@router.get("/api/tidy", response_model=out.TidyingBody)
def suggest_tidying(
    call: ReadCall,
    rule: Annotated[list[TidyRule] | None, Query(description="Only by these rules.")] = None,
    limit: requests.QueryLimit = 100,
) -> Response:
    """Suggest what could go: texts that say nothing, lines of systems, conversations of long ago. It changes none."""
    return out.answer(out.TidyingBody, call.me.tidy(rules=tuple(rule or ()), limit=limit))


@router.post("/api/tidy", response_model=out.TidyingBody)
def apply_tidying(body: requests.TidyBody, call: ForgetCall) -> Response:
    """Forget, or archive, suggestions that are named by their ids; those that are suggested no more are left alone."""
    return run_idempotent(
        call, "tidy", lambda me: me.tidy(apply=body.apply), reply=out.TidyingBody, committed=Tidying, request=body
    )


@router.get("/api/status", response_model=out.ServiceStatusBody)
def get_status(call: AdminCall) -> Response:
    """Say what runs on what, what should be done about it, and how far the user's folders have drifted."""
    folders = call.me.files.folders()
    return out.answer(out.ServiceStatusBody, {**asdict(call.memory.status()), "folders": folders})


@router.get("/api/admin/keys", response_model=out.KeysBody)
def list_keys(call: AdminCall) -> Response:
    """Give all API keys, without their secrets, oldest first, revoked ones too."""
    keys = [key for key in call.memory.keys.list() if key.kind == "key"]
    return out.answer(out.KeysBody, out.Items(keys))


@router.get("/api/admin/audit", response_model=out.AuditLogBody)
def get_audit_log(
    call: AdminCall,
    last: Annotated[int, Query(ge=1, le=requests.MOST_ITEMS, description="How many lines."), PLAIN_NUMBER] = 50,
) -> Response:
    """Give the newest lines of the user's audit log, newest first: who did what to which items, never what they say."""
    lines = call.memory.operations.audit_log(call.user_id, last=last)
    return out.answer(out.AuditLogBody, out.Items(reversed(lines)))


@router.post("/api/verify-erasure", response_model=out.ErasureCheckBody)
def verify_erasure(body: Annotated[requests.VerifyErasureBody, Body()], call: AdminCall) -> Response:
    """Check that nothing of what a receipt of forgetting tells of is left in the store.

    Looks into every table and text column, indexes, statistics and originals, and on SQLite into every byte of the
    file and its log; names the older backups in the folder of the settings. A receipt that was changed, or is of
    another store or a newer version, is refused.
    """
    return out.answer(out.ErasureCheckBody, call.memory.verify_erasure(body.receipt))


@router.head("/livez", include_in_schema=False)
@router.get("/livez", response_model=out.LiveBody)
async def get_liveness() -> dict[str, str]:
    """Say that the service runs, however busy its threads are. The only route without a key."""
    return {"status": "alive"}


_UNAVAILABLE: Final[dict[str, Any]] = {
    "model": out.ReadyBody,
    "description": "Requests cannot be answered.",
    "content": {MEDIA_TYPE: {"schema": PROBLEM}},  # when no key could be looked up
}


@router.get("/readyz", response_model=out.ReadyBody, responses={503: _UNAVAILABLE})
def get_readiness(_: ReadCall, request: Request) -> Response:
    """Say whether requests can be answered: the store, the queue of what waits for a vector, the model."""
    figures: Metrics = request.app.state.metrics
    readiness = figures.readiness.examine()
    status = HTTPStatus.SERVICE_UNAVAILABLE if readiness.status == "unavailable" else HTTPStatus.OK
    return out.answer(out.ReadyBody, readiness, status)


@router.get("/openapi.json", include_in_schema=False)
def openapi(_: ReadCall, request: Request) -> Response:
    """Describe all routes for programs."""
    return JSONResponse(request.app.openapi())


@router.get("/docs", include_in_schema=False)
def docs(_: ReadCall, request: Request) -> Response:
    """Describe all routes for people."""
    return HTMLResponse(render(request.app.openapi(), str(request.base_url)))


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "All figures."}},
)
def get_metrics(_: AdminCall, request: Request) -> Response:
    """Give figures for Prometheus: requests, searches, what waits, what is stored. Numbers only, for a whole store."""
    figures: Metrics = request.app.state.metrics
    return Response(figures.show(), media_type=CONTENT_TYPE)
