import base64
import json
from typing import Any

import numpy as np
import pytest

from recollect.embedding.protocols import (
    E5Protocol,
    EmbeddingProtocol,
    GeminiProtocol,
    OllamaProtocol,
    OpenAiProtocol,
    token_count,
    unit_rows,
)
from recollect.errors import EmbeddingError
from recollect.http_client import ApiKey, HttpResponse
from tests.rows import every


def received(body: object) -> HttpResponse:
    return HttpResponse("host", "application/json", json.dumps(body).encode(), ApiKey("sk-secret"))


def encoded(*numbers: float) -> str:
    return base64.b64encode(np.array(numbers, dtype="<f4").tobytes()).decode()


def test_lists_and_base64_are_read_alike() -> None:
    rows = unit_rows([[3.0, 4.0], encoded(3.0, 4.0), [3, 4]], None, "host")
    np.testing.assert_allclose(rows, [[0.6, 0.8]] * 3, atol=1e-7)
    assert rows.dtype == np.float32


@every("scale", [1e-300, 1e-30, 1.0, 1e30, 1e300])
def test_any_scale_becomes_unit_length(scale: float) -> None:
    np.testing.assert_allclose(unit_rows([[3.0 * scale, 4.0 * scale]], 2, "host"), [[0.6, 0.8]], rtol=1e-6)


@every(
    ("raw", "words"),
    [
        ([[1.0, 2.0], [1.0]], "vector of 1 numbers for text 2, expected 2"),
        ([[1.0, float("nan")]], "text 1 that holds NaN or infinity"),
        ([[1.0, 1.0], [float("inf"), 1.0]], "text 2 that holds NaN or infinity"),
        ([encoded(float("nan"), 1.0)], "NaN"),
        ([[0.0, 0.0]], "zeros for text 1"),
        ([["1.0", "2.0"]], "no list of numbers for text 1"),
        ([[None, 1.0]], "no list of numbers"),
        ([[True, False]], "no list of numbers"),
        ([[[1.0, 2.0]]], "no list of numbers"),
        ([[[1.0], [1.0, 2.0]]], "unreadable|no list of numbers"),
        ([[]], "no list of numbers"),
        ([None], "no list of numbers for text 1, but a NoneType"),
        ([7], "but a int"),
        ([{}], "but a dict"),
        ([""], "no list of numbers"),
        (["?!"], "unreadable vector for text 1"),
        (["AAA="], "unreadable vector for text 1"),
        ([[10**400, 1]], "no list of numbers|unreadable"),
    ],
)
def test_what_is_no_vector_is_refused(raw: list[Any], words: str) -> None:
    with pytest.raises(EmbeddingError, match=words) as caught:
        unit_rows(raw, None, "host")
    assert type(caught.value) is EmbeddingError


def test_a_length_that_is_known_is_required() -> None:
    with pytest.raises(EmbeddingError, match="vector of 2 numbers for text 1, expected 3"):
        unit_rows([[1.0, 2.0]], 3, "host")


def test_numbers_say_the_order() -> None:
    body = {"data": [{"index": 1, "embedding": "b"}, {"index": 0, "embedding": "a"}]}
    assert OpenAiProtocol("a-model", None).read(received(body), 2).raw == ["a", "b"]


@every(
    ("items", "words"),
    [
        ([{"index": 0}, {"index": 0}], "two vectors for text 0"),
        ([{"index": 0}, {"index": 2}], "numbered a vector 2, expected a number from 0 to 1"),
        ([{"index": 0}, {"index": -1}], "numbered a vector -1"),
        ([{"index": 0}, {"index": True}], "numbered a vector True"),
        ([{"index": 0}, {}], "numbered a vector None"),
        ([{"index": 0}, 7], "numbered a vector None"),
        ([{"index": 0}], "1 vectors for 2 texts"),
        ([{"index": 0}, {"index": 1}, {"index": 2}], "3 vectors for 2 texts"),
        ("many", "without a list of vectors"),
        (None, "without a list of vectors"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(items: object, words: str) -> None:
    body = {"data": items}
    with pytest.raises(EmbeddingError, match=words):
        OpenAiProtocol("a-model", None).read(received(body), 2)


def test_an_error_with_a_good_status_is_shown() -> None:
    body = {"error": "no such model, sk-secret"}
    with pytest.raises(EmbeddingError, match=r"no such model, \[key\]"):
        E5Protocol().read(received(body), 1)


@every(
    ("found", "count"), [(7, 7), ("12", 12), (0, 0), (-1, None), (True, None), ("x", None), (None, None), (1.5, None)]
)
def test_tokens_are_whole_numbers_or_unknown(found: object, count: int | None) -> None:
    assert token_count(found) == count


@every(
    ("wire", "body", "raw", "spent"),
    [
        (
            OpenAiProtocol("m", "float"),
            {"data": [{"index": 0, "embedding": [1.0]}], "usage": {"prompt_tokens": 4}},
            [[1.0]],
            4,
        ),
        (OpenAiProtocol("m", "float"), {"data": [{"index": 0, "embedding": [1.0]}], "usage": 3}, [[1.0]], None),
        (E5Protocol(), {"embeddings": [[1.0]]}, [[1.0]], None),
        (OllamaProtocol("m"), {"embeddings": [[1.0]], "prompt_eval_count": 9}, [[1.0]], 9),
        (
            GeminiProtocol("m"),
            {"embeddings": [{"values": [1.0]}], "usageMetadata": {"promptTokenCount": 5}},
            [[1.0]],
            5,
        ),
        (GeminiProtocol("m"), {"embeddings": ["?"]}, ["?"], None),
    ],
)
def test_each_protocol_says_what_it_cost(
    wire: EmbeddingProtocol, body: object, raw: list[object], spent: int | None
) -> None:
    embedded = wire.read(received(body), 1)
    assert (list(embedded.raw), embedded.tokens) == (raw, spent)
