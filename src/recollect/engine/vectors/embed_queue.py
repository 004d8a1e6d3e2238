"""The embedding queue: items that were stored without a vector get one, in every space that is in use.

Any number of workers, threads and processes may serve it at once. A job is claimed with a lease; its vector is written
in the transaction that removes it, so a worker that is killed has changed nothing.

When the provider is unavailable, jobs stay in the queue and the worker waits. A text that makes it fail is found by
bisecting its batch; it is retried a few times with back-off, or parked at once if it was refused.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from threading import Event, Lock, Thread
from typing import TypeAlias

from recollect.engine.base import embedders
from recollect.engine.base.context import Engine
from recollect.engine.base.embedders import PROBE
from recollect.engine.drafts import items
from recollect.engine.drafts.items import embedded_texts
from recollect.engine.vectors import embed_texts
from recollect.errors import EmbeddingError, ProviderUnavailable, TextRefused
from recollect.model.memories import MemoryRecord, Scope, Space, Vector
from recollect.model.messages import Usage
from recollect.model.stats import WorkReport
from recollect.ports import RemoteEmbedder
from recollect.storage.base import CHANGES_KEPT, CachedPassageVector, EmbedJob, StoreWriter

_BATCH = 64  # texts at a time, for an embedder that has no limit of its own
_FIRST_BATCH = 4  # of its work, and twice as many each time, so that progress is seen at once
_MAX_BATCH = 256  # whatever the provider allows: a failed request must not cost much
_MAX_ATTEMPTS = 5
_AWAY = "The provider could not be asked; it is asked again."
_MAX_PAUSE_S = 300.0
_PAUSE_S = 5.0  # for a provider that was unavailable and named no time


WorkListener: TypeAlias = Callable[[WorkReport], None]
PaidVectors: TypeAlias = Mapping[int, Sequence[tuple[str, Vector]]]  # of each job, with the keys they are cached under


def drain(
    engine: Engine,
    space: Space,
    *,
    scope: Scope | None = None,
    stop: Event | None = None,
    tell: WorkListener | None = None,
) -> WorkReport:
    """Serve the queue of a space until nothing is due, with as many requests at a time as the settings allow."""
    run = _QueueRun(engine, space, scope, stop or Event(), tell)
    remote = isinstance(engine.models.embedder(space), RemoteEmbedder)
    threads = engine.settings.embedding.concurrency if remote else 1
    # Daemons, because a provider that hangs must not keep a program from ending.
    others = [Thread(target=run.work, name="recollect-embed", daemon=True) for _ in range(threads - 1)]
    for other in others:
        other.start()
    run.work()
    for other in others:
        other.join()
    if run.failure is not None:
        raise run.failure
    return run.done


def add_to(tell: WorkListener | None, before: WorkReport) -> WorkListener | None:
    """Give a listener that is told the sum of this work and the work before."""
    return None if tell is None else lambda worked: tell(before + worked)


def serve_once(engine: Engine, scope: Scope, space: Space) -> WorkReport:
    """Serve one batch of a user's jobs."""
    jobs = _claim(engine, space, scope)
    return serve(engine, jobs) if jobs else WorkReport()


def embed_waiting(engine: Engine, scope: Scope) -> None:
    """Embed one batch of a user's queue after a turn, unless the provider is remote."""
    space = engine.space
    if space is None or engine.models.is_changing or isinstance(engine.models.embedder(space), RemoteEmbedder):
        engine.background.wake()
    if space is not None and not isinstance(engine.models.embedder(space), RemoteEmbedder):
        serve_once(engine, scope, space)


class _QueueRun:
    """Threads that serve the queue of one space until nothing is due or the provider is unavailable."""

    def __init__(
        self, engine: Engine, space: Space, scope: Scope | None, stop: Event, tell: WorkListener | None
    ) -> None:
        self._engine = engine
        self._space = space
        self._scope = scope
        self._stop = stop
        self._tell = tell
        self._lock = Lock()
        self._size = _FIRST_BATCH
        self.done = WorkReport()
        self.failure: Exception | None = None

    def work(self) -> None:
        """Claim and serve, batch after batch; a failure is kept for the thread that waits."""
        try:
            self._work()
        except Exception as error:  # noqa: BLE001 - raised again by `drain`
            self.failure = error

    def _work(self) -> None:
        while not (self._stop.is_set() or self.done.unavailable or self.failure):
            jobs = _claim(self._engine, self._space, self._scope, self._size)
            if not jobs:
                return
            self._size = min(2 * self._size, _BATCH)
            try:
                served = serve(self._engine, jobs)
            except KeyboardInterrupt:  # the next run must not wait for the lease
                _release(self._engine, jobs)
                raise
            with self._lock:
                self.done += served
                if self._tell:
                    self._tell(self.done)


