"""A model that puts everything close together ranks and judges like one that does not, on both stores."""

from collections.abc import Sequence

import numpy as np
import pytest

from recollect.engine.vectors.batch_embedding import measure
from recollect.errors import EmbeddingError
from recollect.model import Usage
from recollect.model.calibration import KNOWN
from recollect.model.memories import Space, Vector
from recollect.model.vectors import as_units
from recollect.ports import BulkEmbedder, Embedder, Role
from recollect.ranking.fusion import USUAL
from tests.fixtures import OpenMemory

MEMORIES = (
    "The spare key is under the flowerpot",
    "Grandmother was born in Olomouc",
    "The ladder stands behind the shed",
    "Prefers dark mode in all applications",
)


class Narrow:
    """The real encoder, looked at through a keyhole: nothing is ever farther away than a cosine of about 0.75."""

    batch_size = 16
    price = None
    bulk: BulkEmbedder | None = None
    languages: frozenset[str] | None = None
    space = Space("narrow", "keyhole", "1", "none", 384, normalised=True)

    def __init__(self, encoder: Embedder) -> None:
        self._encoder = encoder
        self.fails = False

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        if self.fails:
            raise EmbeddingError("not today")
        shared = np.zeros(384, np.float32)
        shared[0] = 1.65
        return as_units(self._encoder.embed(texts, role) + shared, 384)

    def embed_metered(self, texts: Sequence[str], role: Role) -> tuple[Vector, Usage]:
        return self.embed(texts, role), Usage(len(texts))

    def close(self) -> None:
        pass


def test_the_bundled_encoder_is_the_measure(encoder: Embedder) -> None:
    assert encoder.space is not None
    assert measure(encoder, encoder.space) == pytest.approx(USUAL, abs=0.01)
    assert measure(Narrow(encoder), Narrow.space) > 0.7


def test_what_is_unrelated_stays_so(open_memory: OpenMemory, encoder: Embedder) -> None:
    memory = open_memory(Narrow(encoder))
    me = memory.user("me")
    me.remember_many(MEMORIES)
    assert memory.embed_waiting().embedded == len(MEMORIES)
    unrelated = me.recall("Which spices belong into a curry?", only_related=False)
    assert unrelated.answerable < KNOWN
    assert unrelated.hits[0].similarity is not None
    assert unrelated.hits[0].similarity > 0.7, "the cosine itself is shown as it is"
    assert unrelated.hits[0].score < 0.25
    assert me.before_prompt("Which spices belong into a curry?", session="s").hits == ()
    related = me.recall("where can I find something to climb with?", only_related=False)
    assert related.hits[0].content == MEMORIES[2]
    assert related.hits[0].score > 1.5 * unrelated.hits[0].score


def test_what_merely_sounds_alike_is_no_rewording(open_memory: OpenMemory, encoder: Embedder) -> None:
    memory = open_memory(Narrow(encoder))
    me = memory.user("me")
    me.remember("The meeting with the tax office is on Monday", wait=True)
    memory.embed_waiting()
    other = me.remember("The tax office sent a letter about the meeting", wait=True)
    assert other.action == "created"


def test_it_is_measured_once_and_when_that_is_possible(open_memory: OpenMemory, encoder: Embedder) -> None:
    narrow = Narrow(encoder)
    memory = open_memory(narrow)
    memory.user("me").remember(MEMORIES[0])
    narrow.fails = True
    memory.embed_waiting()
    narrow.fails = False
    memory.embed_waiting()
    first = memory.user("me").recall("Which spices belong into a curry?", only_related=False).hits[0].score
    assert (
        open_memory(narrow).user("me").recall("Which spices belong into a curry?", only_related=False).hits[0].score
        == first
        < 0.25
    )
