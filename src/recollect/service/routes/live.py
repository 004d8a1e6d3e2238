"""Live search: what is new and matches, as it is stored."""

from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Query, Request

from recollect.engine.search.live import MIN_SCORE
from recollect.model.literals import MEMORY_TYPES, SOURCES, USUAL_SOURCES, Source
from recollect.service import requests
from recollect.service.body_model import PLAIN_NUMBER, GivenType
from recollect.service.live.event_stream import EventStream, LiveSearchRequest
from recollect.service.request_context import ReadCall

router = APIRouter(tags=["Live search"])

_LARGEST: Final = 2**63 - 1

_EXAMPLE: Final = (
    'retry: 2000\nevent: ready\nid: 41\ndata: {"position":41,"degraded":[]}\n\n: still here\n\n'
    'event: position\nid: 57\ndata: {"position":57}\n\n'
)
_ANSWER: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Server-sent events: `ready` first, then a `hit` for each match.",
        "content": {EventStream.media_type: {"schema": {"type": "string"}, "example": _EXAMPLE}},
    }
}


@router.get("/api/stream", status_code=HTTPStatus.OK, response_class=EventStream, responses=_ANSWER)
async def stream_hits(
    *,
    request: Request,
    call: ReadCall,
    query: Annotated[
        requests.QueryText | None,
        Query(description="What to wait for; without it, everything new.", examples=["bicycle"]),
    ] = None,
    min_score: Annotated[float, Query(ge=0, le=1, allow_inf_nan=False), PLAIN_NUMBER] = MIN_SCORE,
    sources: Annotated[
        list[Source] | None, Query(max_length=len(SOURCES), description="Where to look; may be repeated.")
    ] = None,
    type: Annotated[
        list[GivenType] | None,
        Query(max_length=len(MEMORY_TYPES), description="Only memories of these types; may be repeated."),
    ] = None,
    after: Annotated[
        int | None,
        Query(ge=0, le=_LARGEST, description="Begin after this number; for clients that send no headers."),
        PLAIN_NUMBER,
    ] = None,
    last_event_id: Annotated[
        str | None,
        Header(pattern=r"^[0-9]{1,18}$", description="The id of the last event that was seen: it goes on after it."),
    ] = None,
) -> EventStream:
    """Wait for memories, messages and parts of files that match, and get each of them as it is stored.

    The answer is `text/event-stream` and does not end by itself. Events are `ready` (the search has begun), `hit` (a
    match, with its `number`), `position` (that far nothing else matched) and `missed` (changes before this place are no
    longer known). Each has an `id`: a client that was cut off sends the last one in `Last-Event-ID`, and misses nothing
    and sees nothing twice. In a shared scope it ends when the user is no longer a member.
    """
    begin = after if last_event_id is None else int(last_event_id)
    wanted = LiveSearchRequest(
        key_id=call.principal.id,
        user_id=call.user_id,
        query=query or "",
        min_score=min_score,
        sources=tuple(sources or USUAL_SOURCES),
        types=tuple(type or ()),
        after=begin,
        shared=call.scope,
    )
    return EventStream(request.app.state.subscriptions, wanted)
