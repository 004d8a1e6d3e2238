"""A store whose model is changed: its texts, its models, and what every answer must look like in each of their spaces.

All vectors come from a server on loopback that makes them from the words of a text, so a test can tell for each answer
in which space its similarities were measured.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from recollect import Memory
from recollect.model.memories import Vector
from tests.providers.protocols import E5_MODEL
from tests.providers.server import ProviderServer
from tests.providers.vectors import vector_of

TOLERANCE = 2e-3  # of a cosine: the longest vectors are stored with half as many bits
LEASE_S = 1.0  # soon after a worker was killed its work is given to another
CONCURRENCY = 2
BATCH = 32  # texts in a request to the two models that are moved to
_PERSONS = ("Anna", "Boris", "Clara", "Dmitri")
_THINGS = ("lanterns", "kettles", "ropes", "maps", "clocks", "boots", "paints", "nails", "cups", "scarves")
_PLACES = ("harbour", "cellar", "station", "market", "attic", "bridge", "garden", "library")


@dataclass(frozen=True)
class Step:
    """A model: how it is asked for, and how the server's vectors of it are made."""

    provider: str
    model: str
    dimensions: int
    query_role: str = "any"
    passage_role: str = "any"

    @property
    def path(self) -> str:
        """The part of the server's paths by which requests for this model are known."""
        return {"openai": "/openai/", "e5": "/e5/", "openai-compatible": "/compatible/"}[self.provider]

    def named(self) -> dict[str, Any]:
        """Give the arguments of `reembed`."""
        return {"provider": self.provider, "model": self.model}

    def settings(self, server: ProviderServer) -> dict[str, Any]:
        """Give the settings of a store that begins with this model."""
        chosen = {"embedding.provider": self.provider, "embedding.model": self.model}
        if self.provider == "openai":
            chosen["embedding.dimensions"] = str(self.dimensions)
        return {**_reach(server), **chosen}

    def cosine(self, query: str, passage: str) -> float:
        """Give the similarity that an answer in this space must show."""
        asked = _vector(query, self.query_role, self.model, self.dimensions)
        return float(np.clip(asked @ _vector(passage, self.passage_role, self.model, self.dimensions), 0, 1))


STEPS = (
    Step("openai", "text-embedding-3-small", 384),
    Step("e5", E5_MODEL, 1024, "query", "passage"),
    Step("openai-compatible", "text-embedding-3-large", 3072),
)


@lru_cache(maxsize=50_000)
def _vector(text: str, role: str, model: str, dimensions: int) -> Vector:
    return vector_of(text, role, model, dimensions)


def _reach(server: ProviderServer) -> dict[str, Any]:
    return {
        "embedding.openai_endpoint": server.url("openai"),
        "embedding.openai_api_key": "sk-test",
        "embedding.e5_endpoint": server.url("e5"),
        "embedding.compatible_endpoint": server.url("openai-compatible"),
        "embedding.lease_s": LEASE_S,
        "embedding.concurrency": CONCURRENCY,
        "recall.deadline_s": 30.0,  # a machine that is busy decides nothing
        "recall.recency_weight": 0.0,  # nor does the age of what is compared
    }


@dataclass(frozen=True)
class Item:
    """Something that is stored: a memory, or a message of a conversation. Its mark is a word that nothing else has."""

    user: str
    kind: str
    mark: str
    content: str

    @property
    def question(self) -> str:
        """Ask for this one."""
        return f"Which crate is {self.mark} near the harbour"


def items(first: int, amount: int) -> Iterator[Item]:
    """Make items of several users, every third of them a message."""
    for number in range(first, first + amount):
        chance = random.Random(number)
        mark = f"mark{number}x"
        content = (
            f"Crate {mark} of {chance.choice(_PERSONS)} holds {chance.choice(_THINGS)} and {chance.choice(_THINGS)} "
            f"near the {chance.choice(_PLACES)} since day {chance.randrange(300)}"
        )
        yield Item(f"user{number % 4}", "message" if number % 3 == 0 else "memory", mark, content)


def embedded(content: str) -> str:
    """Give the text of an item that is embedded; every third is a message of a user without a name."""
    number = int(content.split()[1].removeprefix("mark").removesuffix("x"))
    return f"I: {content}" if number % 3 == 0 else content


def hoard(memory: Memory, stored: Sequence[Item]) -> None:
    """Store items in their order; their vectors follow when somebody makes them."""
    for user in sorted({item.user for item in stored}):
        mine = memory.user(user)
        mine.remember_many([item.content for item in stored if (item.user, item.kind) == (user, "memory")])
        said = [item.content for item in stored if (item.user, item.kind) == (user, "message")]
        mine.conversation("crates").extend({"role": "user", "content": text} for text in said)


def fill(memory: Memory, stored: Sequence[Item]) -> None:
    """Store items and give all of them their vectors."""
    hoard(memory, stored)
    worked = memory.embed_waiting()
    assert (worked.parked, worked.unavailable) == (0, "")


def stored_by(item: Item) -> dict[str, Any]:
    """Give what a serving process is asked to do to store an item."""
    if item.kind == "memory":
        return {"verb": "remember", "user": item.user, "content": item.content}
    shared = {"verb": "append", "user": item.user, "conversation": "crates"}
    return {**shared, "role": "user", "content": item.content}


def spaces_of(question: str, hits: Sequence[Mapping[str, Any]]) -> list[int]:
    """Say in which of the spaces all similarities of an answer can have been measured."""
    shown = [(hit["content"], hit["similarity"]) for hit in hits if hit["similarity"] is not None]
    return [
        number
        for number, step in enumerate(STEPS)
        if all(abs(step.cosine(question, embedded(content)) - similarity) <= TOLERANCE for content, similarity in shown)
    ]
