"""A set in a store of its own, asked through the public verbs."""

import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.quality.scores import Found
from benchmarks.quality.sets import Line, QualitySet
from benchmarks.stores import server
from recollect import EmbeddingError, Memory, NewMemory, NewMessage, Recall, UserMemory, load_settings
from recollect.ports import Embedder

CHANNELS: Mapping[str, Mapping[str, object]] = {
    "text": {"recall.vector_weight": 0.0},
    "vector": {"recall.text_weight": 0.0},
}
_DEPTH = 50
_UNHURRIED = {"recall.deadline_s": 60.0}  # order is measured here, not speed


def store(memory: Memory, lines: Sequence[Line]) -> Mapping[str, Sequence[str]]:
    """Store a set and wait for its vectors; says of each stored item which lines it is, as equal memories are one."""
    shelves: defaultdict[tuple[str, str | None], list[Line]] = defaultdict(list)
    for line in lines:
        if line.content:
            shelves[line.user, line.session].append(line)
    stored: defaultdict[str, list[str]] = defaultdict(list)
    for (user, session), shelf in shelves.items():
        for line, kept in zip(shelf, _kept(memory.user(user), session, shelf), strict=True):
            if kept is not None:
                stored[kept].append(line.id)
    embed(memory)
    return stored


def _kept(user: UserMemory, session: str | None, lines: Sequence[Line]) -> Sequence[str | None]:
    if session is None:
        return [kept.id for kept in user.remember_many(map(_memory, lines))]
    return [added.id for added in user.conversation(session).extend(map(_message, lines))]


def _memory(line: Line) -> NewMemory:
    return NewMemory(line.content, subject=line.person, occurred_at=line.said_at, metadata={"corpus_id": line.id})


def _message(line: Line) -> NewMessage:
    return NewMessage(
        line.role, line.content, speaker=line.person, said_at=line.said_at, metadata={"corpus_id": line.id}
    )


def embed(memory: Memory) -> None:
    """Wait for the vectors of all that is stored."""
    done = memory.maintain()
    while memory.stats().pending_jobs and done.embedded:
        done = memory.maintain()
    stats = memory.stats()
    waiting = stats.pending_jobs + stats.parked_jobs
    if waiting and memory.settings.embedding.provider != "none":
        raise EmbeddingError(f"{waiting} of {stats.memories + stats.messages} items could not be embedded.")


@dataclass(frozen=True, slots=True)
class Bench:
    """A set that is stored, ready to be asked with one setting or another."""

    database: str
    embedder: str | Embedder
    chosen: QualitySet
    stored: Mapping[str, Sequence[str]]
    among_others: bool = False  # whether what is no line of the set takes a place in what is found

    def open(self, settings: Mapping[str, object]) -> Memory:
        """Open the store without regard to the settings of this machine."""
        return _open(self.database, self.embedder, settings)

    def grown(self, lines: Sequence[Line]) -> "Bench":
        """Store more lines, which answer no question, and give the larger store."""
        with self.open({}) as memory:
            return replace(self, stored={**self.stored, **store(memory, lines)})

    def ask(self, settings: Mapping[str, object], *, strangers: bool = False) -> Mapping[str, Found]:
        """Ask every question as its user, or as another one, who cannot know."""
        users = self.chosen.users
        asked_as = dict(zip(users, (*users[1:], *users[:1]) if strangers else users, strict=True))
        with self.open(settings) as memory:
            return {
                query.id: self._found(
                    memory.user(asked_as[query.user]).search_context(query.text, limit=_DEPTH, only_related=False)
                )
                for query in self.chosen.queries
            }

    def _found(self, answer: Recall) -> Found:
        """Leave out what is no line, such as a summary. What says the same as a hit stands where the hit stands."""
        if answer.degraded:
            raise EmbeddingError(f"An answer lacks {', '.join(answer.degraded)}; nothing can be said of its quality.")
        found: list[str] = []
        for hit in answer.hits:
            lines = [line for known in (hit.id, *hit.folded) for line in self.stored.get(known, ())]
            found += lines or ([hit.id] if self.among_others else [])
        return Found(found, answer.answerable)


def _open(database: str, embedder: str | Embedder, settings: Mapping[str, object]) -> Memory:
    provider, given = (embedder, None) if isinstance(embedder, str) else ("local", embedder)
    usual = {"embedding.provider": provider, "embedding.worker": False, "recall.rerank": "off", **_UNHURRIED}
    overrides = {"database": database, **usual, **settings}
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides), embedder=given)


@contextmanager
def prepared(chosen: QualitySet, kind: str, embedder: str | Embedder) -> Iterator[Bench]:
    """Store a set in a store of its own. `embedder` is the name of a provider, or one that is made already."""
    with tempfile.TemporaryDirectory() as folder, _database(Path(folder), kind) as database:
        with _open(database, embedder, {}) as memory:
            stored = store(memory, chosen.lines)
        yield Bench(database, embedder, chosen, stored)


@contextmanager
def _database(folder: Path, kind: str) -> Iterator[str]:
    if kind == "sqlite":
        yield str(folder / "quality.db")
    else:
        with server(folder / "postgresql") as address:
            yield address
