"""Memories: store, search, list, read, change and forget."""

import hashlib
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, cast

from fastapi import Header, Path, Query, Response

from recollect.api.memory import UserMemory
from recollect.api.scoped import canonical
from recollect.api.verbs import MemoryVerbs
from recollect.errors import InvalidInput, StaleVersion
from recollect.model.insights import Clusters
from recollect.model.memories import MemoryRecord, Page, Remembered
from recollect.model.search import Forgotten, Recall
from recollect.service import requests
from recollect.service import responses as out
from recollect.service.idempotency import Reply, answer_changed, run_idempotent
from recollect.service.json_routes import json_router
from recollect.service.request_context import ForgetCall, ReadCall, WithReceipt, WriteAndReadCall, WriteCall
from recollect.service.request_locations import QueryLocation
from recollect.service.verb_fields import reading
from recollect.storage.base import StoreWriter

router = json_router("Memories")

MemoryId = Annotated[str, Path(min_length=1, max_length=100, description="The id of a memory.")]
AlsoSources = Annotated[bool, Query(description="The messages that it was captured from lose it, too.")]
IfMatch = Annotated[str | None, Header(max_length=1_000, description="Only if the memory still has this ETag.")]


@router.post("/api/memories/unified", status_code=HTTPStatus.CREATED, response_model=out.RememberedBody,
             responses={200: {"model": out.RememberedBody, "description": "It is known already."}})  # fmt: skip
def store_memory(body: requests.NewMemoryBody, call: WriteCall) -> Response:
    """Store a memory.

    The same words twice are a `duplicate`; `taken_over` names what was new in the second. A new value for the same
    `subject`, `key` and `context` supersedes the old one, which stays in the history; one that is less trusted or
    older is `outranked`, and goes to the history itself.
    """

    def reply(stored: Remembered) -> Reply:
        known = stored.action in ("duplicate", "outranked")
        return Reply(out.dump(out.RememberedBody, stored), HTTPStatus.OK if known else HTTPStatus.CREATED)

    return run_idempotent(
        call, "store", lambda me: me.remember(**body.model_dump()), reply=reply, committed=Remembered, request=body
    )


@router.post("/api/memories/bulk", response_model=out.RememberedManyBody)
def store_memories(body: requests.BulkBody, call: WriteCall) -> Response:
    """Store up to 100 memories, all or none."""
    return run_idempotent(
        call,
        "store",
        lambda me: me.remember_many(memory.model_dump() for memory in body.memories),
        reply=lambda stored: Reply(out.dump(out.RememberedManyBody, {"results": stored})),
        committed=list,
        request=body,
    )


@reading(router, MemoryVerbs.recall, out.RecallBody)
def search_memories(*, call: ReadCall, location: QueryLocation, whole: out.Whole = False, **given: Any) -> Recall:  # noqa: ANN401 - as the verb has it
    """Find memories that answer a question, best first.

    Quotation marks ask for words as they stand, and a minus before a word for what must not be there. With a place, by
    `lat` and `lng`, by `near` or by `at`, what is near or at a place like that ranks higher; what has no place keeps
    its score. With `radius_km` only what is that near is found.
    """
    me = call.me
    return out.with_records(me.recall(**given, location=location.found(me)), whole=whole)


@reading(router, MemoryVerbs.list, out.MemoryPageBody)
def list_memories(
    *,
    call: ReadCall,
    cursor: requests.PageCursor = None,
    **given: Any,  # noqa: ANN401 - as the verb has it
) -> Page:
    """List memories, newest first."""
    return call.me.list(cursor=cursor, **given)


@reading(router, MemoryVerbs.clusters, out.ClustersBody)
def memory_clusters(*, call: ReadCall, **given: int) -> Clusters:
    """Find groups of similar memories, the largest first, and memories that say the same.

    For many memories this takes a while. It goes on if you stop waiting, and what was found is given to the next
    request.
    """
    return call.me.clusters(**given)


@router.get("/api/memories/{id}", response_model=out.MemoryBody, responses={304: {"description": "Unchanged."}})
def get_memory(
    call: ReadCall,
    id: MemoryId,
    if_none_match: Annotated[str | None, Header(max_length=1_000, description="The ETag of what you have.")] = None,
    *,
    reveal: Annotated[bool, Query(description="With the secrets that it keeps.")] = False,
) -> Response:
    """Give one memory."""
    record = call.me.get(id, reveal=reveal)
    if reveal:
        return out.answer(out.MemoryBody, record, headers={"Cache-Control": "no-store"})
    etag = etag_of(record)
    if if_none_match and {"*", etag} & _listed_etags(if_none_match):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={"ETag": etag})
    return out.answer(out.MemoryBody, record, headers={"ETag": etag})


