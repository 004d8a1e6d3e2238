"""The verbs for memories: remember, recall, forget, and looking at what is there."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from os import PathLike
from typing import Any, Unpack

from recollect import ids
from recollect.api.scoped import Scoped, canonical, check_limit, noted_path, types_of, whereabouts
from recollect.engine.audit import search_log
from recollect.engine.maintenance import store_status
from recollect.engine.memories import forget, remember, update
from recollect.engine.search import recall
from recollect.engine.search.prepared_query import SearchOptions
from recollect.errors import InvalidInput, InvalidMemory, NotFound
from recollect.model.literals import MemoryType
from recollect.model.memories import (
    ChunkFilters,
    FilterFields,
    Forgotten,
    ItemFilters,
    MemoryChanges,
    MemoryFields,
    MemoryRecord,
    NewMemory,
    Page,
    Recall,
    Remembered,
    VectorLike,
)
from recollect.model.places import LocationLike, LocationMode
from recollect.model.stats import Stats
from recollect.text.clean import clean

_OF_MEMORIES_ONLY = ("type", "subject", "key", "context", "session", "as_of", "min_importance")


class MemoryVerbs(Scoped):
    """The verbs for single memories."""

    def remember(self, content: str, *, wait: bool | None = None, **fields: Unpack[MemoryFields]) -> Remembered:
        """Store a memory. It is durable when this returns, and found by its words.

        With `wait` it also has its vector then, if one can be made; otherwise a worker makes it. By default only the
        local encoder is waited for.

        The same text twice is a `duplicate`, and so is a rewording of a known memory of the same type. A new value for
        the same `subject`, `key` and `context` supersedes the old one, which stays in the history.
        """
        return remember.remember(self._engine, self._scope, NewMemory(content, **fields), wait=wait)

    def remember_many(
        self,
        memories: Iterable[str | NewMemory | Mapping[str, Any]],
        *,
        near_duplicates: bool = False,
        wait: bool | None = None,
    ) -> tuple[Remembered, ...]:
        """Store many memories fast, one transaction for each ten thousand; give one answer for each, in order.

        Items are texts, `NewMemory`, or mappings with the fields of one. Equal texts are recognised; rewordings only
        with `near_duplicates`, which compares each with all the others and takes its time. When an item is wrong,
        nothing of its batch is stored, and the error names it. `wait` is meant as in `remember`.
        """
        if isinstance(memories, (str, Mapping)):
            raise InvalidInput("remember_many takes several memories, for example a list. To store one, use remember.")
        offered = (_as_new_memory(memory) for memory in memories)
        kept = remember.remember_many(self._engine, self._scope, offered, near_duplicates=near_duplicates, wait=wait)
        return tuple(kept)

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        min_score: float | None = None,
        prefer: MemoryType | Sequence[MemoryType] = (),
        diverse: bool = False,
        files: bool = False,
        vector: VectorLike | None = None,
        location: LocationLike | None = None,
        radius_km: float | None = None,
        location_weight: float | None = None,
        location_mode: LocationMode = "boost",
        **filters: Unpack[FilterFields],
    ) -> Recall:
        """Find memories by meaning and by words, best first; with `files` also in synced folders and documents.

        Files have no subject and the like: when one is asked for, only memories are looked at.

        In the query, a "quoted phrase" must be there word for word (inside a sentence it is preferred), `-word` must
        not, and words like "last week" prefer that time. `type`, `subject`, `key`, `context` and `session` must be
        equal; `since` (inclusive) and `until` (exclusive) bound when it happened or was stored; `as_of` asks what was
        held true at a moment. Types to `prefer` come first among equals; `diverse` hits say different things. `vector`
        is the query's embedding, if you have it already.

        `location` is where the asker is: coordinates, the name of a place of theirs (`home`), a kind of place
        (`supermarket`), or a `Location`. What is near, or at a place like that, then ranks higher: the score is
        (1 - `location_weight`) times that of the content plus `location_weight` times that of the place; what has no
        place keeps its score. With `radius_km` (0.1 to 100) only what is that near is found. With the `location_mode`
        `semantic` the names of the places count, and not how far they are.
        """
        defaults = self._engine.settings.recall
        wish = SearchOptions(
            defaults.limit if limit is None else limit,
            defaults.min_score if min_score is None else min_score,
            preferred=types_of(prefer),
            diverse=diverse,
            where=whereabouts(location, radius_km, location_weight, location_mode),
        )
        memories = self._filters(filters)
        looking_at: list[ItemFilters] = [memories]
        narrowed = any(name in filters for name in _OF_MEMORIES_ONLY)
        if files and not narrowed:
            looking_at.append(ChunkFilters(since=memories.since, until=memories.until))
        ask = partial(recall.recall, self._engine, self._scope, query, vector=vector, looking_at=looking_at, wish=wish)
        return search_log.noted(self._engine, self._scope, "recall", query, ask)

    def forget(
        self,
        id: str | None = None,
        *,
        query: str | None = None,
        session: str | None = None,
        source: str | None = None,
        folder: str | PathLike[str] | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> Forgotten:
        """Delete for good, with everything that was made from it.

        By `id`: a memory with its history, a message, or a file. By `query`: the memory that clearly matches; one that
        fits several deletes nothing and gives them as `candidates`, with their ids. By `session`: a conversation and
        what was learned in it. By `source`: all memories that came from there. By `folder`: all files that were synced
        from it; what lies in the folder stays. `dry_run` says what would go.
        """
        if sum(one is not None for one in (id, query, session, source, folder)) + everything != 1:
            raise InvalidInput(
                "Say what to forget with exactly one of: id, query, session, source, folder, everything."
            )
        if query is not None:
            return self._forget_by_query(query, dry_run=dry_run)
        if everything:
            return forget.forget_everything(self._engine, self._scope, dry_run=dry_run)
        known = ids.canonical(id) if id is not None else None
        if id is not None and known is None:
            return Forgotten("not_found", dry_run=dry_run)
        chosen = (
            (forget.forget_id, known),
            (forget.forget_session, None if session is None else clean(session)),
            (forget.forget_source, None if source is None else clean(source)),
            (forget.forget_folder, None if folder is None else self._root(folder)),
        )
        verb, name = next((verb, name) for verb, name in chosen if name is not None)
        return verb(self._engine, self._scope, name, dry_run=dry_run)

    def _root(self, folder: str | PathLike[str]) -> str:
        """Find the root that is meant: by its own name, even if that is a link by now, or by where a path leads."""
        told = noted_path(folder)
        known = self._engine.store.read(self._scope, lambda reader: reader.folders())
        return told if any(told == one.root for one in known) else self._engine.disk.resolve(told)

    def _forget_by_query(self, query: str, *, dry_run: bool) -> Forgotten:
        wanted = self._engine.settings.forget
        wish = SearchOptions(5, wanted.min_score / 2)  # less is no candidate for anything
        looking_at = [self._filters({})]
        # not noted as a search: what somebody wants forgotten should stand nowhere
        hits = recall.recall(self._engine, self._scope, query, vector=None, looking_at=looking_at, wish=wish).hits
        match = forget.clear_match(hits, wanted.min_score, wanted.margin)
        if match is not None:
            return forget.forget_id(self._engine, self._scope, match.id, dry_run=dry_run)
        return Forgotten("candidates" if hits else "not_found", candidates=hits, dry_run=dry_run)

    def get(self, id: str) -> MemoryRecord:
        """Give one memory, live or not. Raises NotFound."""
        known = canonical(id)
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
        return update.update(self._engine, self._scope, canonical(id), dict(changes))

    def list(self, *, limit: int = 50, cursor: str | None = None, **filters: Unpack[FilterFields]) -> Page:
        """List what is live, newest first."""
        check_limit(limit)
        before = None if cursor is None else ids.canonical(cursor)
        if cursor is not None and before is None:
            raise InvalidInput(f"The cursor {cursor!r} is not one. Pass the cursor of the page before, or none.")
        wanted = self._filters(filters)
        found = self._engine.store.read(self._scope, lambda reader: reader.select(wanted, limit + 1, before))
        return Page(tuple(found[:limit]), found[limit - 1].id if len(found) > limit else None)

    def history(self, id: str) -> tuple[MemoryRecord, ...]:
        """Give all versions of a memory, oldest first, whichever of their ids is asked for. Raises NotFound."""
        known = canonical(id)
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
        return store_status.user_stats(self._engine, self._scope)


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
