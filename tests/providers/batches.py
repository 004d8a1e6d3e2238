"""The batch APIs of OpenAI and Gemini: files and batches that live as long as the server does."""

import json
import re
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Any, Literal

from tests.providers.protocols import Body, Mood, Refused, gemini_vector, openai

Ending = Literal["completed", "failed", "expired", "cancelled"]
_ITEMS = re.compile(rb'name="(\w+)"[^\r]*(?:\r\n[^\r]+)*\r\n\r\n(.*?)\r\n--', re.DOTALL)


@dataclass
class Plan:
    """What becomes of batches: for how many questions they run, how they end, how many results get lost.

    The first `stumbled` requests meet a server that fails.
    """

    polls: int = 1
    ending: Ending = "completed"
    lost: int = 0
    stumbled: int = 0


@dataclass
class Batch:
    """One batch of either provider."""

    id: str
    requests: list[Body]
    plan: Plan
    model: str = ""
    input: str = ""
    polls: int = 0
    cancelled: bool = False
    files: dict[str, str] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether the provider is done with it."""
        return self.cancelled or self.polls >= self.plan.polls

    @property
    def ending(self) -> Ending:
        """How it ends."""
        return "cancelled" if self.cancelled else self.plan.ending

    @property
    def done(self) -> list[Body]:
        """The requests that were served: all but the lost ones, and half of them when time ran out."""
        kept = self.requests[: len(self.requests) - self.plan.lost]
        if self.ending == "failed":
            return []
        return kept if self.ending == "completed" else kept[: len(kept) // 2]


class Batches:
    """Files and batches by id, for both providers."""

    def __init__(self) -> None:
        self.plan = Plan()
        self.batches: dict[str, Batch] = {}
        self.files: dict[str, bytes] = {}
        self._numbers = count(1)
        self._lock = Lock()

    def upload(self, content: bytes, content_type: str) -> Body:
        """Answer `POST /files`: a form with a purpose and a file."""
        if "multipart/form-data; boundary=" not in content_type:
            raise Refused("expected multipart/form-data")
        form = {name.decode(): value for name, value in _ITEMS.findall(content)}
        if form.get("purpose") != b"batch":
            raise Refused("purpose must be batch")
        return {"id": self._keep(form["file"]), "object": "file", "bytes": len(form["file"]), "purpose": "batch"}

    def create_openai(self, body: Body) -> Body:
        """Answer `POST /batches`."""
        if body.get("endpoint") != "/v1/embeddings" or body.get("completion_window") != "24h":
            raise Refused("unknown endpoint or completion_window")
        if body.get("input_file_id") not in self.files:
            raise Refused("no such file", 404)
        lines = self.files[body["input_file_id"]].decode().splitlines()
        batch = self._add("batch_", [json.loads(line) for line in lines])
        batch.input = body["input_file_id"]
        return self._openai_shown(batch)

    def show_openai(self, id: str, mood: Mood) -> Body:
        """Answer `GET /batches/{id}`."""
        batch = self._polled(id)
        if batch.over and not batch.files:
            self._finish_openai(batch, mood)
        return self._openai_shown(batch)

    def cancel(self, id: str) -> Batch:
        """Stop a batch; one that is over is a conflict."""
        batch = self._get(id)
        if batch.over:
            raise Refused("Cannot cancel a batch that is over.", 409)
        batch.cancelled = True
        return batch

    def cancel_openai(self, id: str) -> Body:
        """Answer `POST /batches/{id}/cancel`."""
        return self._openai_shown(self.cancel(id))

    def delete_file(self, id: str) -> Body:
        """Answer `DELETE /files/{id}`."""
        if self.files.pop(id, None) is None:
            raise Refused(f"No such File object: {id}", 404)
        return {"id": id, "object": "file", "deleted": True}

    def delete_batch(self, id: str) -> Body:
        """Answer `DELETE /batches/{id}`, as Gemini has it."""
        self._get(id)
        del self.batches[id]
        return {}

    def create_gemini(self, body: Body, model: str) -> Body:
        """Answer `POST /models/{model}:asyncBatchEmbedContent`."""
        batch = self._add("batches/", body["batch"]["inputConfig"]["requests"]["requests"])
        batch.model = model
        return _gemini_shown(batch, Mood(None, ""))

    def show_gemini(self, id: str, mood: Mood) -> Body:
        """Answer `GET /batches/{id}`."""
        return _gemini_shown(self._polled(id), mood)

    def _finish_openai(self, batch: Batch, mood: Mood) -> None:
        good, bad = [], []
        for number, request in enumerate(batch.done):
            try:
                answer = {"status_code": 200, "body": _served(request, mood, stumbles=number < batch.plan.stumbled)}
                good.append({"custom_id": request["custom_id"], "response": answer, "error": None})
            except Refused as refused:
                answer = {"status_code": refused.status, "body": {"error": {"message": refused.message}}}
                bad.append({"custom_id": request["custom_id"], "response": answer, "error": None})
        if batch.ending in {"expired", "cancelled"}:
            error = {"code": f"batch_{batch.ending}", "message": "This request could not be executed in time."}
            left = batch.requests[len(batch.done) :]
            bad += [{"custom_id": request["custom_id"], "response": None, "error": error} for request in left]
        for name, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                batch.files[name] = self._keep("".join(json.dumps(line) + "\n" for line in reversed(lines)).encode())

    def _openai_shown(self, batch: Batch) -> Body:
        served = len(batch.done) if batch.over else 0
        shown: Body = {
            "id": batch.id,
            "object": "batch",
            "status": batch.ending if batch.over else "in_progress",
            "request_counts": {"total": len(batch.requests), "completed": served, "failed": 0},
            "input_file_id": batch.input,
            "output_file_id": None,
            "error_file_id": None,
            "errors": None,
        }
        if batch.over and batch.ending == "failed":
            shown["errors"] = {"object": "list", "data": [{"code": "invalid", "message": "The file is no good."}]}
        return shown | batch.files

    def _polled(self, id: str) -> Batch:
        batch = self._get(id)
        with self._lock:
            batch.polls += 1
        return batch

    def _get(self, id: str) -> Batch:
        if id not in self.batches:
            raise Refused(f"No batch found with id '{id}'.", 404)
        return self.batches[id]

    def _add(self, prefix: str, requests: list[Body]) -> Batch:
        with self._lock:
            batch = Batch(f"{prefix}{next(self._numbers)}", requests, self.plan)
            self.batches[batch.id] = batch
        return batch

    def _keep(self, content: bytes) -> str:
        with self._lock:
            name = f"file-{next(self._numbers)}"
            self.files[name] = content
        return name


def _served(request: Body, mood: Mood, *, stumbles: bool) -> Body:
    if stumbles:
        raise Refused("The server had an error.", 500)
    given: Any = request["body"]["input"]
    return openai({**request["body"], "input": given if isinstance(given, list) else [given]}, mood)


def _gemini_shown(batch: Batch, mood: Mood) -> Body:
    """Show a long-running operation: what it does in `metadata`, what came of it in `response`."""
    state = {"completed": "SUCCEEDED"}.get(batch.ending, batch.ending.upper()) if batch.over else "RUNNING"
    count = len(batch.done) if batch.over else 0
    stats = {"requestCount": str(len(batch.requests)), "successfulRequestCount": str(count)}
    shown: Body = {"name": batch.id, "metadata": {"state": f"BATCH_STATE_{state}", "batchStats": stats}}
    if not batch.over:
        return shown
    shown["done"] = True
    if batch.ending == "completed":
        served = batch.done[batch.plan.stumbled :]
        responses = [_gemini_response(request, batch.model, mood) for request in served]
        error = {"code": 13, "message": "internal"}
        responses += [{"metadata": item["metadata"], "error": error} for item in batch.done[: batch.plan.stumbled]]
        shown["response"] = {"inlinedResponses": {"inlinedResponses": responses}}
    else:
        shown["error"] = {"code": 13, "message": f"The batch has {batch.ending}."}
    return shown


def _gemini_response(item: Body, model: str, mood: Mood) -> Body:
    request = item["request"]
    if mood.poison in request["content"]["parts"][0]["text"]:
        return {"metadata": item["metadata"], "error": {"code": 3, "message": "invalid content"}}
    values = [float(number) for number in gemini_vector(request, model)]
    answer = {"embedding": {"values": values}, "usageMetadata": {"promptTokenCount": 3}}
    return {"metadata": item["metadata"], "response": answer}