@router.patch("/api/memories/{id}", response_model=out.MemoryBody)
def change_memory(
    body: requests.MemoryPatch, call: WriteAndReadCall, id: MemoryId, if_match: IfMatch = None
) -> Response:
    """Change a memory. What it was before stays in its history."""
    changes = body.model_dump(exclude_unset=True)
    if not changes:
        raise InvalidInput("Nothing to change: the body names no field.")

    def update(me: UserMemory) -> MemoryRecord:
        _check_etag(me.get(id), if_match)  # also when there is nothing to write
        return me.update(id, **cast("Any", changes))

    return run_idempotent(
        call,
        "update",
        update,
        reply=lambda record: Reply(out.dump(out.MemoryBody, record), etag=etag_of(record)),
        committed=MemoryRecord,
        request=body,
        private=True,
        precondition=_unchanged(id, if_match),
    )


@router.post("/api/memories/{id}/feedback", response_model=out.MemoryBody)
def rate_memory(body: requests.FeedbackBody, call: WriteAndReadCall, id: MemoryId) -> Response:
    """Note what the user thought of a memory: what was rated down is found later."""
    return answer_changed(call, "feedback", body, lambda me: me.rate(id, **body.model_dump()))


@router.post("/api/memories/{id}/merge", response_model=out.MemoryBody)
def merge_memory(body: requests.MergeBody, call: WriteAndReadCall, id: MemoryId) -> Response:
    """Merge a memory into another that says the same, and give that one, in whose history it then is."""
    return answer_changed(call, "merge", body, lambda me: me.merge(id, **body.sent()))


@router.delete("/api/memories/{id}", response_model=out.ForgottenBody)
def delete_memory(
    call: ForgetCall,
    id: MemoryId,
    *,
    sources: AlsoSources = False,
    receipt: WithReceipt = False,
    if_match: IfMatch = None,
) -> Response:
    """Forget a memory for good, with its history and everything that was made from it."""

    def forget(me: UserMemory) -> Forgotten:
        me.get(id)  # a memory, not a message; raises NotFound
        return me.forget(id, sources=sources, receipt=receipt)

    return run_idempotent(
        call, "forget", forget, reply=out.ForgottenBody, committed=Forgotten, precondition=_unchanged(id, if_match)
    )


@router.get("/api/memories/{id}/history", response_model=out.MemoriesBody)
def memory_history(call: ReadCall, id: MemoryId) -> out.Items:
    """Give all versions of a memory, oldest first."""
    return out.Items(call.me.history(id))


@router.get("/api/memories/{id}/origins", response_model=out.OriginsBody)
def memory_origins(call: ReadCall, id: MemoryId) -> out.Items:
    """Give the messages that a memory was captured from, oldest first; those that were forgotten are not among them."""
    return out.Items(call.me.messages.origins(id))


@reading(router, MemoryVerbs.similar, out.RecallBody)
def similar_memories(*, call: ReadCall, id: MemoryId, whole: out.Whole = False, **given: int) -> Recall:
    """Find the current memories nearest in meaning to a memory, nearest first.

    While it has no vector there are no hits, and `degraded` names `vector`.
    """
    return out.with_records(call.me.similar(id, **given), whole=whole)


def etag_of(record: MemoryRecord) -> str:
    """Name a state of a memory."""
    return f'"{hashlib.sha256(repr(record).encode()).hexdigest()[:32]}"'


def _listed_etags(header: str) -> set[str]:
    return {etag.strip().removeprefix("W/") for etag in header.split(",")}


def _check_etag(record: MemoryRecord, if_match: str | None) -> None:
    if if_match is not None and if_match.strip() != "*" and etag_of(record) not in _listed_etags(if_match):
        raise StaleVersion("It has been changed since you looked. Get it again, then decide.")


def _unchanged(id: str, if_match: str | None) -> Callable[[StoreWriter], None] | None:
    """Make the check of If-Match that runs inside the transaction."""
    if if_match is None:
        return None
    memory_id = canonical(id)

    def check(writer: StoreWriter) -> None:
        for record in writer.get([memory_id]):
            _check_etag(record, if_match)

    return check
