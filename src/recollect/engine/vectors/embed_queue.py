"""Serving the queue: what was stored without a vector gets one, in every space that it is owed one in.

Any number of workers, threads and processes may do this at once. A job is held for the length of a lease, its vector is
written together with its removal, and whoever is killed in between has changed nothing.

A provider that cannot be asked is nobody's fault: the texts stay in the queue and the worker waits. A text that makes
the provider fail is found by halving its batch; it is tried a few times more, or parked at once if it was refused.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from threading import Event, Lock, Thread

import numpy as np

from recollect.engine.base import call_embedder, items
from recollect.engine.base.call_embedder import PROBE
from recollect.engine.base.context import Engine
from recollect.engine.drafts.searchable_text import passage_of
from recollect.engine.vectors import embed_texts
from recollect.errors import EmbeddingError, ProviderUnavailable, TextRefused
from recollect.model.literals import ItemKind
from recollect.model.memories import Embeddable, MemoryRecord, Scope, Space, Vector
from recollect.model.messages import Usage
from recollect.model.stats import WorkReport
from recollect.ports import CHANGES_KEPT, CachedPassageVector, EmbedJob, RemoteEmbedder, StoreWriter

_BATCH = 64  # texts at a time, for an embedder that has no limit of its own
_MOST = 256  # however many a provider would take: what is lost when a request fails must stay small
_MOST_ATTEMPTS = 5
_AWAY = "The provider could not be asked; it is asked again."
_LONGEST_PAUSE_S = 300.0
_PAUSE_S = 5.0  # before a provider is asked again that could not be asked and named no time


WorkListener = Callable[[WorkReport], None]


def drain(
    engine: Engine,
    space: Space,
    *,
    scope: Scope | None = None,
    stop: Event | None = None,
    tell: WorkListener | None = None,
) -> WorkReport:
    """Serve what is due in a space until nothing is, with as many requests at a time as the settings allow."""
    shift = _QueueRun(engine, space, scope, stop or Event(), tell)
    remote = isinstance(engine.models.embedder(space), RemoteEmbedder)
    hands = engine.settings.embedding.concurrency if remote else 1
    # Daemons, because a provider may keep them waiting for long, and a program that ends does not wait with them.
    others = [Thread(target=shift.work, name="recollect-embed", daemon=True) for _ in range(hands - 1)]
    for other in others:
        other.start()
    shift.work()
    for other in others:
        other.join()
    if shift.failure is not None:
        raise shift.failure
    return shift.done


def going_on(tell: WorkListener | None, before: WorkReport) -> WorkListener | None:
    """Let somebody be told of all the work of several shifts."""
    return None if tell is None else lambda worked: tell(before + worked)


def serve_once(engine: Engine, scope: Scope, space: Space) -> WorkReport:
    """Serve one batch of what a user is owed."""
    jobs = _claim(engine, space, scope)
    return serve(engine, jobs) if jobs else WorkReport()


def embed_waiting(engine: Engine, scope: Scope) -> None:
    """Give vectors to one batch of what a user's turn has left waiting, unless a remote provider makes them."""
    space = engine.space
    if space is None or engine.models.is_changing or isinstance(engine.models.embedder(space), RemoteEmbedder):
        engine.background.wake()
    if space is not None and not isinstance(engine.models.embedder(space), RemoteEmbedder):
        serve_once(engine, scope, space)


class _QueueRun:
    """Several threads that serve one space until nothing is left or the provider is away."""

    def __init__(
        self, engine: Engine, space: Space, scope: Scope | None, stop: Event, tell: WorkListener | None
    ) -> None:
        self._engine = engine
        self._space = space
        self._scope = scope
        self._stop = stop
        self._tell = tell
        self._lock = Lock()
        self.done = WorkReport()
        self.failure: Exception | None = None

    def work(self) -> None:
        """Claim and serve, batch after batch; what goes wrong is for whoever began the shift."""
        try:
            self._work()
        except Exception as error:  # noqa: BLE001 - raised again where somebody waits for it
            self.failure = error

    def _work(self) -> None:
        while not (self._stop.is_set() or self.done.unavailable or self.failure):
            jobs = _claim(self._engine, self._space, self._scope)
            if not jobs:
                return
            served = serve(self._engine, jobs)
            with self._lock:
                self.done += served
                if self._tell:
                    self._tell(self.done)


