"""The protocols of the providers: how texts are scored, and where the scores stand in the answer.

The invariant: what leaves here is one finite number per text, in the order of the texts. Whatever cannot be made that
is refused with what was found, never repaired.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log
from typing import Final, Protocol

from recollect.errors import RerankerError
from recollect.http_client import HttpResponse

_SURE: Final = 1e-5  # a probability of 1 has no logit
_ADVICE: Final = "Check rerank.provider, rerank.url and rerank.model."


class RerankProtocol(Protocol):
    """How one provider is asked, at `/rerank` below its address."""

    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        """Ask for the scores of texts."""
        ...

    def read(self, received: HttpResponse, count: int) -> list[float]:
        """Find them in the answer, as logits. Raises RerankerError when they are not there."""
        ...


@dataclass(frozen=True, slots=True)
class CohereProtocol:
    """`POST /rerank` of version 2 of Cohere's API."""

    model: str

    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        """Ask for all of them: without `top_n` some servers leave out the last."""
        return {"model": self.model, "query": question, "documents": list(texts), "top_n": len(texts)}

    def read(self, received: HttpResponse, count: int) -> list[float]:
        """Read the results, which come best first."""
        return as_logits(_by_index(received, received.parsed().get("results"), count, ("relevance_score",)))


@dataclass(frozen=True, slots=True)
class JinaProtocol:
    """`POST /rerank` of Jina, which sends the texts back unless it is told not to."""

    model: str

    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        """Ask for all of them, without their texts."""
        asked = {"model": self.model, "query": question, "documents": list(texts)}
        return {**asked, "top_n": len(texts), "return_documents": False}

    def read(self, received: HttpResponse, count: int) -> list[float]:
        """Read the results, which come best first."""
        return as_logits(_by_index(received, received.parsed().get("results"), count, ("relevance_score",)))


@dataclass(frozen=True, slots=True)
class TeiProtocol:
    """`POST /rerank` of Text Embeddings Inference, which serves one model."""

    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        """Ask for logits; what is too long for the model is cut there."""
        return {"query": question, "texts": list(texts), "raw_scores": True, "truncate": True}

    def read(self, received: HttpResponse, count: int) -> list[float]:
        """Read the list, which comes best first."""
        return _by_index(received, received.value(), count, ("score",))


@dataclass(frozen=True, slots=True)
class CompatibleProtocol:
    """`POST /rerank` as many servers have it: asked like Jina, answered in one of several ways."""

    model: str

    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        """Ask for all of them."""
        asked: dict[str, object] = {"query": question, "documents": list(texts), "top_n": len(texts)}
        return {"model": self.model, **asked} if self.model else asked

    def read(self, received: HttpResponse, count: int) -> list[float]:
        """Read a list, or one under `results` or `data`."""
        body = received.value()
        found = (body.get("results") or body.get("data")) if isinstance(body, Mapping) else body
        return as_logits(_by_index(received, found, count, ("relevance_score", "score")))


def as_logits(scores: Sequence[float]) -> list[float]:
    """Give probabilities as logits; numbers that are no probabilities are taken for logits."""
    if not all(0.0 <= score <= 1.0 for score in scores):
        return list(scores)
    bounded = (min(1.0 - _SURE, max(_SURE, score)) for score in scores)
    return [log(score / (1.0 - score)) for score in bounded]


def _by_index(received: HttpResponse, found: object, count: int, names: Sequence[str]) -> list[float]:
    """Give the scores of a list of numbered results, in the order of the numbers."""
    host = received.host
    if not isinstance(found, list):
        raise RerankerError(f"{host} answered without a list of scores: {received.excerpt}. {_ADVICE}")
    if len(found) != count:
        raise RerankerError(f"{host} gave {len(found)} scores for {count} texts. {_ADVICE}")
    scores: dict[int, float] = {}
    for item in found:
        fields = item if isinstance(item, Mapping) else {}
        index = fields.get("index")
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
            raise RerankerError(
                f"{host} numbered a score {index!r}, expected a number from 0 to {count - 1}. {_ADVICE}"
            )
        if index in scores:
            raise RerankerError(f"{host} gave two scores for text {index}. {_ADVICE}")
        scores[index] = _number(next((fields[name] for name in names if name in fields), None), host)
    return [scores[index] for index in range(count)]


def _number(found: object, host: str) -> float:
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not isfinite(found):
        raise RerankerError(f"{host} gave the score {str(found)[:40]!r}, expected a finite number. {_ADVICE}")
    return float(found)
