"""What vectors cost: made here, made by a provider, known already, and made anew for another model while one searches.

The provider is a server on loopback that takes as long as one far away.
"""

import multiprocessing
import os
import random
import signal
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg
from tests.providers.server import ProviderServer

from benchmarks import encoders
from benchmarks.figures import Figure, alternate, seconds
from benchmarks.lifelike import DIMENSIONS, questions, sentences, vectors
from recollect import Memory, NewMemory, UserMemory, load_settings
from recollect.embedding import LocalEmbedder

_LOCAL_LIMIT = 1.5
_LOCAL_TEXTS = 400
_LOCAL_ROUNDS = 3
_BUSY_LIMIT = 0.9
_BUSY_LATENCY_S = 0.075
_QUEUED = 5_000
_KNOWN = 10_000
_FAR_S = 0.3
_WAITING_LIMIT = 3.0
_STORED = 100
_SEARCHED = 10_000
_SEARCHES = 10
_TURNS = 9
_SEARCH_LIMIT = 2.0
_CHANGE_LATENCY_S = 0.15
_PATIENCE_S = 120.0


def measure(folder: Path, address: str, amount: int) -> Iterator[Figure]:  # noqa: ARG001 - the amounts are its own
    """Give all figures."""
    yield _local()
    yield from encoders.measure()
    queue, change = _empty(address, "queue"), _empty(address, "change")
    for store, database in (("SQLite", str(folder / "queue.db")), ("PostgreSQL", queue)):
        yield _busy(store, database)
    yield _known(str(folder / "known.db"))
    yield _storing(folder)
    for store, database in (("SQLite", str(folder / "change.db")), ("PostgreSQL", change)):
        yield _searching(store, database)


def _empty(address: str, name: str) -> str:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return address.replace("/benchmark?", f"/{name}?")


def _open(database: str, server: ProviderServer | None, **more: object) -> Memory:
    """Open a store whose vectors the server makes; without a worker unless it is asked for."""
    chosen: dict[str, object] = {"embedding.provider": "none"}
    if server is not None:
        chosen = {"embedding.provider": "openai-compatible", "embedding.model": "short-vectors"}
        chosen["embedding.endpoint"] = server.url("openai-compatible")
    overrides = {"database": database, "recall.cache": 0, "embedding.worker": False, **chosen, **more}
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides))


