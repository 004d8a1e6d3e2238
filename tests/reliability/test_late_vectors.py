"""A vector that comes late is found by those who have searched before, in this process and in others."""

from collections.abc import Sequence
from itertools import product

import pytest

from recollect import EmbeddingError, Memory, NewMemory, load_settings
from recollect.model.memories import Vector
from recollect.ports import Role
from tests.fixtures import BACKENDS
from tests.reliability.opening import QuickEmbedder, vector_of
from tests.rows import slow_but

_AMOUNTS = (10, 1_500, 9_500)


class _Moody(QuickEmbedder):
    """Works when it is told to."""

    working = False

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        if not self.working:
            raise EmbeddingError("not today")
        return super().embed(texts, role)


# Only a file has a cache of its own of what is near, which is read in another way from some amounts on.
@pytest.mark.parametrize(
    ("database", "between"),
    slow_but(product(BACKENDS, _AMOUNTS), *product(["sqlite"], _AMOUNTS), ("postgresql", _AMOUNTS[0])),
    indirect=["database"],
)
def test_a_late_vector_is_found_at_once(database: str, between: int) -> None:
    unhurried = {"embedding.provider": "none", "embedding.worker": False}
    settings = load_settings(environ={}, overrides={"database": database, **unhurried})
    embedder = _Moody()
    late = [f"Lantern {number} hangs over the pier" for number in range(3)]
    with (
        Memory.open(settings=settings, embedder=embedder) as memory,
        Memory.open(settings=settings, embedder=embedder) as other,
    ):
        me = memory.user("me")
        for text in late:
            assert me.remember(text).degraded == ("vector",)
        texts = (f"Buoy {number} swims" for number in range(between))
        me.remember_many(NewMemory(text, vector=_vector(number)) for number, text in enumerate(texts))
        for asking in (memory, other):
            assert _best(asking, late[0]) not in late
        embedder.working = True
        assert memory.maintain().embedded == len(late)
        for asking in (memory, other):
            assert [_best(asking, text) for text in late] == late
        me.remember("One more", vector=vector_of("One more"))
        for asking in (memory, other):
            assert _best(asking, "One more") == "One more"
            assert [_best(asking, text) for text in late] == late


def _vector(number: int) -> list[float]:
    """Make some of the vectors only once: thousands take their time."""
    return vector_of(str(number % 50))


def _best(memory: Memory, text: str) -> str:
    """Ask by meaning alone: no memory has this word."""
    return memory.user("me").recall("zyzzyva", vector=vector_of(text), limit=1).hits[0].content
