"""A call: who makes it, for whom, and how what it does is done once and noted.

Every route takes a `Call` with the permission it needs. There is no other way from a route to somebody's memories, so a
route that forgets to ask cannot exist.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import Depends, Header, Request, Response
from fastapi.security import HTTPBearer
from pydantic import BaseModel

from recollect.access import Principal, authorize
from recollect.api.memory import AuditedWrite, IdempotentRequest, Memory, UserMemory
from recollect.errors import AlreadyProcessed, NotFound, StaleVersion, UnknownKey
from recollect.model.literals import Permission
from recollect.ports import StoreWriter
from recollect.web.problems import Refused

JSON: Final = "application/json"
_BEARER: Final = HTTPBearer(auto_error=False, description="A key, such as `recollect keys create --user NAME` makes.")

Named = Annotated[
    str | None, Header(max_length=512, description="The user to work for; only an admin's key may choose.")
]


@dataclass(frozen=True, slots=True)
class Call:
    """A request by somebody who may make it. `me` is the user it is for."""

    memory: Memory
    principal: Principal
    user_id: str
    idempotency_key: str
    request: str  # its method and path, for the log and for telling requests apart

    @property
    def me(self) -> UserMemory:
        """The verbs of the user, for looking."""
        return self.memory.user(self.user_id)

    def insist_on(self, permission: Permission) -> None:
        """Ask for one more permission. Raises NotPermitted."""
        authorize(self.principal, permission, user=self.user_id, default=self.user_id)


class Needs:
    """A dependency that gives the call to those who hold a permission, and `also` another if its answer needs that."""

    def __init__(self, permission: Permission, *, also: Permission | None = None) -> None:
        self.permission: Permission = permission
        self.also = also

    async def __call__(
        self,
        request: Request,
        _: Annotated[object, Depends(_BEARER)] = None,
        x_recollect_user: Named = None,  # noqa: ARG002 - for the documentation; the lock has read it
    ) -> Call:
        """Ask the one lock of all doors."""
        return _call(request, self, "")


class NeedsOnce(Needs):
    """The same for requests that change something: they may bring a name, by which one that comes again is known."""

    async def __call__(
        self,
        request: Request,
        _: Annotated[object, Depends(_BEARER)] = None,
        x_recollect_user: Named = None,  # noqa: ARG002 - for the documentation; the lock has read it
        idempotency_key: Annotated[
            str | None,
            Header(
                min_length=1,
                max_length=200,
                pattern=r"^[\x21-\x7e]+$",
                description="A name of your choice for this request. Sent again within 24 hours with the same name, it "
                "is not carried out again, but answered as the first time.",
            ),
        ] = None,
    ) -> Call:
        """Ask the one lock of all doors."""
        return _call(request, self, idempotency_key or "")


def _call(request: Request, needs: Needs, idempotency_key: str) -> Call:
    if len(request.headers.getlist("idempotency-key")) > 1:
        raise Refused(HTTPStatus.BAD_REQUEST, "Idempotency-Key was sent more than once. A request has one name.")
    memory: Memory = request.app.state.memory
    principal = getattr(request.state, "principal", None)
    if not isinstance(principal, Principal):
        raise UnknownKey("This needs a key.")
    user = authorize(principal, needs.permission, user=request.state.user, default=memory.settings.user)
    if needs.also is not None:
        authorize(principal, needs.also, user=request.state.user, default=memory.settings.user)
    memory.user(user)  # insists on a name that can be one
    return Call(memory, principal, user, idempotency_key, f"{request.method} {request.url.path}?{request.url.query}")


Reading = Annotated[Call, Depends(Needs("read"))]
Writing = Annotated[Call, Depends(NeedsOnce("write"))]
Showing = Annotated[Call, Depends(NeedsOnce("write", also="read"))]  # for what shows what is there when it is done
Forgetting = Annotated[Call, Depends(NeedsOnce("forget"))]
Operating = Annotated[Call, Depends(Needs("admin"))]


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer on its way out."""

    body: BaseModel
    status: int = HTTPStatus.OK
    etag: str = ""
    lasting: bool = True  # whether it may be given again; not if something could not be done


@dataclass(frozen=True, slots=True)
class Work:
    """Something to be done for a call.

    `show` makes the answer of what it comes to. What a transaction comes to may be less than that: `written` makes the
    answer of it, in case nobody gets to see the rest. `private` answers hold what somebody said.
    """

    action: str
    show: Callable[[Any], Shown]
    written: Callable[[object], Shown | None]
    private: bool = False
    insist: Callable[[StoreWriter], None] | None = None


def only(kind: type, show: Callable[[Any], Shown]) -> Callable[[object], Shown | None]:
    """Show what a transaction comes to, if it is of the kind that the whole work comes to."""
    return lambda result: show(result) if isinstance(result, kind) else None


def carry_out(call: Call, work: Work, body: BaseModel | None, verb: Callable[[UserMemory], object]) -> Response:
    """Do something once, note who did it, and answer; if it was done before, answer what was answered then."""
    once = _once(call, work, body)
    doors = call.memory.operations
    try:
        if once is not None:
            doors.check_first_use(call.user_id, once)
        audit = AuditedWrite(call.principal.id, work.action, once, work.insist)
        me = call.memory.user(call.user_id, audit=audit)
        shown = work.show(_done(call, once, verb, me))
        answer = _kept(shown)
        if once is not None and shown.lasting:
            doors.save_reply(call.user_id, once, answer)
    except AlreadyProcessed as repeated:
        return _again(repeated.answer)
    return _response(answer, repeated=False)


def _done(call: Call, once: IdempotentRequest | None, verb: Callable[[UserMemory], object], me: UserMemory) -> object:
    """Do it. What is not there any more may be gone because the same request has been carried out just now."""
    try:
        return verb(me)
    except (NotFound, StaleVersion):
        if once is not None:
            call.memory.operations.check_first_use(call.user_id, once)
        raise


def _once(call: Call, work: Work, body: BaseModel | None) -> IdempotentRequest | None:
    if not call.idempotency_key:
        return None

    def encode(result: object) -> str | None:
        shown = work.written(result)
        return None if shown is None else _kept(shown)

    # whatever was sent must have a hash, halves of characters too; whether it can be kept is decided later
    said = json.dumps(body.model_dump(exclude_unset=True), default=str, sort_keys=True) if body is not None else ""
    return IdempotentRequest(_hash(call.idempotency_key), _hash(f"{call.request}\n{said}"), encode, work.private)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _kept(shown: Shown) -> str:
    """Lay out an answer so that it can be kept."""
    return json.dumps({"status": int(shown.status), "etag": shown.etag, "body": shown.body.model_dump_json()})


def _again(answer: str | None) -> Response:
    if answer is None:
        raise Refused(
            HTTPStatus.GONE,
            "This request was carried out before. Its answer held something that has been forgotten since, so it is "
            "gone.",
        )
    return _response(answer, repeated=True)


def _response(answer: str, *, repeated: bool) -> Response:
    kept = json.loads(answer)
    headers = {"Idempotency-Replayed": "true"} if repeated else {}
    if kept["etag"]:
        headers["ETag"] = kept["etag"]
    return Response(kept["body"], kept["status"], headers, JSON)


def unless_changed(etag: str, given: str | None) -> None:
    """Insist that what is there is what the client has seen, if it says what that is."""
    if given is None or given.strip() == "*":
        return
    if etag not in (one.strip().removeprefix("W/") for one in given.split(",")):
        raise StaleVersion("It has been changed since you looked. Get it again, then decide.")
