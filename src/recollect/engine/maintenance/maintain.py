"""Maintenance: expire, reindex, archive, compact, embed, and tune the store.

Each step is a transaction of its own or many small ones, so that maintenance may be interrupted anywhere.
"""

from collections.abc import Callable
from datetime import timedelta

from recollect.engine.base.audit import ANSWERS_KEPT
from recollect.engine.base.context import Engine
from recollect.engine.conversations import compact
from recollect.engine.forgetting import forget, request
from recollect.engine.maintenance import reindex, worker_pass
from recollect.engine.search import recall
from recollect.engine.vectors import embed_texts
from recollect.model.memories import Scope
from recollect.model.messages import Compaction
from recollect.model.stats import Maintenance
from recollect.storage.base import CHANGES_KEPT, ERASED


def maintain(engine: Engine) -> Maintenance:
    """Run all steps once. Safe to interrupt."""
    request.finish(engine)
    erased = worker_pass.finish_erasure(engine)  # first: on a full disk it may be all that can be done
    expired = sum(forget.expire(engine, scope) for scope in engine.store.users_with_expired(engine.clock.now()))
    reindexed = reindex.reindex(engine)
    archived, archive_failures = _archive(engine)
    silent_for = timedelta(hours=engine.settings.compaction.idle_hours)
    compacted, compact_failures = _fold_idle(engine, silent_for, compact.compact)
    worked = worker_pass.serve_all(engine, thorough=True)
    unembedded = [f"some texts wait for their vectors: {worked.unavailable}"] if worked.unavailable else []
    embed_texts.trim(engine)
    unreached = engine.unreached()
    if not unreached:
        engine.originals.sweep(lambda name: name in engine.store.known_originals([name]))
    _prune_logs(engine)
    notes = tuple(dict.fromkeys((*engine.store.tune(), *((ERASED,) if erased else ()))))
    failures = (*archive_failures, *compact_failures, *unembedded, *((unreached,) if unreached else ()))
    return Maintenance(worked.embedded, worked.parked, expired, compacted, archived, notes, failures, reindexed)


def _prune_logs(engine: Engine) -> None:
    """Prune stored responses, changes and the search log to their retention periods, and sessions that have ended."""
    now = engine.clock.now()
    engine.store.forget_old_logs(
        answers=now - ANSWERS_KEPT, changes=now - CHANGES_KEPT, searches=now - recall.LOG_KEPT, sessions=now
    )


def _archive(engine: Engine) -> tuple[int, list[str]]:
    """Archive conversations that have been silent for very long."""
    days = engine.settings.compaction.archive_days
    if days is None:
        return 0, []
    return _fold_idle(engine, timedelta(days=days), compact.archive)


def _fold_idle(
    engine: Engine, silence: timedelta, fold: Callable[[Engine, Scope, str], Compaction]
) -> tuple[int, list[str]]:
    done, failed = 0, []
    for scope, conversation in engine.store.idle_conversations(engine.clock.now() - silence):
        outcome = fold(engine, scope, conversation)
        done += outcome.action == "compacted"
        if outcome.action == "failed":
            failed.append(f"a conversation could not be summarised: {outcome.reason}")
        elif outcome.degraded:
            failed.append(f"the local summarizer served: {outcome.reason}")
    return done, list(dict.fromkeys(failed))