def _local() -> Figure:
    """Many texts at once against one after the other, in processor time, with one thread.

    The gain is that of short texts: from about a dozen word pieces on a single text keeps a core as busy as many do.
    """
    embedder = LocalEmbedder(threads=1)
    short = _short_texts(_LOCAL_TEXTS)
    ratio, at_once, one_by_one = _gain(embedder, short)
    longer, _, _ = _gain(embedder, sentences(_LOCAL_TEXTS // 8))
    words = statistics.mean(len(text.split()) for text in short)
    detail = (
        f"{at_once:,.0f} against {one_by_one:,.0f} texts/s a core, {words:.1f} words each; "
        f"with sentences of about 18 words {longer:.2f}"
    )
    return Figure("local vectors of short texts at once against one by one", ratio, _LOCAL_LIMIT, "at least", detail)


def _gain(embedder: LocalEmbedder, texts: Sequence[str]) -> tuple[float, float, float]:
    """Give how many times as many texts a second are embedded at once, and both figures."""
    embedder.embed(texts[:10], "passage")
    at_once, one_by_one = [], []
    for _ in range(_LOCAL_ROUNDS):
        at_once.append(_processor_s(lambda: embedder.embed(texts, "passage")))
        one_by_one.append(_processor_s(lambda: [embedder.embed([text], "passage") for text in texts]))
    mine, peer = statistics.median(at_once), statistics.median(one_by_one)
    return peer / mine, len(texts) / mine, len(texts) / peer


def _processor_s(action: Callable[[], object]) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started


def _short_texts(amount: int) -> list[str]:
    """Make what people note in a few words."""
    chance = random.Random(4)
    who, does, what = _columns(sentences(1_000))
    return [f"{chance.choice(who)} {chance.choice(does)} {chance.choice(what)}" for _ in range(amount)]


def _columns(made: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    split = [text.replace(",", "").split() for text in made]
    return [words[0] for words in split], [words[1] for words in split], [words[-1] for words in split]


def _busy(store: str, database: str) -> Figure:
    """Serve a queue; ideally the provider is never without a request."""
    with ProviderServer(latency_s=_BUSY_LATENCY_S) as server, _open(database, server) as memory:
        memory.user("me").remember_many(sentences(_QUEUED))
        with server.activity.watched() as watch:
            worked = memory.embed_waiting()
        requests = len(server.requests)
    if worked.embedded != _QUEUED:
        raise RuntimeError(f"{worked.embedded} of {_QUEUED} texts were embedded: {worked.unavailable}")
    took = (watch.ended or watch.started) - watch.started
    detail = f"{_QUEUED / took:,.0f} texts/s in {requests} requests of {_BUSY_LATENCY_S * 1e3:.0f} ms"
    name = f"queue on {store}, share of time with a request under way"
    return Figure(name, watch.share, _BUSY_LIMIT, "at least", detail)


def _known(database: str) -> Figure:
    """Store texts that are known, once as what they are and once as something else; nothing may be paid again."""
    texts = sentences(_KNOWN)
    with ProviderServer() as server, _open(database, server) as memory:
        me = memory.user("me")
        me.remember_many(texts)
        memory.embed_waiting()
        paid = len(server.requests)
        took = seconds(lambda: me.remember_many([*texts, *(NewMemory(text, type="preference") for text in texts)]))
        memory.embed_waiting()
        again, vectors_there = len(server.requests) - paid, memory.stats().vectors
    if vectors_there != 2 * _KNOWN:
        raise RuntimeError(f"{vectors_there} vectors where {2 * _KNOWN} should be.")
    detail = f"{paid} requests at first, {again} afterwards, when storing took {took:.1f} s"
    return Figure(f"requests to store {_KNOWN:,} known texts again", again, 0, "at most", detail)


def _storing(folder: Path) -> Figure:
    """Store one by one with a provider that is far away, against storing without vectors."""
    numbers = count()
    texts = sentences(2 * _STORED + 2, seed=5)
    with ProviderServer(latency_s=_FAR_S) as server:
        far = _open(str(folder / "far.db"), server, **{"embedding.worker": True})
        with far, _open(str(folder / "none.db"), None) as none:
            far.user("me").remember("The length of the vectors is known as soon as there is one")
            far.embed_waiting()

            def store(me: UserMemory) -> Callable[[], object]:
                return lambda: me.remember(texts[next(numbers)])

            mine, peer = alternate(store(far.user("me")), store(none.user("me")), _STORED)
            waiting = far.stats().pending_jobs
    if not waiting:
        raise RuntimeError("Nothing waits for its vector, so storing has waited for the provider.")
    detail = f"{mine * 1e3:.2f} ms against {peer * 1e3:.2f} ms; an answer takes {_FAR_S * 1e3:.0f} ms"
    name = "remember with a provider far away against none"
    return Figure(name, mine / peer, _WAITING_LIMIT, "at most", detail)


def _searching(store: str, database: str) -> Figure:
    """Search while another process changes the model, and in turn while that process is held up."""
    with _open(database, None, **_REACHED) as memory:
        me = memory.user("me")
        me.remember_many(
            NewMemory(text, vector=vector)
            for text, vector in zip(sentences(_SEARCHED), vectors(_SEARCHED), strict=True)
        )
        _search_s(me, 0)
        with _changing(database) as (pid, line):
            times = [(_search_s(me, turn), _held_up(pid, me, turn)) for turn in range(_TURNS)]
            done = line.recv()
            while line.poll():
                done = line.recv()
    during, before = (statistics.median(side) for side in zip(*times, strict=True))
    detail = f"{during * 1e3:.1f} ms against {before * 1e3:.1f} ms, {done:,} of {_SEARCHED:,} vectors were made"
    return Figure(f"searching on {store} while the model changes", during / before, _SEARCH_LIMIT, "at most", detail)


_REACHED = {
    "embedding.provider": "openai",
    "embedding.model": "text-embedding-3-small",
    "embedding.dimensions": str(DIMENSIONS),
    "embedding.openai_api_key": "unused",
}


def _search_s(me: UserMemory, turn: int) -> float:
    """Give the median time of a few searches."""
    asked, given = questions(_SEARCHES, seed=10 + turn)
    took = []
    for text, vector in zip(asked, given, strict=True):
        started = time.perf_counter()
        me.recall(text, vector=vector, only_related=False)
        took.append(time.perf_counter() - started)
    return statistics.median(took)


def _held_up(pid: int, me: UserMemory, turn: int) -> float:
    """Do the same while a process stands still."""
    os.kill(pid, signal.SIGSTOP)
    try:
        return _search_s(me, turn)
    finally:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def _changing(database: str) -> Iterator[tuple[int, "Connection[object, int]"]]:
    """Have another process change the model; gives its id, and a line that tells how many vectors it has made."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_change, args=(database, theirs), daemon=True)
    child.start()
    try:
        if child.pid is None or not ours.poll(_PATIENCE_S):
            raise RuntimeError("The change does not begin.")
        yield child.pid, ours
    finally:
        child.kill()
        child.join()


def _change(database: str, line: "Connection[int, object]") -> None:
    """Change the model, with a provider of one's own."""
    with ProviderServer(latency_s=_CHANGE_LATENCY_S) as server:
        reached = {**_REACHED, "embedding.e5_endpoint": server.url("e5")}
        with _open(database, None, **reached) as memory:
            memory.models.reembed("e5", tell=lambda worked: line.send(worked.embedded))
