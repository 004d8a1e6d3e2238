"""Shared scopes: those of a user, and for admins all of them with their members."""

from typing import Annotated

from fastapi import Path, Response

from recollect.model.scopes import Membership
from recollect.service import requests
from recollect.service import responses as out
from recollect.service.json_routes import json_router
from recollect.service.request_context import AdminCall, ReadCall

router = json_router("Scopes")

NamedScope = Annotated[str, Path(min_length=1, max_length=64, description="The name of a shared scope.")]
MemberName = Annotated[str, Path(min_length=1, max_length=128, description="The user.")]


@router.get("/api/scopes", response_model=out.MembershipsBody)
def list_own_scopes(call: ReadCall) -> out.Items:
    """Give the shared scopes that the user is a member of."""
    return out.Items(call.me.scopes())


@router.get("/api/admin/scopes", response_model=out.SharedScopesBody)
def list_scopes(call: AdminCall) -> out.Items:
    """Give all shared scopes with their members."""
    return out.Items(call.memory.scopes.list())


@router.put("/api/admin/scopes/{name}/members/{user:path}", response_model=out.MembershipBody)
def add_member(body: requests.MemberBody, call: AdminCall, name: NamedScope, user: MemberName) -> Membership:
    """Let a user be a member of a shared scope, or give a member another role. The first member makes the scope."""
    return call.memory.scopes.add(name, user, role=body.role, actor=call.principal.id)


@router.delete("/api/admin/scopes/{name}/members/{user:path}", response_model=out.SharedScopesBody)
def remove_member(call: AdminCall, name: NamedScope, user: MemberName) -> out.Items:
    """Remove a member, who has no access from now on, and give all scopes. What they stored in the scope stays."""
    call.memory.scopes.remove(name, user, actor=call.principal.id)
    return out.Items(call.memory.scopes.list())


@router.delete("/api/admin/scopes/{name}", response_model=out.ForgottenBody)
def delete_scope(call: AdminCall, name: NamedScope) -> Response:
    """Forget a shared scope for good, with all that is in it and all memberships."""
    return out.answer(out.ForgottenBody, call.memory.scopes.delete(name, actor=call.principal.id))
