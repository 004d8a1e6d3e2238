"""The active embedding space, the embedder of every space, and calls to them with every vector checked.

The store says which space is complete and therefore searched; the settings only name the embedder of a store without
vectors, and how providers are reached. So a process that was started before a model change learns of it at its next
search, and makes the embedder that is needed now. An embedder may be a caller's own code.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from time import monotonic

import numpy as np

from recollect.engine.base.threads import WorkPriority
from recollect.errors import EmbeddingError, InvalidVector, RecollectError, SettingsError
from recollect.model.memories import Space, Vector
from recollect.model.messages import Usage
from recollect.model.vectors import as_units
from recollect.ports import Embedder, RemoteEmbedder, Role
from recollect.storage.base import Store

_MAX_AGE_S = 1.0  # of what was read about the store; searches check the space themselves
PROBE = "A sentence to try the embedder."
_SLICE = 2  # texts of patient work, which take about as long as a search
_EMPTY = "-"  # stands for a text without a word, which providers refuse


class ActiveModels:
    """The embedders of a process. Any number of threads may share one.

    `configured` is the embedder of the settings, None when vectors are switched off. `is_changing` tells whether a
    model change was under way at the last refresh.
    """

    def __init__(self, store: Store, configured: Embedder | None, make: Callable[[Space], Embedder]) -> None:
        self._store = store
        self.configured = configured
        self._make = make
        self._made: dict[Space, Embedder] = {}
        self._offered: list[Embedder] = []
        self._owned: list[Embedder] = []
        self._lock = Lock()
        self._active: Space | None = None
        self.is_changing = False
        self._refreshed_at = float("-inf")
        self._cached = 0

    @property
    def space(self) -> Space | None:
        """The space to search and to embed for; None when vectors are switched off or their length is not known."""
        if self.configured is not None and monotonic() - self._refreshed_at > _MAX_AGE_S:
            self.refresh()
        return self.latest

    @property
    def latest(self) -> Space | None:
        """The space as of the last refresh, for code inside a write, which must not wait for another connection."""
        return None if self.configured is None else self._active or self.configured.space

    def refresh(self) -> None:
        """Read from the store which space is searched."""
        spaces = self._store.spaces()
        self._active = next((known.space for known in spaces if known.state == "active"), None)
        self.is_changing = any(known.state == "building" for known in spaces)
        self._refreshed_at = monotonic()

    def embedder(self, space: Space) -> Embedder:
        """Give the embedder of a space. Raises EmbeddingError when there is none."""
        if self.configured is not None and self.configured.space == space:
            return self.configured
        with self._lock:
            offered = next((embedder for embedder in self._offered if embedder.space == space), None)
            if offered is not None:
                return offered
            if space not in self._made:
                try:
                    self._made[space] = self._make(space)
                except SettingsError as error:
                    if self.configured is not None and self._probes_as(self.configured, space):
                        return self.configured
                    raise EmbeddingError(
                        f"The vectors of this store are those of {space.provider}/{space.model}, which cannot be "
                        f"asked: {error}"
                    ) from error
            return self._made[space]

    @staticmethod
    def _probes_as(embedder: Embedder, space: Space) -> bool:
        """Probe a custom embedder that learns its length from its first text, to find out whether this is its space."""
        if embedder.space is None:
            with suppress(EmbeddingError):
                return probe(embedder) == space
        return False

    def count_cached(self, added: int, *, every: int) -> bool:
        """Count vectors that were added to the cache; says whether the count has passed a multiple of `every`."""
        with self._lock:
            before, self._cached = self._cached, self._cached + added
            return before // every != self._cached // every

    def offer(self, embedder: Embedder, *, owned: bool = False) -> None:
        """Let an embedder serve its space, once that is known; an `owned` one is closed with the others."""
        with self._lock:
            self._offered.append(embedder)
            if owned:
                self._owned.append(embedder)

    def close(self, *, configured: bool) -> None:
        """Close the embedders; the configured one only on request."""
        with self._lock:
            for embedder in (*self._made.values(), *self._owned):
                embedder.close()
            self._made.clear()
            self._offered.clear()
            self._owned.clear()
        if configured and self.configured is not None:
            self.configured.close()


def embed(embedder: Embedder, space: Space, texts: Sequence[str], role: Role) -> tuple[Vector, Usage]:
    """Embed texts and check the vectors. Raises EmbeddingError."""
    with _as_embedding_errors():
        if isinstance(embedder, RemoteEmbedder):
            vectors, usage = embedder.embed_metered([non_empty(text) for text in texts], role)
        else:
            vectors, usage = embedder.embed(texts, role), Usage()
    return check_vectors(vectors, space, len(texts)), usage


def embed_passages(
    embedder: Embedder, space: Space, texts: Sequence[str], priority: WorkPriority
) -> tuple[Vector, Usage]:
    """Embed passages; patient work on this machine gives way to urgent calls after every few. Raises EmbeddingError."""
    if isinstance(embedder, RemoteEmbedder):
        return embed(embedder, space, texts, "passage")
    parts = [embed(embedder, space, part, "passage")[0] for part in priority.slices(texts, _SLICE)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts), Usage()


@contextmanager
def _as_embedding_errors() -> Iterator[None]:
    """Raise whatever an embedder raises as an EmbeddingError."""
    try:
        yield
    except RecollectError:
        raise
    except Exception as error:
        raise EmbeddingError(f"The embedder failed: {type(error).__name__}: {error}") from error


def check_vectors(vectors: Vector, space: Space, amount: int) -> Vector:
    """Give the vectors of so many texts in unit length. Raises EmbeddingError if they cannot be used."""
    if len(vectors) != amount:
        raise EmbeddingError(f"The embedder gave {len(vectors)} vectors for {amount} texts.")
    try:
        return as_units(vectors, space.dimensions)
    except InvalidVector as error:
        raise EmbeddingError(f"The embedder gave a vector that cannot be used. {error}") from error


def probe(embedder: Embedder) -> Space:
    """Embed one sentence, check its vector, and give the space that it is of. Raises EmbeddingError."""
    with _as_embedding_errors():
        vectors = embedder.embed([PROBE], "passage")
    space = embedder.space
    if space is None:
        raise EmbeddingError("The embedder gave a vector, but does not say of which space it is.")
    check_vectors(vectors, space, 1)
    return space


def non_empty(text: str) -> str:
    """Give a text that a provider accepts."""
    return text if text.strip() else _EMPTY
