"""Recall with the query's vector given: one user with 100,000 memories, and one of 1,000 users with a hundred each.

On PostgreSQL the large user is also compared with a hybrid search by hand: one statement with the best by words, the
nearest by the same vector index, and reciprocal ranks added up, without row-level security, filters or explanations.
That statement looks at as many rows of the index as a recall does, since with fewer it finds less.
A set (benchmarks.quality.sets) may take the place of made-up texts and questions there.
"""

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import psycopg
from pgvector import Vector as PgVector
from pgvector.psycopg import register_vector

from benchmarks.figures import Figure, alternate, seconds
from benchmarks.lifelike import questions, sentences, vectors
from benchmarks.quality.intervals import bootstrap
from benchmarks.quality.models import CachedEmbedder
from benchmarks.quality.sets import load
from benchmarks.stores import open_memory
from recollect import Memory, NewMemory
from recollect.embedding.known_models import ENCODERS
from recollect.model.filters import Filters
from recollect.model.memories import Scope, Vector
from recollect.storage.base import Neighbour
from recollect.text.terms import query_terms, query_words

_NEIGHBOURS = 50  # as many as a recall of memories asks for
_SERVER_CPU_MS = 60.0
_AS_THOROUGH = 400  # rows of the vector index that a recall looks at
_RECALLS = 100
_BLOCK = 500

