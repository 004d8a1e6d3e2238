"""What an agent waits for in a conversation, on SQLite: saving, searching before the prompt, learning after the turn.

Vectors are given by an embedder that has them ready: how long a model takes is measured elsewhere. A bare search is the
same search done by hand: one query of FTS5 and one exact scan of all vectors in memory.
"""

import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path

import apsw
import numpy as np

from benchmarks.figures import Figure, alternate, seconds
from benchmarks.lifelike import DIMENSIONS, questions, sentences, vectors
from recollect import Memory, NewMemory, UserMemory, load_settings
from recollect.engine.conversations import message_drafts, message_log
from recollect.model.memories import MessageDraft, Scope, Space, Vector
from recollect.model.messages import NewMessage
from recollect.ports import Role
from recollect.storage.base import StoreWriter
from recollect.text.terms import query_terms, query_words

_APPEND_LIMIT_S = 0.002
_PROMPT_LIMIT_S = 0.050
_COMPACT_LIMIT_S = 0.300
_TURN_LIMIT_S = 0.030
_BARE_LIMIT = 2.0
_PER_CONVERSATION = 200
_LOADED_AT_ONCE = 5_000
_CANDIDATES = 400
_MEMORIES = 1_000
_START = datetime(2026, 1, 1, tzinfo=UTC)


class ReadyEmbedder:
    """Has the vectors of a run ready and hands them out in turn."""

    space = Space("benchmark", "ready", "1", "none", DIMENSIONS, normalised=True)
    languages: frozenset[str] | None = None

    def __init__(self) -> None:
        self._ready = vectors(64, seed=3)
        self._turn = count()

    def embed(self, texts: Sequence[str], role: Role) -> Vector:  # noqa: ARG002 - the same for all
        """Give as many as are wanted."""
        rows = [next(self._turn) % len(self._ready) for _ in texts]
        given: Vector = self._ready[rows]
        return given

    def close(self) -> None:
        """There is nothing to give back."""


def measure(folder: Path, address: str, amount: int) -> Iterator[Figure]:  # noqa: ARG001 - a file is measured
    """Measure with half as many messages as a benchmark of memories has memories, all of one user."""
    path = folder / "conversations.db"
    said = amount // 2
    with opened(path) as memory:
        yield _append_figure(memory.user("new"), "an empty store")
        matrix = load(memory, said)
        memory.user("me").remember_many(
            NewMemory(text, vector=vector)
            for text, vector in zip(sentences(_MEMORIES, seed=5), vectors(_MEMORIES, seed=5), strict=True)
        )
        memory._engine.store.tune()  # noqa: SLF001 - as maintenance leaves it, without what else maintenance does
    with opened(path) as memory:
        yield _append_figure(memory.user("me"), f"{said:,} messages")
        yield from _prompt_figures(memory.user("me"), path, matrix)
        yield _compaction_figure(memory.user("me"))
        yield _turn_figure(memory.user("me"), said)


def opened(path: Path, **recall: object) -> Memory:
    """Open a store with vectors at hand, whatever the settings of whoever runs this."""
    chosen = {f"recall.{name}": value for name, value in recall.items()}
    overrides = {"database": str(path), "embedding.provider": "none", "embedding.worker": False, **chosen}
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides), embedder=ReadyEmbedder())


def load(memory: Memory, amount: int) -> Vector:
    """Write messages with their vectors as the engine would, in large transactions; gives the vectors."""
    texts, matrix = sentences(amount), vectors(amount)
    for start in range(0, amount, _LOADED_AT_ONCE):
        rows = range(start, min(start + _LOADED_AT_ONCE, amount))
        drafts = [_draft(memory, number, texts[number], matrix[number]) for number in rows]
        memory._engine.store.write(Scope("me"), partial(_write, memory, drafts))  # noqa: SLF001 - faster than by turns
    return matrix


def _draft(memory: Memory, number: int, text: str, vector: Vector) -> MessageDraft:
    said_at = _START + timedelta(minutes=number)
    message = NewMessage("assistant" if number % 2 else "user", text, said_at=said_at)
    talk, engine = f"talk{number // _PER_CONVERSATION}", memory._engine  # noqa: SLF001
    spoken = message_drafts.draft_message(engine, Scope("me"), talk, message, said_at)
    if spoken.draft is None:
        raise AssertionError("nothing of the message may be kept")
    placed = spoken.draft.message._replace(sequence=number % _PER_CONVERSATION + 1)
    return spoken.draft._replace(message=placed, vector=vector)


def _write(memory: Memory, drafts: Sequence[MessageDraft], writer: StoreWriter) -> None:
    for name in {draft.message.conversation for draft in drafts}:
        message_log.open_conversation(writer, name, _START)
    writer.insert_messages(drafts, memory._engine.space)  # noqa: SLF001


