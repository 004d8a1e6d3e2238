"""Figures about searches, for those who asked for them with `serve.search_log`."""

from collections.abc import Callable
from contextlib import suppress
from time import perf_counter

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.errors import StoreError
from recollect.model.memories import Recall, Scope
from recollect.ports import SearchNote


def noted(engine: Engine, scope: Scope, verb: str, query: str, search: Callable[[], Recall]) -> Recall:
    """Search, and note how that went; what was searched for only if that is wanted, too."""
    wanted = engine.settings.serve.search_log
    if wanted == "off":
        return search()
    started = perf_counter()
    found = search()
    now = engine.clock.now()
    note = SearchNote(
        id=ids.new(now),
        asked_at=now,
        verb=verb,
        hits=len(found.hits),
        took_ms=1000 * (perf_counter() - started),
        answerable=found.answerable,
        degraded=" ".join(found.degraded),
        query=query if wanted == "queries" else "",
    )
    with suppress(StoreError):  # figures are not worth an answer
        engine.store.note_search(scope, note)
    return found
