"""A reranker behind a network: texts are cut, sent in one request, and the answer checked, all within a time budget."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Thread
from typing import Final

from recollect.errors import RerankerError
from recollect.http_client import ApiKey, Endpoint, HttpRequest, RemoteError, RetryPolicy
from recollect.ports import RerankText
from recollect.reranking.protocols import RerankProtocol

_PATH: Final = "/rerank"
_LONGEST_QUESTION: Final = 1_000  # characters
_LONGEST_PREVIOUS: Final = 300
_LONGEST_TEXT: Final = 2_000
_BYTES_PER_TEXT: Final = 4 * (_LONGEST_PREVIOUS + _LONGEST_TEXT) + 500  # some servers send the texts back
_ROOM: Final = 65_536  # for what else stands in an answer
_PAUSE_S: Final = 0.02
_ADVICE: Final = {
    401: "Check the key in rerank.api_key.",
    403: "Check the key in rerank.api_key. It may not use this model.",
    404: "Check rerank.url and rerank.model.",
    429: "Wait, or raise the limits of the account.",
}


class ProviderReranker:
    """Scores texts by asking a provider. Threads may share one; nothing is opened before `prepare` or `score`."""

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
        self._name = name
        self._wire = wire
        self._timeout_s = timeout_s
        self._retries = retries
        self._monotonic = monotonic
        self._sleep = sleep
        # It does not try again by itself: its pauses would be longer than the budget of a search.
        self._endpoint = Endpoint(url, key, RetryPolicy(timeout_s, 0), advice=_ADVICE, monotonic=monotonic)

    def __repr__(self) -> str:
        return f"ProviderReranker({self._name!r}, at {self._endpoint.host!r})"

    @property
    def name(self) -> str:
        """The provider and its model."""
        return self._name

    @property
    def is_remote(self) -> bool:
        return True

    def prepare(self) -> None:
        """Load the library of the connections in another thread."""
        if not self._endpoint.is_open:
            Thread(target=self._endpoint.open, name="recollect-reranker", daemon=True).start()

    def score(self, question: str, texts: Sequence[RerankText], budget_s: float | None = None) -> Sequence[float]:
        """Score all texts. Raises RerankerError when there is no usable answer within the time."""
        if not texts:
            return []
        body = self._wire.body(question[:_LONGEST_QUESTION], [_document(text) for text in texts])
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


def _document(text: RerankText) -> str:
    shown = text.text[:_LONGEST_TEXT]
    return f"{text.previous[:_LONGEST_PREVIOUS]}\n{shown}" if text.previous else shown
