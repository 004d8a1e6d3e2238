"""Large amounts at OpenAI: a file of requests is uploaded, a batch made of it, and its results fetched within a day.

The invariant: everything is at the provider under the batch's id, so that any process may go on where another stopped.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from recollect.embedding.batch_api import BatchResults, BatchSubmission, checked_id, given_id
from recollect.embedding.check_response import tokens
from recollect.embedding.protocols import OpenAiProtocol
from recollect.embedding.provider import answer_bytes, blamed
from recollect.errors import EmbeddingError
from recollect.http_client import HttpRequest, HttpResponse, RemoteError
from recollect.ports import BulkOutcome, BulkPhase, BulkProgress

MOST_TEXTS: Final = 10_000  # of the 50,000 that are allowed, so that the results fit into memory
MOST_FILE_BYTES: Final = 100_000_000
_ROOM: Final = 1_000_000
_BLAMES_A_TEXT: Final = frozenset((400, 413, 422))
_GONE: Final = 404
_RESULTS: Final = ("output_file_id", "error_file_id")
_OVER_ALREADY: Final = frozenset((400, 409))
_PHASES: Final[Mapping[str, BulkPhase]] = {
    "completed": "finished",
    "failed": "failed",
    "expired": "failed",
    "cancelled": "failed",
}


class OpenAiBulk:
    """OpenAI's batch API for embeddings."""

    def __init__(self, submission: BatchSubmission, protocol: OpenAiProtocol) -> None:
        """Take where to ask, and how a single request is worded."""
        self._submission = submission
        self._protocol = protocol

    @property
    def most_texts(self) -> int:
        return MOST_TEXTS

    def submit(self, texts: Mapping[str, str]) -> str:
        content = b"".join(self._lines(texts))
        if len(texts) > MOST_TEXTS or len(content) > MOST_FILE_BYTES:
            raise EmbeddingError(
                f"A batch of {len(texts):,} texts makes a file of {len(content):,} bytes. Expected at most "
                f"{MOST_TEXTS:,} texts and {MOST_FILE_BYTES:,} bytes; hand in fewer."
            )
        form, content_type = _form(content)
        host = self._submission.endpoint.host
        uploaded = self._submission.ask(HttpRequest("/files", _ROOM, form, content_type), HttpResponse.parsed)
        file = given_id(uploaded.get("id"), host)
        body = {"input_file_id": file, "endpoint": "/v1/embeddings", "completion_window": "24h"}
        # Not asked twice: a second batch would be paid for as well.
        try:
            made = self._submission.ask(
                HttpRequest.json("/batches", body, _ROOM, repeatable=False), HttpResponse.parsed
            )
        except EmbeddingError:
            self._submission.remove(f"/files/{file}")
            raise
        return given_id(made.get("id"), host)

    def progress(self, batch: str) -> BulkProgress:
        """Ask how far it is. One that the provider does not know has failed."""
        try:
            shown = self._submission.endpoint.ask(_get(f"/batches/{checked_id(batch)}"), HttpResponse.parsed)
        except RemoteError as error:
            if error.status == _GONE:
                return BulkProgress("failed", reason=error.reason)
            raise blamed(error) from error
        status = str(shown.get("status"))
        counts = shown.get("request_counts")
        counts = counts if isinstance(counts, dict) else {}
        done = (tokens(counts.get("completed")) or 0) + (tokens(counts.get("failed")) or 0)
        phase = _PHASES.get(status, "running")
        return BulkProgress(phase, done, tokens(counts.get("total")) or 0, _reason(shown, phase, status))

    def collect(self, batch: str) -> BulkOutcome:
        """Fetch what is finished: the file of results, and the one of errors."""
        shown = self._submission.fetch(_get(f"/batches/{checked_id(batch)}"), HttpResponse.parsed)
        harvest = self._submission.harvest()
        most_bytes = answer_bytes(MOST_TEXTS, self._submission.profile.dimensions)
        for name in _RESULTS:
            if file := shown.get(name):
                path = f"/files/{given_id(file, self._submission.endpoint.host)}/content"
                content = self._submission.fetch(_get(path, most_bytes), lambda received: received.content)
                for line in content.splitlines():
                    _gather(line, harvest)
        return harvest.outcome()

    def cancel(self, batch: str) -> None:
        path = f"/batches/{checked_id(batch)}/cancel"
        try:
            self._submission.endpoint.ask(HttpRequest(path, _ROOM, repeatable=False), HttpResponse.parsed)
        except RemoteError as error:
            if error.status not in _OVER_ALREADY:
                raise blamed(error) from error

    def forget(self, batch: str) -> None:
        """Delete the file of requests and those of results and errors. The batch itself, which has no text, stays."""
        request = _get(f"/batches/{checked_id(batch)}")
        try:
            shown = self._submission.endpoint.ask(request, HttpResponse.parsed)
        except RemoteError:
            return
        for name in ("input_file_id", *_RESULTS):
            if file := shown.get(name):
                self._submission.remove(f"/files/{given_id(file, self._submission.endpoint.host)}")

    def close(self) -> None:
        """Give back the connections."""
        self._submission.endpoint.close()

    def _lines(self, texts: Mapping[str, str]) -> Iterator[bytes]:
        for name, text in self._submission.ready(texts).items():
            request = {
                "custom_id": name,
                "method": "POST",
                "url": "/v1/embeddings",
                "body": self._protocol.body([text], "passage"),
            }
            yield json.dumps(request, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _gather(line: bytes, harvest: BatchResults) -> None:
    """Take what a line says about a text. What only ran out of time is left out: it was never embedded."""
    try:
        found = json.loads(line)
    except ValueError:
        return
    name = found.get("custom_id") if isinstance(found, dict) else None
    response = found.get("response") if isinstance(name, str) else None
    if not isinstance(name, str) or not isinstance(response, dict):
        return
    body = response.get("body")
    body = body if isinstance(body, dict) else {}
    if response.get("status_code") in _BLAMES_A_TEXT:
        harvest.failed[name] = _message(body.get("error"))
    elif isinstance(body.get("data"), list) and body["data"]:
        usage = body.get("usage")
        spent = tokens(usage.get("prompt_tokens")) if isinstance(usage, dict) else None
        first = body["data"][0]
        harvest.take(name, first.get("embedding") if isinstance(first, dict) else None, spent)


def _reason(shown: Mapping[str, Any], phase: BulkPhase, status: str) -> str:
    if phase != "failed":
        return ""
    errors = shown.get("errors")
    listed = errors.get("data") if isinstance(errors, dict) else None
    said = [_message(error) for error in listed[:3]] if isinstance(listed, list) else []
    return ": ".join([f"The batch has {status}", *said])


def _message(error: object) -> str:
    said = error.get("message") if isinstance(error, dict) else None
    return said[:300] if isinstance(said, str) and said else "no reason was given"


def _get(path: str, most_bytes: int = _ROOM) -> HttpRequest:
    return HttpRequest(path, most_bytes, method="GET")


def _form(content: bytes) -> tuple[bytes, str]:
    """Make a form of a file. The boundary comes from the content, so the content cannot hold it by accident."""
    boundary = hashlib.sha256(content).hexdigest()
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="texts.jsonl"\r\n'
        "Content-Type: application/jsonl\r\n\r\n"
    )
    return head.encode() + content + f"\r\n--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"
