"""Idempotent writes: a request with an Idempotency-Key runs once, and its answer is replayed for 24 hours."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import TypeVar, cast

from fastapi import Response
from pydantic import BaseModel

from recollect.api.memory import AuditedWrite, IdempotentRequest, UserMemory
from recollect.engine.drafts import tombstones
from recollect.errors import AlreadyProcessed, NotFound, StaleVersion
from recollect.model.memories import MemoryRecord
from recollect.model.search import Forgotten
from recollect.service.json_routes import JSON
from recollect.service.request_context import ApiCall
from recollect.service.responses import MemoryBody, dump
from recollect.storage.base import StoreWriter
from recollect.web.problems import RequestRefused

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a write, as it is sent and stored. It is not `replayable` if something could not be done."""

    body: str
    status: int = HTTPStatus.OK
    etag: str = ""
    replayable: bool = True

    def response(self, *, replayed: bool = False) -> Response:
        """Make the HTTP response."""
        headers = {"Idempotency-Replayed": "true"} if replayed else {}
        if self.etag:
            headers["ETag"] = self.etag
        return Response(self.body, self.status, headers, JSON)

    def stored(self) -> str:
        """Encode it for the store."""
        return json.dumps({"status": int(self.status), "etag": self.etag, "body": self.body})


def run_idempotent(
    call: ApiCall,
    action: str,
    verb: Callable[[UserMemory], T],
    *,
    reply: Callable[[T], Reply] | type[BaseModel],
    committed: type,
    request: BaseModel | None = None,
    private: bool = False,
    precondition: Callable[[StoreWriter], None] | None = None,
) -> Response:
    """Run a write, note it in the audit log and answer; a repeated request is answered as the first time.

    `committed` is what the write's transaction returns: `reply` to it, or its body, is stored in that transaction, so
    an answer that got lost on the way is still found. `private` answers hold content, and go when something is
    forgotten; the words of what a request has forgotten itself are only in the answer that is sent.
    `precondition` is checked inside the transaction.
    """

    def replied(result: T) -> Reply:
        return Reply(dump(reply, result)) if isinstance(reply, type) else reply(result)

    if not call.idempotency_key:
        return replied(verb(call.audited(AuditedWrite(call.principal.id, action, insist=precondition)))).response()

    def encode(result: object) -> str | None:
        return replied(_storable(cast("T", result))).stored() if isinstance(result, committed) else None

    if call.given_at is not None:
        precondition = partial(_insist_newer, given_at=call.given_at, further=precondition)
    operations, owner = call.memory.operations, call.me.user_id  # who is no member gets no earlier answer either
    named = f"{call.user_id}\n{call.idempotency_key}" if call.scope else call.idempotency_key
    once = IdempotentRequest(_hash(named), _fingerprint(call, named, request), encode, private)
    try:
        operations.check_first_use(owner, once)
        try:
            result = verb(call.audited(AuditedWrite(call.principal.id, action, once, precondition)))
            answer = replied(result)
        except (NotFound, StaleVersion):  # perhaps because the same request has been carried out just now
            operations.check_first_use(owner, once)
            raise
        if answer.replayable:
            operations.save_reply(owner, once, replied(_storable(result)).stored())
    except AlreadyProcessed as repeated:
        if repeated.answer is None:
            raise RequestRefused(
                HTTPStatus.GONE,
                "This request was carried out before, or waited. What it stored or answered has been forgotten since, "
                "so it is gone.",
            ) from None
        return Reply(**json.loads(repeated.answer)).response(replayed=True)
    return answer.response()


def answer_changed(
    call: ApiCall, action: str, request: BaseModel, verb: Callable[[UserMemory], MemoryRecord]
) -> Response:
    """Run a write that changes a memory, and answer with it."""
    return run_idempotent(call, action, verb, reply=MemoryBody, committed=MemoryRecord, request=request, private=True)


def _insist_newer(writer: StoreWriter, *, given_at: datetime, further: Callable[[StoreWriter], None] | None) -> None:
    tombstones.insist_newer(writer, given_at)
    if further is not None:
        further(writer)


def _storable(result: T) -> T:
    return cast("T", result.wordless()) if isinstance(result, Forgotten) else result


def _fingerprint(call: ApiCall, named: str, request: BaseModel | None) -> str:
    """Hash what was sent, half characters included; whether it can be stored is decided later.

    Together with the client's key, which is not stored: else a short secret in it could be guessed from the hash.
    """
    sent = json.dumps(request.model_dump(exclude_unset=True), default=str, sort_keys=True) if request else ""
    return _hash(f"{named}\n{call.request}\n{sent}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
