"""A recall of one user with a hundred memories against a hybrid search written by hand over the same file.

The peer is what a program would write for itself: one query of FTS5 with its own ranking, the user's vectors read and
multiplied with NumPy, reciprocal ranks added up, and the best ten rows fetched. It checks nothing, explains nothing and
ranks worse. Both are given the query's vector, no answer is cached, and processor time is what is compared.
"""

import re
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from benchmarks.figures import Figure
from benchmarks.lifelike import questions, sentences, vectors
from benchmarks.stores import open_memory
from recollect import NewMemory
from recollect.model.memories import Vector

_EACH = 100
_ASKING = 50  # users who ask several times, as people do in a conversation
_CANDIDATES = 50
_RRF_K = 60
_BARS = {10_000: 2.5, 100_000: 1.5}
_ROUNDS = 600

_MATCHING = """
SELECT rowid FROM memory_terms WHERE memory_terms MATCH ? ORDER BY rank LIMIT ?
"""
_VECTORS = "SELECT m.seq, v.vector FROM memories m JOIN vectors_1 v ON v.seq = m.seq WHERE m.user_id = ?"
_ROWS = "SELECT seq, id, content, created_at FROM memories WHERE seq IN (SELECT value FROM json_each(?))"


def measure(folder: Path, amount: int) -> Iterator[Figure]:
    """Compare in a store of ten thousand rows, and in one of as many as are asked for."""
    for rows in sorted({10_000, amount}):
        yield _against_hand(folder / f"hybrid-{rows}.db", rows)


def _against_hand(path: Path, rows: int) -> Figure:
    users = rows // _EACH
    texts, given = sentences(rows), vectors(rows)
    asked, queries = questions(50)
    with open_memory(str(path)) as memory:
        for number in range(users):
            own = range(number * _EACH, (number + 1) * _EACH)
            memory.user(f"user{number}").remember_many(NewMemory(texts[row], vector=given[row]) for row in own)
        memory.maintain()
    turns = count()
    with open_memory(str(path)) as memory, closing(apsw.Connection(str(path))) as bare:

        def turn() -> tuple[str, str, Vector]:
            number = next(turns)
            return f"user{number % _ASKING * users // _ASKING}", asked[number % 50], queries[number % 50]

        def ours() -> None:
            user, text, vector = turn()
            memory.user(user).recall(text, vector=vector, only_related=False)

        def peer() -> None:
            by_hand(bare, *turn())

        mine, hand = _processor_time(ours, peer)
    detail = f"{mine * 1e3:.2f} ms of processor time against {hand * 1e3:.2f} ms by hand; {users:,} users"
    bar = _BARS.get(rows, max(_BARS.values()))
    return Figure(
        f"recall among {_EACH} rows in a store of {rows:,}, against a hybrid", mine / hand, bar, "at most", detail
    )


def by_hand(connection: apsw.Connection, user: str, text: str, vector: Vector) -> list[tuple[object, ...]]:
    """Search one user's memories by words and by meaning, and give the best ten rows."""
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text.lower()))
    matching = connection.execute(_MATCHING, (f'user_token:"{user.encode().hex()}" AND terms:({words})', _CANDIDATES))
    by_words = [seq for (seq,) in matching]
    stored: list[Any] = connection.execute(_VECTORS, (user,)).fetchall()
    matrix = np.frombuffer(b"".join(floats for _, floats in stored), np.float32).reshape(len(stored), -1)
    nearest = np.argsort(-(matrix @ vector))[:_CANDIDATES].tolist()
    scores: dict[int, float] = {}
    for ranked in (by_words, [stored[row][0] for row in nearest]):
        for place, seq in enumerate(ranked, 1):
            scores[seq] = scores.get(seq, 0.0) + 1 / (_RRF_K + place)
    best = sorted(scores, key=lambda seq: -scores[seq])[:10]
    rows = {row[0]: row for row in connection.execute(_ROWS, (str(best),))}
    return [rows[seq] for seq in best]


def _processor_time(ours: Callable[[], None], peer: Callable[[], None]) -> tuple[float, float]:
    """Give the median seconds of processor time of each, taken in turn after some unmeasured rounds."""
    for _ in range(2 * _ASKING):
        ours()
        peer()
    times = [(_spent(ours), _spent(peer)) for _ in range(_ROUNDS)]
    return statistics.median(mine for mine, _ in times), statistics.median(other for _, other in times)


def _spent(action: Callable[[], None]) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started
