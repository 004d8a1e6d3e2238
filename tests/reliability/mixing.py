"""What a process does to a store for a while, with others who do the same: every verb, in an order of its own."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from recollect import UserMemory
from tests.reliability.link import Link
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory

SHARED = "everyone"
SHARED_FACTS = 200
_BATCH = 10
_MOST_KEPT = 400  # then more is forgotten than stored, so that a long run does not become a slow one


@dataclass
class Life:
    """One user, and what a store must hold of it."""

    me: UserMemory
    shared: UserMemory
    name: str
    chance: random.Random
    kept: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    done: int = 0

    def step(self) -> None:
        """Use one verb."""
        ways: tuple[Callable[[], object], ...] = (
            self.remember, self.remember_many, self.update, self.forget, self.recall, self.say, self.say, self.set,
            self.share, self.share, self.compact,
        )  # fmt: skip
        way = self.forget if len(self.kept) > _MOST_KEPT else self.chance.choice(ways)
        way()
        self.done += 1

    def _text(self, part: int = 0) -> str:
        return f"{self.name} put parcel {self.done}-{part} on shelf {self.chance.randrange(1000)}"

    def remember(self) -> None:
        text = self._text()
        self.kept[self.me.remember(text).id] = text

    def remember_many(self) -> None:
        texts = [self._text(part) for part in range(_BATCH)]
        self.kept |= {made.id: text for made, text in zip(self.me.remember_many(texts), texts, strict=True)}

    def update(self) -> None:
        if self.kept:
            text, old = self._text(), self.chance.choice(list(self.kept))
            del self.kept[old]
            self.kept[self.me.update(old, content=text).id] = text

    def forget(self) -> None:
        if self.kept:
            memory_id = self.chance.choice(list(self.kept))
            del self.kept[memory_id]
            assert self.me.forget(memory_id).action == "deleted"

    def recall(self) -> None:
        if self.kept:
            memory_id = self.chance.choice(list(self.kept))
            assert self.kept[memory_id] in {hit.content for hit in self.me.recall(self.kept[memory_id], limit=20).hits}
            assert self.me.get(memory_id).content == self.kept[memory_id]

    def say(self) -> None:
        text = self._text()
        self.me.conversation("talk").append("user", text)
        self.said.append(text)

    def compact(self) -> None:
        self.me.conversation("talk").compact(keep_recent=2)

    def set(self) -> None:
        value = f"state {self.done}"
        self.me.facts.set("lamp", "state", value)
        self.states.append(value)

    def share(self) -> None:
        self.shared.remember(f"Common fact number {self.chance.randrange(SHARED_FACTS)} is true")


def mix_on(link: Link, database: str, name: str, seed: int, seconds: float) -> None:
    """Live for a while; report what must be there then."""
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        life = Life(memory.user(name), memory.user(SHARED), name, random.Random(seed))
        link.say("ready")
        link.hear()
        end = monotonic() + seconds
        while monotonic() < end:
            life.step()
        memory.maintain()
    link.say([life.done, life.kept, life.said, life.states])


TASKS: tuple[Callable[..., None], ...] = (mix_on,)
