"""What somebody does through a door: noted in the log, and done once though it may be asked for twice.

Both happen in the transaction that does it. So what is done is in the log, what is in the log was done, and a request
whose answer got lost on the way finds that answer when it comes again, instead of being carried out twice.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from recollect.engine.audit.audit_log import AuditedAction, note
from recollect.errors import AlreadyProcessed, InvalidInput
from recollect.model.files import AddedFile, FileRecord
from recollect.model.memories import MemoryRecord, Remembered, Scope
from recollect.model.messages import Appended, Compaction, Message
from recollect.model.places import NamedPlace
from recollect.model.search import Forgotten, PromptContext, TurnOutcome
from recollect.ports import StoredResponse, StoreReader, StoreWriter

T = TypeVar("T")

ANSWERS_KEPT = timedelta(hours=24)


@dataclass(slots=True)
class IdempotentRequest:
    """A request that may come twice, by a hash of the name its client gave it.

    `request_hash` tells whether it is the same request. `encode` makes the answer of what a write has come to, or None
    when it is not the write that matters. `private` answers hold what somebody said; when something is forgotten they
    go, too.
    """

    key: str
    request_hash: str
    encode: Callable[[object], str | None]
    private: bool = False
    answered: str | None = None
    _resets: int | None = None  # how much had been forgotten when it was first looked at

    def insist_new(self, rows: StoreReader | StoreWriter, now: datetime) -> None:
        """Raise AlreadyProcessed if it was carried out before."""
        if self._resets is None:
            self._resets = rows.resets()
        known = rows.answer(self.key, now - ANSWERS_KEPT)
        if known is None:
            return
        if known.request_hash != self.request_hash:
            raise InvalidInput(
                "This Idempotency-Key was used for another request within the last 24 hours. Take a new one for each "
                "request, and the same one only to send the very same request again."
            )
        raise AlreadyProcessed(known.body)

    def keep(self, writer: StoreWriter, answer: str, now: datetime) -> None:
        """Keep the answer; if something was forgotten meanwhile, only that there was one."""
        stale = self.private and self._resets is not None and writer.resets() != self._resets
        writer.keep_answer(self.key, StoredResponse(self.request_hash, None if stale else answer, self.private), now)

    def complete(self, writer: StoreWriter, answer: str, now: datetime) -> None:
        """Keep the final response. Raises AlreadyProcessed if another client was faster with the same request."""
        if self.answered is None:
            self.insist_new(writer, now)
        self.keep(writer, answer, now)


@dataclass(frozen=True, slots=True)
class AuditedWrite:
    """Who does what, perhaps once. `insist` looks at what is there before anything is changed, and may raise."""

    actor: str
    action: str
    once: IdempotentRequest | None = None
    insist: Callable[[StoreWriter], None] | None = None

    def wrap(self, scope: Scope, work: Callable[[StoreWriter], T], now: datetime) -> Callable[[StoreWriter], T]:
        """Give the work together with its idempotency check and its audit entry."""
        once = self.once

        def carried_out(writer: StoreWriter) -> T:
            if once is not None and once.answered is None:
                once.insist_new(writer, now)
            if self.insist is not None:
                self.insist(writer)
            result = work(writer)
            touched = _touched(result)
            if touched.amount:
                note(writer, scope, AuditedAction(self.actor, self.action), touched.ids, now, amount=touched.amount)
            answer = once.encode(result) if once is not None else None
            if once is not None and answer is not None:
                once.keep(writer, answer, now)
                once.answered = answer
            return result

        return carried_out


class _AffectedItems(NamedTuple):
    ids: tuple[str, ...]
    amount: int


def _touched(result: object) -> _AffectedItems:
    """Say which items a write was about, by what it has come to."""
    match result:
        case Remembered() | MemoryRecord() | Message() | FileRecord():
            ids = [result.id]
        case AddedFile():
            ids = [result.file.id]
        case Forgotten():
            ids = list(result.ids)
        case TurnOutcome():
            ids = [one.id for one in (*result.captured, *result.events)]
            return _AffectedItems(tuple(ids), result.saved + len(ids))
        case Compaction(summary=Message() as summary):
            ids = [summary.id]
        case PromptContext():
            ids = [result.message_id] if result.message_id else []
        case Appended():
            ids = [result.id] if result.id else []
        case NamedPlace():  # it has a name and no id, and names are nobody else's business
            return _AffectedItems((), 1)
        case list() | tuple():
            found = [_touched(one) for one in result]
            return _AffectedItems(tuple(id for one in found for id in one.ids), sum(one.amount for one in found))  # noqa: A001
        case _:
            ids = []
    return _AffectedItems(tuple(ids), len(ids))
