"""The context of a request: who calls, for which user, and with which permission.

Every route takes an `ApiCall` with the permission it needs. There is no other way from a route to a user's memories, so
a route without an authorization check cannot exist.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Final, TypeVar

from fastapi import Depends, Header, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.security import HTTPBearer
from pydantic import AwareDatetime, WithJsonSchema

from recollect.api.memory import AuditedWrite, Memory, UserMemory
from recollect.authorization import Principal, authorize
from recollect.errors import UnknownKey
from recollect.model.literals import Permission
from recollect.service.admission.admission import RequestAdmission, Requester
from recollect.web.problems import RequestRefused

T = TypeVar("T")

_BEARER: Final = HTTPBearer(auto_error=False, description="A key, such as `recollect keys create --user NAME` makes.")

UserHeader = Annotated[
    str | None, Header(max_length=512, description="The user to work for; only an admin's key may choose.")
]
ScopeHeader = Annotated[
    str | None,
    Header(
        max_length=512, description="A shared scope to work in, of which the user is a member, instead of their own."
    ),
]
ZoneHeader = Annotated[
    str | None,
    Header(
        max_length=64,
        description="The zone that decides what `yesterday` means, such as `Europe/Prague`; without it the user's.",
    ),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        description="A name of your choice for this request. Sent again within 24 hours with the same name, it "
        "is not carried out again, but answered as the first time.",
    ),
]
GivenAt = Annotated[  # a text in the document: there are generators that know no times in headers
    Annotated[AwareDatetime, WithJsonSchema({"type": "string"})] | None,
    Header(
        examples=["2026-03-01T12:00:00Z"],
        description="When the user gave what a request says that has waited to be sent. If they have forgotten "
        "everything since, it is answered 410, and nothing is stored. Goes with an `Idempotency-Key`.",
    ),
]


@dataclass(frozen=True, slots=True)
class ApiCall:
    """An authorized request. `me` is the user it is for."""

    memory: Memory
    principal: Principal
    user_id: str
    idempotency_key: str
    request: str  # its method, path and query, which tell requests apart
    admission: RequestAdmission
    scope: str = ""  # the shared scope that it is for, if any
    agent: str = ""  # the program that the client says it is
    zone: str = ""  # the time zone that it names, if any
    given_at: datetime | None = None  # when a request that has waited was given

    @property
    def me(self) -> UserMemory:
        """The verbs of the user, for reading; in a shared scope those of a member. Raises NotFound."""
        return self._opened(self.memory.user(self.user_id, agent=self.agent, zone=self.zone))

    def audited(self, write: AuditedWrite) -> UserMemory:
        """The verbs of the user, for a write that is noted in the audit log."""
        return self._opened(self.memory.user(self.user_id, audit=write, agent=self.agent, zone=self.zone))

    def _opened(self, me: UserMemory) -> UserMemory:
        return me.scope(self.scope) if self.scope else me

    @property
    def requester(self) -> Requester:
        """The key and the user, for admission."""
        return Requester(self.principal.id, self.user_id)

    async def admitted(self, texts: int, work: Callable[[], T]) -> T:
        """Do work with so many texts in a thread, when it is the user's turn. Raises RequestRefused."""
        return await self.admission.run(self.requester, texts, work)

    def require(self, permission: Permission) -> None:
        """Check one more permission. Raises NotPermitted."""
        authorize(self.principal, permission, user=self.user_id, default=self.user_id)


class RequiresPermission:
    """A dependency that checks a permission, and `also` another if the answer needs it."""

    def __init__(self, permission: Permission, *, also: Permission | None = None) -> None:
        self.permission: Permission = permission
        self.also = also

    async def __call__(
        self,
        request: Request,
        _: Annotated[object, Depends(_BEARER)] = None,
        *,
        x_recollect_user: UserHeader = None,  # noqa: ARG002 - for the document; authentication has read it
        x_recollect_scope: ScopeHeader = None,  # noqa: ARG002 - likewise
        x_recollect_zone: ZoneHeader = None,  # noqa: ARG002 - likewise
    ) -> ApiCall:
        """Authorize the request."""
        return self.authorized(request)

    def authorized(self, request: Request, idempotency_key: str = "") -> ApiCall:
        """Give the context of a request. Raises UnknownKey, NotPermitted and RequestRefused."""
        if len(request.headers.getlist("idempotency-key")) > 1:
            raise RequestRefused(
                HTTPStatus.BAD_REQUEST, "Idempotency-Key was sent more than once. A request has one name."
            )
        memory: Memory = request.app.state.memory
        principal = getattr(request.state, "principal", None)
        if not isinstance(principal, Principal):
            raise UnknownKey("This needs a key.")
        user = authorize(principal, self.permission, user=request.state.user, default=memory.settings.user)
        if self.also is not None:
            authorize(principal, self.also, user=request.state.user, default=memory.settings.user)
        state = request.state
        memory.user(user, zone=state.zone)  # raises for a name that cannot be a user's, and for no time zone
        _refuse_unknown_parameters(request)
        path = f"{request.method} {request.url.path}?{request.url.query}"
        admission, agent = request.app.state.admission, request.headers.get("user-agent", "")
        if self.permission == "admin" and state.scope:
            raise RequestRefused(HTTPStatus.UNPROCESSABLE_ENTITY, "X-Recollect-Scope means nothing here. Leave it out.")
        return ApiCall(memory, principal, user, idempotency_key, path, admission, state.scope, agent, state.zone)


def _refuse_unknown_parameters(request: Request) -> None:
    """Refuse what a route does not take, like the unknown fields of a body: a slip of the pen must not go unseen."""
    if not request.query_params:
        return
    fields = get_flat_params(request.scope["route"].dependant)
    known = {field.alias for field in fields if isinstance(field.field_info, Query)}
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        taken = f"It takes {', '.join(sorted(known))}." if known else "It takes none."
        raise RequestRefused(
            HTTPStatus.UNPROCESSABLE_ENTITY, f"{unknown[0]!r} is no query parameter of {request.url.path}. {taken}"
        )


class RequiresPermissionOnce(RequiresPermission):
    """The same for writes, which may carry an Idempotency-Key."""

    async def __call__(
        self,
        request: Request,
        _: Annotated[object, Depends(_BEARER)] = None,
        *,
        x_recollect_user: UserHeader = None,  # noqa: ARG002 - for the document; authentication has read it
        x_recollect_scope: ScopeHeader = None,  # noqa: ARG002 - likewise
        x_recollect_zone: ZoneHeader = None,  # noqa: ARG002 - likewise
        idempotency_key: IdempotencyKey = None,
        x_recollect_given_at: GivenAt = None,
    ) -> ApiCall:
        """Authorize the request."""
        return replace(self.authorized(request, idempotency_key or ""), given_at=x_recollect_given_at)


ReadCall = Annotated[ApiCall, Depends(RequiresPermission("read"))]
WriteCall = Annotated[ApiCall, Depends(RequiresPermissionOnce("write"))]
WriteAndReadCall = Annotated[ApiCall, Depends(RequiresPermissionOnce("write", also="read"))]  # the answer shows content
ForgetCall = Annotated[ApiCall, Depends(RequiresPermissionOnce("forget"))]
AdminCall = Annotated[ApiCall, Depends(RequiresPermission("admin"))]
WithReceipt = Annotated[bool, Query(description="Give a signed receipt of what was forgotten, without content.")]