def _claim(engine: Engine, space: Space, scope: Scope | None, most: int = _BATCH) -> Sequence[EmbedJob]:
    embedder = engine.models.embedder(space)
    limit = min(_MAX_BATCH, embedder.batch_size) if isinstance(embedder, RemoteEmbedder) else most
    now = engine.clock.now()
    lease = timedelta(seconds=engine.settings.embedding.lease_s)
    return engine.store.claim_jobs(space, limit, now=now, lease_until=now + lease, scope=scope)


def serve(engine: Engine, jobs: Sequence[EmbedJob], *, provider_works: bool = False) -> WorkReport:
    """Embed a batch of one space. `provider_works` means that it was just seen to."""
    worked, done = WorkReport(), 0
    for portion in _portions(jobs):
        worked += _serve_portion(engine, portion, provider_works=provider_works)
        done += len(portion)
        if worked.unavailable:
            _release(engine, jobs[done:])
            break
    return worked


def _portions(jobs: Sequence[EmbedJob]) -> Iterator[list[EmbedJob]]:
    """Divide jobs so that those with many passages do not outlast their lease."""
    portion: list[EmbedJob] = []
    texts = 0
    for job in jobs:
        size = len(embedded_texts(job.item, job.space))
        if portion and texts + size > _MAX_BATCH:
            yield portion
            portion, texts = [], 0
        portion.append(job)
        texts += size
    yield portion


def _serve_portion(engine: Engine, jobs: Sequence[EmbedJob], *, provider_works: bool) -> WorkReport:
    texts = [embedded_texts(job.item, job.space) for job in jobs]
    owners = [job for job, own in zip(jobs, texts, strict=True) for _ in own]
    try:
        vectors, keys, usages = _embed_texts(engine, owners, [text for own in texts for text in own])
    except ProviderUnavailable as error:
        _release(engine, jobs)
        return WorkReport(unavailable=str(error), pause_s=pause_after(error))
    except EmbeddingError as error:
        return _bisect(engine, jobs, error, provider_works=provider_works)
    matrices, paid = embed_texts.join_parts([*map(len, texts)], vectors, keys)
    return WorkReport(embedded=finish(engine, jobs, [matrices[place] for place in range(len(jobs))], paid, usages))


def serve_cached(engine: Engine, jobs: Sequence[EmbedJob]) -> list[EmbedJob]:
    """Serve the jobs whose vectors are all cached; gives the others."""
    vectors = {}
    for scope, positions in by_user(jobs).items():
        texts = [embedded_texts(jobs[position].item, jobs[position].space) for position in positions]
        cached = embed_texts.cached_passages(engine, scope, jobs[0].space, [text for own in texts for text in own])
        matrices, _ = embed_texts.join_parts([*map(len, texts)], cached.vectors, {})
        vectors.update({positions[row]: matrix for row, matrix in matrices.items()})
    if vectors:
        finish(engine, [jobs[position] for position in vectors], [*vectors.values()], {}, {})
    return [job for position, job in enumerate(jobs) if position not in vectors]


def pause_after(error: ProviderUnavailable) -> float:
    """Give the cool-down of a provider: what it asks for, but not hours."""
    return _PAUSE_S if error.retry_after_s is None else min(error.retry_after_s, _MAX_PAUSE_S)


def _bisect(engine: Engine, jobs: Sequence[EmbedJob], error: EmbeddingError, *, provider_works: bool) -> WorkReport:
    """Find the text that makes the provider fail, unless it also fails on a plain sentence."""
    if not provider_works:
        try:
            embedders.embed(engine.models.embedder(jobs[0].space), jobs[0].space, [PROBE], "passage")
        except EmbeddingError as trouble:
            _release(engine, jobs)
            return WorkReport(unavailable=str(trouble), pause_s=_PAUSE_S)
    if len(jobs) == 1:
        return blame(engine, jobs[0], error)
    middle = len(jobs) // 2
    first = serve(engine, jobs[:middle], provider_works=True)
    if first.unavailable:
        _release(engine, jobs[middle:])
        return first
    return first + serve(engine, jobs[middle:], provider_works=True)


