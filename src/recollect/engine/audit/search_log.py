"""The search log: figures about searches, kept if the setting `serve.search_log` says so."""

from contextlib import suppress
from time import perf_counter

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.errors import StoreError
from recollect.model.memories import Scope
from recollect.model.search import Recall
from recollect.ports import SearchNote


def record(engine: Engine, scope: Scope, verb: str, query: str, answer: Recall, *, started: float) -> None:
    """Note a search that began at this reading of `perf_counter`; its query only if the setting says `queries`."""
    setting = engine.settings.serve.search_log
    if setting == "off":
        return
    now = engine.clock.now()
    note = SearchNote(
        id=ids.new(now),
        asked_at=now,
        verb=verb,
        hits=len(answer.hits),
        took_ms=1000 * (perf_counter() - started),
        answerable=answer.answerable,
        degraded=" ".join(answer.degraded),
        query=query if setting == "queries" else "",
    )
    with suppress(StoreError):  # an answer is worth more than its figures
        engine.store.note_search(scope, note)
