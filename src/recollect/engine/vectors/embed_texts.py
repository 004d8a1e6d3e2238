"""Embedding through the vector cache.

The invariant: a vector never travels without its space. A vector that was paid for is cached under a hash that differs
for every user, by the transaction that stores its item.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from recollect.engine.base import embedders
from recollect.engine.base.context import Engine
from recollect.engine.drafts.items import batched
from recollect.errors import EmbeddingError, RecollectError
from recollect.model.memories import Scope, Space, Vector
from recollect.model.messages import Usage
from recollect.ports import Embedder, RemoteEmbedder
from recollect.storage.base import CachedPassageVector, CachedQueryVector, StoreWriter

_TRIM_EVERY = 500  # entries


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """Vectors of texts by their positions, the cache keys of those that were paid for, and the cost.

    `failed` says that the provider failed before all of them were made.
    """

    vectors: Mapping[int, Vector] = field(default_factory=dict)
    paid: Mapping[int, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    failed: bool = False


@dataclass(frozen=True, slots=True)
class EmbeddedItems:
    """Vectors of items by their positions: a matrix each, with a row for the whole text and one for each passage.

    `paid` are the cache keys and vectors that were paid for, and `usage` is the cost. An item of which a text could not
    be embedded has no matrix; `failed` says that the provider failed.
    """

    vectors: Mapping[int, Vector] = field(default_factory=dict)
    paid: Mapping[int, Sequence[tuple[str, Vector]]] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    failed: bool = False

    @property
    def entries(self) -> int:
        """How many vectors were paid for."""
        return sum(map(len, self.paid.values()))

    def only(self, position: int) -> "EmbeddedItems":
        """Give one item as the first, with its part of the payment; the first of all bears the cost."""
        paid = {0: self.paid[position]} if position in self.paid else {}
        return EmbeddedItems({}, paid, self.usage if position == 0 else Usage())


def embed_items(
    engine: Engine, scope: Scope, space: Space, texts: Sequence[Sequence[str]], *, wait: bool | None
) -> EmbeddedItems:
    """Give the cached vectors of items, each with all its texts, and the others too if the caller waits for them.

    Raises EmbeddingError.
    """
    embedder, every = engine.models.embedder(space), [text for own in texts for text in own]
    if waits(engine, embedder, wait=wait):
        embedded = embed_passages(engine, scope, space, every)
    else:
        embedded = cached_passages(engine, scope, space, every) if is_cached(engine, embedder) else EmbeddedTexts()
    matrices, paid = join_parts([len(own) for own in texts], embedded.vectors, embedded.paid)
    return EmbeddedItems(matrices, paid, embedded.usage, embedded.failed)


def join_parts(
    sizes: Sequence[int], vectors: Mapping[int, Vector], keys: Mapping[int, str]
) -> tuple[dict[int, Vector], dict[int, list[tuple[str, Vector]]]]:
    """Join the vectors of texts to matrices of their items, which have so many texts each, and likewise their keys."""
    matrices: dict[int, Vector] = {}
    paid: dict[int, list[tuple[str, Vector]]] = {}
    start = 0
    for item, size in enumerate(sizes):
        rows = [vectors.get(position) for position in range(start, start + size)]
        known = [row for row in rows if row is not None]
        if len(known) == size:
            matrices[item] = known[0][None] if size == 1 else np.stack(known)
        own = [(keys[position], vectors[position]) for position in range(start, start + size) if position in keys]
        if own:
            paid[item] = own
        start += size
    return matrices, paid


def waits(engine: Engine, embedder: Embedder, *, wait: bool | None) -> bool:
    """Say whether storing waits for vectors: as the caller wishes, or else as the settings say."""
    if wait is not None:
        return wait
    setting = engine.settings.embedding.wait
    return not isinstance(embedder, RemoteEmbedder) if setting == "auto" else setting == "always"


def is_cached(engine: Engine, embedder: Embedder) -> bool:
    """Say whether vectors of this embedder are cached. Computing one locally costs less than caching it."""
    return engine.settings.embedding.cache_mb > 0 and isinstance(embedder, RemoteEmbedder)


def cached_passages(engine: Engine, scope: Scope, space: Space, texts: Sequence[str]) -> EmbeddedTexts:
    """Give the vectors of those passages that are cached."""
    keys = [text_key(scope, text) for text in texts]
    cached = engine.store.cached(scope, space, "passage", keys)
    if cached:
        engine.store.count_cache_uses(scope, sum(key in cached for key in keys), 0)
    return EmbeddedTexts({position: cached[key] for position, key in enumerate(keys) if key in cached})


def embed_passages(engine: Engine, scope: Scope, space: Space, texts: Sequence[str]) -> EmbeddedTexts:
    """Give the vectors of all passages; each text is paid for once. Raises EmbeddingError."""
    embedder = engine.models.embedder(space)
    if not isinstance(embedder, RemoteEmbedder):
        vectors, usage = embedders.embed_passages(embedder, space, texts, engine.priority)
        return EmbeddedTexts(dict(enumerate(vectors)), usage=usage)
    use_cache = is_cached(engine, embedder)
    keys = [text_key(scope, text) for text in texts]
    by_key = dict(engine.store.cached(scope, space, "passage", keys)) if use_cache else {}
    lacking = {key: position for position, key in enumerate(keys) if key not in by_key}
    new, usage, failed = _embed_batches(embedder, space, {key: texts[position] for key, position in lacking.items()})
    if use_cache:
        engine.store.count_cache_uses(scope, len(texts) - len(lacking), len(new))
    by_key.update(new)
    by_position = {position: by_key[key] for position, key in enumerate(keys) if key in by_key}
    return EmbeddedTexts(by_position, {lacking[key]: key for key in new} if use_cache else {}, usage, failed)


def _embed_batches(
    embedder: RemoteEmbedder, space: Space, texts: Mapping[str, str]
) -> tuple[dict[str, Vector], Usage, bool]:
    """Embed texts by their keys, one request at a time, so that a failure does not lose what was paid for before.

    Raises EmbeddingError when the first request fails.
    """
    by_key: dict[str, Vector] = {}
    tokens = 0
    for part in batched([*texts], embedder.batch_size):
        try:
            vectors, usage = embedders.embed(embedder, space, [texts[key] for key in part], "passage")
        except EmbeddingError:
            if not by_key:
                raise
            return by_key, Usage(tokens), True
        by_key.update(zip(part, vectors, strict=True))
        tokens += usage.tokens
    return by_key, Usage(tokens), False


def keep(writer: StoreWriter, engine: Engine, space: Space, embedded: EmbeddedItems, owners: Mapping[int, str]) -> None:
    """Cache vectors that were paid for, each owned by its item, and record the cost, in the running transaction."""
    paid = [
        CachedPassageVector(key, owners[position], vector)
        for position, entries in embedded.paid.items()
        if position in owners
        for key, vector in entries
    ]
    if paid:
        writer.keep_paid(space, paid, engine.clock.now())
    record(writer, engine, space, embedded.usage)


def record(writer: StoreWriter, engine: Engine, space: Space, usage: Usage) -> None:
    """Record the cost."""
    if usage.tokens:
        writer.record_spending(engine.today(), "embedding", f"{space.provider}/{space.model}", usage)


def embed_query(engine: Engine, scope: Scope, space: Space, text: str) -> tuple[Vector, CachedQueryVector | None]:
    """Embed a query; if that was paid for, also gives what to cache. Raises EmbeddingError."""
    embedder = engine.models.embedder(space)
    if not is_cached(engine, embedder):
        vectors, usage = embedders.embed(embedder, space, [text], "query")
        return vectors[0], CachedQueryVector(space, "", vectors[0], usage, 0) if usage.tokens else None
    key = text_key(scope, text)
    cached = engine.store.cached(scope, space, "query", [key])
    if cached:
        return cached[key], None
    resets = engine.store.resets(scope)
    vectors, usage = embedders.embed(embedder, space, [text], "query")
    return vectors[0], CachedQueryVector(space, key, vectors[0], usage, resets)


def keep_query(engine: Engine, scope: Scope, query: CachedQueryVector) -> None:
    """Cache the vector of a query, and record its cost, if that is possible."""
    with suppress(RecollectError):
        engine.store.note_question(scope, query, day=engine.today(), now=engine.clock.now())
        trim_after(engine, 1)


def trim_after(engine: Engine, added: int) -> None:
    """Count vectors that were added to the cache, and trim it now and then."""
    if engine.models.count_cached(added, every=_TRIM_EVERY):
        trim(engine)


def trim(engine: Engine) -> None:
    """Trim the cache to its size limit."""
    engine.store.trim_cache(engine.settings.embedding.cache_mb * 2**20)


def text_key(scope: Scope, text: str) -> str:
    """Give the hash under which a user's text is cached; it differs for every user."""
    own = hashlib.blake2b(scope.user_id.encode(), digest_size=32).digest()
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=own, digest_size=20).hexdigest()


def shares(usage: Usage, weights: Iterable[int]) -> list[Usage]:
    """Divide a cost by weights, so that nothing is lost in rounding."""
    parts, before, so_far = [], 0, 0
    weights = list(weights)
    total = sum(weights) or 1
    for weight in weights:
        so_far += weight
        upto = usage.input_tokens * so_far // total
        parts.append(Usage(upto - before, 0))
        before = upto
    return parts
