"""Memories: stored, found, looked at, changed, forgotten."""

import hashlib
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, Final, cast

from fastapi import Header, Path, Query, Response

from recollect.api.memory import UserMemory
from recollect.api.scoped import canonical
from recollect.errors import InvalidInput
from recollect.model.filters import FilterFields
from recollect.model.literals import MemoryType
from recollect.model.memories import MemoryRecord, Remembered
from recollect.model.search import Forgotten
from recollect.ports import StoreWriter
from recollect.service import answered as out
from recollect.service import asked
from recollect.service.asked_places import Here
from recollect.service.calls import Forgetting, Reading, Showing, Shown, Work, Writing, carry_out, only, unless_changed
from recollect.service.direct import direct
from recollect.service.strict import BARE

router = direct("Memories")

_ID: Final = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"

Id = Annotated[str, Path(min_length=1, max_length=100, description="The id of a memory.")]
IfMatch = Annotated[str | None, Header(max_length=1_000, description="Only if the memory still has this ETag.")]


@router.post("/api/memories/unified", status_code=HTTPStatus.CREATED, response_model=out.RememberedBody,
             responses={200: {"model": out.RememberedBody, "description": "It is known already."}})  # fmt: skip
def store(body: asked.NewMemoryBody, call: Writing) -> Response:
    """Store a memory.

    The same text twice is a `duplicate`. A new value for the same `subject`, `key` and `context` supersedes the old
    one, which stays in the history.
    """

    def show(value: Remembered) -> Shown:
        known = value.action in ("duplicate", "outranked")
        return Shown(out.remembered(value), HTTPStatus.OK if known else HTTPStatus.CREATED)

    work = Work("store", show, only(Remembered, show))
    return carry_out(call, work, body, lambda me: me.remember(**body.model_dump()))


@router.post("/api/memories/bulk", response_model=out.RememberedMany)
def store_many(body: asked.BulkBody, call: Writing) -> Response:
    """Store up to 100 memories, all or none."""

    def show(values: list[Remembered]) -> Shown:
        return Shown(out.RememberedMany(results=[out.remembered(value) for value in values]))

    def verb(me: UserMemory) -> list[Remembered]:
        offered = [memory.model_dump() for memory in body.memories]
        return list(me.remember_many(offered))

    return carry_out(call, Work("store", show, only(list, show)), body, verb)


@router.get("/api/memories/search")
def search(
    *,
    call: Reading,
    query: Annotated[asked.Queried, Query(examples=["which theme do I like?"])],
    limit: Annotated[int, Query(ge=1, le=asked.MOST_ITEMS), BARE] = 10,
    type: Annotated[list[MemoryType] | None, Query(description="Only memories of these types.")] = None,
    min_score: Annotated[float, Query(ge=0, le=1, allow_inf_nan=False), BARE] = 0.0,
    files: Annotated[bool, Query(description="Search synced folders and documents, too.")] = False,
    subject: Annotated[str | None, Query(max_length=128)] = None,
    session: Annotated[str | None, Query(max_length=128)] = None,
    since: Annotated[asked.Moment | None, Query()] = None,
    until: Annotated[asked.Moment | None, Query()] = None,
    here: Here,
) -> out.RecallBody:
    """Find memories that answer a question, best first.

    Quotation marks ask for words as they stand, and a minus before a word for what must not be there. With a place, by
    `lat` and `lng`, by `near` or by `at`, what is near or at a place like that ranks higher; what has no place keeps
    its score. With `radius_km` only what is that near is found.
    """
    filters = _filters(type=type, subject=subject, session=session, since=since, until=until)
    me = call.me
    found = me.recall(query, limit=limit, min_score=min_score, files=files, **here.found(me), **filters)
    return out.recall_body(found)


