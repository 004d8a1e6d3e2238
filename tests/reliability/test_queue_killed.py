"""SIGKILL while the queue is served, two workers at a time: each item gets its one vector, and little is paid twice."""

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from recollect import Memory
from tests.providers.server import ProviderServer
from tests.providers.vectors import DEFAULT_DIMENSIONS
from tests.reliability.changing import BATCH, CONCURRENCY, TOLERANCE, Item, Step, embedded, hoard, items
from tests.reliability.opening import open_memory
from tests.reliability.points import SEED, Kills, points
from tests.reliability.zygote import Child, Zygote, was_killed
from tests.sizes import sized
from tests.storage.catalogue import plain

_ITEMS = sized(240, 1_800)
_POINTS = sized(2, 8)  # on each store
_WORKERS = 2
_MOST_REQUESTS = sized(6, 12)  # that two workers have made when they are killed
_LATENCY_S = 0.02
_LEASE_S = sized(2, 4)  # long enough that nobody who is alive loses their work
_LONGEST_S = 1.0  # when all the work is still held by the dead, workers are killed without having made a request
_PATIENCE_S = 300.0
_MODEL = Step("openai-compatible", "short-vectors", DEFAULT_DIMENSIONS)


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    """Whoever makes the vectors."""
    with ProviderServer(latency_s=_LATENCY_S) as running:
        yield running


def _kill_workers(workers: Sequence[Child], provider: ProviderServer, kills: Kills) -> int:
    """Kill workers at work; gives how many of them had not come to an end."""
    upto = len(provider.requests) + kills.chance.randrange(_MOST_REQUESTS + 1)
    for worker in workers:
        worker.say({"verb": "embed_waiting"})
    deadline = time.monotonic() + _LONGEST_S
    while len(provider.requests) < upto and time.monotonic() < deadline:
        time.sleep(0.004)
    time.sleep(kills.chance.uniform(0, 2 * _LATENCY_S))
    for worker in workers:
        worker.kill()
    halfway = 0
    for worker in workers:
        halfway += not worker.rest()
        kills.points += 1
        kills.killed += was_killed(worker.end())
    return halfway


def _served_to_the_end(memory: Memory) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while memory.embed_waiting() and memory.stats().pending_jobs:
        assert time.monotonic() < deadline, "the queue does not come to its end"
        time.sleep(_LEASE_S / 20)


def _insist_one_vector_each(database: str) -> None:
    with plain(database) as store:
        assert store.rows("SELECT count(*) FROM jobs") == [(0,)]
        key = "id, v.item_id" if "://" in database else "seq, v.seq"
        for number, kind in store.rows("SELECT number, kind FROM embedding_spaces"):
            rows = {"memory": "memories", "message": "messages", "chunk": "chunks", "place": "places"}[kind]
            joined = f"{rows} m FULL JOIN vectors_{number} v ON m.{key.replace(', ', ' = ')}"
            sql = f"SELECT m.{key} FROM {joined}"  # noqa: S608 - names from here and from the catalogue
            pairs = store.rows(sql)
            assert all(row == owner for row, owner in pairs)
            assert len(set(pairs)) == len(pairs)


def _insist_right(memory: Memory, stored: Sequence[Item]) -> None:
    for item in random.Random(SEED).sample(stored, sized(10, 40)):
        hits = memory.user(item.user).search_context(item.content).hits
        assert hits[0].content == item.content
        for hit in hits:
            assert hit.similarity == pytest.approx(_MODEL.cosine(item.content, embedded(hit.content)), abs=TOLERANCE)


def test_a_queue_whose_workers_are_killed_is_served_once(
    database: str, zygote: Zygote, provider: ProviderServer
) -> None:
    settings, kills, halfway = {**_MODEL.settings(provider), "embedding.lease_s": _LEASE_S}, Kills(), 0
    stored = list(items(0, _ITEMS))
    with open_memory(database, **settings) as memory:
        hoard(memory, stored)
    for _ in range(points(_POINTS) // _WORKERS):
        halfway += _kill_workers([zygote.serve(database, **settings) for _ in range(_WORKERS)], provider, kills)
        with open_memory(database, **settings) as memory:
            assert memory.doctor() == ()
    with open_memory(database, **settings) as memory:
        _served_to_the_end(memory)
        paid = Counter(provider.texts)
        coverage = memory.status().coverage
        assert sum(part.items for part in coverage) == _ITEMS
        assert {(part.share, part.waiting, part.parked) for part in coverage} == {(1.0, 0, 0)}
        assert memory.doctor() == ()
        _insist_one_vector_each(database)
        _insist_right(memory, stored)
    again = sum(paid[embedded(item.content)] - 1 for item in stored)
    kills.show("serving the queue", database, halfway=halfway, texts=_ITEMS, paid_again=again)
    assert min(paid[embedded(item.content)] for item in stored) == 1
    assert again <= kills.killed * BATCH * CONCURRENCY
    assert halfway > kills.points // 3
