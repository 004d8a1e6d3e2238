"""Keeps what was forgotten from coming back with a row whose page no tree leads to."""

from typing import Any

import apsw

from recollect.storage.base.erasure import TombstoneSecrets, tombstone_secrets
from recollect.storage.base.tables import FILE_FIELDS, MESSAGE_FIELDS, RECORD_FIELDS, columns
from recollect.storage.base.values import ItemMarks
from recollect.storage.sqlite.codec import CODEC
from recollect.storage.sqlite.repair.mending import query
from recollect.storage.sqlite.session import SqliteSession


class ForgottenRows:
    """Compares rows with the tombstones that were saved before. An older row than its tombstone was forgotten."""

    def __init__(self, target: apsw.Connection, marks: ItemMarks) -> None:
        self._target = target
        self._marks = marks
        self._secrets: TombstoneSecrets | None = None
        self.dropped = 0

    def has(self, table: str, row: dict[str, Any]) -> bool:
        """Tell whether a row was forgotten."""
        try:
            marks = self._marks_of(table, row)
        except (ValueError, TypeError, OverflowError):  # a text that should be JSON, a moment beyond all calendars
            return True
        if not marks:
            return False
        if self._secrets is None:
            self._secrets = tombstone_secrets(SqliteSession(self._target))
        known = [tombstone for mark in (*marks, self._marks.everything) for tombstone in self._secrets.marks(mark)]
        values = {"user_id": row["user_id"], "moment": row["created_at"], "fingerprints": apsw.carray(tuple(known))}
        forgotten = bool(self._target.execute(query("forgotten_since"), values).fetchall())
        self.dropped += forgotten
        return forgotten

    def _marks_of(self, table: str, row: dict[str, Any]) -> tuple[str, ...]:
        if table == "memories":
            return tuple(self._marks.of_memory(CODEC.memory([row[name] for name in columns(RECORD_FIELDS)])))
        if table == "messages":
            return tuple(self._marks.of_message(CODEC.message([row[name] for name in columns(MESSAGE_FIELDS)])))
        if table == "files":
            return tuple(self._marks.of_file(CODEC.file([row[name] for name in columns(FILE_FIELDS)])))
        return ()
