"""Large amounts through a provider's batch API: handed in at once, and their results fetched within a day.

The invariant: everything is at the provider under the batch's id, so that any process may go on where another stopped.
"""

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPMethod
from typing import Any, ClassVar, Final, Generic, TypeVar
from urllib.parse import quote

from recollect.embedding.protocols import (
    GeminiProtocol,
    OpenAiProtocol,
    gemini_tokens,
    token_count,
    unit_rows,
    values_of,
)
from recollect.embedding.provider import ProviderProfile, answer_bytes, blamed, prepared
from recollect.errors import EmbeddingError
from recollect.http_client import Endpoint, HttpRequest, HttpResponse, RemoteError
from recollect.model.memories import Vector
from recollect.ports import BulkOutcome, BulkPhase, BulkProgress, Tokenizer

Answer = TypeVar("Answer")
P = TypeVar("P", OpenAiProtocol, GeminiProtocol)

_ROOM: Final = 1_000_000
_GONE: Final = 404
_OVER_ALREADY: Final = frozenset((400, 409))
_NO_REASON: Final = "no reason was given"
_ID = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)


@dataclass(slots=True)
class BatchResults:
    """Collects what a batch brought, one text at a time."""

    dimensions: int | None
    host: str
    vectors: dict[str, Vector] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)

    def take(self, name: str, raw: object, tokens: int | None) -> None:
        """Keep a vector; one that makes no sense is a failure of its text."""
        self.tokens[name] = tokens or 0
        try:
            row = unit_rows([raw], self.dimensions, self.host)[0]
        except EmbeddingError as error:
            self.failed[name] = str(error)
            return
        self.dimensions = len(row)
        self.vectors[name] = row


