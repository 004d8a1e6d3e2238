"""Which embedding space is used, and who makes its vectors.

The store says which space is complete and therefore searched; the settings only say who makes vectors for a store that
has none yet, and how providers are reached. So a process that was started before a model was changed goes on as it
should: it learns of the change at its next search, and makes itself the embedder that is needed now.
"""

from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from time import monotonic

from recollect.engine.base import call_embedder
from recollect.errors import EmbeddingError, SettingsError
from recollect.model.memories import Space
from recollect.ports import Embedder, Store

_GOOD_FOR_S = 1.0  # what was read about the store is believed for so long, except by searches, which look themselves


class ActiveModels:
    """The embedders of a process. Any number of threads may share one."""

    def __init__(self, store: Store, configured: Embedder | None, make: Callable[[Space], Embedder]) -> None:
        self._store = store
        self._configured = configured
        self._make = make
        self._made: dict[Space, Embedder] = {}
        self._offered: list[Embedder] = []
        self._ours: list[Embedder] = []
        self._lock = Lock()
        self._active: Space | None = None
        self._changing = False
        self._looked_at = float("-inf")
        self._cached = 0

    @property
    def configured(self) -> Embedder | None:
        """Whoever the settings name; None when vectors are switched off."""
        return self._configured

    @property
    def space(self) -> Space | None:
        """The space to search and to embed for; None when vectors are switched off or their length is not known."""
        if self._configured is not None and monotonic() - self._looked_at > _GOOD_FOR_S:
            self.refresh()
        return self.latest

    @property
    def latest(self) -> Space | None:
        """The same as when somebody last looked, for whoever is inside a write and must not wait for a connection."""
        return None if self._configured is None else self._active or self._configured.space

    @property
    def is_changing(self) -> bool:
        """Whether another model was on its way when somebody last looked."""
        return self._changing

    def refresh(self) -> None:
        """Look again which space is searched."""
        known = self._store.spaces()
        self._active = next((one.space for one in known if one.state == "active"), None)
        self._changing = any(one.state == "building" for one in known)
        self._looked_at = monotonic()

    def embedder(self, space: Space) -> Embedder:
        """Give whoever makes vectors of this space. Raises EmbeddingError when nobody can."""
        if self._configured is not None and self._configured.space == space:
            return self._configured
        with self._lock:
            offered = next((one for one in self._offered if one.space == space), None)
            if offered is not None:
                return offered
            if space not in self._made:
                try:
                    self._made[space] = self._make(space)
                except SettingsError as error:
                    if self._knows_itself(space) and self._configured is not None:
                        return self._configured
                    maker = f"{space.provider}/{space.model}"
                    raise EmbeddingError(
                        f"The vectors of this store are those of {maker}, which cannot be asked: {error}"
                    ) from error
            return self._made[space]

    def _knows_itself(self, space: Space) -> bool:
        """Ask an embedder of somebody's own, which learns its length from its first text, whether it is meant."""
        if self._configured is None or self._configured.space is not None:
            return False
        with suppress(EmbeddingError):
            return call_embedder.probed(self._configured) == space
        return False

    def count_cached(self, added: int, *, every: int) -> bool:
        """Count vectors that were added to the cache; says whether the count has passed a multiple of `every`."""
        with self._lock:
            before, self._cached = self._cached, self._cached + added
            return before // every != self._cached // every

    def offer(self, embedder: Embedder, *, ours: bool = False) -> None:
        """Let an embedder serve its space, once that is known; it is closed with the others if it is `ours`."""
        with self._lock:
            self._offered.append(embedder)
            if ours:
                self._ours.append(embedder)

    def close(self, *, configured: bool) -> None:
        """Let go of the embedders; of the configured one only if it is ours."""
        with self._lock:
            for embedder in (*self._made.values(), *self._ours):
                embedder.close()
            self._made.clear()
            self._offered.clear()
            self._ours.clear()
        if configured and self._configured is not None:
            self._configured.close()
