"""The audit log: who did what to which items, and when; never what they say.

A hash chain: each line holds a hash of itself and of the line before it, so a line in the middle cannot be changed or
removed without rewriting all later ones. A cut at the end shows only where a copy of a later hash was kept.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from recollect.engine.base.context import Engine
from recollect.model.memories import Scope
from recollect.model.stats import AuditLine
from recollect.ports import AccessLogWriter, StoreReader

MOST_ITEMS = 100
_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class AuditedAction:
    """Who did what."""

    actor: str
    action: str


def note(
    writer: AccessLogWriter,
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
    while page := engine.store.read(scope, partial(_page, after=after)):
        yield from page
        after = page[-1].number


def _page(reader: StoreReader, after: int) -> Sequence[AuditLine]:
    return reader.audit(after, _PAGE)


def first_flaw(engine: Engine, scope: Scope) -> int | None:
    """Verify the hash chain; gives the number of the first line that breaks it, or None."""
    before, expected = "", 1
    for line in lines(engine, scope):
        if line.number != expected or line.hash != _hash(scope, line, before):
            return expected
        before, expected = line.hash, expected + 1
    return None
