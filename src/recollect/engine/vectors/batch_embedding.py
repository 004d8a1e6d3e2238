"""A provider's batch API for large amounts: submitted, polled and collected, by any worker.

A batch is recorded before it is submitted, and its provider id as soon as there is one, so that any process can go on.
Jobs belong to a batch until it is over; what it did not bring is embedded in the ordinary way. A process that is killed
between submitting and recording the id loses the price of one batch: its texts are embedded again.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import accumulate
from threading import Event
from typing import Final

import numpy as np

from recollect import ids
from recollect.engine.base import embedders
from recollect.engine.base.context import Engine
from recollect.engine.drafts.items import embedded_texts
from recollect.engine.vectors import embed_queue, embed_texts
from recollect.engine.vectors.embed_queue import WorkListener
from recollect.errors import EmbeddingError, InvalidVector, ProviderUnavailable, RecollectError, TextRefused
from recollect.model.memories import Scope, Space, Vector
from recollect.model.messages import Usage
from recollect.model.stats import BulkBatch, BulkState, Estimate, WorkReport
from recollect.model.vectors import as_unit
from recollect.ports import BulkEmbedder, BulkOutcome, Embedder, RemoteEmbedder
from recollect.storage.base import EmbedJob

SHARE_OF_PRICE: Final = 0.5  # what the providers that have a batch API ask for, compared with the usual price

_POLL = timedelta(seconds=30)
_MAX_SUBMIT = timedelta(hours=1)  # a process that takes longer for an upload has died
_MAX_WAIT = timedelta(hours=48)  # for what providers promise within a day
_COOLDOWN = timedelta(hours=1)  # without batches after one has failed
_MAX_SUBMITS = 10  # that may fail within that time before the provider has taken anything
_KEPT = timedelta(days=7)
_CHARACTERS_PER_TOKEN = 3.5
PAIRS = (
    ("When does the last train to the coast leave?", "The harbour line runs until ten past eleven at night."),
    ("Which medicine must not be taken with milk?", "Antibiotics of that family are to be swallowed with water only."),
    (
        "How is the office network password changed?",
        "Open the router's page and choose a new passphrase for the Wi-Fi.",
    ),
    ("What does my sister like to read?", "Crime novels from Scandinavia lie in piles beside her bed."),
    ("Why did the deployment fail on Friday?", "The migration locked a table and the health check timed out."),
    ("How long must the dough rest?", "Leave it under a damp cloth until it has doubled in size."),
    ("Who won the chess tournament in spring?", "Our youngest member took the cup without losing a game."),
    ("What is the rent of the flat in the centre?", "The landlord asks for nine hundred a month, heating included."),
    ("Which plants survive a dry summer?", "Lavender and sage hardly need any watering in August."),
    ("When is the meeting with the lawyer?", "She will see us on the fourteenth, right after lunch."),
    ("How heavy may a suitcase be on that airline?", "Checked luggage is limited to twenty-three kilograms."),
    ("What did the doctor say about the knee?", "The ligament is strained but not torn; no running for six weeks."),
)


@dataclass(frozen=True, slots=True)
class _Collected:
    """The outcome of polling: whether jobs were `left` undone, and the `trouble` with the provider, if any."""

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
    """Serve the queue of a space: in batches if `bulk` says so (None: the settings decide), otherwise at once."""
    worked = _serve(engine, space, bulk=bulk, stop=stop, tell=tell)
    if worked.embedded and not worked.unavailable:
        calibrate(engine, space)
    return worked


def _serve(
    engine: Engine, space: Space, *, bulk: bool | None, stop: Event | None, tell: WorkListener | None
) -> WorkReport:
    embedder = engine.models.embedder(space)
    batches = embedder.bulk if isinstance(embedder, RemoteEmbedder) else None
    if batches is None:
        return embed_queue.drain(engine, space, stop=stop, tell=tell)
    engine.store.forget_bulks(engine.clock.now() - _KEPT)
    away = engine.store.away()  # a batch is over when the jobs of all its users can be
    collected = _Collected() if away else _collect(engine, space, batches)
    worked = collected.worked
    if not collected.left and _wants_batches(engine, space, bulk=bulk):
        worked += _submit_all(engine, space, batches)
    if not worked.unavailable:
        worked += embed_queue.drain(engine, space, stop=stop, tell=tell)
    if not worked.embedded:  # otherwise the provider works, and only a batch has trouble
        worked += collected.trouble
    return replace(worked, in_bulk=sum(batch.texts for batch in engine.store.open_bulks(space)))


def _wants_batches(engine: Engine, space: Space, *, bulk: bool | None) -> bool:
    settings = engine.settings.embedding
    failed = engine.store.failed_bulks(space, engine.clock.now() - _COOLDOWN)
    if any(batch.provider_id for batch in failed) or len(failed) >= _MAX_SUBMITS:
        return False
    if bulk is not None:
        return bulk
    if settings.bulk != "auto":
        return settings.bulk == "always"
    in_batches = sum(batch.texts for batch in engine.store.open_bulks(space))
    return sum(kind.waiting for kind in engine.store.coverage(space)) - in_batches >= settings.bulk_threshold


def _submit_all(engine: Engine, space: Space, batches: BulkEmbedder) -> WorkReport:
    """Submit everything that is due and not cached."""
    worked, limit = WorkReport(), batches.most_texts
    while limit:
        now = engine.clock.now()
        batch = BulkBatch(ids.new(now), space, "", "submitting", 0, 0, 0, "", now, now)
        engine.store.save_bulk(batch)
        jobs = engine.store.claim_jobs(space, limit, now=now, lease_until=now, bulk=batch.id)
        if not jobs:
            engine.store.delete_bulk(batch)
            break
        new = embed_queue.serve_cached(engine, jobs)
        worked += WorkReport(embedded=len(jobs) - len(new))
        if not new:
            engine.store.delete_bulk(batch)
            continue
        new = _fitting(engine, new, batches.most_texts)
        try:
            _submit(engine, batch, new, batches)
        except ProviderUnavailable as error:
            _close(engine, batch, "failed", "the provider could not take the batch")
            return worked + _unavailable(error)
        except EmbeddingError:
            limit = len(new) // 2  # it was too large, or holds a text that is refused, which the queue finds
            _close(engine, batch, "failed", "the provider did not accept the batch")
            if limit:
                engine.store.delete_bulk(batch)
    return worked


def _fitting(engine: Engine, jobs: list[EmbedJob], most_texts: int) -> list[EmbedJob]:
    """Give as many jobs as a batch takes, at least one; the others are due again. A long text has several passages."""
    sizes = accumulate(len(embedded_texts(job.item, job.space)) for job in jobs)
    fitting = max(1, sum(size <= most_texts for size in sizes))
    if fitting < len(jobs):
        engine.store.postpone_jobs(jobs[fitting:], "", engine.clock.now(), to_blame=False)
    return jobs[:fitting]


def _submit(engine: Engine, batch: BulkBatch, jobs: Sequence[EmbedJob], batches: BulkEmbedder) -> None:
    """Submit a batch and record its id at once; if it was given up meanwhile, cancel it: its texts are due again."""
    texts = {name: text for job in jobs for name, text in _texts(job).items()}
    tokens = sum(map(engine.tokenizer.count, texts.values()))
    provider_id = batches.submit(texts)
    running = replace(batch, provider_id=provider_id, state="running", texts=len(texts), tokens=tokens)
    if not engine.store.change_bulk(batch, running):
        _abandon(batches, provider_id)


def _collect(engine: Engine, space: Space, batches: BulkEmbedder) -> _Collected:
    """Poll the open batches, and store those that are finished; trouble with one does not stop the others."""
    collected = _Collected()
    for batch in engine.store.open_bulks(space):
        now = engine.clock.now()
        if batch.state == "running":  # then it is due after its interval, else after the lease of another worker
            is_due = batch.checked_at == batch.submitted_at or now - batch.checked_at >= _POLL
        else:
            lease = timedelta(seconds=engine.settings.embedding.lease_s)
            is_due = now - batch.checked_at > (_MAX_SUBMIT if batch.state == "submitting" else lease)
        leased = replace(batch, state="collecting", checked_at=now)
        if is_due and engine.store.change_bulk(batch, leased):  # or another worker has the lease
            collected += _poll(engine, leased, batches)
    return collected


def _poll(engine: Engine, leased: BulkBatch, batches: BulkEmbedder) -> _Collected:
    """Poll a leased batch. If the provider is unavailable it is polled again later, for two days."""
    if not leased.provider_id:
        _close(engine, leased, "failed", "the worker that submitted it ended before the provider had taken it")
        return _Collected()
    done, trouble = leased.done, WorkReport()
    try:
        progress = batches.progress(leased.provider_id)
        if progress.phase != "running":
            outcome = batches.collect(leased.provider_id)
            return _store(engine, leased, outcome, batches, failed=progress.phase == "failed")
        done = progress.done
    except ProviderUnavailable as error:
        trouble = _unavailable(error)
    except EmbeddingError:
        return _give_up(engine, leased, batches, "the provider gave no usable answer about the batch")
    now = engine.clock.now()
    if now - leased.submitted_at > _MAX_WAIT:
        return _give_up(engine, leased, batches, "the batch was not finished in time")
    engine.store.change_bulk(leased, replace(leased, state="running", done=done, checked_at=now))
    return _Collected(trouble=trouble)


def _give_up(engine: Engine, leased: BulkBatch, batches: BulkEmbedder, reason: str) -> _Collected:
    _close(engine, leased, "failed", reason)
    _abandon(batches, leased.provider_id)
    return _Collected(left=True)


def _abandon(batches: BulkEmbedder, provider_id: str) -> None:
    """Cancel a batch at the provider and let it delete the texts, if it is available."""
    for call in (batches.cancel, batches.forget):
        with suppress(EmbeddingError):
            call(provider_id)


def _store(
    engine: Engine, leased: BulkBatch, outcome: BulkOutcome, batches: BulkEmbedder, *, failed: bool
) -> _Collected:
    """Store the outcome, unless fetching it took so long that another worker has the lease by now."""
    fetched = replace(leased, checked_at=engine.clock.now())
    if not engine.store.change_bulk(leased, fetched):
        return _Collected()
    collected = _store_vectors(engine, fetched, outcome, failed=failed)
    with suppress(EmbeddingError):
        batches.forget(leased.provider_id)
    return collected


def _store_vectors(engine: Engine, batch: BulkBatch, outcome: BulkOutcome, *, failed: bool) -> _Collected:
    """Store the vectors of a batch. A refused text is blamed; the rest stays in the queue."""
    named = [(job, [*_texts(job)]) for job in engine.store.bulk_jobs(batch)]
    vectors, refused = {}, dict(outcome.failed)
    for name, vector in outcome.vectors.items():
        try:
            vectors[name] = as_unit(vector, batch.space.dimensions)
        except InvalidVector as error:
            refused[name] = str(error)
    served = [(job, names) for job, names in named if all(name in vectors for name in names)]
    worked = WorkReport()
    if served:
        paid, usages = _payment(engine, served, vectors, outcome.tokens)
        matrices = [np.stack([vectors[name] for name in names]) for _, names in served]
        worked += WorkReport(embedded=embed_queue.finish(engine, [job for job, _ in served], matrices, paid, usages))
    blamed = [
        (job, reasons[0]) for job, names in named if (reasons := [refused[one] for one in names if one in refused])
    ]
    for job, reason in blamed:
        worked += embed_queue.blame(engine, job, TextRefused(reason))
    over = replace(batch, tokens=outcome.usage.tokens or batch.tokens, done=len(outcome.vectors))
    if failed:
        _close(engine, over, "failed", "the batch failed at the provider, or ran out of time there")
    else:
        _close(engine, over, "collected", "")
    return _Collected(worked, left=len(served) + len(blamed) < len(named))


def _payment(
    engine: Engine,
    served: Sequence[tuple[EmbedJob, Sequence[str]]],
    vectors: Mapping[str, Vector],
    tokens: Mapping[str, int],
) -> tuple[embed_queue.PaidVectors, Mapping[Scope, Usage]]:
    """Give the cache keys of vectors, and what each user's own texts cost."""
    usages = {
        scope: Usage(sum(tokens.get(name, 0) for position in positions for name in served[position][1]))
        for scope, positions in embed_queue.by_user([job for job, _ in served]).items()
    }
    if not engine.settings.embedding.cache_mb:
        return {}, usages
    return {
        position: [
            (embed_texts.text_key(job.scope, text), vectors[name])
            for name, text in zip(names, _texts(job).values(), strict=True)
        ]
        for position, (job, names) in enumerate(served)
    }, usages