@router.get("/api/memories")
def listing(
    *,
    call: Reading,
    limit: Annotated[int, Query(ge=1, le=asked.MOST_ITEMS), BARE] = 50,
    cursor: Annotated[str | None, Query(pattern=_ID, description="The cursor of the page before.")] = None,
    type: Annotated[list[MemoryType] | None, Query()] = None,
    subject: Annotated[str | None, Query(max_length=128)] = None,
    key: Annotated[str | None, Query(max_length=128)] = None,
    session: Annotated[str | None, Query(max_length=128)] = None,
    since: Annotated[asked.Moment | None, Query()] = None,
    until: Annotated[asked.Moment | None, Query()] = None,
    as_of: Annotated[asked.Moment | None, Query(description="What was held true at this moment.")] = None,
) -> out.MemoryPage:
    """List memories, newest first."""
    filters = _filters(type=type, subject=subject, key=key, session=session, since=since, until=until, as_of=as_of)
    page = call.me.list(limit=limit, cursor=cursor, **filters)
    return out.MemoryPage(items=out.memories(page.items), cursor=page.cursor)


@router.get("/api/memories/{id}", response_model=out.MemoryBody, responses={304: {"description": "Unchanged."}})
def get(
    call: Reading,
    id: Id,
    if_none_match: Annotated[str | None, Header(max_length=1_000, description="The ETag of what you have.")] = None,
) -> Response:
    """Give one memory."""
    record = call.me.get(id)
    etag = etag_of(record)
    if if_none_match and {"*", etag} & {one.strip().removeprefix("W/") for one in if_none_match.split(",")}:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={"ETag": etag})
    return Response(out.memory_body(record).model_dump_json(), headers={"ETag": etag}, media_type="application/json")


@router.patch("/api/memories/{id}", response_model=out.MemoryBody)
def change(body: asked.MemoryPatch, call: Showing, id: Id, if_match: IfMatch = None) -> Response:
    """Change a memory. What it was before stays in its history."""
    changes = body.model_dump(exclude_unset=True)
    if not changes:
        raise InvalidInput("Nothing to change: the body names no field.")

    def show(record: MemoryRecord) -> Shown:
        return Shown(out.memory_body(record), etag=etag_of(record))

    def verb(me: UserMemory) -> MemoryRecord:
        unless_changed(etag_of(me.get(id)), if_match)  # also when there is nothing to write
        return me.update(id, **cast("Any", changes))

    work = Work("update", show, only(MemoryRecord, show), private=True, insist=_unchanged(id, if_match))
    return carry_out(call, work, body, verb)


@router.delete("/api/memories/{id}", response_model=out.ForgottenBody)
def delete(call: Forgetting, id: Id, if_match: IfMatch = None) -> Response:
    """Forget a memory for good, with its history and everything that was made from it."""

    def show(value: Forgotten) -> Shown:
        return Shown(out.forgotten(value))

    def verb(me: UserMemory) -> Forgotten:
        me.get(id)  # a memory, not a message; raises NotFound
        return me.forget(id)

    work = Work("forget", show, only(Forgotten, show), insist=_unchanged(id, if_match))
    return carry_out(call, work, None, verb)


@router.get("/api/memories/{id}/history")
def history(call: Reading, id: Id) -> out.Memories:
    """Give all versions of a memory, oldest first."""
    return out.Memories(items=out.memories(call.me.history(id)))


def etag_of(record: MemoryRecord) -> str:
    """Name a state of a memory."""
    return f'"{hashlib.sha256(repr(record).encode()).hexdigest()[:32]}"'


def _unchanged(id: str, if_match: str | None) -> Callable[[StoreWriter], None] | None:
    """Make what looks inside the transaction whether a memory is still what the client has seen."""
    if if_match is None:
        return None
    known = canonical(id)

    def insist(writer: StoreWriter) -> None:
        for held in writer.get([known]):
            unless_changed(etag_of(held), if_match)

    return insist


def _filters(**given: object) -> FilterFields:
    return cast("FilterFields", {name: value for name, value in given.items() if value is not None})
