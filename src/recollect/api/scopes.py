"""`memory.scopes`: shared scopes and their members, for those who run the store."""

from dataclasses import replace
from typing import Final

from recollect.authorization import LOCAL
from recollect.engine.base.audit import AuditedAction, AuditedWrite, note
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import scope_name, scope_of
from recollect.engine.forgetting import request as forgetting
from recollect.engine.forgetting.request import ForgetRequest
from recollect.errors import InvalidInput, NotFound
from recollect.model.scopes import SCOPE_ROLES, Membership, ScopeRole, SharedScope, shared_name, shared_scope
from recollect.model.search import Forgotten
from recollect.storage.base import StoreWriter
from recollect.verbs import Verbs

_ADDED: Final = "scopes.add"
_REMOVED: Final = "scopes.remove"
_DELETED: Final = "scopes.delete"


class Scopes(Verbs):
    """The shared scopes of a store. A scope is there as soon as it has a member."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, name: str, user: str, *, role: ScopeRole = "reader", actor: str = LOCAL.id) -> Membership:
        """Let a user be a member of a scope, or give a member another role. `actor` is for the audit log.

        A `reader` searches the scope, a `writer` also stores, changes and forgets in it.
        """
        if role not in SCOPE_ROLES:
            raise InvalidInput(f"Unknown role {role!r}. Roles are: {', '.join(SCOPE_ROLES)}.")
        now, scope = self._engine.clock.now(), shared_scope(scope_name(name))
        membership = Membership(name, scope_of(user).user_id, role, now, actor)

        def work(writer: StoreWriter) -> None:
            writer.set_member(membership)
            note(writer, scope, AuditedAction(actor, _ADDED), [user], now)

        self._engine.store.write(scope, work)
        return membership

    def remove(self, name: str, user: str, *, actor: str = LOCAL.id) -> None:
        """Remove a member, who has no access from that moment on; what they stored in the scope stays.

        Raises NotFound.
        """
        now, scope = self._engine.clock.now(), shared_scope(scope_name(name))

        def work(writer: StoreWriter) -> None:
            if not writer.remove_member(scope_of(user).user_id):
                raise NotFound(f"{user!r} is no member of the shared scope {name!r}. `members` lists who is.")
            note(writer, scope, AuditedAction(actor, _REMOVED), [user], now)

        self._engine.store.write(scope, work)

    def list(self) -> tuple[SharedScope, ...]:
        """List all scopes with their members, by name."""
        members = self._engine.store.members()
        filled = {shared_name(owner.user_id) for owner in self._engine.store.users()} - {""}
        names = sorted(filled | {membership.scope for membership in members})
        return tuple(SharedScope(name, tuple(one for one in members if one.scope == name)) for name in names)

    def members(self, name: str) -> tuple[Membership, ...]:
        """List the members of a scope, by name. Raises NotFound."""
        known = {scope.name: scope for scope in self.list()}
        if name not in known:
            raise NotFound(f"There is no shared scope {name!r}. `scopes.list` says which there are.")
        return known[name].members

    def delete(self, name: str, *, purge: bool = False, receipt: bool = False, actor: str = LOCAL.id) -> Forgotten:
        """Forget a scope for good, with all that is in it and all memberships. Raises NotFound.

        `purge` and `receipt` are those of `UserMemory.forget`.
        """
        self.members(name)
        engine = replace(self._engine, audit=AuditedWrite(actor, _DELETED))
        request = ForgetRequest(everything=True, purge=purge, receipt=receipt)
        return replace(forgetting.run(engine, shared_scope(name), request), action="deleted")  # it may have been empty
