"""Maintenance: what is old is put away, what waits for terms or a vector gets them, and the store tidies up.

Each step is a transaction of its own or many small ones, so that a round may be interrupted anywhere and begun again.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from recollect.engine import compact, forget, reindexing
from recollect.engine.context import Engine
from recollect.engine.passages import passage_of
from recollect.errors import EmbeddingError
from recollect.messages import Compaction, Message
from recollect.ports import EmbedJob, Writer
from recollect.types import Maintenance, MemoryRecord, Scope, Space, Vector

_BATCH = 64
_LEASE = timedelta(minutes=5)
_MOST_ATTEMPTS = 5
_MOST_FAILURES = 3


def maintain(engine: Engine) -> Maintenance:
    """Expire, fold and put away what is old, index and embed what waits, and tune the store. Safe to interrupt."""
    expired = sum(forget.expire(engine, scope) for scope in engine.store.users_with_expired(engine.clock.now()))
    reindexed = reindexing.reindex(engine)
    archived, gone_wrong = _archive(engine)
    compacted, failed = _compact(engine)
    embedded = parked = 0
    space = engine.space
    if space is not None:
        for scope in engine.store.users_with_jobs(engine.clock.now()):
            done, given_up = _drain(engine, scope, space)
            embedded, parked = embedded + done, parked + given_up
    notes = tuple(engine.store.tune())
    return Maintenance(embedded, parked, expired, compacted, archived, notes, (*gone_wrong, *failed), reindexed)


def _archive(engine: Engine) -> tuple[int, list[str]]:
    """Fold conversations whole that have been silent for very long."""
    days = engine.settings.compaction.archive_days
    if days is None:
        return 0, []
    return _fold_idle(engine, timedelta(days=days), compact.archive)


def _compact(engine: Engine) -> tuple[int, list[str]]:
    """Fold the older part of conversations that have been silent for a while."""
    return _fold_idle(engine, timedelta(hours=engine.settings.compaction.idle_hours), compact.compact)


def _fold_idle(
    engine: Engine, silence: timedelta, fold: Callable[[Engine, Scope, str], Compaction]
) -> tuple[int, list[str]]:
    done, failed = 0, []
    for scope, conversation in engine.store.idle_conversations(engine.clock.now() - silence):
        outcome = fold(engine, scope, conversation)
        done += outcome.action == "compacted"
        if outcome.action == "failed":
            failed.append(f"a conversation could not be summarised: {outcome.reason}")
            if engine.summarizer.costs and len(failed) >= _MOST_FAILURES:
                break  # the model seems to be away, and every try waits for it
    return done, failed


def embed_waiting(engine: Engine, scope: Scope) -> None:
    """Give vectors to one batch of what a user's turn has left waiting; what cannot be done now stays in the queue."""
    space = engine.space
    if space is not None:
        jobs = _claim(engine, scope)
        if jobs:
            _serve(engine, scope, jobs, space)


def _drain(engine: Engine, scope: Scope, space: Space) -> tuple[int, int]:
    embedded = parked = 0
    while jobs := _claim(engine, scope):
        done, given_up = _serve(engine, scope, jobs, space)
        embedded, parked = embedded + done, parked + given_up
    return embedded, parked


def _serve(engine: Engine, scope: Scope, jobs: Sequence[EmbedJob], space: Space) -> tuple[int, int]:
    """Embed a batch. When it fails again, one by one: a text that nobody can embed must not hold up its neighbours."""
    try:
        vectors = engine.embed([passage_of(job.item) for job in jobs], "passage")
    except EmbeddingError as error:
        if len(jobs) > 1 and any(job.attempts > 1 for job in jobs):
            served = [_serve(engine, scope, [job], space) for job in jobs]
            return sum(done for done, _ in served), sum(given_up for _, given_up in served)
        return 0, _postpone(engine, scope, jobs, str(error))
    return _finish(engine, scope, jobs, vectors, space), 0


def _claim(engine: Engine, scope: Scope) -> Sequence[EmbedJob]:
    now = engine.clock.now()
    return engine.store.write(scope, lambda writer: writer.claim_jobs(_BATCH, now, now + _LEASE))


def _finish(engine: Engine, scope: Scope, jobs: Sequence[EmbedJob], vectors: Vector, space: Space) -> int:
    """Store the vectors of texts that are still what they were; a text that was changed meanwhile has a job anew."""
    now = engine.clock.now()

    def work(writer: Writer) -> int:
        wanted = [job.item.id for job in jobs]
        items: list[MemoryRecord | Message] = [*writer.get(wanted), *writer.get_messages(wanted)]
        texts = {item.id: passage_of(item) for item in items}
        rows = [row for row, job in enumerate(jobs) if texts.get(job.item.id) == passage_of(job.item)]
        if rows:
            writer.finish_jobs([jobs[row] for row in rows], vectors[rows], space, now)
        return len(rows)

    return engine.store.write(scope, work)


def _postpone(engine: Engine, scope: Scope, jobs: Sequence[EmbedJob], reason: str) -> int:
    """Try again later, ever more patiently; after the last attempt wait for a person."""
    now = engine.clock.now()

    def work(writer: Writer) -> int:
        for job in jobs:
            writer.postpone_job(job, reason, _next_try(job, now))
        return sum(_next_try(job, now) is None for job in jobs)

    return engine.store.write(scope, work)


def _next_try(job: EmbedJob, now: datetime) -> datetime | None:
    return None if job.attempts >= _MOST_ATTEMPTS else now + timedelta(minutes=2**job.attempts)
