"""How keys, changes and the lines of the logs look as rows, whatever the database; only its moments differ."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from recollect.authorization import Key
from recollect.model.literals import PERMISSIONS
from recollect.model.stats import AuditLine, SearchFigures
from recollect.ports import SearchNote, StoreChange

Moment = Callable[[Any], datetime]


def key_of(row: Sequence[Any], moment: Moment) -> Key:
    """Read a key."""
    key_id, name, user_id, scopes, *moments = row[:8]
    held = scopes.split()
    return Key(
        key_id,
        name,
        user_id,
        tuple(scope for scope in PERMISSIONS if scope in held),
        *(None if one is None else moment(one) for one in moments),  # type: ignore[arg-type] # the first is never None
    )


def change_of(row: Sequence[Any], moment: Moment) -> StoreChange:
    """Read a change."""
    number, what, kind, item_id, changed_at = row
    return StoreChange(number, what, kind, item_id, moment(changed_at))


def line_of(row: Sequence[Any], moment: Moment) -> AuditLine:
    """Read a line of the log."""
    number, done_at, actor, action, items, amount, hash = row  # noqa: A001 - as the column is called
    return AuditLine(number, moment(done_at), actor, action, tuple(json.loads(items)), amount, hash)


def line_values(line: AuditLine) -> dict[str, Any]:
    """Lay out a line of the log, but for its moment."""
    names = ("number", "actor", "action", "amount", "hash")
    return {**{name: getattr(line, name) for name in names}, "items": json.dumps(line.items)}


def key_values(key: Key, secret_hash: str) -> dict[str, Any]:
    """Lay out a key, but for its moments."""
    scopes = " ".join(key.scopes)
    return {"id": key.id, "name": key.name, "user_id": key.user_id, "scopes": scopes, "secret_hash": secret_hash}


def note_values(note: SearchNote) -> dict[str, Any]:
    """Lay out figures about a search, but for its moment."""
    return {name: value for name, value in note._asdict().items() if name != "asked_at"}


def figures_of(row: Sequence[Any]) -> SearchFigures:
    """Read figures about searches."""
    verb, searches, empty, degraded, mean, most = row
    return SearchFigures(verb, int(searches), int(empty), int(degraded), float(mean), float(most))