def _embed_texts(
    engine: Engine, jobs: Sequence[EmbedJob], texts: Sequence[str]
) -> tuple[dict[int, Vector], dict[int, str], dict[Scope, Usage]]:
    """Give a vector for each text, the keys of those that were paid for now, and costs. `jobs` are the texts' own."""
    space = jobs[0].space
    embedder = engine.models.embedder(space)
    users = by_user(jobs)
    vectors: dict[int, Vector] = {}
    keys: dict[int, str] = {}
    if embed_texts.is_cached(engine, embedder):
        for scope, positions in users.items():
            own = {position: embed_texts.text_key(scope, texts[position]) for position in positions}
            keys.update(own)
            cached = engine.store.cached(scope, space, "passage", [*own.values()])
            vectors.update({position: cached[key] for position, key in own.items() if key in cached})
    lacking = [position for position in range(len(jobs)) if position not in vectors]
    usages: dict[Scope, Usage] = {}
    if lacking:
        names = {position: keys.get(position, str(position)) for position in lacking}
        distinct = {name: texts[position] for position, name in names.items()}  # equal texts are paid for once
        new_vectors, usage = embedders.embed_passages(embedder, space, [*distinct.values()], engine.priority)
        by_name = dict(zip(distinct, new_vectors, strict=True))
        vectors.update({position: by_name[name] for position, name in names.items()})
        weights = [
            sum(len(texts[position]) for position in positions if position in lacking) for positions in users.values()
        ]
        usages = dict(zip(users, embed_texts.shares(usage, weights), strict=True))
    if keys:
        for scope, positions in users.items():
            missed = sum(position in lacking for position in positions)
            engine.store.count_cache_uses(scope, len(positions) - missed, missed)
    return vectors, {position: keys[position] for position in lacking if position in keys}, usages


def by_user(jobs: Sequence[EmbedJob]) -> dict[Scope, list[int]]:
    """Give the positions of each user's jobs."""
    users = defaultdict[Scope, list[int]](list)
    for position, job in enumerate(jobs):
        users[job.scope].append(position)
    return users


def finish(
    engine: Engine,
    jobs: Sequence[EmbedJob],
    vectors: Sequence[Vector],
    paid: PaidVectors,
    usages: Mapping[Scope, Usage],
) -> int:
    """Write vectors, a matrix for each job, one transaction for each user."""
    done = 0
    for scope, positions in by_user(jobs).items():
        own = [(jobs[position], vectors[position], paid.get(position, ())) for position in positions]
        done += _finish_user(engine, scope, own, usages.get(scope, Usage()))
    return done


def _finish_user(
    engine: Engine,
    scope: Scope,
    served: Sequence[tuple[EmbedJob, Vector, Sequence[tuple[str, Vector]]]],
    usage: Usage,
) -> int:
    """Store the vectors of texts that are unchanged; a text that was changed meanwhile has a new job."""
    space, now = served[0][0].space, engine.clock.now()
    searched = space == engine.space  # read before the write, which must not wait for another connection
    lately = now - CHANGES_KEPT  # live searches do not go back further

    def work(writer: StoreWriter) -> int:
        current = items.fetch_embeddable(writer, [(job.kind, job.item.id) for job, _, _ in served])
        texts = {item.id: embedded_texts(item, space) for item in current}
        unchanged = [row for row in served if texts.get(row[0].item.id) == embedded_texts(row[0].item, space)]
        first_ids: frozenset[str] = frozenset()
        if unchanged:
            jobs_of_user = [job for job, _, _ in unchanged]
            first_ids = writer.finish_jobs(jobs_of_user, [vectors for _, vectors, _ in unchanged])
        if searched:
            found = [(job.kind, job.item) for job, _, _ in unchanged if job.item.id in first_ids]
            writer.note_embedded(
                [
                    (kind, item.id)
                    for kind, item in found
                    if kind != "place"  # which live searches do not match
                    and (item.updated_at if isinstance(item, MemoryRecord) else item.created_at) > lately
                ],
                now,
            )
        paid = [CachedPassageVector(key, job.item.id, vector) for job, _, own in unchanged for key, vector in own]
        if paid:
            writer.keep_paid(space, paid, now)
        embed_texts.record(writer, engine, space, usage)
        return len(unchanged)

    return engine.write(scope, work)


def _release(engine: Engine, jobs: Sequence[EmbedJob]) -> None:
    """Release jobs after a failure of the provider, whose message may quote a text and is therefore not kept."""
    engine.store.postpone_jobs(jobs, _AWAY, engine.clock.now(), to_blame=False)


def blame(engine: Engine, job: EmbedJob, error: EmbeddingError) -> WorkReport:
    """Retry a text with exponential back-off; park one that was refused or has failed too often."""
    due = None if isinstance(error, TextRefused) else engine.next_try(job.attempts + 1, _MAX_ATTEMPTS)
    engine.store.postpone_jobs([job], str(error), due, to_blame=True)
    return WorkReport(parked=int(due is None))
