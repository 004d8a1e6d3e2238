"""Many users' writes to one file: threads that store single memories share commits.

Both sides wait for the same disk, in turn, so that what else the machine does weighs on both alike.
"""

import os
import statistics
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.figures import Figure, seconds
from benchmarks.lifelike import sentences
from recollect import Memory, load_settings

_THREADS = 32
_SINGLE = 20  # memories of each user in one round, stored one by one
_ROUNDS = 5


def measure(folder: Path, address: str, amount: int) -> Iterator[Figure]:  # noqa: ARG001 - the amounts are its own
    """Compare threads of many users with one thread that stores the same."""
    yield _single_stores(folder / "writers.db")


def open_without_vectors(database: str) -> Memory:
    """Open a store in which nothing but writing takes time."""
    overrides = {"database": database, "embedding.provider": "none", "embedding.worker": False}
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides))


def _single_stores(path: Path) -> Figure:
    texts = iter(sentences(2 * (_ROUNDS + 1) * _THREADS * _SINGLE))
    times: dict[int, list[float]] = {1: [], _THREADS: []}
    with open_without_vectors(str(path)) as memory:
        for _ in range(_ROUNDS + 1):
            for threads, taken in times.items():
                shares = [[next(texts) for _ in range(_SINGLE)] for _ in range(_THREADS)]
                taken.append(seconds(partial(_store, memory, shares, threads)))
    alone, together = (statistics.median(taken[1:]) for taken in times.values())
    stored = _THREADS * _SINGLE
    detail = (
        f"{stored / together:,.0f} a second by {_THREADS} threads of {_THREADS} users, {stored / alone:,.0f} by one"
    )
    return Figure("single stores by many threads on SQLite, speed against one", alone / together, 6, "at least", detail)


def _store(memory: Memory, shares: list[list[str]], threads: int) -> None:
    """Store each user's share, one memory after the other."""

    def store(user: int) -> None:
        for text in shares[user]:
            memory.user(f"user{user}").remember(text)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(store, range(len(shares))))