def _append_figure(me: UserMemory, where: str) -> Figure:
    """A user's message that waits for its vector, durable when it returns."""
    texts = iter(sentences(400, seed=7))
    talks = (me.conversation(f"appended {number // 50}") for number in count())

    def append() -> None:
        next(talks).append("user", next(texts))

    append()
    took = statistics.median(seconds(append) for _ in range(300))
    detail = f"{took * 1e3:.2f} ms of {_APPEND_LIMIT_S * 1e3:g} ms"
    return Figure(f"appending a message to {where}, of the limit", took / _APPEND_LIMIT_S, 1.0, "at most", detail)


def _prompt_figures(me: UserMemory, path: Path, matrix: Vector) -> Iterator[Figure]:
    """Each request is new, is searched for, is saved, and lets the next one look at a store that has changed."""
    asked, queries = questions(100)
    turns = count()
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as bare:
        bare.execute("PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -65536")

        def prompt() -> None:
            turn = next(turns)
            me.before_prompt(f"{asked[turn % len(asked)]} ({turn})", session=f"prompted {turn // 40}")

        def by_hand() -> None:
            turn = next(turns) % len(asked)
            search_by_hand(bare, matrix, asked[turn], queries[turn])

        def search() -> None:
            turn = next(turns) % len(asked)
            me.search_context(asked[turn], vector=queries[turn], only_related=False)

        whole, hand = _in_blocks(prompt, by_hand, 100)
        again, searched = alternate(prompt, search, 60)
    detail = f"{whole * 1e3:.1f} ms of {_PROMPT_LIMIT_S * 1e3:g} ms among {len(matrix):,} messages"
    yield Figure("before_prompt, of the limit", whole / _PROMPT_LIMIT_S, 1.0, "at most", detail)
    detail = f"{whole * 1e3:.1f} ms against {hand * 1e3:.1f} ms for FTS5 and a scan by hand"
    yield Figure("before_prompt against a bare search", whole / hand, _BARE_LIMIT, "at most", detail)
    detail = f"{again * 1e3:.1f} ms against {searched * 1e3:.1f} ms"
    yield Figure("before_prompt against search_context alone", again / searched, _BARE_LIMIT, "at most", detail)


def _in_blocks(ours: Callable[[], None], peer: Callable[[], None], rounds: int) -> tuple[float, float]:
    """Time ten of ours, ten of the other, and so on: a scan empties the caches that a search lives from."""
    alternate(ours, peer, 1)
    mine: list[float] = []
    others: list[float] = []
    for _ in range(rounds // 10):
        mine += [seconds(ours) for _ in range(10)]
        others += [seconds(peer) for _ in range(10)]
    return statistics.median(mine), statistics.median(others)


def search_by_hand(connection: apsw.Connection, matrix: Vector, text: str, query: Vector) -> None:
    """Do what a search cannot do without."""
    quoted = " OR ".join(f'"{term}"' for term in query_terms(query_words(text)))
    sql = "SELECT rowid, rank FROM message_terms WHERE message_terms MATCH ? ORDER BY rank LIMIT ?"
    connection.execute(sql, (f"terms:({quoted})", _CANDIDATES)).fetchall()
    scores = matrix @ query
    best = np.argpartition(-scores, 10)[:10]
    best[np.argsort(-scores[best])]


def _compaction_figure(me: UserMemory) -> Figure:
    texts = sentences(_PER_CONVERSATION * 7, seed=9)
    times = []
    for run in range(7):
        talk = me.conversation(f"compacted {run}")
        own = texts[run * _PER_CONVERSATION : (run + 1) * _PER_CONVERSATION]
        talk.extend([NewMessage("assistant" if number % 2 else "user", text) for number, text in enumerate(own)])
        times.append(seconds(partial(talk.compact, keep_recent=0)))
    took = statistics.median(times)
    detail = f"{took * 1e3:.1f} ms of {_COMPACT_LIMIT_S * 1e3:g} ms, extractive"
    name = f"compacting {_PER_CONVERSATION} messages, of the limit"
    return Figure(name, took / _COMPACT_LIMIT_S, 1.0, "at most", detail)


def _turn_figure(me: UserMemory, said: int) -> Figure:
    """A turn with something to learn in every second one."""
    texts = sentences(240, seed=11)
    turns = count()

    def turn() -> None:
        number = next(turns)
        request = f"I prefer the {texts[number]}" if number % 2 else texts[number]
        answer = {"role": "assistant", "content": texts[number + 120]}
        me.after_turn([{"role": "user", "content": request}, answer], session=f"turned {number // 40}")

    turn()
    took = statistics.median(seconds(turn) for _ in range(100))
    detail = f"{took * 1e3:.1f} ms of {_TURN_LIMIT_S * 1e3:g} ms among {said:,} messages"
    return Figure("after_turn, of the limit", took / _TURN_LIMIT_S, 1.0, "at most", detail)
