"""The façade: what a program types first. `Memory` is an open store; `Memory.user` gives one user's part of it."""

from collections.abc import Callable
from dataclasses import replace
from os import PathLike, fspath
from threading import Event
from types import TracebackType
from typing import Self

from recollect.api.composition import assemble
from recollect.api.keys import Keys
from recollect.api.models import StoreModels
from recollect.api.operations import StoreOperations
from recollect.api.user import UserMemory
from recollect.clock import SystemClock
from recollect.engine.audit.idempotency import AuditedWrite, IdempotentRequest
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import scope_of
from recollect.engine.conversations import turns
from recollect.engine.forgetting import purge as purging
from recollect.engine.maintenance import maintain, store_status, worker_pass
from recollect.errors import InvalidInput
from recollect.model.stats import Maintenance, Problem, Purged, Status, StoreStats, WorkReport
from recollect.ports import Clock, Embedder, StepListener, Summarizer
from recollect.settings import Settings, load_settings

__all__ = ["AuditedWrite", "IdempotentRequest", "Memory", "UserMemory"]


class Memory:
    """An open store. Use it in a `with` statement, or call `close`.

    Any number of threads may share one; any number of processes may open the same store.
    """

    def __init__(self, engine: Engine, *, owns_embedder: bool = False) -> None:
        self._engine = engine
        self._owns_embedder = owns_embedder
        self._keys = Keys(engine)

    @classmethod
    def open(
        cls,
        database: str | PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        summarizer: Summarizer | None = None,
    ) -> Self:
        """Open a store and bring its schema up to date.

        `database` is a path, or a URL such as `postgresql://user:password@host/name`; without it the settings decide,
        and by default that is a SQLite file in the user's data folder. `embedder` and `summarizer` replace those in the
        settings; they may be shared, and the caller closes them.
        """
        if settings is None:
            overrides = {} if database is None else {"database": fspath(database)}
            settings = load_settings(overrides=overrides)
        elif database is not None:
            raise InvalidInput("Pass either database or settings, not both: settings.database says the same.")
        engine = assemble(settings, clock or SystemClock(), embedder, summarizer)
        return cls(engine, owns_embedder=embedder is None)

    @property
    def me(self) -> UserMemory:
        """The part of the settings' user, for whom the command line and the service work unless told otherwise."""
        return self.user(self._engine.settings.user)

    def user(self, user_id: str, *, audit: AuditedWrite | None = None) -> UserMemory:
        """Return one user's part of the store; the user need not exist yet.

        With `audit` every write through it is recorded in the audit log, in the transaction that does it.
        """
        engine = self._engine if audit is None else replace(self._engine, audit=audit)
        return UserMemory(engine, scope_of(user_id))

    @property
    def keys(self) -> Keys:
        """API keys: `memory.keys.create(...)`, `.list()`, `.revoke(id)`."""
        return self._keys

    @property
    def models(self) -> StoreModels:
        """Embedding models: `memory.models.list()`, `.reembed(provider, model)`, `.estimate(...)`, `.drop(name)`."""
        return StoreModels(self._engine)

    @property
    def operations(self) -> StoreOperations:
        """What only servers need: health checks, idempotent requests, the change feed, the audit log."""
        return StoreOperations(self._engine)

    @property
    def settings(self) -> Settings:
        """The settings this store was opened with."""
        return self._engine.settings

    def stats(self) -> StoreStats:
        """Count what the whole store holds."""
        return store_status.store_stats(self._engine)

    def status(self) -> Status:
        """Report versions, models, queues and what should be done about them."""
        return store_status.status(self._engine)

    def doctor(self) -> tuple[Problem, ...]:
        """Check the store for contradictions and try the embedder; an empty answer means that all is well."""
        return store_status.doctor(self._engine)

    def maintain(self) -> Maintenance:
        """Run maintenance: expire memories, compact and archive old conversations, index and embed what waits.

        Safe to interrupt: each step is whole or has not happened.
        """
        return maintain.maintain(self._engine)

    def purge(self, *, tell: StepListener | None = None) -> Purged:
        """Remove what forgotten users and items left in tables, statistics, indexes and originals; say what is left.

        On PostgreSQL it rewrites the tables one after the other; nothing can use a table meanwhile. Safe to interrupt:
        the next purge goes on. `tell` is called with what is being done, how much of it is done, and how much there is.
        """
        return purging.purge(self._engine, tell)

    def embed_waiting(
        self, *, thorough: bool = True, stop: Event | None = None, tell: Callable[[WorkReport], None] | None = None
    ) -> WorkReport:
        """Work off the queues: messages to read, vectors, addresses; and go on with a migration to another model.

        Any number of processes may do so at once. `thorough` also scans all rows for items that were never queued,
        because they were stored while vectors were switched off. `stop` ends it after the current batch; `tell` is
        called with the progress. What a provider could not embed now stays in the queue.
        """
        return worker_pass.work(self._engine, stop=stop, tell=tell, thorough=thorough)

    def retry_parked(self) -> int:
        """Put everything that could not be embedded, located or read back into the queue; returns how much."""
        revived = self._engine.store.revive_parked(self._engine.clock.now())
        self._engine.background.wake()
        return revived

    def close(self) -> None:
        """Close the store. Calling it twice is fine."""
        self._engine.background.close()
        turns.settle(self._engine)
        self._engine.store.close()
        self._engine.models.close(configured=self._owns_embedder)
        if self._engine.geocoder is not None:
            self._engine.geocoder.close()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()
