"""Whose memories: the names that users and shared scopes may have, and shared scopes as their members see them.

The invariant: every read and write of a scope by a member checks the membership inside its own transaction. So a user
who is removed has no access from that moment on, whatever handle they still hold. What a member writes into a shared
scope says who wrote it; what a user writes for themselves does not.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, TypeVar, cast

from recollect.engine.base.context import Engine
from recollect.errors import InvalidInput, NotFound, NotPermitted
from recollect.model.memories import NewMemory, OfferedMemory, Scope
from recollect.model.scopes import AUTHOR, is_reserved, shared_scope
from recollect.storage.base import PendingWrite, Store, StoreReader, StoreWriter, TransferReader, UserRows
from recollect.text.clean import clean

_MAX_USER_ID: Final = 128
_SCOPE_NAME: Final = re.compile(r"\w[\w.-]{0,63}")
_RESERVED: Final = frozenset({"all", "none"})

T = TypeVar("T")


def scope_of(user_id: str) -> Scope:
    """Give the scope of a user, or say why there can be no such user."""
    scope = owner_of(user_id)
    if is_reserved(user_id):
        raise InvalidInput(
            f"The user id {user_id!r} cannot be used: names with `scope:` are those of shared scopes, which members "
            "open by the name of the scope."
        )
    return scope


def owner_of(user_id: str) -> Scope:
    """Give the scope of those who have rows: of a user, or of a shared scope."""
    if not isinstance(user_id, str) or not user_id or clean(user_id) != user_id or len(user_id) > _MAX_USER_ID:
        raise InvalidInput(
            f"The user id {user_id!r} cannot be used: it must be a text of 1 to {_MAX_USER_ID} characters without "
            "control characters or outer spaces, with its accents composed (NFC)."
        )
    return Scope(user_id)


def scope_name(name: str) -> str:
    """Check the name of a shared scope, or say why there can be no such scope."""
    if not isinstance(name, str) or not _SCOPE_NAME.fullmatch(name) or clean(name) != name or name in _RESERVED:
        raise InvalidInput(
            f"A shared scope cannot be called {name!r}: the name has 1 to 64 letters, digits, dots, hyphens or "
            "underscores, begins with a letter or digit, and is neither `all` nor `none`."
        )
    return name


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

        def as_member(reader: StoreReader) -> T:
            self._insist_member(reader)
            return work(reader)

        return self._store.read(self._scope, as_member, replica=False)

    def read(self, scope: Scope, work: Callable[[StoreReader], T], *, replica: bool = False) -> T:
        return self.read_scope(work) if scope == self._scope else self._store.read(scope, work, replica=replica)

    def write(self, scope: Scope, work: Callable[[StoreWriter], T]) -> T:
        return self._store.write(scope, self._writing(work) if scope == self._scope else work)

    def write_behind(self, scope: Scope, work: Callable[[StoreWriter], T]) -> PendingWrite[T]:
        return self._store.write_behind(scope, self._writing(work) if scope == self._scope else work)

    @contextmanager
    def snapshot(self, scope: Scope | None) -> Iterator[TransferReader]:
        """Lend a snapshot of the scope to a member."""
        self.insist_member()
        with self._store.snapshot(scope) as snapshot:
            yield snapshot

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever else a store has
        return getattr(self._store, name)

    def _writing(self, work: Callable[[StoreWriter], T]) -> Callable[[StoreWriter], T]:
        def as_writer(writer: StoreWriter) -> T:
            if self._insist_member(writer) != "writer":
                raise NotPermitted(
                    f"You may read the shared scope {self._name!r}, but not write to it. An admin can change that: "
                    "recollect scope add NAME USER --role writer."
                )
            return work(writer)

        return as_writer

    def _insist_member(self, rows: UserRows) -> str:
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


class ReplicaReads:
    """A store whose reads may go to a replica. Everything else goes on as it is."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, scope: Scope, work: Callable[[StoreReader], T], *, replica: bool = True) -> T:
        return self._store.read(scope, work, replica=replica)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever else a store has
        return getattr(self._store, name)


def from_replicas(engine: Engine) -> Engine:
    """Give an engine for verbs that only read."""
    if not engine.settings.postgres.replicas:
        return engine
    return replace(engine, store=cast("Store", ReplicaReads(engine.store)))


def authored_memories(engine: Engine, memories: Sequence[OfferedMemory]) -> Sequence[OfferedMemory]:
    """Give memories with their author."""
    if not engine.author:
        return memories
    return [authored(engine, NewMemory(memory) if isinstance(memory, str) else memory) for memory in memories]


def authored(engine: Engine, memory: NewMemory) -> NewMemory:
    """Give a memory with its author; usually the very same one."""
    if not engine.author or not isinstance(memory.metadata, Mapping):  # which is refused when it is checked
        return memory
    return replace(memory, metadata=authored_metadata(engine, memory.metadata))


def authored_metadata(engine: Engine, metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give metadata with the author; they cannot name another."""
    return {**metadata, AUTHOR: engine.author} if engine.author else metadata
