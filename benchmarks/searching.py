"""What a search of one user's messages costs on SQLite, and where the time goes.

The query's vector is given and no answer is kept, so everything but the model is done each time. The peer is the least
that can be done: one query of FTS5 and one exact scan of all vectors in memory.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import apsw

from benchmarks.conversations import load, opened, search_by_hand
from benchmarks.figures import Figure, alternate
from benchmarks.lifelike import questions
from recollect import UserMemory
from recollect.engine.search import hits, kind_ranking, prepared_query
from recollect.model.memories import Vector
from recollect.ranking import bm25
from recollect.storage.sqlite.reader import SqliteReader

_MESSAGES = 10_000
_LIMIT = 2.5
_ROUNDS = 200

# The steps of a search and what does them. A step that runs inside another is taken out of it.
_STEPS: Mapping[str, tuple[ModuleType | type, str]] = {
    "reading the query": (prepared_query, "read_query"),
    "matching words": (SqliteReader, "text_candidates"),
    "scoring words": (bm25, "score"),
    "nearest vectors": (SqliteReader, "nearest"),
    "cosines": (SqliteReader, "cosines"),
    "surroundings": (SqliteReader, "around"),
    "ranking": (kind_ranking, "rank"),
    "hits": (hits, "show"),
}


def measure(folder: Path) -> Iterator[Figure]:
    """Compare a search with the bare one, and say how the time is shared."""
    path = folder / "searching.db"
    with opened(path, cache=0) as memory:
        matrix = load(memory, _MESSAGES)
        memory._engine.store.tune()  # noqa: SLF001 - as maintenance leaves it
    with opened(path, cache=0) as memory:
        yield _against_bare(memory.user("me"), path, matrix)


def _against_bare(me: UserMemory, path: Path, matrix: Vector) -> Figure:
    asked, queries = questions(100)
    turns = count()
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as bare:
        bare.execute("PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -65536")

        def search() -> None:
            turn = next(turns) % len(asked)
            me.search_context(asked[turn], sources=("request", "response"), vector=queries[turn], only_related=False)

        def by_hand() -> None:
            turn = next(turns) % len(asked)
            search_by_hand(bare, matrix, asked[turn], queries[turn])

        ours, peer = alternate(search, by_hand, _ROUNDS)
        shares = _shares(search)
    parts = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
    detail = f"{ours * 1e3:.1f} ms against {peer * 1e3:.1f} ms; {parts}"
    return Figure(f"searching {_MESSAGES:,} messages against a bare search", ours / peer, _LIMIT, "at most", detail)


def _shares(search: Callable[[], None]) -> Mapping[str, float]:
    """Say which share of a search each step takes."""
    spent: defaultdict[str, float] = defaultdict(float)
    with _stopwatches(spent):
        started = time.perf_counter()
        for _ in range(_ROUNDS):
            search()
        whole = time.perf_counter() - started
    shares = {name: spent[name] / whole for name in _STEPS}
    return {**shares, "the rest": 1.0 - sum(shares.values())}


@contextmanager
def _stopwatches(spent: defaultdict[str, float]) -> Iterator[None]:
    inside: list[float] = []  # for each step that is running, what steps inside of it took

    def timed(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: object, **named: object) -> object:
            inside.append(0.0)
            started = time.perf_counter()
            try:
                return step(*arguments, **named)
            finally:
                took = time.perf_counter() - started
                spent[name] += took - inside.pop()
                if inside:
                    inside[-1] += took

        return run

    with ExitStack() as stack:
        for name, (owner, step) in _STEPS.items():
            stack.enter_context(patch.object(owner, step, timed(name, getattr(owner, step))))
        yield
