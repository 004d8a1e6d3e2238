"""`RecollectStore`: what LangGraph asks of a store, answered from the memories of one user or of several.

Within a batch reads see the store as it was before the writes of the batch, and of several writes to one item the last
one counts, as in LangGraph's own stores. For programs in one event loop, what is awaited at the same time is one batch.

With `index` scores are by the embeddings that a program configures: the cosine of the nearest text of an item. The
vectors are kept with the item, as whole numbers of 16 bits: a list of them is not taken for a secret, and the cosine is
right to four digits.
"""

from asyncio import to_thread
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Event, Lock, Thread
from typing import Any, Final

import numpy as np
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    ensure_embeddings,
)
from langgraph.store.base.batch import AsyncBatchedBaseStore
from numpy.typing import NDArray

from recollect.api.memory import Memory
from recollect.api.user import UserMemory
from recollect.clock import SystemClock
from recollect.errors import InvalidInput, InvalidVector, NotFound
from recollect.model.memories import MemoryRecord
from recollect.model.search import Hit
from recollect.ports import Clock
from recollect_connect.integrations.langgraph import items
from recollect_connect.integrations.langgraph.items import Namespace, StoredItem

_LARGEST: Final = 32_767

_PAGE: Final = 1_000
_FIRST_HITS: Final = 100
_LONGEST_QUERY: Final = 2_000
_SWEEP_MINUTES: Final = 5.0


def coded(vector: Sequence[float]) -> list[int]:
    """Code a vector for keeping. Raises InvalidVector for one that points nowhere."""
    floats = np.asarray(vector, dtype=np.float64)
    largest = float(np.abs(floats).max(initial=0.0))
    if floats.ndim != 1 or not np.isfinite(largest):
        raise InvalidVector("The embeddings of the store's index gave a vector that is not a list of finite numbers.")
    if not largest:
        return [0] * len(floats)
    codes: list[int] = np.rint(floats / largest * _LARGEST).astype(int).tolist()
    return codes


def best_scores(query: Sequence[float], items: Sequence[StoredItem]) -> dict[str, float]:
    """Give the cosine of each item that has vectors of the query's length, by the id of its memory."""
    wanted = _unit(np.asarray(query, dtype=np.float64))
    scores: dict[str, float] = {}
    for item in items:
        near = [float(wanted @ _unit(row)) for row in _rows(item) if len(row) == len(wanted)]
        if near:
            scores[item.record.id] = max(near)
    return scores


def _rows(item: StoredItem) -> list[NDArray[np.float64]]:
    return [np.asarray(row, dtype=np.float64) for row in item.vectors]


def _unit(row: NDArray[np.float64]) -> NDArray[Any]:
    length = float(np.linalg.norm(row))
    return row / length if length else row