def _unavailable(error: ProviderUnavailable) -> WorkReport:
    return WorkReport(unavailable=str(error), pause_s=embed_queue.pause_after(error))


def _close(engine: Engine, batch: BulkBatch, state: BulkState, reason: str) -> None:
    """End a batch and release its jobs. All users with texts in it see the reason, so it never quotes the provider."""
    engine.store.release_bulk(batch, reason, engine.clock.now())
    engine.store.change_bulk(batch, replace(batch, state=state, reason=reason, checked_at=engine.clock.now()))


def cancel(engine: Engine, space: Space) -> None:
    """Cancel the batches of a space, at the provider too if it is available."""
    for batch in engine.store.open_bulks(space):
        now, reason = engine.clock.now(), "the change of the model was cancelled"
        engine.store.release_bulk(batch, reason, now)
        engine.store.save_bulk(replace(batch, state="cancelled", reason=reason, checked_at=now))
        with suppress(EmbeddingError):
            embedder = engine.models.embedder(space)
            if batch.provider_id and isinstance(embedder, RemoteEmbedder) and embedder.bulk is not None:
                _abandon(embedder.bulk, batch.provider_id)


def estimate(engine: Engine, embedder: Embedder) -> Estimate:
    """Estimate the cost of embedding everything with this embedder."""
    stats = engine.store.stats()
    tokens = round(engine.store.characters() / _CHARACTERS_PER_TOKEN)
    price = embedder.price if isinstance(embedder, RemoteEmbedder) else 0.0
    cost = None if price is None else tokens * price / 1e6
    in_bulk = isinstance(embedder, RemoteEmbedder) and embedder.bulk is not None
    bulk_cost = cost * SHARE_OF_PRICE if cost is not None and in_bulk else None
    return Estimate(stats.items, tokens, cost, bulk_cost)