class BatchApi(ABC, Generic[P]):
    """A provider's batch API: what all of them have in common."""

    most_texts: ClassVar[int]

    def __init__(self, profile: ProviderProfile, endpoint: Endpoint, tokenizer: Tokenizer, protocol: P) -> None:
        """Take where to ask, and how a single request is worded."""
        self._profile = profile
        self._endpoint = endpoint
        self._tokenizer = tokenizer
        self._protocol: P = protocol

    @abstractmethod
    def submit(self, texts: Mapping[str, str]) -> str: ...

    def progress(self, batch: str) -> BulkProgress:
        """Ask how far it is. One that the provider does not know has failed."""
        try:
            shown = self._endpoint.ask(self._shown(batch), HttpResponse.parsed)
        except RemoteError as error:
            if error.status == _GONE:
                return BulkProgress("failed", reason=error.reason)
            raise blamed(error) from error
        return self._read_progress(shown)

    def collect(self, batch: str) -> BulkOutcome:
        """Fetch what is finished."""
        results = BatchResults(self._profile.dimensions, self._endpoint.host)
        self._gather(self._fetch(self._shown(batch), HttpResponse.parsed), results)
        return BulkOutcome(results.vectors, results.failed, results.tokens)

    def cancel(self, batch: str) -> None:
        try:
            self._endpoint.ask(HttpRequest(self._cancelling(batch), _ROOM, repeatable=False), HttpResponse.parsed)
        except RemoteError as error:
            if error.status not in _OVER_ALREADY:
                raise blamed(error) from error

    @abstractmethod
    def forget(self, batch: str) -> None: ...

    def close(self) -> None:
        """Give back the connections."""
        self._endpoint.close()

    @abstractmethod
    def _shown(self, batch: str) -> HttpRequest:
        """Ask what a batch is like now."""

    @abstractmethod
    def _cancelling(self, batch: str) -> str:
        """Say at which path a batch is cancelled."""

    @abstractmethod
    def _read_progress(self, shown: Mapping[str, Any]) -> BulkProgress: ...

    @abstractmethod
    def _gather(self, shown: Mapping[str, Any], results: BatchResults) -> None:
        """Take all that a batch brought.

        What only ran out of time or failed at the provider is left out: it was never embedded.
        """

    def _ready(self, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Give passages as they are sent."""
        count = self._tokenizer.count
        return ((name, prepared(text, "passage", self._profile, count)) for name, text in texts.items())

    def _ask(self, request: HttpRequest) -> Mapping[str, Any]:
        try:
            return self._endpoint.ask(request, HttpResponse.parsed)
        except RemoteError as error:
            raise blamed(error) from error

    def _fetch(self, request: HttpRequest, read: Callable[[HttpResponse], Answer]) -> Answer:
        """Ask for something that has to be there. If it is gone, asking again does not help: EmbeddingError."""
        try:
            return self._endpoint.ask(request, read)
        except RemoteError as error:
            raise (EmbeddingError(error.reason) if error.status == _GONE else blamed(error)) from error

    def _remove(self, path: str) -> None:
        """Ask for something to be deleted, once; what cannot be deleted stays."""
        with suppress(RemoteError):
            request = HttpRequest(path, _ROOM, method=HTTPMethod.DELETE, repeatable=False)
            self._endpoint.ask(request, lambda received: received.content)

    def _given_id(self, found: object) -> str:
        """Read an id that the provider gave to something. Raises EmbeddingError when it gave none."""
        if not isinstance(found, str) or not _ID.fullmatch(found) or ".." in found:
            raise EmbeddingError(
                f"{self._endpoint.host} took a batch, but gave no id for it. Check at the provider what became of it."
            )
        return found


def _checked_id(batch: str) -> str:
    """Give a batch's id, if it can be part of an address."""
    if not _ID.fullmatch(batch) or ".." in batch:
        raise EmbeddingError(f"{batch[:80]!r} is no id of a batch. Expected letters, digits, - and _.")
    return batch


def _part(whole: object, name: str) -> Mapping[str, Any]:
    """Give an object that is part of another; an empty one where there is none."""
    found = whole.get(name) if isinstance(whole, dict) else None
    return found if isinstance(found, dict) else {}


def _message(error: object) -> str:
    said = error.get("message") if isinstance(error, dict) else None
    return said[:300] if isinstance(said, str) and said else ""


class OpenAiBulk(BatchApi[OpenAiProtocol]):
    """OpenAI's batch API for embeddings: a file of requests is uploaded, and a batch made of it."""

    most_texts = 10_000  # of the 50,000 that are allowed, so that the results fit into memory
    most_bytes: ClassVar = 100_000_000
    _blames_a_text: ClassVar = frozenset((400, 413, 422))
    _results: ClassVar = ("output_file_id", "error_file_id")
    _phases: ClassVar[Mapping[str, BulkPhase]] = {
        "completed": "finished",
        "failed": "failed",
        "expired": "failed",
        "cancelled": "failed",
    }

    def submit(self, texts: Mapping[str, str]) -> str:
        url, body_of = "/v1/embeddings", self._protocol.body
        asked = (
            {"custom_id": name, "method": "POST", "url": url, "body": body_of([text], "passage")}
            for name, text in self._ready(texts)
        )
        lines = (json.dumps(request, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for request in asked)
        content = b"".join(lines)
        if len(texts) > self.most_texts or len(content) > self.most_bytes:
            raise EmbeddingError(
                f"A batch of {len(texts):,} texts makes a file of {len(content):,} bytes. Expected at most "
                f"{self.most_texts:,} texts and {self.most_bytes:,} bytes; hand in fewer."
            )
        form, content_type = _form(content)
        file = self._given_id(self._ask(HttpRequest("/files", _ROOM, form, content_type)).get("id"))
        body = {"input_file_id": file, "endpoint": url, "completion_window": "24h"}
        # Not asked twice: a second batch would be paid for as well.
        try:
            made = self._ask(HttpRequest.json("/batches", body, _ROOM, repeatable=False))
        except EmbeddingError:
            self._remove(f"/files/{file}")
            raise
        return self._given_id(made.get("id"))

    def forget(self, batch: str) -> None:
        """Delete the file of requests and those of results and errors. The batch itself, which has no text, stays."""
        request = self._shown(batch)
        try:
            shown = self._endpoint.ask(request, HttpResponse.parsed)
        except RemoteError:
            return
        for name in ("input_file_id", *self._results):
            if file := shown.get(name):
                self._remove(f"/files/{self._given_id(file)}")

    def _shown(self, batch: str) -> HttpRequest:
        return HttpRequest(f"/batches/{_checked_id(batch)}", _ROOM, method="GET")

    def _cancelling(self, batch: str) -> str:
        return f"/batches/{_checked_id(batch)}/cancel"

    def _read_progress(self, shown: Mapping[str, Any]) -> BulkProgress:
        status = str(shown.get("status"))
        counts = _part(shown, "request_counts")
        done, failed, total = (token_count(counts.get(name)) or 0 for name in ("completed", "failed", "total"))
        phase = self._phases.get(status, "running")
        if phase != "failed":
            return BulkProgress(phase, done + failed, total)
        listed = _part(shown, "errors").get("data")
        said = [_message(error) or _NO_REASON for error in listed[:3]] if isinstance(listed, list) else []
        return BulkProgress(phase, done + failed, total, ": ".join([f"The batch has {status}", *said]))

    def _gather(self, shown: Mapping[str, Any], results: BatchResults) -> None:
        most_bytes = answer_bytes(self.most_texts, self._profile.dimensions)
        for name in self._results:
            if file := shown.get(name):
                request = HttpRequest(f"/files/{self._given_id(file)}/content", most_bytes, method="GET")
                for line in self._fetch(request, lambda received: received.content).splitlines():
                    self._gather_line(line, results)

    def _gather_line(self, line: bytes, results: BatchResults) -> None:
        try:
            found = json.loads(line)
        except ValueError:
            return
        name = found.get("custom_id") if isinstance(found, dict) else None
        response = _part(found, "response")
        body = _part(response, "body")
        if not isinstance(name, str):
            return
        if response.get("status_code") in self._blames_a_text:
            results.failed[name] = _message(body.get("error")) or _NO_REASON
        elif isinstance(body.get("data"), list) and body["data"]:
            first = body["data"][0]
            spent = token_count(_part(body, "usage").get("prompt_tokens"))
            results.take(name, first.get("embedding") if isinstance(first, dict) else None, spent)


def _form(content: bytes) -> tuple[bytes, str]:
    """Make a form of a file. The boundary comes from the content, so the content cannot hold it by accident."""
    boundary = hashlib.sha256(content).hexdigest()
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="texts.jsonl"\r\n'
        "Content-Type: application/jsonl\r\n\r\n"
    )
    return head.encode() + content + f"\r\n--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


class GeminiBulk(BatchApi[GeminiProtocol]):
    """Gemini's batch API for embeddings: requests are one operation, and their results stand in it when it is done."""

    most_texts = 4_000  # of common length, so that a batch stays below what may be handed in at once
    most_bytes: ClassVar = 19_000_000
    _refused: ClassVar = 3  # INVALID_ARGUMENT, the one code that blames a text
    _failed: ClassVar = ("FAILED", "CANCELLED", "EXPIRED")

    def submit(self, texts: Mapping[str, str]) -> str:
        requests = [
            {"request": self._protocol.request(text, "passage"), "metadata": {"key": name}}
            for name, text in self._ready(texts)
        ]
        shown = f"recollect {hashlib.sha256(json.dumps(sorted(texts)).encode()).hexdigest()[:12]}"
        body = {"batch": {"displayName": shown, "inputConfig": {"requests": {"requests": requests}}}}
        path = f"/models/{quote(self._protocol.model, safe='')}:asyncBatchEmbedContent"
        # Not asked twice: a second batch would be paid for as well.
        request = HttpRequest.json(path, body, _ROOM, repeatable=False)
        if len(texts) > self.most_texts or len(request.content) > self.most_bytes:
            raise EmbeddingError(
                f"A batch of {len(texts):,} texts makes a request of {len(request.content):,} bytes. Expected at most "
                f"{self.most_texts:,} texts and {self.most_bytes:,} bytes; hand in fewer."
            )
        return self._given_id(self._ask(request).get("name"))

    def forget(self, batch: str) -> None:
        """Delete the batch, with what was asked and what was answered."""
        self._remove(f"/{_checked_id(batch)}")

    def _shown(self, batch: str) -> HttpRequest:
        # The results come with every answer once the batch is done.
        most_bytes = _ROOM + answer_bytes(self.most_texts, self._profile.dimensions)
        return HttpRequest(f"/{_checked_id(batch)}", most_bytes, method="GET")

    def _cancelling(self, batch: str) -> str:
        return f"/{_checked_id(batch)}:cancel"

    def _read_progress(self, shown: Mapping[str, Any]) -> BulkProgress:
        metadata = _part(shown, "metadata")
        stats = _part(metadata, "batchStats")
        names = ("successfulRequestCount", "failedRequestCount", "requestCount")
        done, failed, total = (token_count(stats.get(name)) or 0 for name in names)
        state = str(metadata.get("state", "")).rpartition("_STATE_")[2]
        if state in self._failed or "error" in shown:
            said = _message(shown.get("error"))
            reason = f"The batch has {state.lower() or 'failed'}"
            return BulkProgress("failed", done + failed, total, f"{reason}: {said}" if said else reason)
        return BulkProgress("finished" if shown.get("done") else "running", done + failed, total)

    def _gather(self, shown: Mapping[str, Any], results: BatchResults) -> None:
        output = _part(shown, "response") or _part(_part(shown, "metadata"), "output")
        responses = _part(output, "inlinedResponses").get("inlinedResponses")
        for item in responses if isinstance(responses, list) else []:
            name = _part(item, "metadata").get("key")
            response = _part(item, "response")
            if not isinstance(name, str):
                continue
            if response:
                results.take(name, values_of(response.get("embedding")), gemini_tokens(response))
            elif _part(item, "error").get("code") == self._refused:
                results.failed[name] = _message(item["error"]) or _NO_REASON
