"""The search log: what was asked, by which program, and with what result, if the setting `serve.search_log` says so."""

from datetime import timedelta
from time import perf_counter
from typing import Final

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.engine.drafts import redaction
from recollect.model.calibration import LEAST_SCORE
from recollect.model.memories import Scope
from recollect.model.search import Recall
from recollect.ports import SearchNote

KEPT: Final = timedelta(days=90)
MOST_KEPT: Final = 10_000  # searches of a user
_MOST_FOUND = 10


def record(engine: Engine, scope: Scope, verb: str, query: str, answer: Recall, *, started: float) -> None:
    """Note a search that began at this reading of `perf_counter`; its query only if the setting says `queries`.

    The log is that of the user who asked, also in a shared scope. It is written in the background.
    """
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
        query=redaction.public_text(engine, query) if setting == "queries" else "",
        user_agent=engine.agent,
        # ids of others' scopes are not noted: who forgets such an item would not reach the log of who asked
        found=""
        if engine.author
        else " ".join(hit.id for hit in answer.hits[:_MOST_FOUND] if hit.score >= LEAST_SCORE and not hit.scope),
    )
    engine.search.notes.add(Scope(engine.author) if engine.author else scope, note)
