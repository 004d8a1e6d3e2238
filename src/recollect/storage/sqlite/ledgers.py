"""What the doors keep, in the file: keys, answers, the order of changes, and the logs."""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime

import apsw

from recollect.authorization import Key
from recollect.model.memories import Scope
from recollect.model.stats import AuditLine, SearchFigures
from recollect.ports import SearchNote, StoreChange, StoredResponse
from recollect.storage import ledgers
from recollect.storage.sqlite.codec import from_micros, to_micros
from recollect.storage.sqlite.connection import rows
from recollect.storage.sqlite.rows import QUERIES, SqliteRows


class Ledgers(SqliteRows):
    """What reading and writing have in common."""

    def answer(self, key: str, since: datetime) -> StoredResponse | None:
        """Give what a request was answered."""
        found = self._run("get_answer", {"key": key, "since": to_micros(since)})
        return StoredResponse(*found[0]) if found else None

    def resets(self) -> int:
        """Count what was forgotten."""
        return next((int(row[0]) for row in self._run("user_resets")), 0)

    def last_change(self) -> int:
        """Give the number of the newest change."""
        return next((int(row[0]) for row in self._run("last_change")), 0)

    def first_change(self) -> int | None:
        """Give the number of the oldest change."""
        first: int | None = self._run("first_change")[0][0]
        return first

    def changes(self, after: int, limit: int) -> Sequence[StoreChange]:
        """Give what is new."""
        found = self._run("changes_after", {"after": after, "limit": limit})
        return [ledgers.change_of(row, from_micros) for row in found]

    def audit(self, after: int, limit: int) -> Sequence[AuditLine]:
        """Give what was done."""
        found = self._run("audit_after", {"after": after, "limit": limit})
        return [ledgers.line_of(row, from_micros) for row in found]

    def last_audit(self) -> AuditLine | None:
        """Give the newest line."""
        return next((ledgers.line_of(row, from_micros) for row in self._run("last_audit")), None)

    def search_figures(self, since: datetime) -> Sequence[SearchFigures]:
        """Say what searches were like."""
        return [ledgers.figures_of(row) for row in self._run("search_figures", {"since": to_micros(since)})]


class LedgerWriter(SqliteRows):
    """What only writing does."""

    def keep_answer(self, key: str, answer: StoredResponse, now: datetime) -> None:
        """Keep what a request is answered."""
        self._run("keep_answer", {"key": key, **answer._asdict(), "now": to_micros(now)})

    def add_audit(self, line: AuditLine) -> None:
        """Add a line."""
        self._run("insert_audit", {**ledgers.line_values(line), "done_at": to_micros(line.done_at)})

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
        moments = {"created_at": to_micros(key.created_at), "expires_at": to_micros(key.expires_at)}
        rows(self._connection, QUERIES["insert_key"], {**ledgers.key_values(key, secret_hash), **moments})

    def revoke_key(self, key_id: str, now: datetime) -> None:
        """Let a key open nothing."""
        rows(self._connection, QUERIES["revoke_key"], {"id": key_id, "now": to_micros(now)})


class SqliteLedgers:
    """The part of the store that is about what the doors keep."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[apsw.Connection]:
        """Lend a connection with an open snapshot."""

    @abstractmethod
    def _changing(self, *, patient: bool = True) -> AbstractContextManager[apsw.Connection]:
        """Lend the connection that writes; who is not patient does not wait for it."""

    def key(self, key_id: str) -> tuple[Key, str] | None:
        """Give a key with the hash of its secret."""
        with self._reading() as connection:
            found = rows(connection, QUERIES["find_key"], {"id": key_id})
        return next(((ledgers.key_of(row, from_micros), row[8]) for row in found), None)

    def keys(self) -> Sequence[Key]:
        """Give all keys."""
        with self._reading() as connection:
            return [ledgers.key_of(row, from_micros) for row in rows(connection, QUERIES["list_keys"])]

    def touch_key(self, key_id: str, now: datetime) -> None:
        """Note when a key was used."""
        with self._changing(patient=False) as connection:
            rows(connection, QUERIES["touch_key"], {"id": key_id, "now": to_micros(now)})

    def audited(self) -> Sequence[Scope]:
        """Name those about whom there are lines."""
        with self._reading() as connection:
            return [Scope(row[0]) for row in rows(connection, QUERIES["audited_users"])]

    def note_search(self, scope: Scope, note: SearchNote) -> None:
        """Keep figures about a search."""
        values = {"user_id": scope.user_id, **ledgers.note_values(note), "asked_at": to_micros(note.asked_at)}
        with self._changing() as connection:
            rows(connection, QUERIES["log_search"], values)

    def forget_ledgers(self, *, answers: datetime, changes: datetime, searches: datetime) -> None:
        """Forget what is old."""
        with self._changing() as connection:
            rows(connection, QUERIES["delete_old_answers"], {"before": to_micros(answers)})
            rows(connection, QUERIES["delete_old_changes"], {"before": to_micros(changes)})
            rows(connection, QUERIES["delete_old_searches"], {"before": to_micros(searches)})
