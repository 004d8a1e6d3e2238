"""Large amounts through a provider's batch API: handed in, waited for, collected, whoever is running by then.

A batch is noted before anything is handed in, and the provider's id as soon as there is one, so that any process can go
on. Jobs are part of a batch until it is over; what it did not bring is done in the ordinary way. A process that is
killed between handing in and noting the id leaves a batch behind at the provider that nobody collects: the texts are
embedded again, and the price of one batch is lost.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from threading import Event
from typing import Final

from recollect import ids
from recollect.engine import calibrating, embedding, working
from recollect.engine.context import Engine
from recollect.engine.passages import passage_of
from recollect.engine.working import Tell
from recollect.errors import EmbeddingError, InvalidVector, ProviderUnavailable, TextRefused
from recollect.figures import BulkBatch, BulkState, Estimate, Worked
from recollect.messages import Usage
from recollect.ports import BulkEmbedder, BulkOutcome, Embedder, EmbedJob, RemoteEmbedder
from recollect.types import Scope, Space
from recollect.vectors import as_unit

SHARE_OF_PRICE: Final = 0.5  # what the providers that have a batch API ask for, compared with the usual price

_POLL = timedelta(seconds=30)
_CHARACTERS_PER_TOKEN = 3.5
_OPEN = ("submitting", "running")


def serve_space(
    engine: Engine, space: Space, *, bulk: bool | None = None, stop: Event | None = None, tell: Tell | None = None
) -> Worked:
    """Serve what is due in a space: in batches if that is wanted, otherwise at once.

    `bulk` says whether it is wanted; None leaves it to the settings.
    """
    worked = _served(engine, space, bulk=bulk, stop=stop, tell=tell)
    if worked.embedded and not worked.unavailable:
        calibrating.calibrate(engine, space)
    return worked


def _served(engine: Engine, space: Space, *, bulk: bool | None, stop: Event | None, tell: Tell | None) -> Worked:
    embedder = engine.models.embedder(space)
    batches = embedder.bulk if isinstance(embedder, RemoteEmbedder) else None
    if batches is None:
        return working.drain(engine, space, stop=stop, tell=tell)
    try:
        worked = _collect(engine, space, batches)
        if _is_wanted(engine, space, bulk=bulk):
            worked += _hand_in(engine, space, batches)
    except ProviderUnavailable as error:
        return Worked(unavailable=str(error), pause_s=error.retry_after_s or _POLL.total_seconds())
    worked += working.drain(engine, space, stop=stop, tell=tell)
    return replace(worked, in_bulk=sum(one.texts for one in open_batches(engine, space)))


def open_batches(engine: Engine, space: Space) -> list[BulkBatch]:
    """Give the batches of a space that are not over."""
    return [one for one in engine.store.bulks() if one.space == space and one.state in _OPEN]


def _is_wanted(engine: Engine, space: Space, *, bulk: bool | None) -> bool:
    settings = engine.settings.embedding
    if bulk is not None:
        return bulk
    if settings.bulk != "auto":
        return settings.bulk == "always"
    in_batches = sum(one.texts for one in open_batches(engine, space))
    return sum(one.waiting for one in engine.store.coverage(space)) - in_batches >= settings.bulk_threshold


def _hand_in(engine: Engine, space: Space, batches: BulkEmbedder) -> Worked:
    """Hand in everything that is due; what was paid for before needs no batch."""
    worked, most = Worked(), batches.most_texts
    while True:
        begun = _begun(engine, space)
        engine.store.save_bulk(begun)
        now = engine.clock.now()
        jobs = engine.store.claim_jobs(space, most, now=now, lease_until=now, bulk=begun.id)
        if not jobs:
            engine.store.delete_bulk(begun)
            return worked
        known = working.serve_known(engine, jobs)
        worked += Worked(embedded=len(jobs) - len(known))
        if not known:
            engine.store.delete_bulk(begun)
            continue
        try:
            provider_id = batches.submit({_name(job): _text(job) for job in known})
        except EmbeddingError as error:
            _close(engine, begun, "failed", str(error))
            if isinstance(error, ProviderUnavailable):
                raise
            most = len(known) // 2  # it was too large, or holds a text that no batch can, which is found elsewhere
            if not most:
                return worked
            continue
        tokens = sum(engine.tokenizer.count(_text(job)) for job in known)
        running = replace(begun, provider_id=provider_id, state="running", texts=len(known), tokens=tokens)
        engine.store.save_bulk(running)


def _begun(engine: Engine, space: Space) -> BulkBatch:
    now = engine.clock.now()
    return BulkBatch(ids.new(now), space, "", "submitting", 0, 0, 0, "", now, now)


def _collect(engine: Engine, space: Space, batches: BulkEmbedder) -> Worked:
    """Look how far the open batches are, and take what is finished."""
    worked = Worked()
    now = engine.clock.now()
    for one in open_batches(engine, space):
        if one.state == "submitting":
            if now - one.checked_at > timedelta(seconds=engine.settings.embedding.lease_s):
                _close(engine, one, "failed", "whoever was handing it in ended before the provider had taken it")
            continue
        if one.checked_at > one.submitted_at and now - one.checked_at < _POLL:
            continue
        progress = batches.progress(one.provider_id)
        seen = replace(one, done=progress.done, reason=progress.reason, checked_at=engine.clock.now())
        if progress.phase == "running":
            engine.store.save_bulk(seen)
        else:
            worked += _taken(engine, seen, batches.collect(one.provider_id), failed=progress.phase == "failed")
    return worked


def _taken(engine: Engine, one: BulkBatch, outcome: BulkOutcome, *, failed: bool) -> Worked:
    """Store what a batch brought. What it refused is to blame; what it did not do is done in the ordinary way."""
    jobs = {_name(job): job for job in engine.store.bulk_jobs(one)}
    vectors, refused = {}, dict(outcome.failed)
    for name, vector in outcome.vectors.items():
        try:
            vectors[name] = as_unit(vector, one.space.dimensions)
        except InvalidVector as error:
            refused[name] = str(error)
    served = [job for name, job in jobs.items() if name in vectors]
    worked = Worked()
    if served:
        paid, usages = _payment(engine, served, outcome.usage)
        done = working.finish(engine, served, [vectors[_name(job)] for job in served], paid, usages)
        worked += Worked(embedded=done)
    for name, job in jobs.items():
        if name in refused:
            worked += working.blame(engine, job, TextRefused(refused[name]))
    tokens = outcome.usage.tokens or one.tokens
    _close(engine, replace(one, tokens=tokens, done=len(served)), "failed" if failed else "collected", one.reason)
    return worked


def _payment(engine: Engine, jobs: Sequence[EmbedJob], usage: Usage) -> tuple[dict[int, str], Mapping[Scope, Usage]]:
    """Say under which keys vectors are kept, and divide the cost among the users."""
    users = working.by_user(jobs)
    weights = [sum(len(_text(jobs[position])) for position in positions) for positions in users.values()]
    usages = dict(zip(users, embedding.shares(usage, weights), strict=True))
    if not engine.settings.embedding.cache_mb:
        return {}, usages
    return {position: embedding.text_key(job.scope, _text(job)) for position, job in enumerate(jobs)}, usages


def _close(engine: Engine, one: BulkBatch, state: BulkState, reason: str) -> None:
    """Note the end of a batch, and give back what is still part of it."""
    engine.store.release_bulk(one, reason, engine.clock.now())
    engine.store.save_bulk(replace(one, state=state, reason=reason, checked_at=engine.clock.now()))


def cancel(engine: Engine, space: Space) -> None:
    """End the batches of a space that nobody wants any more. A provider that cannot be asked finds out by itself."""
    for one in open_batches(engine, space):
        with suppress(EmbeddingError):
            embedder = engine.models.embedder(space)
            if one.provider_id and isinstance(embedder, RemoteEmbedder) and embedder.bulk is not None:
                embedder.bulk.cancel(one.provider_id)
        _close(engine, one, "cancelled", "the change of the model was cancelled")


def estimate(engine: Engine, embedder: Embedder) -> Estimate:
    """Say roughly what embedding everything with this embedder would take."""
    stats = engine.store.stats()
    tokens = round(engine.store.characters() / _CHARACTERS_PER_TOKEN)
    price = embedder.price if isinstance(embedder, RemoteEmbedder) else 0.0
    cost = None if price is None else tokens * price / 1e6
    in_bulk = isinstance(embedder, RemoteEmbedder) and embedder.bulk is not None
    bulk_cost = cost * SHARE_OF_PRICE if cost is not None and in_bulk else None
    return Estimate(stats.memories + stats.messages, tokens, cost, bulk_cost)


def _text(job: EmbedJob) -> str:
    return embedding.spoken(passage_of(job.item))


def _name(job: EmbedJob) -> str:
    """Name a text by its item and by what it says: a batch takes a day, and items change."""
    return f"{job.item.id}-{embedding.text_key(job.scope, passage_of(job.item))[:12]}"
