"""Two stores that are told and asked the same things at the same moments, and must give the same answers.

Ids are made at random, so answers are compared with each id replaced by its number in the order of storing.
"""

import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings

from recollect import EmbeddingError, Memory, Recall, RecollectError, UserMemory
from recollect.model.memories import MemoryRecord, Scope, Space, Vector
from recollect.ports import Role

DIMENSIONS = 384
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
CLOSE = 1e-5  # the two databases round the sums of a cosine differently
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

# With HUNT_EXAMPLES=N the tests try N random examples each; without it, the same few every time.
HUNT = int(os.environ.get("HUNT_EXAMPLES", "0"))


def examples(amount: int, **more: Any) -> settings:
    """Say how many examples a test tries."""
    return settings(
        max_examples=HUNT or amount,
        derandomize=not HUNT,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=bool(HUNT),
        **more,
    )


class StillClock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.moment = START

    def now(self) -> datetime:
        return self.moment

    def advance(self, step: timedelta) -> None:
        self.moment += step


class WordSum:
    """An embedder by random indexing: each word has a direction, and a text points where its words do."""

    space = Space("test", "word-sum", "1", "none", DIMENSIONS, normalised=True)
    languages: frozenset[str] | None = None

    def __init__(self) -> None:
        self.fails = False

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        if self.fails:
            raise EmbeddingError("The provider is out of order.")
        return np.stack([self._one(text) for text in texts])

    def _one(self, text: str) -> Vector:
        total = direction("") * 0.01 + sum(direction(word) for word in text.casefold().split())
        unit: Vector = (total / np.linalg.norm(total)).astype(np.float32)
        return unit

    def close(self) -> None:
        pass


@cache
def direction(name: str) -> Vector:
    """Give the unit vector that a name stands for."""
    seed = int.from_bytes(hashlib.blake2b(name.encode(errors="replace"), digest_size=8).digest())
    vector = np.random.default_rng(seed).standard_normal(DIMENSIONS)
    unit: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


def cluster(number: int) -> Vector:
    """Give one of several groups of vectors: numbers equal modulo 4 are near each other, but never the same."""
    return direction(f"cluster {number % 4}") + direction(f"member {number}") * np.float32(0.05 + number / 100)


class Twins:
    """A SQLite and a PostgreSQL store with one clock and one embedder between them."""

    def __init__(self, sqlite: Memory, postgres: Memory, clock: StillClock, embedder: WordSum) -> None:
        self.memories = (sqlite, postgres)
        self.clock = clock
        self.embedder = embedder
        self._users = count()

    def user(self) -> "Pair":
        """Give a new user, in both stores."""
        self.clock.moment = START
        self.embedder.fails = False
        name = f"user {next(self._users)}"
        return Pair((self.memories[0].user(name), self.memories[1].user(name)), self.clock)

    def agree(self, ask: Callable[[Memory], object]) -> object:
        """Ask both stores about themselves and insist on the same answer."""
        one, other = (ask(memory) for memory in self.memories)
        assert one == other
        return one


