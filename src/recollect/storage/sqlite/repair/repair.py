"""Repairs a damaged file: one process at a time, and only while no process has it open."""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import apsw

from recollect.errors import FileDamaged, InvalidInput, NotFound, StoreDamaged, StoreReadOnly
from recollect.model.backups import Repaired
from recollect.ports import Clock
from recollect.storage.base.statements import AppliedMigration, load_migrations, pending_migrations
from recollect.storage.base.values import ItemMarks
from recollect.storage.sqlite.connection import REPAIR, is_read_only, open_connection, translated
from recollect.storage.sqlite.repair.damaged_file import DamagedFile
from recollect.storage.sqlite.repair.salvage import CONTENT, Salvage, query
from recollect.storage.sqlite.repair.swap import REPAIRED_AT, RepairFiles, describe, read_marks, save_marks
from recollect.storage.sqlite.repair.trees import KnownSchema, TreeWalker
from recollect.storage.sqlite.session import SqliteSession, to_micros
from recollect.storage.sqlite.upkeep import DamageNote, apply_migrations, look_at_tables, open_settled

LOG: Final = logging.getLogger("recollect.storage")
_REPAIR_WAIT_S: Final = 3600.0  # as long as another process may need
_FOREIGN: Final = (
    "{path} is not a sound SQLite database, and nothing in it looks like a store of recollect, so it was left as it "
    "is. Name another file for the store, or restore a backup."
)
_NOTHING: Final = (
    "{path} is damaged, and no row in it could be saved, so it was left as it is. Move it away and restore a backup "
    "with `recollect restore`."
)


@dataclass(frozen=True, slots=True)
class FileRepair:
    """Repairs one file. `marks` recognise what was forgotten."""

    path: Path
    busy_timeout_s: float
    clock: Clock
    marks: ItemMarks

    @property
    def _files(self) -> RepairFiles:
        return RepairFiles(self.path.resolve())

    def finish_interrupted(self) -> None:
        """Wait for a repair that is under way, and finish one whose process has died."""
        files = self._files
        if (files.ready.exists() or files.lock.exists()) and not is_read_only(files.path):
            with translated(files.path), files.locked(_REPAIR_WAIT_S):
                self._roll_forward()

    def _roll_forward(self) -> None:
        files = self._files
        files.remove_unfinished()
        if not files.ready.exists():
            return
        with _held(files.path, self.busy_timeout_s), translated(files.ready):
            with closing(open_settled(files.ready)) as new:
                facts = read_marks(new)
            if files.source_facts().items() <= facts.items():
                files.exchange(facts[REPAIRED_AT])
            else:  # the damaged file was written to since: what was saved is not the newest
                files.ready.unlink()

    def is_possible(self) -> bool:
        """Tell whether the file is there, can be written, and no process has it open."""
        path = self._files.path
        if not path.exists() or is_read_only(path):
            return False
        with closing(DamagedFile(path)) as file:
            return file.try_lock()

    def waited(self) -> bool:
        """Wait for the end of a repair that is under way; says whether one was."""
        under_way = self._files.is_locked()
        if under_way:
            with self._files.locked(_REPAIR_WAIT_S):
                pass
        return under_way

    def repair(self, *, thorough: bool) -> Repaired | None:
        """Repair the file if it is damaged; None when it is sound, as after another process has repaired it.

        A `thorough` look reads every page and every row.
        """
        path = self._files.path
        if not path.exists() and not self._files.ready.exists():
            raise NotFound(f"{path} is not there. Name the file of a store.")
        if is_read_only(path):
            raise StoreReadOnly(
                f"{path} cannot be written: the file, its folder or its disk is read-only. Copy it with its -wal file "
                "to where it can be written, and run `recollect repair` there."
            )
        with translated(path), self._files.locked(_REPAIR_WAIT_S):
            self._roll_forward()
            reason = self._trouble(thorough=thorough)
            repaired = self._replace(reason) if reason else None
        DamageNote(self.path).remove()
        return repaired

    def _trouble(self, *, thorough: bool) -> str:
        """Say what is wrong with the file; nothing when it is sound."""
        path = self._files.path
        if log_is_damaged(path):
            return f"The log of {path} is damaged before its last transaction."
        if not path.stat().st_size and not _has_log(path):
            raise InvalidInput(f"{path} is empty: there is nothing to save. Restore a backup, or delete it.")
        try:
            verdict = _ask_sqlite(path, self.busy_timeout_s, thorough=thorough)
        except FileDamaged as error:
            return str(error).removesuffix(REPAIR).strip()
        if verdict or not thorough:
            return verdict
        with DamagedFile.locked(path, self.busy_timeout_s) as file:
            return _examine(file)

    def _replace(self, reason: str) -> Repaired:
        """Save what can be saved in a new file, and let it take the place of the damaged one."""
        files, now = self._files, self.clock.now()
        with DamagedFile.locked(files.path, self.busy_timeout_s) as file:
            file.survey()
            try:
                repaired = self._build(file, reason, now)
                files.finish_new()
            except BaseException:
                files.remove_unfinished()
                raise
            files.exchange(to_micros(now))
        LOG.warning("%s", describe(repaired))
        return repaired

    def _build(self, file: DamagedFile, reason: str, now: datetime) -> Repaired:
        files = self._files
        walker = _walk(file)
        schema = walker.schema
        with translated(files.unfinished), closing(open_connection(files.unfinished, self.busy_timeout_s)) as target:
            target.pragma("synchronous", "OFF")  # it is made durable before it gets its name
            with target:
                apply_migrations(target, load_migrations("sqlite")[: schema.version], now)
                target.execute(query("clear_defaults"))
            salvage = Salvage(walker, target, self.marks, now)
            tables = salvage.run()
            if not any(table.saved for table in tables if table.table in CONTENT):
                raise StoreDamaged((_NOTHING if salvage.knows_file else _FOREIGN).format(path=files.path))
            repaired = Repaired(
                location=str(files.path),
                damaged_file=str(files.aside(to_micros(now))),
                repaired_at=now,
                reason=reason,
                pages=file.pages,
                damaged_pages=salvage.damaged_pages,
                tables=tables,
                notes=tuple(salvage.notes),
            )
            save_marks(target, repaired, files.source_facts())
            vanished = int(SqliteSession(target).row("count_resets")[0])
            target.execute(f"PRAGMA user_version = {vanished}")  # nothing is left to be erased in a new file
        return repaired


