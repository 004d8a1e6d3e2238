"""Verbs that only read may be answered by a read replica; all others ask the primary."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from recollect.engine.base.context import Engine
from recollect.model.memories import Scope
from recollect.ports import Store, StoreReader

T = TypeVar("T")


class ReplicaReads:
    """A store whose reads may go to a replica. Everything else goes on as it is."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, scope: Scope, work: Callable[[StoreReader], T], *, replica: bool = True) -> T:
        """Run questions against one snapshot."""
        return self._store.read(scope, work, replica=replica)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever else a store has
        """Give everything else as the store has it."""
        return getattr(self._store, name)


def from_replicas(engine: Engine) -> Engine:
    """Give an engine for verbs that only read."""
    if not engine.settings.postgres.replicas:
        return engine
    return replace(engine, store=cast("Store", ReplicaReads(engine.store)))
