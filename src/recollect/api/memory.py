"""The façade: what a program types. `Memory` is a store that is open; `UserMemory` is one user's part of it.

Every verb belongs to a user. There is no way to ask for "everybody".
"""

from collections.abc import Callable
from os import PathLike, fspath
from threading import Event
from types import TracebackType
from typing import Self

from recollect.api.composition import assemble
from recollect.api.keys import Keys
from recollect.api.operations import StoreOperations
from recollect.api.user import UserMemory
from recollect.clock import SystemClock
from recollect.embedding import create_embedding_provider
from recollect.engine.audit.idempotency import AuditedWrite, IdempotentRequest
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import scope_of
from recollect.engine.conversations import turns
from recollect.engine.maintenance import maintain, store_status, worker_pass
from recollect.engine.vectors import batch_embedding, model_change
from recollect.errors import InvalidInput
from recollect.model.memories import Space
from recollect.model.stats import Estimate, Maintenance, Model, Problem, Reembedding, Status, StoreStats, WorkReport
from recollect.ports import Clock, Embedder, Summarizer
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
        settings; they may be shared, and whoever made them closes them.
        """
        if settings is None:
            overrides = {} if database is None else {"database": fspath(database)}
            settings = load_settings(overrides=overrides)
        elif database is not None:
            raise InvalidInput("Pass either database or settings, not both: settings.database says the same.")
        engine = assemble(settings, clock or SystemClock(), embedder, summarizer)
        return cls(engine, owns_embedder=embedder is None)

    def user(self, user_id: str) -> UserMemory:
        """Give the part of the store that belongs to one user; it need not exist yet."""
        return UserMemory(self._engine, scope_of(user_id))

    @property
    def keys(self) -> Keys:
        """The keys that open the doors to this store."""
        return self._keys

    @property
    def doors(self) -> StoreOperations:
        """What only doors ask of a store: answers given before, what is new, the log of what was done."""
        return StoreOperations(self._engine)

    @property
    def settings(self) -> Settings:
        """The settings this store was opened with."""
        return self._engine.settings

    def stats(self) -> StoreStats:
        """Count what the whole store holds."""
        return store_status.store_stats(self._engine)

    def status(self) -> Status:
        """Say what is running on what, and what should be done about it."""
        return store_status.status(self._engine)

    def doctor(self) -> tuple[Problem, ...]:
        """Look for contradictions in the store and try the embedder; an empty answer means that all is well."""
        return store_status.doctor(self._engine)

    def maintain(self) -> Maintenance:
        """Expire what is past its time, fold and put away old conversations, index and embed what waits, tidy up.

        Safe to interrupt: each step is whole or has not happened.
        """
        return maintain.maintain(self._engine)

    def embed_waiting(
        self, *, thorough: bool = True, stop: Event | None = None, tell: Callable[[WorkReport], None] | None = None
    ) -> WorkReport:
        """Give vectors to everything that waits for one, and go on with a change of the model, if one is under way.

        Any number of processes may do so at once. `thorough` also looks through all rows for those that nobody noted as
        waiting, because they were stored while vectors were switched off. `stop` ends it after what is under way;
        `tell` is called with what has been done so far. What a provider could not be asked for stays in the queue.
        """
        return worker_pass.serve_all(self._engine, stop=stop, tell=tell, thorough=thorough)

    def retry_parked(self) -> int:
        """Put everything that was given up on back into the queue; says how many items."""
        revived = self._engine.store.revive_parked(self._engine.clock.now())
        self._engine.background.wake()
        return revived

    def reembed(
        self,
        provider: str | None = None,
        model: str | None = None,
        *,
        dimensions: int | None = None,
        embedder: Embedder | None = None,
        wait: bool = True,
        bulk: bool | None = None,
        without_parked: bool = False,
        stop: Event | None = None,
        tell: Callable[[WorkReport], None] | None = None,
    ) -> Reembedding:
        """Move to another model while the store is in use, or go on with a move that was interrupted.

        Without arguments it goes on, or moves to the model that the settings name. Searches use the old vectors until
        every item has a new one; then one transaction lets them use the new ones. The old ones are kept until
        `drop_model`. With `wait=False` it only begins, and leaves the work to the workers. `bulk` says whether to use
        the provider's batch API, which is cheaper and takes up to a day; by default the settings do. Items that cannot
        be embedded keep it from ending, unless `without_parked`.
        """
        target = self._target(provider, model, dimensions, embedder)
        if target is not None:
            if target is not self._engine.models.configured:
                self._engine.models.offer(target, ours=target is not embedder)
            model_change.begin(self._engine, target)
        if wait:
            return model_change.advance(self._engine, in_bulk=bulk, stop=stop, tell=tell, without_parked=without_parked)
        self._engine.background.wake()
        return model_change.progress(self._engine)

    def _target(
        self, provider: str | None, model: str | None, dimensions: int | None, embedder: Embedder | None
    ) -> Embedder | None:
        """Find whom to move to; None means to go on with the move that is under way."""
        engine = self._engine
        if embedder is not None:
            return embedder
        if provider is None and model is None and dimensions is None:
            if model_change.building(engine.store.spaces()) is not None:
                return None
            if engine.models.configured is None:
                raise InvalidInput("Name a provider: the settings have vectors switched off.")
            return engine.models.configured
        made = create_embedding_provider(
            engine.settings.embedding, provider=provider, model=model, dimensions=dimensions
        )
        if made is None:
            raise InvalidInput("The provider `none` makes no vectors. To switch them off, set embedding.provider.")
        return made

    def estimate(
        self, provider: str | None = None, model: str | None = None, *, dimensions: int | None = None
    ) -> Estimate:
        """Say roughly what embedding everything with a model would take and cost, without asking anybody."""
        target = self._target(provider, model, dimensions, None)
        space = model_change.building(self._engine.store.spaces())
        embedder = target or (self._engine.models.embedder(space) if space else None)
        return batch_embedding.estimate(self._engine, embedder) if embedder else Estimate(0, 0)

    def cancel_reembed(self) -> Space:
        """End a change of the model that is under way; gives the space that was being built, which is kept."""
        return model_change.cancel(self._engine)

    def drop_model(self, name: str) -> Space:
        """Remove the vectors of a model that is no longer searched, as `provider/model` or `provider/model@length`."""
        return model_change.drop(self._engine, name)

    def models(self, *, ask: bool = True) -> tuple[Model, ...]:
        """Give the models whose vectors are there, and the one in the settings; tries each unless `ask` is False."""
        return store_status.models(self._engine, ask=ask)

    def close(self) -> None:
        """Close the store. Calling it twice is fine."""
        self._engine.background.close()
        turns.settle(self._engine)
        self._engine.store.close()
        self._engine.models.close(configured=self._owns_embedder)
        if self._engine.geocoder is not None:
            self._engine.geocoder.close()

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()