Put = tuple[Namespace, str]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Operations, the last write to each item, and the vectors that they need."""

    ops: Sequence[Op]
    puts: Mapping[Put, PutOp]
    texts: Mapping[Put, Sequence[str]]
    text_vectors: dict[str, Sequence[float]] = field(default_factory=dict)
    query_vectors: dict[str, Sequence[float]] = field(default_factory=dict)

    @property
    def all_texts(self) -> list[str]:
        """The texts to embed, each once."""
        return list(dict.fromkeys(text for texts in self.texts.values() for text in texts))

    @property
    def queries(self) -> list[str]:
        """The queries to embed, each once."""
        return list(dict.fromkeys(op.query for op in self.ops if isinstance(op, SearchOp) and op.query))


class RecollectStore(BaseStore):
    """A store of LangGraph whose items are memories: `graph.compile(store=RecollectStore(memory, user_label=0))`.

    `user` is whose memories all items are; by default that of the settings. With `user_label` each item belongs to the
    user whom that label of its namespace names: 0 for `("anna", "notes")`, 1 for `("notes", "anna")`. Then every
    operation must name one user, and none sees the items of another.

    Searches go by meaning and by words, as `recall` does. With `index` and its `embed` they go by the cosine of those
    embeddings alone; its `fields` say in either case what of a value is searched. With `refresh_on_read` of `ttl` reads
    prolong the life of items that have a time to live.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        user: str | None = None,
        user_label: int | None = None,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        clock: Clock | None = None,
    ) -> None:
        if user is not None and user_label is not None:
            raise InvalidInput("Both user and user_label say whose the items are. Give one of them.")
        self._memory, self._user, self._user_label = memory, user, user_label
        self.ttl_config: TTLConfig | None = ttl
        self.index_config: Any = None if index is None else dict(index)
        configured: dict[str, Any] = self.index_config or {}
        self._fields: Sequence[str] = configured.get("fields") or configured.get("text_fields") or ["$"]
        self.embeddings = ensure_embeddings(configured["embed"]) if configured.get("embed") is not None else None
        self._now = (clock or SystemClock()).now
        self._writing = Lock()
        self._sweeper: tuple[Thread, Event] | None = None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations; gives one result for each, in order."""
        batch = self._planned(ops)
        if self.embeddings is not None:
            if texts := batch.all_texts:
                batch.text_vectors.update(zip(texts, self.embeddings.embed_documents(texts), strict=True))
            batch.query_vectors.update((query, self.embeddings.embed_query(query)) for query in batch.queries)
        return self._run(batch)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in a worker thread; embeddings are awaited."""
        batch = self._planned(ops)
        if self.embeddings is not None:
            if texts := batch.all_texts:
                batch.text_vectors.update(zip(texts, await self.embeddings.aembed_documents(texts), strict=True))
            for query in batch.queries:
                batch.query_vectors[query] = await self.embeddings.aembed_query(query)
        return await to_thread(self._run, batch)

    def sweep_ttl(self) -> int:
        """Erase what has expired in the whole store, as `recollect maintain` does; returns how many memories.

        What has expired is out of sight before.
        """
        return self._memory.maintain().expired

    async def asweep_ttl(self) -> int:
        """Erase what has expired; awaited."""
        return await to_thread(self.sweep_ttl)

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Erase what has expired from time to time, in a thread. A service with a worker does so by itself."""
        if self._sweeper is not None:
            return
        configured = (self.ttl_config or {}).get("sweep_interval_minutes")
        minutes = sweep_interval_minutes or configured or _SWEEP_MINUTES
        stop = Event()

        def sweep() -> None:
            while not stop.wait(minutes * 60):
                self.sweep_ttl()

        thread = Thread(target=sweep, name="recollect-ttl", daemon=True)
        self._sweeper = thread, stop
        thread.start()

    def stop_ttl_sweeper(self) -> None:
        """End that thread, if there is one."""
        if self._sweeper is not None:
            thread, stop = self._sweeper
            stop.set()
            thread.join()
            self._sweeper = None

    async def astop_ttl_sweeper(self) -> None:
        """End that thread; awaited."""
        await to_thread(self.stop_ttl_sweeper)

    def _planned(self, ops: Iterable[Op]) -> _Batch:
        listed = list(ops)
        puts = {(op.namespace, op.key): op for op in listed if isinstance(op, PutOp)}
        for op in listed:  # nothing is done of a batch that cannot be done
            if isinstance(op, SearchOp):
                items.check_filter(op.filter)
            elif isinstance(op, PutOp):
                self._user_of(op.namespace)
                items.checked_value(op)
        embedded = puts if self.embeddings is not None else {}
        return _Batch(listed, puts, {put: items.indexed_texts(op, self._fields) for put, op in embedded.items()})

    def _run(self, batch: _Batch) -> list[Result]:
        results = [self._read(op, batch) for op in batch.ops]
        with self._writing:  # of two threads that write an item for the first time, one must find that of the other
            self._write(batch)
        return results

    def _read(self, op: Op, batch: _Batch) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op, batch.query_vectors.get(op.query or ""))
        if isinstance(op, ListNamespacesOp):
            return self._list_namespaces(op)
        return None

    def _get(self, op: GetOp) -> Item | None:
        me = self._user_of(op.namespace)
        found = _at(me, op.namespace, op.key)
        if found is None:
            return None
        if op.refresh_ttl:
            self._refresh(me, found)
        record = found.record
        return Item(
            value=found.value,
            key=op.key,
            namespace=op.namespace,
            created_at=record.created_at,
            updated_at=record.updated_at,
        )

    def _search(self, op: SearchOp, query_vector: Sequence[float] | None) -> list[SearchItem]:
        prefix = tuple(op.namespace_prefix)
        me = self._user_of(prefix)

        def wanted(item: StoredItem) -> bool:
            return items.is_under(item.namespace, prefix) and items.passes(item.value, op.filter)

        end = op.offset + op.limit
        ranked: list[tuple[StoredItem, float | None]] = []
        if op.query and query_vector is None and self.embeddings is None:
            ranked += _recalled(me, prefix, op.query, end, wanted)
        if len(ranked) < end:
            candidates = [item for item in _listed(me, prefix) if wanted(item)]
            scores = {} if query_vector is None else best_scores(query_vector, candidates)
            known = {item.record.id for item, _ in ranked}
            rest = [(item, scores.get(item.record.id)) for item in candidates if item.record.id not in known]
            ranked += sorted(rest, key=_best_then_newest)
        page = ranked[op.offset : end]
        if op.refresh_ttl:
            for item, _ in page:
                self._refresh(me, item)
        return [item.shown(score) for item, score in page]

    def _list_namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        asked = tuple(op.match_conditions or ())
        prefix: Namespace = ()
        for condition in asked:
            if condition.match_type == "prefix" and items.WILDCARD not in condition.path:
                prefix = max(prefix, tuple(condition.path), key=len)
        me = self._user_of(self._named_labels(asked))
        found = {item.namespace for item in _listed(me, prefix)}
        found = {namespace for namespace in found if all(items.matches(namespace, one) for one in asked)}
        if op.max_depth is not None:
            found = {namespace[: op.max_depth] for namespace in found}
        return sorted(found)[op.offset : op.offset + op.limit]

    def _named_labels(self, asked: Sequence[Any]) -> Namespace:
        """Give the labels of the prefix that names a user, if one does."""
        label = self._user_label or 0
        for condition in asked:
            path = tuple(condition.path)
            if condition.match_type == "prefix" and len(path) > label and path[label] != items.WILDCARD:
                return path
        return ()

    def _write(self, batch: _Batch) -> None:
        new: dict[str, tuple[UserMemory, list[Any]]] = {}
        for put, op in batch.puts.items():
            me = self._user_of(op.namespace)
            before = _at(me, op.namespace, op.key)
            if op.value is None:
                _forget(me, before)
                continue
            codes = [coded(batch.text_vectors[text]) for text in batch.texts.get(put, ())]
            memory = items.new_memory(op, self._fields, codes, self._now())
            if before is None:
                new.setdefault(me.user_id, (me, []))[1].append(memory)
            else:
                me.update(
                    before.record.id, content=memory.content, metadata=memory.metadata, expires_at=memory.expires_at
                )
        for me, memories in new.values():
            me.remember_many(memories)

    def _refresh(self, me: UserMemory, item: StoredItem) -> None:
        """Let the time to live of an item begin anew, if the configuration has it: then a read is also a write."""
        if item.ttl_minutes is None or not (self.ttl_config or {}).get("refresh_on_read"):
            return
        with suppress(NotFound):  # it was deleted meanwhile
            me.update(item.record.id, expires_at=self._now() + timedelta(minutes=item.ttl_minutes))

    def _user_of(self, namespace: Namespace) -> UserMemory:
        """Give the user whose items are meant. Raises InvalidInput where a namespace must name one and does not."""
        if self._user_label is None:
            return self._memory.me if self._user is None else self._memory.user(self._user)
        if len(namespace) <= self._user_label:
            raise InvalidInput(
                f"The namespace {tuple(namespace)!r} names no user: in this store that is label {self._user_label}. "
                "Name one; no operation reaches across users."
            )
        return self._memory.user(namespace[self._user_label])


def _at(me: UserMemory, namespace: Namespace, key: str) -> StoredItem | None:
    """Find an item by its address."""
    found = me.list(context=items.address(namespace, key), limit=1).items
    return items.stored_item(found[0]) if found else None


def _forget(me: UserMemory, item: StoredItem | None) -> None:
    if item is not None:
        me.forget(item.record.id)


def _listed(me: UserMemory, prefix: Namespace) -> Iterator[StoredItem]:
    """Give the items whose namespace begins with the first label of a prefix; without one, all."""
    session, cursor = items.session_of(prefix[0]) if prefix else None, None
    while True:
        page = me.list(session=session, limit=_PAGE, cursor=cursor)
        yield from filter(None, map(items.stored_item, page.items))
        cursor = page.cursor
        if cursor is None:
            return


def _recalled(
    me: UserMemory, prefix: Namespace, query: str, amount: int, wanted: Callable[[StoredItem], bool]
) -> list[tuple[StoredItem, float | None]]:
    """Search as `recall` does; items that say the same as a hit follow it."""
    session = items.session_of(prefix[0]) if prefix else None
    text = query.strip()[:_LONGEST_QUERY]
    found: list[tuple[StoredItem, float | None]] = []
    for limit in sorted({min(max(_FIRST_HITS, amount), _PAGE), _PAGE}):
        hits = me.recall(text, session=session, limit=limit, min_score=0.0).hits if text else ()
        found = [(item, hit.score) for hit in hits for item in _items_of(me, hit) if wanted(item)]
        if len(found) >= amount or len(hits) < limit:
            break
    return found


def _items_of(me: UserMemory, hit: Hit) -> Iterator[StoredItem]:
    """Give the item that a hit is, and those that were folded into it."""
    records = [hit.record] if isinstance(hit.record, MemoryRecord) else []
    for memory_id in hit.folded:
        with suppress(NotFound):  # it was deleted meanwhile
            records.append(me.get(memory_id))
    found = map(items.stored_item, records)
    return (item for item in found if item is not None and item.is_indexed)


def _best_then_newest(ranked: tuple[StoredItem, float | None]) -> tuple[bool, float, float]:
    item, score = ranked
    return score is None, -(score or 0.0), -item.record.updated_at.timestamp()


class AsyncRecollectStore(AsyncBatchedBaseStore):
    """A `RecollectStore` that collects operations; make it inside a running event loop.

    Only the awaited verbs may be called in that loop's thread; the others are for further threads.
    """

    supports_ttl = True

    def __init__(self, store: RecollectStore) -> None:
        super().__init__()
        self._store = store
        self.ttl_config: TTLConfig | None = store.ttl_config
        self.index_config: Any = store.index_config
        self.embeddings = store.embeddings

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in a worker thread."""
        return await self._store.abatch(ops)

    async def sweep_ttl(self) -> int:
        """Erase what has expired; returns how many memories. See `RecollectStore.sweep_ttl`."""
        return await self._store.asweep_ttl()

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Erase what has expired from time to time, in a thread."""
        self._store.start_ttl_sweeper(sweep_interval_minutes)

    async def stop_ttl_sweeper(self) -> None:
        """End that thread, if there is one."""
        await self._store.astop_ttl_sweeper()
