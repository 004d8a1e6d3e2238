"""Rerankers behind a network: Cohere, Jina, Text Embeddings Inference, and servers that speak like one of them.

The invariant: what a protocol reads is one finite number per text, in the order of the texts. Whatever cannot be made
that is refused with what was found, never repaired. The bundled reranker is in `recollect.models`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, log
from threading import Thread
from typing import Final

from recollect.errors import RerankerError, SettingsError
from recollect.http_client import (
    ApiKey,
    Endpoint,
    HttpRequest,
    HttpResponse,
    RemoteError,
    RetryPolicy,
    by_index,
    checked_url,
)
from recollect.ports import RerankText
from recollect.settings import RerankSettings

_PATH: Final = "/rerank"
_LONGEST_QUESTION: Final = 1_000  # characters
_LONGEST_PREVIOUS: Final = 300
_LONGEST_TEXT: Final = 2_000
_BYTES_PER_TEXT: Final = 4 * (_LONGEST_PREVIOUS + _LONGEST_TEXT) + 500  # some servers send the texts back
_ROOM: Final = 65_536  # for what else stands in an answer
_PAUSE_S: Final = 0.02
_SURE: Final = 1e-5  # a probability of 1 has no logit
_ADVICE: Final = {
    401: "Check the key in rerank.api_key.",
    403: "Check the key in rerank.api_key. It may not use this model.",
    404: "Check rerank.url and rerank.model.",
    429: "Wait, or raise the limits of the account.",
}
_USUAL_URLS: Final = {
    "cohere": "https://api.cohere.com/v2",
    "jina": "https://api.jina.ai/v1",
    "tei": "http://127.0.0.1:8080",
}
_USUAL_MODELS: Final = {"cohere": "rerank-v3.5", "jina": "jina-reranker-v2-base-multilingual"}
_NEEDS_KEY: Final = frozenset(("cohere", "jina"))


@dataclass(frozen=True, slots=True)
class RerankProtocol:
    """How one provider is asked at `/rerank` below its address, and how its answer is read.

    Cohere's API is version 2. Jina sends the texts back unless it is told not to. Text Embeddings Inference (`tei`)
    serves one model, and gives logits if it is asked for them. All others are asked like Jina, and answer in one of
    several ways.
    """

    provider: str
    model: str

    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        """Ask for the scores of all texts: without `top_n` some servers leave out the last."""
        if self.provider == "tei":  # what is too long for the model is cut there
            return {"query": question, "texts": list(texts), "raw_scores": True, "truncate": True}
        asked: dict[str, object] = {"model": self.model} if self.model else {}
        asked |= {"query": question, "documents": list(texts), "top_n": len(texts)}
        return {**asked, "return_documents": False} if self.provider == "jina" else asked

    def read(self, received: HttpResponse, count: int) -> list[float]:
        """Find the scores in the answer, as logits. Raises RerankerError when they are not there."""
        if self.provider == "tei":  # a list, best first
            return _scores(received, received.value(), count, "score")
        if self.provider in _NEEDS_KEY:
            return as_logits(_scores(received, received.parsed().get("results"), count, "relevance_score"))
        body = received.value()  # a list, or one under `results` or `data`
        found = (body.get("results") or body.get("data")) if isinstance(body, Mapping) else body
        return as_logits(_scores(received, found, count, "relevance_score", "score"))


def as_logits(scores: Sequence[float]) -> list[float]:
    """Give probabilities as logits; numbers that are no probabilities are taken for logits."""
    if not all(0.0 <= score <= 1.0 for score in scores):
        return list(scores)
    bounded = (min(1.0 - _SURE, max(_SURE, score)) for score in scores)
    return [log(score / (1.0 - score)) for score in bounded]


def _scores(received: HttpResponse, found: object, count: int, *names: str) -> list[float]:
    """Give the scores of a list of numbered results, each by the first name that it has, in the order of the texts."""
    items = by_index(received, found, count, "score", _refused)
    scores = []
    for item in items:
        found = next((item[name] for name in names if name in item), None)
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not isfinite(found):
            raise _refused(f"{received.host} gave the score {str(found)[:40]!r}, expected a finite number.")
        scores.append(float(found))
    return scores


def _refused(said: str) -> RerankerError:
    return RerankerError(f"{said} Check rerank.provider, rerank.url and rerank.model.")


class ProviderReranker:
    """Scores texts by asking a provider. Threads may share one; nothing is opened before `prepare` or `score`."""

    is_remote = True

    def __init__(
        self,
        name: str,
        wire: RerankProtocol,
        url: str,
        key: ApiKey,
        *,
        timeout_s: float,
        retries: int,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take note of whom to ask, at an address that has been checked.

        `timeout_s` is how long one call may take in all, its `retries` included, when the caller has no budget.
        """
        self.name = name
        self._wire = wire
        self._timeout_s = timeout_s
        self._retries = retries
        self._monotonic = monotonic
        self._sleep = sleep
        # It does not try again by itself: its pauses would be longer than the budget of a search.
        self._endpoint = Endpoint(url, key, RetryPolicy(timeout_s, 0), advice=_ADVICE, monotonic=monotonic)

    def __repr__(self) -> str:
        return f"ProviderReranker({self.name!r}, at {self._endpoint.host!r})"

    def prepare(self) -> None:
        """Load the library of the connections in another thread."""
        if not self._endpoint.is_open:
            Thread(target=self._endpoint.open, name="recollect-reranker", daemon=True).start()

    def score(self, question: str, texts: Sequence[RerankText], budget_s: float | None = None) -> Sequence[float]:
        if not texts:
            return []
        before = [f"{text.previous[:_LONGEST_PREVIOUS]}\n" if text.previous else "" for text in texts]
        documents = [turn + text.text[:_LONGEST_TEXT] for turn, text in zip(before, texts, strict=True)]
        body = self._wire.body(question[:_LONGEST_QUESTION], documents)
        request = HttpRequest.json(_PATH, body, _ROOM + len(texts) * _BYTES_PER_TEXT)
        budget_s = self._timeout_s if budget_s is None else budget_s
        return self._asked(request, len(texts), self._monotonic() + budget_s)

    def close(self) -> None:
        """Give back the connections; scoring again would open new ones."""
        self._endpoint.close()

    def _asked(self, request: HttpRequest, count: int, deadline: float) -> list[float]:
        attempt = 0
        while True:
            left_s = deadline - self._monotonic()
            if left_s <= 0:
                raise RerankerError(f"{self._endpoint.host} did not answer within the time of a search.")
            try:
                attempt += 1
                timed = replace(request, timeout_s=left_s)
                return self._endpoint.ask(timed, lambda received: self._wire.read(received, count))
            except RemoteError as error:
                pause_s = max(_PAUSE_S, error.retry_after_s or 0.0)
                worth_it = error.transient and error.attempts and attempt <= self._retries
                if not worth_it or self._monotonic() + pause_s >= deadline:
                    raise RerankerError(error.reason) from error
                self._sleep(pause_s)


def create_reranker(settings: RerankSettings) -> ProviderReranker:
    """Make the reranker of the settings, which name a provider. Raises SettingsError when something is missing."""
    provider = settings.provider
    model = settings.model or _USUAL_MODELS.get(provider, "")
    url = settings.url or _USUAL_URLS.get(provider, "")
    if not url:
        raise SettingsError(f"The rerank provider {provider} needs an address. Set rerank.url.")
    if provider in _NEEDS_KEY and not settings.api_key:
        raise SettingsError(f"The rerank provider {provider} needs a key. Set rerank.api_key.")
    base = url.strip().rstrip("/").removesuffix("/rerank")
    return ProviderReranker(
        f"{provider}/{model}" if model else provider,
        RerankProtocol(provider, model),
        checked_url(base, f"{provider} (rerank.url)", _USUAL_URLS["cohere"]),
        ApiKey(settings.api_key),
        timeout_s=settings.timeout_s,
        retries=settings.retries,
    )