def _claim(engine: Engine, space: Space, scope: Scope | None) -> Sequence[EmbedJob]:
    embedder = engine.models.embedder(space)
    limit = min(_MOST, embedder.batch_size) if isinstance(embedder, RemoteEmbedder) else _BATCH
    now = engine.clock.now()
    lease = timedelta(seconds=engine.settings.embedding.lease_s)
    return engine.store.claim_jobs(space, limit, now=now, lease_until=now + lease, scope=scope)


def serve(engine: Engine, jobs: Sequence[EmbedJob], *, sound: bool = False) -> WorkReport:
    """Embed a batch of one space. `sound` means that the provider was just seen to work."""
    space = jobs[0].space
    texts = [passage_of(job.item) for job in jobs]
    try:
        vectors, paid, usages = _vectors(engine, space, jobs, texts)
    except ProviderUnavailable as error:
        _put_back(engine, jobs)
        return WorkReport(unavailable=str(error), pause_s=pause_after(error))
    except EmbeddingError as error:
        return _narrowed(engine, jobs, error, sound=sound)
    return WorkReport(embedded=finish(engine, jobs, vectors, paid, usages))


def serve_known(engine: Engine, jobs: Sequence[EmbedJob]) -> list[EmbedJob]:
    """Give vectors to those texts that were paid for before; gives the others."""
    known = {}
    for scope, positions in by_user(jobs).items():
        texts = [passage_of(jobs[position].item) for position in positions]
        found = embed_texts.known_passages(engine, scope, jobs[0].space, texts)
        known.update({positions[row]: vector for row, vector in found.vectors.items()})
    if known:
        finish(engine, [jobs[position] for position in known], [*known.values()], {}, {})
    return [job for position, job in enumerate(jobs) if position not in known]


def pause_after(error: ProviderUnavailable) -> float:
    """Say how long to leave a provider alone; nobody means it who asks for hours."""
    return _PAUSE_S if error.retry_after_s is None else min(error.retry_after_s, _LONGEST_PAUSE_S)


def _narrowed(engine: Engine, jobs: Sequence[EmbedJob], error: EmbeddingError, *, sound: bool) -> WorkReport:
    """Find out which text is to blame, if any is: a provider that fails on a plain sentence fails by itself."""
    if not sound:
        try:
            call_embedder.embed(engine.models.embedder(jobs[0].space), jobs[0].space, [PROBE], "passage")
        except EmbeddingError as trouble:
            _put_back(engine, jobs)
            return WorkReport(unavailable=str(trouble), pause_s=_PAUSE_S)
    if len(jobs) == 1:
        return blame(engine, jobs[0], error)
    middle = len(jobs) // 2
    first = serve(engine, jobs[:middle], sound=True)
    if first.unavailable:
        _put_back(engine, jobs[middle:])
        return first
    return first + serve(engine, jobs[middle:], sound=True)


