"""Large amounts through a provider's batch API: handed in, waited for, collected, whoever is running by then.

A batch is noted before anything is handed in, and the provider's id as soon as there is one, so that any process can go
on. Jobs are part of a batch until it is over; what it did not bring is done in the ordinary way. A process that is
killed between handing in and noting the id leaves a batch behind at the provider that nobody collects: the texts are
embedded again, and the price of one batch is lost.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import Event
from typing import Final

from recollect import ids
from recollect.engine.base import call_embedder
from recollect.engine.base.context import Engine
from recollect.engine.drafts.searchable_text import passage_of
from recollect.engine.vectors import calibration, embed_queue, embed_texts
from recollect.engine.vectors.embed_queue import WorkListener
from recollect.errors import EmbeddingError, InvalidVector, ProviderUnavailable, TextRefused
from recollect.model.memories import Scope, Space
from recollect.model.messages import Usage
from recollect.model.stats import BulkBatch, BulkState, Estimate, WorkReport
from recollect.model.vectors import as_unit
from recollect.ports import BulkEmbedder, BulkOutcome, Embedder, EmbedJob, RemoteEmbedder

SHARE_OF_PRICE: Final = 0.5  # what the providers that have a batch API ask for, compared with the usual price

_POLL = timedelta(seconds=30)
_LONGEST_HAND_IN = timedelta(hours=1)  # uploads take their time; whoever takes longer than this has died
_LONGEST_WAIT = timedelta(hours=48)  # for what providers promise within a day
_ORDINARY = timedelta(hours=1)  # for so long nothing is handed in after a batch has failed
_MOST_HAND_INS = 10  # that may fail within that time before the provider has taken anything
_KEPT = timedelta(days=7)
_CHARACTERS_PER_TOKEN = 3.5


@dataclass(frozen=True, slots=True)
class _Collected:
    """What came of looking at batches: whether something was `left` undone, and the `trouble` of asking, if any."""

    worked: WorkReport = field(default_factory=WorkReport)
    left: bool = False
    trouble: WorkReport = field(default_factory=WorkReport)

    def __add__(self, other: "_Collected") -> "_Collected":
        return _Collected(self.worked + other.worked, self.left or other.left, self.trouble + other.trouble)


def serve_space(
    engine: Engine,
    space: Space,
    *,
    bulk: bool | None = None,
    stop: Event | None = None,
    tell: WorkListener | None = None,
) -> WorkReport:
    """Serve what is due in a space: in batches if that is wanted, otherwise at once.

    `bulk` says whether it is wanted; None leaves it to the settings.
    """
    worked = _served(engine, space, bulk=bulk, stop=stop, tell=tell)
    if worked.embedded and not worked.unavailable:
        calibration.calibrate(engine, space)
    return worked


def _served(
    engine: Engine, space: Space, *, bulk: bool | None, stop: Event | None, tell: WorkListener | None
) -> WorkReport:
    embedder = engine.models.embedder(space)
    batches = embedder.bulk if isinstance(embedder, RemoteEmbedder) else None
    if batches is None:
        return embed_queue.drain(engine, space, stop=stop, tell=tell)
    engine.store.forget_bulks(engine.clock.now() - _KEPT)
    collected = _collect(engine, space, batches)
    worked = collected.worked
    if not collected.left and _is_wanted(engine, space, bulk=bulk):
        worked += _hand_in(engine, space, batches)
    if not worked.unavailable:
        worked += embed_queue.drain(engine, space, stop=stop, tell=tell)
    if not worked.embedded:  # otherwise the provider is there, and one batch has its troubles
        worked += collected.trouble
    return replace(worked, in_bulk=sum(one.texts for one in engine.store.open_bulks(space)))


def _is_wanted(engine: Engine, space: Space, *, bulk: bool | None) -> bool:
    settings = engine.settings.embedding
    failed = engine.store.failed_bulks(space, engine.clock.now() - _ORDINARY)
    if any(one.provider_id for one in failed) or len(failed) >= _MOST_HAND_INS:
        return False
    if bulk is not None:
        return bulk
    if settings.bulk != "auto":
        return settings.bulk == "always"
    in_batches = sum(one.texts for one in engine.store.open_bulks(space))
    return sum(one.waiting for one in engine.store.coverage(space)) - in_batches >= settings.bulk_threshold


def _hand_in(engine: Engine, space: Space, batches: BulkEmbedder) -> WorkReport:
    """Hand in everything that is due; what was paid for before needs no batch."""
    worked, most = WorkReport(), batches.most_texts
    while most:
        begun = _begun(engine, space)
        engine.store.save_bulk(begun)
        now = engine.clock.now()
        jobs = engine.store.claim_jobs(space, most, now=now, lease_until=now, bulk=begun.id)
        if not jobs:
            engine.store.delete_bulk(begun)
            break
        new = embed_queue.serve_known(engine, jobs)
        worked += WorkReport(embedded=len(jobs) - len(new))
        if not new:
            engine.store.delete_bulk(begun)
            continue
        try:
            _submit(engine, begun, new, batches)
        except ProviderUnavailable as error:
            _close(engine, begun, "failed", "the provider could not take the batch")
            return worked + _unavailable(error)
        except EmbeddingError:
            most = len(new) // 2  # it was too large, or holds a text that no batch can, which is found elsewhere
            _close(engine, begun, "failed", "the provider did not accept the batch")
            if most:
                engine.store.delete_bulk(begun)
    return worked


def _begun(engine: Engine, space: Space) -> BulkBatch:
    now = engine.clock.now()
    return BulkBatch(ids.new(now), space, "", "submitting", 0, 0, 0, "", now, now)


def _submit(engine: Engine, begun: BulkBatch, jobs: Sequence[EmbedJob], batches: BulkEmbedder) -> None:
    """Hand in a batch and note its id at once. One that was given up meanwhile is nobody's; its texts are due again."""
    texts = {_name(job): _text(job) for job in jobs}
    tokens = sum(map(engine.tokenizer.count, texts.values()))
    provider_id = batches.submit(texts)
    running = replace(begun, provider_id=provider_id, state="running", texts=len(jobs), tokens=tokens)
    if not engine.store.change_bulk(begun, running):
        _abandon(batches, provider_id)


