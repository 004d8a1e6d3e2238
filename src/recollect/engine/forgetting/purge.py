"""Removal of the last traces: what forgotten users and items left in tables, statistics, indexes and originals."""

from dataclasses import replace

from recollect.engine.base.context import Engine
from recollect.model.search import Forgotten
from recollect.model.stats import Purged
from recollect.ports import StepListener


def purge(engine: Engine, tell: StepListener | None = None) -> Purged:
    """Remove it all. Safe to interrupt: another purge goes on where this one ended."""
    engine.documents.sweep(lambda name: name in engine.store.known_originals([name]))
    return engine.store.purge(tell or _silent)


def purge_after(engine: Engine, forgotten: Forgotten, tell: StepListener | None = None) -> Forgotten:
    """Purge the store if something was forgotten; `pending` says what is left."""
    if forgotten.action != "deleted":
        return forgotten
    return replace(forgotten, pending=" ".join(purge(engine, tell).failed))


def _silent(_doing: str, _done: int, _total: int) -> None:
    """Report nothing."""
