"""Many users' writes to one store: threads that store single memories share commits, a stream of rows transactions.

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
from recollect import Memory, NewMemory, load_settings

_THREADS = 32
_SINGLE = 20  # memories of each user in one round, stored one by one
_ROUNDS = 5
_USERS = 1_000
_ROWS = 100  # of each user
_VALUES = 5_000


def measure(folder: Path, address: str, amount: int) -> Iterator[Figure]:  # noqa: ARG001 - the amounts are its own
    """Compare threads of many users with one thread, and rows of many users with those of one."""
    yield _single_stores(folder / "writers.db")
    yield from _many_users(folder, address)
    yield from _superseding(folder, address)


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


def _many_users(folder: Path, address: str) -> Iterator[Figure]:
    """Load the same texts as those of many users and as those of one."""
    texts = sentences(_USERS * _ROWS)
    many_rows = [(f"user{number // _ROWS}", text) for number, text in enumerate(texts)]
    for store, first, second in (
        ("SQLite", str(folder / "many.db"), str(folder / "one.db")),
        ("PostgreSQL", address, address),
    ):
        many = seconds(partial(_load, first, many_rows))
        one = seconds(partial(_load, second, [("one", text) for text in texts]))
        rate = f"{len(texts) / many:,.0f} rows/s of {_USERS:,} users, {len(texts) / one:,.0f} of one"
        yield Figure(f"bulk over many users on {store}, speed against one user", one / many, 0.58, "at least", rate)


def _superseding(folder: Path, address: str) -> Iterator[Figure]:
    """Load values of many subjects, and then others that supersede them."""
    for store, database in (("SQLite", str(folder / "values.db")), ("PostgreSQL", address)):
        with open_without_vectors(database) as memory:
            first, second = (
                seconds(partial(memory.user("values").remember_many, _values(text))) for text in ("red", "blue")
            )
        rate = f"{_VALUES / second:,.0f} a second, {_VALUES / first:,.0f} of new ones"
        yield Figure(f"superseding values on {store}, speed against new ones", first / second, 0.4, "at least", rate)


def _values(text: str) -> list[NewMemory]:
    return [
        NewMemory(f"Lamp {number} is {text}", type="fact", subject=f"lamp {number}", key="colour", value=text)
        for number in range(_VALUES)
    ]


def _load(database: str, rows: list[tuple[str, str]]) -> None:
    with open_without_vectors(database) as memory:
        memory.load(rows)
