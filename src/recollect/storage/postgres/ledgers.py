"""What the doors keep, on a server: keys, answers, the order of changes, and the logs."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import psycopg

from recollect.authorization import Key
from recollect.model.memories import Scope
from recollect.model.stats import AuditLine, SearchFigures
from recollect.ports import SearchNote, StoreChange, StoredResponse
from recollect.storage import ledgers
from recollect.storage.postgres.rows import QUERIES, PostgresRows, one
from recollect.storage.postgres.wall import Walled


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


class Ledgers(PostgresRows):
    """What reading and writing have in common."""

    def answer(self, key: str, since: datetime) -> StoredResponse | None:
        """Give what a request was answered."""
        found = self._run("get_answer", {"key": key, "since": since}).fetchone()
        return StoredResponse(*found) if found else None

    def resets(self) -> int:
        """Count what was forgotten."""
        return next((int(row[0]) for row in self._run("user_resets")), 0)

    def last_change(self) -> int:
        """Give the number of the newest change."""
        return next((int(row[0]) for row in self._run("last_change")), 0)

    def first_change(self) -> int | None:
        """Give the number of the oldest change."""
        first: int | None = one(self._run("first_change"))[0]
        return first

    def changes(self, after: int, limit: int) -> Sequence[StoreChange]:
        """Give what is new."""
        return [ledgers.change_of(row, _in_utc) for row in self._run("changes_after", {"after": after, "limit": limit})]

    def audit(self, after: int, limit: int) -> Sequence[AuditLine]:
        """Give what was done."""
        return [ledgers.line_of(row, _in_utc) for row in self._run("audit_after", {"after": after, "limit": limit})]

    def last_audit(self) -> AuditLine | None:
        """Give the newest line."""
        return next((ledgers.line_of(row, _in_utc) for row in self._run("last_audit")), None)

    def search_figures(self, since: datetime) -> Sequence[SearchFigures]:
        """Say what searches were like."""
        return [ledgers.figures_of(row) for row in self._run("search_figures", {"since": since})]


class LedgerWriter(PostgresRows):
    """What only writing does."""

    def keep_answer(self, key: str, answer: StoredResponse, now: datetime) -> None:
        """Keep what a request is answered."""
        self._run("keep_answer", {"key": key, **answer._asdict(), "now": now})

    def add_audit(self, line: AuditLine) -> None:
        """Add a line."""
        self._run("insert_audit", {**ledgers.line_values(line), "done_at": line.done_at})

    def forget_traces(self, *, everything: bool) -> None:
        """Take out what was said or asked."""
        self._run("blank_answers")
        if everything:
            self._run("delete_changes")
            self._run("delete_searches")
        else:
            self._run("blank_searches")

    def add_key(self, key: Key, secret_hash: str) -> None:
        """Keep a new key."""
        moments = {"created_at": key.created_at, "expires_at": key.expires_at}
        self._connection.execute(QUERIES["insert_key"].encode(), {**ledgers.key_values(key, secret_hash), **moments})

    def revoke_key(self, key_id: str, now: datetime) -> None:
        """Let a key open nothing."""
        self._run("revoke_key", {"id": key_id, "now": now})


class PostgresLedgers(Walled):
    """The part of the store that is about what the doors keep."""

    def _ledger(self, scope: Scope | None, name: str, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """Ask for a user, or for everybody when none is named."""
        with self._whom(scope) as connection:
            asked: psycopg.Cursor[tuple[Any, ...]] = connection.execute(QUERIES[name].encode(), values)
            return asked.fetchall() if asked.description else []

    def key(self, key_id: str) -> tuple[Key, str] | None:
        """Give a key with the hash of its secret."""
        found = self._ledger(None, "find_key", {"id": key_id})
        return next(((ledgers.key_of(row, _in_utc), row[8]) for row in found), None)

    def keys(self) -> Sequence[Key]:
        """Give all keys."""
        return [ledgers.key_of(row, _in_utc) for row in self._ledger(None, "list_keys")]

    def touch_key(self, key_id: str, now: datetime) -> None:
        """Note when a key was used."""
        self._ledger(None, "touch_key", {"id": key_id, "now": now})

    def audited(self) -> Sequence[Scope]:
        """Name those about whom there are lines."""
        return [Scope(row[0]) for row in self._ledger(None, "audited_users")]

    def note_search(self, scope: Scope, note: SearchNote) -> None:
        """Keep figures about a search."""
        values = {"user_id": scope.user_id, **ledgers.note_values(note), "asked_at": note.asked_at}
        self._ledger(scope, "log_search", values)

    def forget_ledgers(self, *, answers: datetime, changes: datetime, searches: datetime) -> None:
        """Forget what is old."""
        with self._everybody() as connection:
            for name, before in (("answers", answers), ("changes", changes), ("searches", searches)):
                connection.execute(QUERIES[f"delete_old_{name}"].encode(), {"before": before})