def _collect(engine: Engine, space: Space, batches: BulkEmbedder) -> _Collected:
    """Look how far the open batches are, and take what is finished. No batch keeps us from the others."""
    collected = _Collected()
    for one in engine.store.open_bulks(space):
        now = engine.clock.now()
        held = replace(one, state="collecting", checked_at=now)
        if _is_due(engine, one, now) and engine.store.change_bulk(one, held):  # otherwise it is somebody else's
            collected += _looked_at(engine, held, batches)
    return collected


def _is_due(engine: Engine, one: BulkBatch, now: datetime) -> bool:
    """Say whether to look at a batch: not all the time, and not while somebody else may be at it."""
    if one.state == "running":
        return one.checked_at == one.submitted_at or now - one.checked_at >= _POLL
    lease = timedelta(seconds=engine.settings.embedding.lease_s)
    return now - one.checked_at > (_LONGEST_HAND_IN if one.state == "submitting" else lease)


def _looked_at(engine: Engine, held: BulkBatch, batches: BulkEmbedder) -> _Collected:
    """Ask about a batch that nobody else is looking at. If that cannot be done now it is done later, for two days."""
    if not held.provider_id:
        _close(engine, held, "failed", "whoever was handing it in ended before the provider had taken it")
        return _Collected()
    done, trouble = held.done, WorkReport()
    try:
        progress = batches.progress(held.provider_id)
        if progress.phase != "running":
            outcome = batches.collect(held.provider_id)
            return _stored(engine, held, outcome, batches, failed=progress.phase == "failed")
        done = progress.done
    except ProviderUnavailable as error:
        trouble = _unavailable(error)
    except EmbeddingError:
        return _given_up(engine, held, batches, "the provider gave no usable answer about the batch")
    now = engine.clock.now()
    if now - held.submitted_at > _LONGEST_WAIT:
        return _given_up(engine, held, batches, "the batch was not finished in time")
    engine.store.change_bulk(held, replace(held, state="running", done=done, checked_at=now))
    return _Collected(trouble=trouble)


def _given_up(engine: Engine, held: BulkBatch, batches: BulkEmbedder, reason: str) -> _Collected:
    _close(engine, held, "failed", reason)
    _abandon(batches, held.provider_id)
    return _Collected(left=True)


def _abandon(batches: BulkEmbedder, provider_id: str) -> None:
    """End a batch at the provider and let it remove the texts, if it can be asked."""
    for ask in (batches.cancel, batches.forget):
        with suppress(EmbeddingError):
            ask(provider_id)


