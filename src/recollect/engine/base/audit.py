"""The audit log, audited writes and idempotent requests: who did what to which items, and when; never what they say.

A hash chain: each line holds a hash of itself and of the line before it, so a line in the middle cannot be changed or
removed without rewriting all later ones. A cut at the end shows only where a copy of a later hash was kept.

The invariant: every write of a client is in the log, and every line of the log was written. A request whose response
got lost finds that response when it is sent again, instead of being processed twice.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain
from operator import methodcaller
from typing import NamedTuple, TypeVar

from recollect.engine.base.context import Engine
from recollect.errors import AlreadyProcessed, InvalidInput
from recollect.model.files import AddedFile, FileRecord
from recollect.model.memories import MemoryRecord, Remembered, Scope
from recollect.model.messages import Appended, Compaction, Message
from recollect.model.places import NamedPlace
from recollect.model.search import Forgotten, PromptContext, TurnOutcome
from recollect.model.stats import AuditLine
from recollect.storage.base import StoredResponse, StoreWriter, UserRows
from recollect.storage.base.tables import ImportedRows

MOST_ITEMS = 100
_PAGE = 1_000
T = TypeVar("T")

ANSWERS_KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class AuditedAction:
    """Who did what."""

    actor: str
    action: str


def note(
    writer: StoreWriter,
    scope: Scope,
    action: AuditedAction,
    items: Sequence[str],
    now: datetime,
    *,
    amount: int = 0,
) -> AuditLine:
    """Add a line to the log of a user, inside the transaction that does what the line says; gives it."""
    before = writer.last_audit()
    line = AuditLine(
        number=before.number + 1 if before else 1,
        done_at=now,
        actor=action.actor,
        action=action.action,
        items=tuple(items[:MOST_ITEMS]),
        amount=max(amount, len(items)),
    )
    line = replace(line, hash=_hash(scope, line, before.hash if before else ""))
    writer.add_audit(line)
    return line


def _hash(scope: Scope, line: AuditLine, before: str) -> str:
    where, when = (before, scope.user_id, line.number), line.done_at.isoformat()
    fields = [*where, when, line.actor, line.action, line.items, line.amount]
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


def lines(engine: Engine, scope: Scope, after: int = 0) -> Iterator[AuditLine]:
    """Give the log of a user, oldest first."""
    while page := engine.store.read(scope, methodcaller("audit", after, _PAGE)):
        yield from page
        after = page[-1].number


def first_flaw(engine: Engine, scope: Scope) -> int | None:
    """Verify the hash chain; gives the number of the first line that breaks it, or None."""
    before, expected = "", 1
    for line in lines(engine, scope):
        if line.number != expected or line.hash != _hash(scope, line, before):
            return expected
        before, expected = line.hash, expected + 1
    return None


@dataclass(slots=True)
class IdempotentRequest:
    """A request with an Idempotency-Key, of which `key` is a hash.

    `request_hash` tells whether it is the same request. `encode` makes the response of the result of a write, or None
    when it is not the write that matters. `private` responses hold what a user said; they go when anything is
    forgotten.
    """

    key: str
    request_hash: str
    encode: Callable[[object], str | None]
    private: bool = False
    answered: str | None = None
    _resets: int | None = None  # the user's count of forgettings at the first check

    def insist_new(self, rows: UserRows, now: datetime) -> None:
        """Raise AlreadyProcessed if it was processed before."""
        if self._resets is None:
            self._resets = rows.resets()
        response = rows.answer(self.key, now - ANSWERS_KEPT)
        if response is None:
            return
        if response.request_hash != self.request_hash:
            raise InvalidInput(
                "This Idempotency-Key was used for another request within the last 24 hours. Take a new one for each "
                "request, and the same one only to send the very same request again."
            )
        raise AlreadyProcessed(response.body)

    def keep(self, writer: StoreWriter, answer: str, now: datetime) -> None:
        """Store the response; if something was forgotten meanwhile, only that there was one."""
        stale = self.private and self._resets is not None and writer.resets() != self._resets
        writer.keep_answer(self.key, StoredResponse(self.request_hash, None if stale else answer, self.private), now)

    def complete(self, writer: StoreWriter, answer: str, now: datetime) -> None:
        """Keep the final response. Raises AlreadyProcessed if another client was faster with the same request."""
        if self.answered is None:
            self.insist_new(writer, now)
            self.keep(writer, answer, now)
            return
        stored = writer.answer(self.key, now - ANSWERS_KEPT)  # by the write itself, whatever that has forgotten
        if stored is not None and stored.body is not None:
            writer.keep_answer(self.key, StoredResponse(self.request_hash, answer, self.private), now)


@dataclass(frozen=True, slots=True)
class AuditedWrite:
    """A write with its audit entry, perhaps idempotent. `insist` checks the store before any change, and may raise."""

    actor: str
    action: str
    once: IdempotentRequest | None = None
    insist: Callable[[StoreWriter], None] | None = None

    def wrap(self, scope: Scope, work: Callable[[StoreWriter], T], now: datetime) -> Callable[[StoreWriter], T]:
        once = self.once

        def audited(writer: StoreWriter) -> T:
            if once is not None and once.answered is None:
                once.insist_new(writer, now)
            if self.insist is not None:
                self.insist(writer)
            result = work(writer)
            affected = _affected(result)
            if affected.amount:
                note(writer, scope, AuditedAction(self.actor, self.action), affected.ids, now, amount=affected.amount)
            answer = once.encode(result) if once is not None else None
            if once is not None and answer is not None:
                once.keep(writer, answer, now)
                once.answered = answer
            return result

        return audited


class _AffectedItems(NamedTuple):
    ids: tuple[str, ...]
    amount: int


def _affected(result: object) -> _AffectedItems:
    """Give the items that a write affected, by its result."""
    match result:
        case Remembered() | MemoryRecord() | Message() | FileRecord():
            ids = [result.id]
        case AddedFile():
            ids = [result.file.id]
        case Forgotten():
            ids = [*result.ids, *result.rewritten]
        case TurnOutcome():
            ids = [remembered.id for remembered in (*result.captured, *result.events)]
            return _AffectedItems(tuple(ids), result.saved + len(ids))
        case Compaction(summary=Message() as summary):
            ids = [summary.id]
        case PromptContext():
            ids = [result.message_id] if result.message_id else []
        case Appended():
            ids = [result.id] if result.id else []
        case NamedPlace() | ImportedRows():  # names are private, and of many rows the number says enough
            return _AffectedItems((), 1 if isinstance(result, NamedPlace) else result.written)
        case list() | tuple():
            parts = [_affected(part) for part in result]
            return _AffectedItems(
                tuple(chain.from_iterable(part.ids for part in parts)), sum(part.amount for part in parts)
            )
        case _:
            ids = []
    return _AffectedItems(tuple(ids), len(ids))
