"""Removal of the last traces: what forgotten users and items left in tables, statistics, indexes and originals."""

from recollect.engine.base.context import Engine
from recollect.model.stats import Purged
from recollect.storage.base import StepListener


def purge(engine: Engine, tell: StepListener | None = None) -> Purged:
    """Remove it all. Safe to interrupt: another purge goes on where this one ended."""
    if not engine.store.away():
        engine.originals.sweep(lambda name: name in engine.store.known_originals([name]))
    return engine.store.purge(tell or _silent)


def _silent(_doing: str, _done: int, _total: int) -> None:
    """Report nothing."""