def _vectors(
    engine: Engine, space: Space, jobs: Sequence[EmbedJob], texts: Sequence[str]
) -> tuple[list[Vector], dict[int, str], dict[Scope, Usage]]:
    """Give a vector for each job, which were paid for now, under which keys, and what each user's cost."""
    embedder = engine.models.embedder(space)
    users = by_user(jobs)
    known: dict[int, Vector] = {}
    keys: dict[int, str] = {}
    if embed_texts.is_cached(engine, embedder):
        for scope, positions in users.items():
            own = {position: embed_texts.text_key(scope, texts[position]) for position in positions}
            keys.update(own)
            found = engine.store.cached(scope, space, "passage", [*own.values()])
            known.update({position: found[key] for position, key in own.items() if key in found})
    lacking = [position for position in range(len(jobs)) if position not in known]
    usages: dict[Scope, Usage] = {}
    if lacking:
        named = {position: keys.get(position, str(position)) for position in lacking}
        asked = {name: texts[position] for position, name in named.items()}  # what several items say is paid for once
        made, usage = call_embedder.embed(embedder, space, [*asked.values()], "passage")
        vectors = dict(zip(asked, made, strict=True))
        known.update({position: vectors[name] for position, name in named.items()})
        weights = [sum(len(texts[one]) for one in positions if one in lacking) for positions in users.values()]
        usages = dict(zip(users, embed_texts.shares(usage, weights), strict=True))
    if keys:
        for scope, positions in users.items():
            missed = sum(position in lacking for position in positions)
            engine.store.count_cache_uses(scope, len(positions) - missed, missed)
    paid = {position: keys[position] for position in lacking if position in keys}
    return [known[position] for position in range(len(jobs))], paid, usages


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
    paid: Mapping[int, str],
    usages: Mapping[Scope, Usage],
) -> int:
    """Write vectors, user by user."""
    done = 0
    for scope, positions in by_user(jobs).items():
        own = [(jobs[one], vectors[one], paid.get(one)) for one in positions]
        done += _finish_user(engine, scope, own, usages.get(scope, Usage()))
    return done


def _finish_user(
    engine: Engine, scope: Scope, served: Sequence[tuple[EmbedJob, Vector, str | None]], usage: Usage
) -> int:
    """Store the vectors of texts that are still what they were; a text that was changed meanwhile has a job anew."""
    space, now = served[0][0].space, engine.clock.now()
    searched = space == engine.space  # asked before the write, which must not wait for another connection
    lately = now - CHANGES_KEPT  # nobody waits for what is older

    def work(writer: StoreWriter) -> int:
        found = items.fetch_embeddable(writer, [(job.kind, job.item.id) for job, _, _ in served])
        texts = {item.id: passage_of(item) for item in found}
        fit = [one for one in served if texts.get(one[0].item.id) == passage_of(one[0].item)]
        waited: frozenset[str] = frozenset()
        if fit:
            waited = writer.finish_jobs([job for job, _, _ in fit], np.stack([vector for _, vector, _ in fit]))
        if searched:
            late = [job for job, _, _ in fit if job.item.id in waited and _written(job.item) > lately]
            writer.note_embedded([*_news(late)], now)
        kept = [CachedPassageVector(key, job.item.id, vector) for job, vector, key in fit if key is not None]
        if kept:
            writer.keep_paid(space, kept, now)
        embed_texts.record(writer, engine, space, usage)
        return len(fit)

    return engine.write(scope, work)


def _news(jobs: Iterable[EmbedJob]) -> Iterator[tuple[ItemKind, str]]:
    """Give what somebody may wait for; nobody waits for the name of a place."""
    for job in jobs:
        if job.kind != "place":
            yield job.kind, job.item.id


def _written(item: Embeddable) -> datetime:
    return item.updated_at if isinstance(item, MemoryRecord) else item.created_at


def _put_back(engine: Engine, jobs: Sequence[EmbedJob]) -> None:
    """Give jobs back that nobody is to blame for. A provider's words may quote a text; they are not for all of them."""
    _postpone(engine, jobs, _AWAY, timedelta(0), to_blame=False)


def blame(engine: Engine, job: EmbedJob, error: EmbeddingError) -> WorkReport:
    """Try a text again later that the provider could not do, ever more patiently; park one that it will not do."""
    attempts = job.attempts + 1
    for_good = isinstance(error, TextRefused) or attempts >= _MOST_ATTEMPTS
    _postpone(engine, [job], str(error), None if for_good else timedelta(minutes=2**attempts), to_blame=True)
    return WorkReport(parked=int(for_good))


def _postpone(
    engine: Engine, jobs: Sequence[EmbedJob], reason: str, pause: timedelta | None, *, to_blame: bool
) -> None:
    due = None if pause is None else engine.clock.now() + pause
    engine.store.postpone_jobs(jobs, reason, due, to_blame=to_blame)
