"""Shared scopes as their members see them.

The invariant: every read and write of a scope by a member checks the membership inside its own transaction. So a user
who is removed has no access from that moment on, whatever handle they still hold.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, TypeVar, cast

from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import scope_name
from recollect.errors import InvalidInput, NotFound, NotPermitted
from recollect.model.memories import Scope
from recollect.model.scopes import shared_scope
from recollect.ports import PendingWrite, Store, StoreReader, StoreWriter
from recollect.ports.scopes import ScopeRows
from recollect.ports.transfer import TransferReader

T = TypeVar("T")

_WRITER: Final = "writer"


class MemberStore:
    """A store in which one member works in one shared scope. Whatever is not about that scope goes on as it is."""

    def __init__(self, store: Store, member: str, name: str) -> None:
        self._store = store
        self._member = member
        self._name = name
        self._scope = shared_scope(name)

    def insist_member(self) -> Scope:
        """Give the scope, if the member is one. Raises NotFound."""
        try:
            scope_name(self._name)
        except InvalidInput:  # nor may this tell which names there can be
            raise no_such_scope(self._name) from None
        self.read_scope(lambda _: None)
        return self._scope

    def read_scope(self, work: Callable[[StoreReader], T]) -> T:
        """Run questions of a member in the scope: on no replica, which may not know yet that the member was removed."""
        return self._store.read(self._scope, self._reading(work), replica=False)

    def read(self, scope: Scope, work: Callable[[StoreReader], T], *, replica: bool = False) -> T:
        """Run questions of a member."""
        return self.read_scope(work) if scope == self._scope else self._store.read(scope, work, replica=replica)

    def write(self, scope: Scope, work: Callable[[StoreWriter], T]) -> T:
        """Run changes of a writer."""
        return self._store.write(scope, self._writing(work) if scope == self._scope else work)

    def write_behind(self, scope: Scope, work: Callable[[StoreWriter], T]) -> PendingWrite[T]:
        """Run changes of a writer, and commit them in the background."""
        return self._store.write_behind(scope, self._writing(work) if scope == self._scope else work)

    @contextmanager
    def snapshot(self, scope: Scope | None) -> Iterator[TransferReader]:
        """Lend a snapshot of the scope to a member."""
        self.insist_member()
        with self._store.snapshot(scope) as snapshot:
            yield snapshot

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever else a store has
        """Give everything else as the store has it."""
        return getattr(self._store, name)

    def _reading(self, work: Callable[[StoreReader], T]) -> Callable[[StoreReader], T]:
        def as_member(reader: StoreReader) -> T:
            self._insist_member(reader)
            return work(reader)

        return as_member

    def _writing(self, work: Callable[[StoreWriter], T]) -> Callable[[StoreWriter], T]:
        def as_writer(writer: StoreWriter) -> T:
            if self._insist_member(writer) != _WRITER:
                raise NotPermitted(
                    f"You may read the shared scope {self._name!r}, but not write to it. An admin can change that: "
                    "recollect scope add NAME USER --role writer."
                )
            return work(writer)

        return as_writer

    def _insist_member(self, rows: ScopeRows) -> str:
        role = rows.role_of(self._member)
        if role is None:
            raise no_such_scope(self._name)
        return role


def no_such_scope(name: str) -> NotFound:
    """Answer alike for a scope that is not there and for one that the user is no member of."""
    return NotFound(f"You are a member of no shared scope {name!r}. `scopes` lists yours.")


def join(engine: Engine, member: Scope, name: str) -> tuple[Engine, Scope]:
    """Give the engine of a member for a shared scope, and the scope. Raises NotFound."""
    store = MemberStore(engine.store, member.user_id, name)
    scope = store.insist_member()
    return replace(engine, store=cast("Store", store), author=member.user_id), scope