def _stored(
    engine: Engine, held: BulkBatch, outcome: BulkOutcome, batches: BulkEmbedder, *, failed: bool
) -> _Collected:
    """Store what was fetched, unless that took so long that somebody else fetches it by now."""
    fetched = replace(held, checked_at=engine.clock.now())
    if not engine.store.change_bulk(held, fetched):
        return _Collected()
    collected = _taken(engine, fetched, outcome, failed=failed)
    with suppress(EmbeddingError):
        batches.forget(held.provider_id)
    return collected


def _taken(engine: Engine, one: BulkBatch, outcome: BulkOutcome, *, failed: bool) -> _Collected:
    """Store what a batch brought. What it refused is to blame; what it did not do is done in the ordinary way."""
    jobs = {_name(job): job for job in engine.store.bulk_jobs(one)}
    vectors, refused = {}, dict(outcome.failed)
    for name, vector in outcome.vectors.items():
        try:
            vectors[name] = as_unit(vector, one.space.dimensions)
        except InvalidVector as error:
            refused[name] = str(error)
    served = [job for name, job in jobs.items() if name in vectors]
    worked = WorkReport()
    if served:
        paid, usages = _payment(engine, served, outcome.tokens)
        done = embed_queue.finish(engine, served, [vectors[_name(job)] for job in served], paid, usages)
        worked += WorkReport(embedded=done)
    for name, job in jobs.items():
        if name in refused:
            worked += embed_queue.blame(engine, job, TextRefused(refused[name]))
    over = replace(one, tokens=outcome.usage.tokens or one.tokens, done=len(outcome.vectors))
    if failed:
        _close(engine, over, "failed", "the batch failed at the provider, or ran out of time there")
    else:
        _close(engine, over, "collected", "")
    return _Collected(worked, left=not jobs.keys() <= vectors.keys() | refused.keys())


def _payment(
    engine: Engine, jobs: Sequence[EmbedJob], tokens: Mapping[str, int]
) -> tuple[dict[int, str], Mapping[Scope, Usage]]:
    """Say under which keys vectors are kept, and what each user's texts cost: each its own, whoever else is served."""
    usages = {
        scope: Usage(sum(tokens.get(_name(jobs[position]), 0) for position in positions))
        for scope, positions in embed_queue.by_user(jobs).items()
    }
    if not engine.settings.embedding.cache_mb:
        return {}, usages
    return {position: embed_texts.text_key(job.scope, _text(job)) for position, job in enumerate(jobs)}, usages


def _unavailable(error: ProviderUnavailable) -> WorkReport:
    return WorkReport(unavailable=str(error), pause_s=embed_queue.pause_after(error))


def _close(engine: Engine, one: BulkBatch, state: BulkState, reason: str) -> None:
    """Note the end of a batch, and give back what is still part of it.

    The reason is for everybody whose texts were in it, so it never has words of the provider's, which may quote one.
    """
    engine.store.release_bulk(one, reason, engine.clock.now())
    engine.store.change_bulk(one, replace(one, state=state, reason=reason, checked_at=engine.clock.now()))


def cancel(engine: Engine, space: Space) -> None:
    """End the batches of a space that nobody wants any more. A provider that cannot be asked finds out by itself."""
    for one in engine.store.open_bulks(space):
        now = engine.clock.now()
        engine.store.release_bulk(one, "the change of the model was cancelled", now)
        ended = replace(one, state="cancelled", reason="the change of the model was cancelled", checked_at=now)
        engine.store.save_bulk(ended)
        with suppress(EmbeddingError):
            embedder = engine.models.embedder(space)
            if one.provider_id and isinstance(embedder, RemoteEmbedder) and embedder.bulk is not None:
                _abandon(embedder.bulk, one.provider_id)


def estimate(engine: Engine, embedder: Embedder) -> Estimate:
    """Say roughly what embedding everything with this embedder would take."""
    stats = engine.store.stats()
    tokens = round(engine.store.characters() / _CHARACTERS_PER_TOKEN)
    price = embedder.price if isinstance(embedder, RemoteEmbedder) else 0.0
    cost = None if price is None else tokens * price / 1e6
    in_bulk = isinstance(embedder, RemoteEmbedder) and embedder.bulk is not None
    bulk_cost = cost * SHARE_OF_PRICE if cost is not None and in_bulk else None
    return Estimate(stats.items, tokens, cost, bulk_cost)


def _text(job: EmbedJob) -> str:
    return call_embedder.spoken(passage_of(job.item))


def _name(job: EmbedJob) -> str:
    """Name a text by its item and by what it says: a batch takes a day, and items change."""
    return f"{job.item.id}-{embed_texts.text_key(job.scope, passage_of(job.item))[:12]}"