class Pair:
    """One user in both stores."""

    def __init__(self, users: tuple[UserMemory, UserMemory], clock: StillClock) -> None:
        self.users = users
        self.clock = clock
        self.numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})

    def agree(self, ask: Callable[[UserMemory], object]) -> Any:
        """Tell or ask both the same; insist on the same answer, or the same error, and give it with numbers for ids."""
        one, other = (self._plain(side, self._outcome(side, ask)) for side in (0, 1))
        assert one == other
        return one

    def agree_about(self, number: int, ask: Callable[[UserMemory, str], object]) -> Any:
        """Do the same with the id of the memory that has this number."""
        ids = [next(id_ for id_, known in self.numbers[side].items() if known == number) for side in (0, 1)]
        one, other = (
            self._plain(side, self._outcome(side, lambda user, id_=ids[side]: ask(user, id_)))  # type: ignore[misc]
            for side in (0, 1)
        )
        assert one == other
        return one

    def agree_on_hits(self, ask: Callable[[UserMemory], Recall], limit: int, min_score: float) -> None:
        """Ask both a question and insist on the same ranking, up to ties."""
        one, other = (self._outcome(side, ask) for side in (0, 1))
        if isinstance(one, RecollectError) or isinstance(other, RecollectError):
            assert self._plain(0, one) == self._plain(1, other)
            return
        assert one.degraded == other.degraded
        assert_same_ranking(self._plain(0, one.hits), self._plain(1, other.hits), limit, min_score)

    def _outcome(self, side: int, ask: Callable[[UserMemory], Any]) -> Any:
        moment = self.clock.moment
        try:
            outcome = ask(self.users[side])
        except RecollectError as error:
            outcome = error
        assert self.clock.moment == moment
        return outcome

    def _look(self) -> None:
        """Number what has come since the last look."""
        for numbers, user in zip(self.numbers, self.users, strict=True):
            for memory_id in everything(user):
                numbers.setdefault(memory_id, len(numbers))

    def _plain(self, side: int, value: Any) -> Any:
        """Take an answer apart into dicts, lists and numbers."""
        if isinstance(value, RecollectError):
            return type(value).__name__, UUID.sub(lambda found: self.name(side, found[0]), str(value))
        if isinstance(value, str):
            return self.name(side, value)
        if is_dataclass(value):
            return {field.name: self._plain(side, getattr(value, field.name)) for field in fields(value)}
        if isinstance(value, MemoryRecord):
            value = value._asdict()
        if isinstance(value, Mapping):
            return {name: self._plain(side, item) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._plain(side, item) for item in value]
        return value

    def name(self, side: int, text: str) -> str:
        """Give the number of what a text is the id of, or the text. An id that is new makes it look at both."""
        known = self._known(side, text)
        if known is None and UUID.fullmatch(text):
            self._look()
            known = self._known(side, text)
        return text if known is None else known

    def _known(self, side: int, text: str) -> str | None:
        return f"#{self.numbers[side][text]}" if text in self.numbers[side] else None


def everything(user: UserMemory) -> Sequence[str]:
    """Give all ids a user has, in the order of storing."""
    return user._engine.store.read(Scope(user.user_id), lambda reader: reader.everything())


def assert_same_ranking(one: list[dict[str, Any]], other: list[dict[str, Any]], limit: int, min_score: float) -> None:
    """Insist that two rankings differ only in the order of ties, and in which ties are cut off at the end."""
    ours, theirs = ({hit["id"]: hit for hit in hits} for hits in (one, other))
    ends = [min_score] + [hits[-1]["score"] for hits in (one, other) if len(hits) == limit]
    for only in ours.keys() ^ theirs.keys():
        score = (ours.get(only) or theirs[only])["score"]
        assert min(abs(score - end) for end in ends) < CLOSE
    for hit, twin in zip(one, other, strict=False):
        assert abs(hit["score"] - twin["score"]) < CLOSE
    for shared in ours.keys() & theirs.keys():
        _assert_same_hit(ours[shared], theirs[shared])


def _assert_same_hit(one: dict[str, Any], other: dict[str, Any]) -> None:
    measured = {"score", "similarity", "parts"}
    assert {k: v for k, v in one.items() if k not in measured} == {k: v for k, v in other.items() if k not in measured}
    assert (one["similarity"] is None) == (other["similarity"] is None)
    assert abs((one["similarity"] or 0.0) - (other["similarity"] or 0.0)) < CLOSE
    _assert_same_place(one["parts"]["place"], other["parts"]["place"])
    ours, theirs = one["parts"]["channels"], other["parts"]["channels"]
    assert ours.keys() == theirs.keys()
    for channel, part in ours.items():
        for figure in ("raw", "score", "weight"):
            assert abs(part[figure] - theirs[channel][figure]) < CLOSE


def _assert_same_place(one: dict[str, Any] | None, other: dict[str, Any] | None) -> None:
    assert (one is None) == (other is None)
    for name, figure in (one or {}).items():
        twin = (other or {})[name]
        assert (figure is None) == (twin is None)
        assert abs((figure or 0.0) - (twin or 0.0)) < CLOSE
