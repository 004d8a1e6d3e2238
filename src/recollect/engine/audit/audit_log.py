"""The log of what was done: who, which items, when; never what they say.

Each line holds a hash of itself and of the line before it. Whoever changes or takes out a line in the middle would have
to make all later ones anew. That the newest lines are missing only shows where a copy of a later hash was kept.
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
from recollect.ports import LedgerWriter, StoreReader

MOST_ITEMS = 100
_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class AuditedAction:
    """What is to be noted: who did what."""

    actor: str
    action: str


def note(
    writer: LedgerWriter, scope: Scope, act: AuditedAction, items: Sequence[str], now: datetime, *, amount: int = 0
) -> None:
    """Add a line to the log of a user, inside the transaction that does what it says."""
    before = writer.last_audit()
    line = AuditLine(
        number=before.number + 1 if before else 1,
        done_at=now,
        actor=act.actor,
        action=act.action,
        items=tuple(items[:MOST_ITEMS]),
        amount=max(amount, len(items)),
    )
    writer.add_audit(replace(line, hash=_hash(scope, line, before.hash if before else "")))


def _hash(scope: Scope, line: AuditLine, before: str) -> str:
    said = [
        before,
        scope.user_id,
        line.number,
        line.done_at.isoformat(),
        line.actor,
        line.action,
        line.items,
        line.amount,
    ]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def lines(engine: Engine, scope: Scope, after: int = 0) -> Iterator[AuditLine]:
    """Give the log of a user, oldest first."""
    while page := engine.store.read(scope, partial(_page, after=after)):
        yield from page
        after = page[-1].number


def _page(reader: StoreReader, after: int) -> Sequence[AuditLine]:
    return reader.audit(after, _PAGE)


def first_flaw(engine: Engine, scope: Scope) -> int | None:
    """Give the number of the first line that does not follow from the one before it; None when all do."""
    before, expected = "", 1
    for line in lines(engine, scope):
        if line.number != expected or line.hash != _hash(scope, line, before):
            return expected
        before, expected = line.hash, expected + 1
    return None