_BY_HAND = """
WITH words AS (
         SELECT id, row_number() OVER (ORDER BY held DESC, id DESC) AS place
           FROM (SELECT id,
                        (SELECT count(*) FROM unnest(%(terms)s::text[]) AS q (term) WHERE q.term = ANY(terms)) AS held
                   FROM memories WHERE user_id = 'me' AND terms && %(terms)s::text[]
                  ORDER BY held DESC, id DESC LIMIT 50) AS best),
     near AS (
         SELECT item_id AS id, row_number() OVER (ORDER BY distance) AS place
           FROM (SELECT item_id, embedding <=> %(vector)s AS distance FROM vectors_1 WHERE user_id = 'me'
                  ORDER BY embedding <=> %(vector)s LIMIT 50) AS best)
SELECT m.id, m.content, m.created_at
  FROM (SELECT id, sum(1.0 / (60 + place)) AS score FROM (TABLE words UNION ALL TABLE near) AS ranked GROUP BY id
         ORDER BY score DESC LIMIT 10) AS ranked
  JOIN memories m ON m.user_id = 'me' AND m.id = ranked.id ORDER BY score DESC
"""


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
        me.recall(asked[0], vector=queries[0], only_related=False)
        ours, scans = _in_blocks(memory, matrix, queries)
        agreed = sum(
            len({position[found] for found in _nearest(memory, query)[:10]} & set(_scan(matrix, query).tolist()))
            for query in queries
        )
        whole = statistics.median(
            seconds(lambda text=text, query=query: me.recall(text, vector=query, only_related=False))  # type: ignore[misc]
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
    return [neighbour.id for neighbour in nearest(memory, query)]


def nearest(memory: Memory, query: Vector) -> Sequence[Neighbour]:
    """Run the vector part of a recall of the user `me`."""
    engine = memory._engine  # noqa: SLF001 - the part that is measured has no public name
    space, filters = engine.space, Filters(now=engine.clock.now())
    if space is None:
        raise AssertionError("vectors are switched off")
    return engine.store.read(Scope("me"), lambda reader: reader.nearest(space, query, filters, _NEIGHBOURS))


@dataclass(frozen=True, slots=True)
class LargeUser:
    """What a large user has stored and asks, with vectors."""

    texts: Sequence[str]
    vectors: Vector
    asked: Sequence[str]
    queries: Vector


def made_up(amount: int) -> LargeUser:
    """Make texts and questions up."""
    return LargeUser(sentences(amount), vectors(amount), *questions(_RECALLS))


def of_a_set(folder: Path, amount: int, cache: Path) -> LargeUser:
    """Take the lines of a set as memories, and its questions, all by the bundled encoder; the cache keeps vectors."""
    chosen = load(folder)
    texts = list(dict.fromkeys(line.content for line in chosen.lines if line.content))[:amount]
    asked = [query.text for query in chosen.queries]
    with closing(CachedEmbedder(ENCODERS[0], cache)) as embedder:
        rows = [embedder.embed(texts[at : at + _BLOCK], "passage") for at in range(0, len(texts), _BLOCK)]
        return LargeUser(texts, np.concatenate(rows), asked, embedder.embed(asked, "query"))


def large_user_on_a_server(address: str, user: LargeUser) -> Iterator[Figure]:
    """A whole recall of one large user among small ones against a hybrid statement by hand, after many recalls."""
    texts, matrix = user.texts, user.vectors
    with open_memory(address) as memory:
        memory.user("me").remember_many(NewMemory(text, vector=row) for text, row in zip(texts, matrix, strict=True))
        for number in range(0, len(texts) // 10, 100):
            own = slice(number, number + 100)
            items = zip(texts[own], matrix[own], strict=True)
            memory.user(f"user{number}").remember_many(NewMemory(text, vector=row) for text, row in items)
        memory.maintain()
    yield from large_user_figures(address, user)


def large_user_figures(address: str, user: LargeUser) -> Iterator[Figure]:
    """Measure a store that was filled so."""
    asked, queries = user.asked, user.queries
    with open_memory(address) as memory, psycopg.connect(address, autocommit=True) as bare:
        register_vector(bare)
        me = memory.user("me")
        scans = _index_scans(bare)
        for text, query in zip(asked, queries, strict=True):
            me.recall(text, vector=query, only_related=False)
        backends = _backends(bare)
        spent: list[tuple[float, float, float, float]] = []
        for text, query in zip(asked, queries, strict=True):
            before = _cpu_s(backends)
            wall = seconds(partial(me.recall, text, vector=query))
            cpu = _cpu_s(backends) - before
            terms = list(query_terms(query_words(text)))
            by_hand = partial(bare.execute, _BY_HAND, {"terms": terms, "vector": PgVector(query)}, prepare=False)
            hasty = seconds(by_hand)
            bare.execute(f"SET hnsw.ef_search = {_AS_THOROUGH}")
            spent.append((wall, cpu, hasty, seconds(by_hand)))
            bare.execute("RESET hnsw.ef_search")
        shares = [len({*_nearest(memory, query)[:10]} & {*_exact(bare, query)}) / 10 for query in queries]
    wall, cpu, quick, thorough = (statistics.median(column) for column in zip(*spent, strict=True))
    with psycopg.connect(address, autocommit=True) as connection:
        used = _index_scans(connection) - scans
    name = f"recall among {len(user.texts):,}, PostgreSQL, after {len(asked)} on one connection"
    detail = (
        f"{wall * 1e3:.0f} ms against {thorough * 1e3:.0f} ms; {quick * 1e3:.0f} ms with ef_search 40, which finds less"
    )
    yield Figure(f"{name}, against as thorough a hybrid by hand", wall / thorough, 1.5, "at most", detail)
    yield Figure(f"{name}, server CPU against 60 ms", cpu * 1e3 / _SERVER_CPU_MS, 1.0, "at most", f"{cpu * 1e3:.0f} ms")
    yield Figure(
        "share of its searches with the vector index", used / (5 * len(asked)), 1.0, "at least", f"{used} scans"
    )
    found = bootstrap(shares)
    detail = f"{len(shares)} questions, 95 % interval {found.low:.4f} to {found.high:.4f}"
    yield Figure("top-10 agreement of the vector index with exact", found.mean, 0.99, "at least", detail)


def _backends(connection: psycopg.Connection[Any]) -> Sequence[int]:
    """Give the server's processes that work for others than us."""
    others = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    return [pid for (pid,) in connection.execute(others)]


def _cpu_s(processes: Sequence[int]) -> float:
    """Give the processor time of processes, as Linux counts it in nanoseconds."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0]) for pid in processes) / 1e9


def _index_scans(connection: psycopg.Connection[Any]) -> int:
    """Count the uses of the vector index of large users."""
    query = (
        "SELECT coalesce(sum(idx_scan), 0) FROM pg_stat_user_indexes WHERE indexrelname LIKE 'vectors\\_1\\_user\\_%'"
    )
    return int(connection.execute(query).fetchall()[0][0])


def _exact(connection: psycopg.Connection[Any], query: Vector) -> Sequence[str]:
    """Give the nearest ten without the index."""
    with connection.transaction():
        connection.execute("SET LOCAL enable_indexscan = off")
        nearest = "SELECT item_id::text FROM vectors_1 WHERE user_id = 'me' ORDER BY embedding <=> %s LIMIT 10"
        return [item_id for (item_id,) in connection.execute(nearest, (PgVector(query),), prepare=False)]


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
        memory.user(someone(turn)).recall(
            asked[turn % len(asked)], vector=queries[turn % len(asked)], only_related=False
        )

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