def _texts(job: EmbedJob) -> dict[str, str]:
    """Give the texts of a job, each named by its item, its number and its hash: items change while a batch is made."""
    return {
        f"{job.item.id}-{number}-{embed_texts.text_key(job.scope, text)[:12]}": embedders.non_empty(text)
        for number, text in enumerate(embedded_texts(job.item, job.space))
    }


def measure(embedder: Embedder, space: Space) -> float:
    """Give the usual cosine of a question and an unrelated sentence. Raises EmbeddingError."""
    questions, _ = embedders.embed(embedder, space, [question for question, _ in PAIRS], "query")
    sentences, _ = embedders.embed(embedder, space, [sentence for _, sentence in PAIRS], "passage")
    cosines = questions @ sentences.T
    unrelated = cosines[~np.eye(len(PAIRS), dtype=bool)]
    return float(np.clip(unrelated.mean(), 0.0, 0.99))


def calibrate(engine: Engine, space: Space) -> None:
    """Measure a space that has not been measured yet; a failure is tried again another time."""
    known = next((known for known in engine.store.spaces() if known.space == space), None)
    if known is None or known.unrelated is not None:
        return
    try:
        embedder = engine.models.embedder(space)
        if isinstance(embedder, RemoteEmbedder):
            engine.store.set_unrelated(space, measure(embedder, space))
    except RecollectError:
        return
