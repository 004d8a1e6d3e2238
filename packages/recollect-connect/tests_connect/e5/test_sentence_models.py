"""Models of sentence-transformers: what they are told before a text. The library is stood in for; it needs torch."""

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.rows import every

from recollect.model.memories import Vector
from recollect_connect.e5.models import load_model, prefixes_of

E5 = {"query": "query: ", "passage": "passage: "}


class Recorder:
    """Stands in for SentenceTransformer, and notes what it is asked."""

    asked: list[tuple[str, Sequence[str]]]

    def __init__(self, name: str) -> None:
        type(self).asked = []

    def encode(self, texts: Sequence[str], **how: Any) -> Vector:
        return self._note("plain", texts, how)

    def encode_query(self, texts: Sequence[str], **how: Any) -> Vector:
        """Note that the model's own prompt for questions is wanted."""
        return self._note("query", texts, how)

    def encode_document(self, texts: Sequence[str], **how: Any) -> Vector:
        """Note that the model's own prompt for documents is wanted."""
        return self._note("document", texts, how)

    def _note(self, way: str, texts: Sequence[str], how: dict[str, Any]) -> Vector:
        assert how == {"normalize_embeddings": True, "convert_to_numpy": True, "show_progress_bar": False}
        self.asked.append((way, texts))
        return np.full((len(texts), 4), 0.5, np.float32)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> type[Recorder]:
    stand_in = ModuleType("sentence_transformers")
    stand_in.SentenceTransformer = Recorder  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", stand_in)
    return Recorder


@every(
    ("name", "prefixes"),
    [
        ("intfloat/multilingual-e5-large", E5),
        ("intfloat/e5-base-v2", E5),
        ("models/E5_small/", E5),
        ("somebody/made5things", None),
        ("e5/other-model", None),
        ("BAAI/bge-m3", None),
    ],
)
def test_the_name_says_whether_it_is_e5(name: str, prefixes: object) -> None:
    assert prefixes_of(name) == prefixes


def test_instructed_models_are_told_more_about_questions_and_nothing_about_passages() -> None:
    prefixes = prefixes_of("intfloat/multilingual-e5-large-instruct")
    assert prefixes is not None
    assert prefixes["passage"] == ""
    assert prefixes["query"].startswith("Instruct: ")
    assert prefixes["query"].endswith("\nQuery: ")


def test_e5_is_told_what_a_text_is(library: type[Recorder]) -> None:
    model = load_model("intfloat/multilingual-e5-large")
    assert (model.name, model.dimension) == ("intfloat/multilingual-e5-large", 4)
    library.asked.clear()
    model.embed(["a", "b"], "query")
    model.embed(["a"], "passage")
    assert library.asked == [("plain", ["query: a", "query: b"]), ("plain", ["passage: a"])]


def test_other_models_are_told_what_their_configuration_says(library: type[Recorder]) -> None:
    model = load_model("BAAI/bge-m3")
    library.asked.clear()
    model.embed(["a"], "query")
    model.embed(["a"], "passage")
    assert library.asked == [("query", ["a"]), ("document", ["a"])]
