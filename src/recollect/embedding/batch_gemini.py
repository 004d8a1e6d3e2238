"""Large amounts at Gemini: requests are handed in as one operation, and their results stand in it when it is done.

The invariant: everything is at the provider under the batch's name, so any process may go on where another stopped.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from recollect.embedding.batch_api import BatchResults, BatchSubmission, checked_id, given_id
from recollect.embedding.check_response import tokens
from recollect.embedding.protocols import GeminiProtocol, gemini_tokens, values_of
from recollect.embedding.provider import answer_bytes, blamed
from recollect.errors import EmbeddingError
from recollect.http_client import HttpRequest, HttpResponse, RemoteError
from recollect.ports import BulkOutcome, BulkProgress

MOST_TEXTS: Final = 4_000  # of common length, so that a batch stays below what may be handed in at once
MOST_BYTES: Final = 19_000_000
_ROOM: Final = 1_000_000
_GONE: Final = 404
_OVER_ALREADY: Final = frozenset((400, 409))
_REFUSED: Final = 3  # INVALID_ARGUMENT, the one code that blames a text
_FAILED: Final = ("FAILED", "CANCELLED", "EXPIRED")


class GeminiBulk:
    """Gemini's batch API for embeddings."""

    def __init__(self, submission: BatchSubmission, protocol: GeminiProtocol) -> None:
        """Take where to ask, and how a single request is worded."""
        self._submission = submission
        self._protocol = protocol

    @property
    def most_texts(self) -> int:
        return MOST_TEXTS

    def submit(self, texts: Mapping[str, str]) -> str:
        requests = [
            {"request": self._protocol.request(text, "passage"), "metadata": {"key": name}}
            for name, text in self._submission.ready(texts).items()
        ]
        shown = f"recollect {hashlib.sha256(json.dumps(sorted(texts)).encode()).hexdigest()[:12]}"
        body = {"batch": {"displayName": shown, "inputConfig": {"requests": {"requests": requests}}}}
        path = f"/models/{quote(self._protocol.model, safe='')}:asyncBatchEmbedContent"
        # Not asked twice: a second batch would be paid for as well.
        request = HttpRequest.json(path, body, _ROOM, repeatable=False)
        if len(texts) > MOST_TEXTS or len(request.content) > MOST_BYTES:
            raise EmbeddingError(
                f"A batch of {len(texts):,} texts makes a request of {len(request.content):,} bytes. Expected at most "
                f"{MOST_TEXTS:,} texts and {MOST_BYTES:,} bytes; hand in fewer."
            )
        made = self._submission.ask(request, HttpResponse.parsed)
        return given_id(made.get("name"), self._submission.endpoint.host)

    def progress(self, batch: str) -> BulkProgress:
        """Ask how far it is. One that the provider does not know has failed."""
        try:
            shown = self._submission.endpoint.ask(self._get(batch), HttpResponse.parsed)
        except RemoteError as error:
            if error.status == _GONE:
                return BulkProgress("failed", reason=error.reason)
            raise blamed(error) from error
        metadata = _part(shown, "metadata")
        stats = _part(metadata, "batchStats")
        served = [tokens(stats.get(name)) or 0 for name in ("successfulRequestCount", "failedRequestCount")]
        total = tokens(stats.get("requestCount")) or 0
        state = str(metadata.get("state", "")).rpartition("_STATE_")[2]
        if state in _FAILED or "error" in shown:
            return BulkProgress("failed", sum(served), total, _reason(shown, state))
        return BulkProgress("finished" if shown.get("done") else "running", sum(served), total)

    def collect(self, batch: str) -> BulkOutcome:
        shown = self._submission.fetch(self._get(batch), HttpResponse.parsed)
        harvest = self._submission.harvest()
        output = _part(shown, "response") or _part(_part(shown, "metadata"), "output")
        responses = _part(output, "inlinedResponses").get("inlinedResponses")
        for item in responses if isinstance(responses, list) else []:
            if isinstance(item, dict):
                _gather(item, harvest)
        return harvest.outcome()

    def cancel(self, batch: str) -> None:
        path = f"/{checked_id(batch)}:cancel"
        try:
            self._submission.endpoint.ask(HttpRequest(path, _ROOM, repeatable=False), HttpResponse.parsed)
        except RemoteError as error:
            if error.status not in _OVER_ALREADY:
                raise blamed(error) from error

    def forget(self, batch: str) -> None:
        """Delete the batch, with what was asked and what was answered."""
        self._submission.remove(f"/{checked_id(batch)}")

    def close(self) -> None:
        """Give back the connections."""
        self._submission.endpoint.close()

    def _get(self, batch: str) -> HttpRequest:
        # The results come with every answer once the batch is done.
        most_bytes = _ROOM + answer_bytes(MOST_TEXTS, self._submission.profile.dimensions)
        return HttpRequest(f"/{checked_id(batch)}", most_bytes, method="GET")


def _gather(item: Mapping[str, Any], harvest: BatchResults) -> None:
    """Take what is said about a text. Troubles of the provider's are left out: the text was never embedded."""
    name = _part(item, "metadata").get("key")
    if not isinstance(name, str):
        return
    error, response = _part(item, "error"), _part(item, "response")
    if response:
        harvest.take(name, values_of(response.get("embedding")), gemini_tokens(response))
    elif error.get("code") == _REFUSED:
        said = error.get("message")
        harvest.failed[name] = said[:300] if isinstance(said, str) and said else "no reason was given"


def _reason(shown: Mapping[str, Any], state: str) -> str:
    said = _part(shown, "error").get("message")
    found = f"The batch has {state.lower() or 'failed'}"
    return f"{found}: {said[:300]}" if isinstance(said, str) and said else found


def _part(whole: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = whole.get(name)
    return found if isinstance(found, dict) else {}
