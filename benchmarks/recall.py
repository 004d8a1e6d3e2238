"""Recall with the query's vector given: one user with 100,000 memories, and one of 1,000 users with a hundred each."""

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import apsw
import numpy as np
import psycopg
from pgvector.psycopg import register_vector

from benchmarks.figures import Figure, alternate, seconds
from benchmarks.lifelike import questions, sentences, vectors
from benchmarks.stores import open_memory
from recollect import Memory, NewMemory
from recollect.model.filters import Filters
from recollect.model.memories import Scope, Vector

_NEIGHBOURS = 50  # as many as a recall of memories asks for


def one_large_user(path: Path, amount: int) -> Iterator[Figure]:
    """The vector part on SQLite against one scan of the same matrix, with as many neighbours as a recall asks for."""
    texts, matrix = sentences(amount), vectors(amount)
    asked, queries = questions(100)
    with open_memory(str(path)) as memory:
        items = (NewMemory(text, vector=vector) for text, vector in zip(texts, matrix, strict=True))
        stored = memory.user("me").remember_many(items)
        position = {remembered.id: number for number, remembered in enumerate(stored)}
    with open_memory(str(path)) as memory:
        me = memory.user("me")
        me.recall(asked[0], vector=queries[0])
        ours, scans = _in_blocks(memory, matrix, queries)
        agreed = sum(
            len({position[found] for found in _nearest(memory, query)[:10]} & set(_scan(matrix, query).tolist()))
            for query in queries
        )
        whole = statistics.median(
            seconds(lambda text=text, query=query: me.recall(text, vector=query))  # type: ignore[misc]
            for text, query in zip(asked, queries, strict=True)
        )
    mine, scan = statistics.median(ours), statistics.median(scans)
    detail = f"{mine * 1e3:.2f} ms against {scan * 1e3:.2f} ms; a whole recall takes {whole * 1e3:.1f} ms"
    yield Figure(f"vector part of recall among {amount:,}, SQLite", mine / scan, 0.5, "at most", detail)
    share = agreed / (10 * len(queries))
    yield Figure("top-10 agreement with the exact scan", share, 0.99, "at least", f"{len(queries)} questions")


def _in_blocks(memory: Memory, matrix: Vector, queries: Vector) -> tuple[list[float], list[float]]:
    """Time ten of ours, ten scans, and so on: a scan of everything empties the caches that a search lives from."""
    ours: list[float] = []
    scans: list[float] = []
    for start in range(0, len(queries), 10):
        block = queries[start : start + 10]
        ours += [seconds(partial(_nearest, memory, query)) for query in block]
        scans += [seconds(partial(_scan, matrix, query)) for query in block]
    return ours, scans


def _scan(matrix: Vector, query: Vector) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    scores = matrix @ query
    best = np.argpartition(-scores, 10)[:10]
    return best[np.argsort(-scores[best])]


def _nearest(memory: Memory, query: Vector) -> Sequence[str]:
    engine = memory._engine  # noqa: SLF001 - the part that is measured has no public name
    space, filters = engine.space, Filters(now=engine.clock.now())
    if space is None:
        raise AssertionError("vectors are switched off")
    near = engine.store.read(Scope("me"), lambda reader: reader.nearest(space, query, filters, _NEIGHBOURS))
    return [neighbour.id for neighbour in near]


def many_small_users(folder: Path, address: str, users: int, each: int) -> Iterator[Figure]:
    """A whole recall of one user against a bare query that fetches that user's rows and vectors by their key.

    Users come back: each of fifty asks several times, as people do in a conversation.
    """
    texts, given = sentences(users * each), vectors(users * each)
    asked, queries = questions(50)
    path = folder / "small.db"
    for database in (str(path), address):
        with open_memory(database) as memory:
            for number in range(users):
                own = range(number * each, (number + 1) * each)
                memory.user(f"user{number}").remember_many(NewMemory(texts[row], vector=given[row]) for row in own)
            memory.maintain()
    with open_memory(str(path)) as memory, closing(apsw.Connection(str(path))) as bare:
        yield _small_figure("SQLite", memory, users, asked, queries, lambda user: _fetch_sqlite(bare, user))
    with open_memory(address) as memory, psycopg.connect(address) as connection:
        register_vector(connection)
        yield _small_figure("PostgreSQL", memory, users, asked, queries, lambda user: _fetch_postgres(connection, user))


def _small_figure(  # noqa: PLR0917 - one figure, one call
    store: str,
    memory: Memory,
    users: int,
    asked: Sequence[str],
    queries: Vector,
    fetch: Callable[[str], object],
) -> Figure:
    turns = iter(range(10**9))

    def someone(turn: int) -> str:
        return f"user{turn % 50 * users // 50}"

    def ours() -> None:
        turn = next(turns)
        memory.user(someone(turn)).recall(asked[turn % len(asked)], vector=queries[turn % len(asked)])

    def peer() -> None:
        fetch(someone(next(turns)))

    mine, bare = alternate(ours, peer, 400)
    detail = f"{mine * 1e3:.2f} ms against {bare * 1e3:.2f} ms"
    return Figure(f"recall of one user among {users:,}, {store}", mine / bare, 2.0, "at most", detail)


def _fetch_sqlite(connection: apsw.Connection, user: str) -> object:
    query = "SELECT * FROM memories JOIN vectors_1 USING (seq) WHERE memories.user_id = ?"
    return connection.execute(query, (user,)).fetchall()


def _fetch_postgres(connection: psycopg.Connection[tuple[object, ...]], user: str) -> object:
    query = (
        "SELECT * FROM memories m JOIN vectors_1 v ON v.user_id = m.user_id AND v.item_id = m.id WHERE m.user_id = %s"
    )
    with connection.transaction(), connection.cursor(binary=True) as cursor:
        return cursor.execute(query, (user,)).fetchall()
