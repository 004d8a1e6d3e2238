"""The active embedding space, and the embedder of every space.

The store says which space is complete and therefore searched; the settings only name the embedder of a store without
vectors, and how providers are reached. So a process that was started before a model change learns of it at its next
search, and makes the embedder that is needed now.
"""

from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from time import monotonic

from recollect.engine.base import call_embedder
from recollect.errors import EmbeddingError, SettingsError
from recollect.model.memories import Space
from recollect.ports import Embedder, Store

_MAX_AGE_S = 1.0  # of what was read about the store; searches check the space themselves


class ActiveModels:
    """The embedders of a process. Any number of threads may share one."""

    def __init__(self, store: Store, configured: Embedder | None, make: Callable[[Space], Embedder]) -> None:
        self._store = store
        self._configured = configured
        self._make = make
        self._made: dict[Space, Embedder] = {}
        self._offered: list[Embedder] = []
        self._owned: list[Embedder] = []
        self._lock = Lock()
        self._active: Space | None = None
        self._changing = False
        self._refreshed_at = float("-inf")
        self._cached = 0

    @property
    def configured(self) -> Embedder | None:
        """The embedder of the settings; None when vectors are switched off."""
        return self._configured

    @property
    def space(self) -> Space | None:
        """The space to search and to embed for; None when vectors are switched off or their length is not known."""
        if self._configured is not None and monotonic() - self._refreshed_at > _MAX_AGE_S:
            self.refresh()
        return self.latest

    @property
    def latest(self) -> Space | None:
        """The space as of the last refresh, for code inside a write, which must not wait for another connection."""
        return None if self._configured is None else self._active or self._configured.space

    @property
    def is_changing(self) -> bool:
        """Whether a model change was under way at the last refresh."""
        return self._changing

    def refresh(self) -> None:
        """Read from the store which space is searched."""
        spaces = self._store.spaces()
        self._active = next((known.space for known in spaces if known.state == "active"), None)
        self._changing = any(known.state == "building" for known in spaces)
        self._refreshed_at = monotonic()

    def embedder(self, space: Space) -> Embedder:
        """Give the embedder of a space. Raises EmbeddingError when there is none."""
        if self._configured is not None and self._configured.space == space:
            return self._configured
        with self._lock:
            offered = next((embedder for embedder in self._offered if embedder.space == space), None)
            if offered is not None:
                return offered
            if space not in self._made:
                try:
                    self._made[space] = self._make(space)
                except SettingsError as error:
                    if self._configured is not None and self._probes_as(self._configured, space):
                        return self._configured
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
                return call_embedder.probe(embedder) == space
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
        if configured and self._configured is not None:
            self._configured.close()
