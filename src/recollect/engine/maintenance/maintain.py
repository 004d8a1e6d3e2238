"""Maintenance, and one pass of a worker: messages to read, the embedding queues of all spaces in use, a model change,
addresses.

Each step is a transaction of its own or many small ones, so that both may be interrupted anywhere.
"""

from collections.abc import Callable
from datetime import timedelta
from threading import Event

from recollect.engine.base import embedders
from recollect.engine.base.audit import ANSWERS_KEPT
from recollect.engine.base.context import Engine
from recollect.engine.conversations import compact, read_queue
from recollect.engine.forgetting import forget, request
from recollect.engine.maintenance import reindex
from recollect.engine.places import address_lookup
from recollect.engine.search import recall
from recollect.engine.vectors import batch_embedding, embed_queue, embed_texts, model_change
from recollect.engine.vectors.embed_queue import WorkListener
from recollect.errors import EmbeddingError, RecollectError
from recollect.model.memories import Scope
from recollect.model.messages import Compaction
from recollect.model.stats import Maintenance, WorkReport
from recollect.storage.base import CHANGES_KEPT, ERASED

_RETRY_S = 30.0
_POLL_S = 30.0
_MIN_PAUSE_S = 5.0
_ERASE_S = 2.0


def maintain(engine: Engine) -> Maintenance:
    """Run all steps once. Safe to interrupt."""
    request.finish(engine)
    erased = finish_erasure(engine)  # first: on a full disk it may be all that can be done
    expired = sum(forget.expire(engine, scope) for scope in engine.store.users_with_expired(engine.clock.now()))
    reindexed = reindex.reindex(engine)
    idle = engine.settings.compaction
    archived, archive_failures = 0, list[str]()
    if idle.archive_days is not None:
        archived, archive_failures = _fold_idle(engine, timedelta(days=idle.archive_days), compact.archive)
    compacted, compact_failures = _fold_idle(engine, timedelta(hours=idle.idle_hours), compact.compact)
    worked = serve_all(engine, thorough=True)
    unembedded = [f"some texts wait for their vectors: {worked.unavailable}"] if worked.unavailable else []
    embed_texts.trim(engine)
    unreached = engine.unreached()
    if not unreached:
        engine.originals.sweep(lambda name: name in engine.store.known_originals([name]))
    now = engine.clock.now()
    engine.store.forget_old_logs(
        answers=now - ANSWERS_KEPT, changes=now - CHANGES_KEPT, searches=now - recall.LOG_KEPT, sessions=now
    )
    notes = tuple(dict.fromkeys((*engine.store.tune(), *((ERASED,) if erased else ()))))
    failures = (*archive_failures, *compact_failures, *unembedded, *((unreached,) if unreached else ()))
    return Maintenance(worked.embedded, worked.parked, expired, compacted, archived, notes, failures, reindexed)


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


def serve_all(
    engine: Engine, *, stop: Event | None = None, tell: WorkListener | None = None, thorough: bool = False
) -> WorkReport:
    """Serve the queues: messages to read, then vectors, in the searched space first, then addresses, which need some.

    `thorough` also queues items that lack a vector, those of their passages, or an address, and have no job.
    """
    engine.store.recall_jobs_ahead(engine.clock.now())
    engine.store.close_expired_keys(engine.clock.now())
    worked = read_queue.serve(engine, stop=stop)
    worked += _serve_spaces(engine, stop=stop, tell=tell, thorough=thorough)
    geocoded = address_lookup.serve(engine, stop=stop, thorough=thorough)
    if geocoded.located and not worked.unavailable:
        worked += _serve_spaces(engine, stop=stop, tell=embed_queue.add_to(tell, worked), thorough=False)
    return worked + geocoded


def work(engine: Engine, *, stop: Event | None, tell: WorkListener | None = None, thorough: bool = False) -> WorkReport:
    """Run one pass of a worker: serve the queues, and erase what readers kept a `forget` from erasing."""
    try:
        return serve_all(engine, stop=stop, tell=tell, thorough=thorough)
    finally:  # also when the disk is too full for anything else
        finish_erasure(engine)


def finish_erasure(engine: Engine) -> bool:
    """Erase what a `forget` could not, for readers or for want of room, and keep room for the next again.

    Says whether that was all there was to erase.
    """
    is_owed = engine.store.erasure().later
    is_done = is_owed and not engine.store.scrub().reason
    engine.store.restock_reserve()
    return is_done


def _serve_spaces(engine: Engine, *, stop: Event | None, tell: WorkListener | None, thorough: bool) -> WorkReport:
    if engine.models.configured is None:  # vectors are switched off in this process
        return WorkReport()
    try:
        learn_space(engine)
    except EmbeddingError as error:
        return WorkReport(unavailable=str(error), pause_s=_RETRY_S)
    if thorough:
        reindex.owe_missing(engine, stop)
    worked = served = WorkReport()
    spaces = engine.store.spaces()
    for space in filter(None, (model_change.active(spaces), model_change.building(spaces))):
        try:
            if thorough:
                engine.store.owe(space, engine.clock.now())
            served = batch_embedding.serve_space(engine, space, stop=stop, tell=embed_queue.add_to(tell, worked))
        except EmbeddingError as error:  # this process has no embedder for it
            served = WorkReport(unavailable=str(error), pause_s=_RETRY_S)
        worked += served
    # A space that is being built was served last. It does not wait for a provider that is being left.
    if not served.unavailable and model_change.building(engine.store.spaces()) is not None:
        changed = model_change.advance(engine, stop=stop, tell=embed_queue.add_to(tell, worked))
        pause_s = _RETRY_S if changed.unavailable else 0.0
        worked += WorkReport(changed.embedded, 0, changed.unavailable, pause_s)
    if worked.embedded:
        embed_texts.trim(engine)
    return worked


def learn_space(engine: Engine) -> None:
    """Open a space in a store that has none, probing the provider for its length if need be. Raises EmbeddingError."""
    configured = engine.models.configured
    if configured is None or model_change.active(engine.store.spaces()) is not None:
        return
    space = configured.space or embedders.probe(configured)
    if engine.store.stats().items:
        model_change.open_first(engine, space)


def keep_up(engine: Engine, stop: Event) -> float | None:
    """Run one pass of the background thread; gives the seconds until the next one, None if nothing is left to do."""
    try:
        worked = work(engine, stop=stop)
    except RecollectError:  # the store is closed or unavailable; the queue stays
        return _RETRY_S
    if worked.unavailable:
        stop.wait(min(worked.pause_s, _MIN_PAUSE_S))  # however often it is woken meanwhile
        return max(worked.pause_s - _MIN_PAUSE_S, 0.0)
    if worked.unlocated_s:
        return worked.unlocated_s
    waiting = worked.in_bulk or engine.store.stats().pending_jobs  # in a batch, leased by others, or due another time
    if not waiting and engine.settings.auto_capture:
        waiting = engine.store.unread().waiting
    if not waiting and engine.geocoder is not None:
        waiting, _ = engine.store.geocoding_counts()
    if engine.store.erasure().later:
        return _ERASE_S
    return _POLL_S if waiting else None