def log_is_damaged(path: Path) -> bool:
    """Tell whether the log that a crashed process has left is damaged before its last transaction.

    SQLite would silently go on without all that was written after the damage. While other processes have the file open,
    nothing can be said, and nothing is read from the log anew.
    """
    if not _has_log(path) or not path.exists() or is_read_only(path):
        return False
    if not path.stat().st_size:
        return True  # SQLite would remove the log
    with closing(DamagedFile(path)) as file:
        return file.try_lock() and file.read_log().damaged


def _has_log(path: Path) -> bool:
    log = Path(f"{path}-wal")
    return log.is_file() and log.stat().st_size > 0


def _ask_sqlite(path: Path, busy_timeout_s: float, *, thorough: bool) -> str:
    with translated(path), closing(open_connection(path, busy_timeout_s)) as connection:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        look_at_tables(connection)
        verdicts = connection.execute("PRAGMA integrity_check(1)").fetchall() if thorough else []
        trouble = "".join(f"SQLite says: {row[0]}" for row in verdicts if row[0] != "ok")
        if not trouble:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    return trouble


def _examine(file: DamagedFile) -> str:
    """Read all rows of all tables, as SQLite's own check does not: a page of zeros may pass for the end of a text."""
    file.survey()
    walker = TreeWalker(file, KnownSchema())
    pages = walker.walk()
    for table in pages.tables.values():
        for _ in walker.rows(table.certain):
            pass
    wrong = pages.damaged + walker.unreadable
    return f"{wrong} page(s) or row(s) of {file.path} cannot be read." if wrong else ""


def _walk(file: DamagedFile) -> TreeWalker:
    """Walk all trees, by the schema of the migrations that made the file; all of them when it does not say.

    Raises StoreTooNew.
    """
    walker, migrations = TreeWalker(file, KnownSchema()), load_migrations("sqlite")
    pages = walker.walk().tables.get("schema_migrations")
    if pages is None:
        return walker
    table = pages.table
    rows = [table.row(rowid, record) for rowid, record in walker.rows([*pages.certain, *pages.stray])]
    applied = [AppliedMigration(row["version"], row["name"], row["checksum"]) for row in rows if row]
    missing = pending_migrations(migrations, applied, str(file.path)) if applied else ()
    if not missing:
        return walker
    walker = TreeWalker(file, KnownSchema(len(migrations) - len(missing)))
    walker.walk()
    return walker


@contextmanager
def _held(path: Path, wait_s: float) -> Iterator[None]:
    """Keep other processes from opening a file, if it is there."""
    if not path.exists():
        yield
        return
    with DamagedFile.locked(path, wait_s):
        yield
