"""The façade: what a program types. `Memory` is a store that is open; `UserMemory` is one user's part of it.

Every verb belongs to a user. There is no way to ask for "everybody".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from os import PathLike, fspath
from types import TracebackType
from typing import Any, Self, Unpack

from recollect import ids
from recollect.clock import SystemClock
from recollect.embedding import create_embedder
from recollect.engine import drafting, forget, inspect, recall, remember, revise, upkeep
from recollect.engine.context import Engine
from recollect.errors import InvalidInput, InvalidMemory, NotFound
from recollect.ports import Clock, Embedder
from recollect.settings import Settings, load_settings
from recollect.storage import open_store
from recollect.text.clean import clean
from recollect.types import (
    FilterFields,
    Filters,
    Forgotten,
    Maintenance,
    MemoryChanges,
    MemoryFields,
    MemoryRecord,
    NewMemory,
    Page,
    Problem,
    Recall,
    Remembered,
    Scope,
    Stats,
    Status,
    StoreStats,
    VectorLike,
)
from recollect.vocabulary import MEMORY_TYPES

_MAX_USER_ID = 128
_MAX_PAGE = 1_000


class Memory:
    """An open store. Use it in a `with` statement, or call `close`.

    Any number of threads may share one; any number of processes may open the same store.
    """

    def __init__(self, engine: Engine, *, owns_embedder: bool = False) -> None:
        self._engine = engine
        self._owns_embedder = owns_embedder

    @classmethod
    def open(
        cls,
        database: str | PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
    ) -> Self:
        """Open a store and bring its schema up to date.

        `database` is a path, or a URL such as `postgresql://user:password@host/name`; without it the settings decide,
        and by default that is a SQLite file in the user's data folder. `embedder` replaces the one in the settings; it
        may be shared, and whoever made it closes it.
        """
        if settings is None:
            overrides = {} if database is None else {"database": fspath(database)}
            settings = load_settings(overrides=overrides)
        elif database is not None:
            raise InvalidInput("Pass either database or settings, not both: settings.database says the same.")
        clock = clock or SystemClock()
        used = embedder or create_embedder(settings.embedding.provider, threads=settings.embedding.threads)
        return cls(Engine(open_store(settings, clock), used, clock, settings), owns_embedder=embedder is None)

    def user(self, user_id: str) -> "UserMemory":
        """Give the part of the store that belongs to one user; it need not exist yet."""
        if not isinstance(user_id, str) or not user_id or clean(user_id) != user_id or len(user_id) > _MAX_USER_ID:
            raise InvalidInput(
                f"The user id {user_id!r} cannot be used: it must be a text of 1 to {_MAX_USER_ID} characters without "
                "control characters or outer spaces."
            )
        return UserMemory(self._engine, Scope(user_id))

    @property
    def settings(self) -> Settings:
        """The settings this store was opened with."""
        return self._engine.settings

    def stats(self) -> StoreStats:
        """Count what the whole store holds."""
        return self._engine.store.stats()

    def status(self) -> Status:
        """Say what is running on what, and what should be done about it."""
        return inspect.status(self._engine)

    def doctor(self) -> tuple[Problem, ...]:
        """Look for contradictions in the store and try the embedder; an empty answer means that all is well."""
        return inspect.doctor(self._engine)

    def maintain(self) -> Maintenance:
        """Give vectors to what still lacks them and let the store tidy up. Safe to interrupt."""
        return upkeep.maintain(self._engine)

    def close(self) -> None:
        """Close the store. Calling it twice is fine."""
        self._engine.store.close()
        if self._owns_embedder and self._engine.embedder:
            self._engine.embedder.close()

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()


class UserMemory:
    """What one user has stored, and the verbs for it."""

    def __init__(self, engine: Engine, scope: Scope) -> None:
        self._engine = engine
        self._scope = scope

    @property
    def user_id(self) -> str:
        """Whose memories these are."""
        return self._scope.user_id

    def remember(self, content: str, **fields: Unpack[MemoryFields]) -> Remembered:
        """Store a memory. It is durable when this returns.

        The same text twice is a `duplicate`, and so is a rewording of a known memory of the same type. A new value for
        the same `subject`, `key` and `context` supersedes the old one, which stays in the history.
        """
        return remember.remember(self._engine, self._scope, NewMemory(content, **fields))

    def remember_many(
        self, memories: Iterable[str | NewMemory | Mapping[str, Any]], *, near_duplicates: bool = False
    ) -> tuple[Remembered, ...]:
        """Store many memories fast, one transaction for each ten thousand; give one answer for each, in order.

        Items are texts, `NewMemory`, or mappings with the fields of one. Equal texts are recognised; rewordings only
        with `near_duplicates`, which compares each with all the others and takes its time. When an item is wrong,
        nothing of its batch is stored, and the error names it.
        """
        if isinstance(memories, (str, Mapping)):
            raise InvalidInput("remember_many takes several memories, for example a list. To store one, use remember.")
        offered = (_as_new_memory(memory) for memory in memories)
        return tuple(remember.remember_many(self._engine, self._scope, offered, near_duplicates=near_duplicates))

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        min_score: float | None = None,
        vector: VectorLike | None = None,
        **filters: Unpack[FilterFields],
    ) -> Recall:
        """Find memories by meaning and by words, best first.

        `type`, `subject`, `key`, `context` and `session` must be equal; `since` (inclusive) and `until` (exclusive)
        bound when it happened or was stored; `as_of` asks what was held true at a moment. `vector` is the query's
        embedding, if you have it already.
        """
        defaults = self._engine.settings.recall
        return recall.recall(
            self._engine,
            self._scope,
            query,
            vector=vector,
            filters=self._filters(filters),
            limit=defaults.limit if limit is None else limit,
            min_score=defaults.min_score if min_score is None else min_score,
        )

    def forget(
        self, id: str | None = None, *, query: str | None = None, everything: bool = False, dry_run: bool = False
    ) -> Forgotten:
        """Delete for good: one memory with its history by `id`, the one that clearly matches `query`, or `everything`.

        A query that fits several memories deletes nothing and gives them as `candidates`, with their ids. `dry_run`
        says what would go.
        """
        if sum((id is not None, query is not None, everything)) != 1:
            raise InvalidInput("Say what to forget with exactly one of: id, query, everything.")
        if id is not None:
            known = ids.canonical(id)
            if known is None:
                return Forgotten("not_found", dry_run=dry_run)
            return forget.forget_id(self._engine, self._scope, known, dry_run=dry_run)
        if query is None:
            return forget.forget_everything(self._engine, self._scope, dry_run=dry_run)
        return self._forget_by_query(query, dry_run=dry_run)

    def _forget_by_query(self, query: str, *, dry_run: bool) -> Forgotten:
        wanted = self._engine.settings.forget
        hits = self.recall(query, limit=5, min_score=wanted.min_score / 2).hits  # less is no candidate for anything
        match = forget.clear_match(hits, wanted.min_score, wanted.margin)
        if match is not None:
            return forget.forget_id(self._engine, self._scope, match.id, dry_run=dry_run)
        return Forgotten("candidates" if hits else "not_found", candidates=hits, dry_run=dry_run)

    def get(self, id: str) -> MemoryRecord:
        """Give one memory, live or not. Raises NotFound."""
        known = _canonical(id)
        found = self._engine.store.read(self._scope, lambda reader: reader.get([known]))
        if not found:
            raise NotFound(f"No memory {id}. See what there is with `list`.")
        return found[0]

    def update(self, id: str, **changes: Unpack[MemoryChanges]) -> MemoryRecord:
        """Change a memory's content or fields and give it as it is now; what it was stays in its `history`."""
        known = {field.name for field in fields(NewMemory)}
        unknown = sorted(changes.keys() - known)
        if unknown or not changes:
            found = f"Unknown fields: {', '.join(unknown)}." if unknown else "Nothing to change."
            raise InvalidMemory(f"{found} A memory has: {', '.join(sorted(known))}.")
        return revise.update(self._engine, self._scope, _canonical(id), dict(changes))

    def list(self, *, limit: int = 50, cursor: str | None = None, **filters: Unpack[FilterFields]) -> Page:
        """List what is live, newest first."""
        if not 1 <= limit <= _MAX_PAGE:
            raise InvalidInput(f"limit is {limit}; it must be from 1 to {_MAX_PAGE}.")
        before = None if cursor is None else ids.canonical(cursor)
        if cursor is not None and before is None:
            raise InvalidInput(f"The cursor {cursor!r} is not one. Pass the cursor of the page before, or none.")
        wanted = self._filters(filters)
        found = self._engine.store.read(self._scope, lambda reader: reader.select(wanted, limit + 1, before))
        return Page(tuple(found[:limit]), found[limit - 1].id if len(found) > limit else None)

    def history(self, id: str) -> tuple[MemoryRecord, ...]:
        """Give all versions of a memory, oldest first, whichever of their ids is asked for. Raises NotFound."""
        known = _canonical(id)
        versions = self._engine.store.read(self._scope, lambda reader: reader.chain(known))
        if not versions:
            raise NotFound(f"No memory {id}. See what there is with `list`.")
        return tuple(versions)

    def count(self, **filters: Unpack[FilterFields]) -> int:
        """Count what is live."""
        wanted = self._filters(filters)
        return self._engine.store.read(self._scope, lambda reader: reader.count(wanted))

    def stats(self) -> Stats:
        """Give figures about what this user has stored."""
        now = self._engine.clock.now()
        return self._engine.store.read(self._scope, lambda reader: reader.stats(self._engine.space, now))

    def _filters(self, filters: FilterFields) -> Filters:
        given: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
        types = _types(given.pop("type", ()))
        for name in ("since", "until", "as_of"):
            if name in given:
                given[name] = drafting.utc(given[name], name)
        for name in ("subject", "key", "context", "session"):
            if name in given:
                given[name] = clean(given[name])  # as the field was when it was stored
        if "min_importance" in given:
            drafting.check_share("min_importance", given["min_importance"])
        try:
            return Filters(now=self._engine.clock.now(), types=types, **given)
        except TypeError as error:
            known = ", ".join(sorted(FilterFields.__annotations__))
            raise InvalidInput(f"{error}. The filters are: {known}.") from error


def _canonical(id: str) -> str:
    known = ids.canonical(id)
    if known is None:
        raise NotFound(f"No memory {id!r}: that is not an id. See what there is with `list`.")
    return known


def _types(wanted: object) -> tuple[Any, ...]:
    types = (wanted,) if isinstance(wanted, str) else tuple(wanted) if isinstance(wanted, Sequence) else (wanted,)
    for name in types:
        if name not in MEMORY_TYPES:
            raise InvalidInput(f"Unknown memory type {name!r}. Known types: {', '.join(MEMORY_TYPES)}.")
    return types


def _as_new_memory(memory: str | NewMemory | Mapping[str, Any]) -> NewMemory:
    if isinstance(memory, NewMemory):
        return memory
    if isinstance(memory, str):
        return NewMemory(memory)
    try:
        return NewMemory(**memory)
    except TypeError as error:
        known = ", ".join(field.name for field in fields(NewMemory))
        raise InvalidMemory(f"A memory cannot be made from this: {error}. Its fields are: {known}.") from error
