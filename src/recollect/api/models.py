"""`memory.models`: embedding models, and moving a store from one to another while it is in use."""

from collections.abc import Callable
from threading import Event

from recollect import embedding
from recollect.engine.base.context import Engine
from recollect.engine.maintenance import store_status
from recollect.engine.vectors import batch_embedding, model_change
from recollect.errors import InvalidInput
from recollect.model.memories import Space
from recollect.model.stats import Estimate, Model, Reembedding, WorkReport
from recollect.ports import Embedder
from recollect.verbs import Verbs


class StoreModels(Verbs):
    """The embedding models of a store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def list(self, *, ask: bool = True) -> tuple[Model, ...]:
        """List the models that have vectors here, and the one in the settings; each is tried unless `ask` is False."""
        return store_status.models(self._engine, ask=ask)

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
        """Migrate to another model while the store is in use, or resume a migration that was interrupted.

        Without arguments it resumes, or migrates to the model that the settings name. Searches use the old vectors
        until every item has a new one; then one transaction switches over. The old vectors are kept until `drop`. With
        `wait=False` it only begins, and leaves the work to the workers. `bulk` says whether to use the provider's batch
        API, which is cheaper and takes up to a day; by default the settings decide. Items that cannot be embedded keep
        it from finishing, unless `without_parked`.
        """
        target = self._target(provider, model, dimensions, embedder)
        if target is not None:
            if target is not self._engine.models.configured:
                self._engine.models.offer(target, owned=target is not embedder)
            model_change.begin(self._engine, target)
        if wait:
            return model_change.advance(self._engine, in_bulk=bulk, stop=stop, tell=tell, without_parked=without_parked)
        self._engine.background.wake()
        return model_change.progress(self._engine)

    def estimate(
        self, provider: str | None = None, model: str | None = None, *, dimensions: int | None = None
    ) -> Estimate:
        """Estimate the tokens and the price of embedding everything with a model, without asking its provider."""
        target = self._target(provider, model, dimensions, None)
        space = model_change.building(self._engine.store.spaces())
        embedder = target or (self._engine.models.embedder(space) if space else None)
        return batch_embedding.estimate(self._engine, embedder) if embedder else Estimate(0, 0)

    def cancel_reembed(self) -> Space:
        """Cancel a migration that is under way; returns the space that was being built, which is kept."""
        return model_change.cancel(self._engine)

    def drop(self, name: str) -> Space:
        """Delete the vectors of a model that is no longer searched: `provider/model` or `provider/model@length`."""
        return model_change.drop(self._engine, name)

    def _target(
        self, provider: str | None, model: str | None, dimensions: int | None, embedder: Embedder | None
    ) -> Embedder | None:
        """Choose the model to migrate to; None means to resume the migration that is under way."""
        engine = self._engine
        if embedder is not None:
            return embedder
        if provider is None and model is None and dimensions is None:
            if model_change.building(engine.store.spaces()) is not None:
                return None
            if engine.models.configured is None:
                raise InvalidInput("Name a provider: the settings have vectors switched off.")
            return engine.models.configured
        created = embedding.create_embedding_provider(
            engine.settings.embedding, provider=provider, model=model, dimensions=dimensions
        )
        if created is None:
            raise InvalidInput("The provider `none` makes no vectors. To switch them off, set embedding.provider.")
        return created
