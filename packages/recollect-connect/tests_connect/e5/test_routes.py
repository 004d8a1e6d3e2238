"""What the three routes answer, over real HTTP."""

from concurrent.futures import ThreadPoolExecutor

import httpx2
import numpy as np
from tests.rows import every
from tests.sizes import sized

from recollect.embedding import LocalEmbedder
from recollect.model.memories import Vector
from recollect.ports import Embedder

TEXTS = [
    "The pasta place by the river was too loud.",
    "Žluťoučký kůň",
    "Меня зовут Анна 🙂",
    "x",
    'quotes " and \\ and\nlines\tand \x01',
    "long " * 2_000,
]


def floats(values: object) -> Vector:
    return np.array(values, dtype=np.float32)


@every("role", ["passage", "query"])
def test_vectors_are_those_of_the_encoder_bit_for_bit(server: httpx2.Client, encoder: Embedder, role: str) -> None:
    expected = encoder.embed(TEXTS, "passage")
    many = server.post("/batch", json={"texts": TEXTS, "type": role})
    assert (many.status_code, many.headers["content-type"]) == (200, "application/json")
    assert floats(many.json()["embeddings"]).tobytes() == expected.tobytes()
    for text, vector in zip(TEXTS, expected, strict=True):
        one = server.post("/embed", json={"text": text, "type": role}).json()
        assert one.keys() == {"embedding"}
        assert floats(one["embedding"]).tobytes() == vector.tobytes()


def test_the_order_of_a_batch_is_kept(server: httpx2.Client) -> None:
    texts = [f"number {number} {'word ' * (number % 7)}" for number in range(sized(64, 256))]
    forth = floats(server.post("/batch", json={"texts": texts}).json()["embeddings"])
    back = floats(server.post("/batch", json={"texts": texts[::-1]}).json()["embeddings"])
    assert forth.shape == (len(texts), 384)
    assert np.array_equal(forth, back[::-1])


def test_a_passage_is_meant_when_nothing_is_said_and_no_texts_are_no_vectors(server: httpx2.Client) -> None:
    said = server.post("/embed", json={"text": "a text", "type": "passage"}).json()
    assert server.post("/embed", json={"text": "a text"}).json() == said
    assert server.post("/batch", json={"texts": []}).json() == {"embeddings": []}


def test_health(server: httpx2.Client) -> None:
    answer = server.get("/health")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "model": "recollect-encoder-4", "dimension": 384}


def test_many_clients_at_once_get_each_their_own(server: httpx2.Client) -> None:
    texts = [f"client {number} says {'something ' * (number % 5)}" for number in range(sized(32, 64))]
    expected = LocalEmbedder(threads=1).embed(texts, "passage")

    def ask(text: str) -> object:
        return server.post("/embed", json={"text": text}).json()["embedding"]

    with ThreadPoolExecutor(16) as clients:
        answers = list(clients.map(ask, texts))
    assert np.array_equal(floats(answers), expected)
