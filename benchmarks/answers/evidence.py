"""What a memory gives for a question: the block before a prompt, its best hits, or, to compare, all that was said.

A chat is stored as a host would store it: each session as its messages, captured from by `after_turn`. Questions are
asked in a private conversation, so that none is stored and found for the next; and on the day on which they are asked.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from benchmarks.answers.sets import Chat, Question, Turn
from benchmarks.quality.bench import embed
from recollect import Memory, NewMessage, UserMemory, load_settings
from recollect.embedding.local import LocalTokenizer

_UNHURRIED = {"recall.deadline_s": 60.0, "hooks.budget_s": 60.0}  # what is found is measured here, not when


class LessThanAll(Exception):
    """A part of the search failed, so that nothing can be said of its quality."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is put before a question, and how many tokens it has."""

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Way:
    """How evidence is asked for: a block of at most `budget` tokens (the setting's, if None), `hits`, or all of it."""

    budget: int | None = None
    hits: int = 0
    full: bool = False

    def __str__(self) -> str:
        if self.full:
            return "all that was said"
        if self.hits:
            return f"the best {self.hits} hits"
        return "the block before a prompt" + (f" of at most {self.budget} tokens" if self.budget else "")


class AskingDay:
    """The clock of the store: the day on which the question is asked."""

    def __init__(self) -> None:
        self.moment = datetime.now(UTC)

    def now(self) -> datetime:
        """Give the moment."""
        return self.moment


class Shelf:
    """A store that takes the chats of a set and gives evidence."""

    def __init__(self, memory: Memory, clock: AskingDay, way: Way) -> None:
        self._memory = memory
        self._clock = clock
        self._way = way
        self._count: Callable[[str], int] = LocalTokenizer().count

    def store(self, chat: Chat) -> None:
        """Store what of a chat is not stored yet, and wait for its vectors."""
        me = self._memory.user(chat.user)
        for session, turns in _sessions(chat):
            known = me.conversation(session).info()
            if known is None or known.messages < len(turns):
                self._clock.moment = turns[-1].said_at
                me.after_turn([_message(turn) for turn in turns], session=session)
        embed(self._memory)

    def evidence(self, chat: Chat, question: Question) -> Evidence:
        """Give what is known for a question."""
        self._clock.moment = question.asked_at
        me = self._memory.user(chat.user)
        if self._way.full:
            text = "\n".join(_line(turn.said_at, turn.speaker or turn.role, turn.text) for turn in chat.turns)
        elif self._way.hits:
            text = self._hits(me, question)
        else:
            me.conversation("asked").set_private()
            given = me.before_prompt(question.text, session="asked", max_tokens=self._way.budget)
            if given.degraded:
                raise LessThanAll(f"The block for {question.id} lacks {', '.join(given.degraded)}; nothing was asked.")
            text = given.block
        return Evidence(text, self._count(text))

    def _hits(self, me: UserMemory, question: Question) -> str:
        found = me.search_context(question.text, limit=self._way.hits, only_related=False)
        if found.degraded:
            raise LessThanAll(f"The hits for {question.id} lack {', '.join(found.degraded)}; nothing was asked.")
        told = ((hit.occurred_at or hit.created_at, getattr(hit.record, "speaker", ""), hit) for hit in found.hits)
        return "\n".join(_line(when, speaker or hit.type, hit.content) for when, speaker, hit in told)


def _sessions(chat: Chat) -> Iterator[tuple[str, Sequence[Turn]]]:
    for session, turns in groupby(chat.turns, key=attrgetter("session")):
        said = [turn for turn in turns if turn.text.strip()]
        if said:
            yield session, said


def _message(turn: Turn) -> NewMessage:
    return NewMessage(turn.role, turn.text, id=turn.id, speaker=turn.speaker, said_at=turn.said_at)


def _line(when: datetime, who: str, text: str) -> str:
    return f"[{when:%a} {when.day} {when:%b %Y} · {who}] {text}"


@contextmanager
def opened(store: str | None, way: Way, settings: Mapping[str, object]) -> Iterator[Shelf]:
    """Open a store without regard to the settings of this machine: a named one, which stays, or one for this run."""
    clock = AskingDay()
    with tempfile.TemporaryDirectory() as folder:
        usual = {"database": store or str(Path(folder) / "answers.db"), "embedding.worker": False, **_UNHURRIED}
        chosen = load_settings(os.devnull, environ={}, overrides={**usual, **settings})
        with Memory.open(settings=chosen, clock=clock) as memory:
            yield Shelf(memory, clock, way)
