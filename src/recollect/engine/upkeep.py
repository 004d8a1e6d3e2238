"""Maintenance: gives vectors to the rows that still lack one, and lets the store tidy up."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.engine import drafting
from recollect.engine.context import Engine
from recollect.errors import EmbeddingError
from recollect.ports import EmbedJob, Writer
from recollect.types import Maintenance, Scope, Space, Vector

_BATCH = 64
_LEASE = timedelta(minutes=5)
_MOST_ATTEMPTS = 5


def maintain(engine: Engine) -> Maintenance:
    """Drain the embedding jobs of all users and tune the store."""
    embedded = parked = 0
    space = engine.space
    if space is not None:
        for scope in engine.store.users_with_jobs(engine.clock.now()):
            done, given_up = _drain(engine, scope, space)
            embedded, parked = embedded + done, parked + given_up
    return Maintenance(embedded, parked, tuple(engine.store.tune()))


def _drain(engine: Engine, scope: Scope, space: Space) -> tuple[int, int]:
    embedded = parked = 0
    while jobs := _claim(engine, scope):
        done, given_up = _serve(engine, scope, jobs, space)
        embedded, parked = embedded + done, parked + given_up
    return embedded, parked


def _serve(engine: Engine, scope: Scope, jobs: Sequence[EmbedJob], space: Space) -> tuple[int, int]:
    """Embed a batch. When it fails again, one by one: a text that nobody can embed must not hold up its neighbours."""
    try:
        vectors = engine.embed([drafting.passage(job.record) for job in jobs], "passage")
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
        texts = {record.id: drafting.passage(record) for record in writer.get([job.record.id for job in jobs])}
        rows = [row for row, job in enumerate(jobs) if texts.get(job.record.id) == drafting.passage(job.record)]
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
