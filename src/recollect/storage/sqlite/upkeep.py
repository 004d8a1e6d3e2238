"""Keeps a SQLite file in order: brings it up to this version's schema, looks at it, and copies it while it is in use.

Each migration is a transaction, and only one process takes it. SQLite's own layer for files opens what is read as raw
bytes: closing a file that Python opened would drop the locks of this process.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import apsw

from recollect.errors import BackupDamaged, InvalidInput, StoreDamaged, StoreError
from recollect.model.backups import DatabaseFacts
from recollect.model.stats import Problem
from recollect.storage.base.forgotten import database_facts
from recollect.storage.base.spaces import list_spaces
from recollect.storage.base.statements import (
    AppliedMigration,
    Migration,
    load_checks,
    load_migrations,
    pending_migrations,
)
from recollect.storage.base.tables import ANALYSER
from recollect.storage.base.values import RawBlock, StepListener
from recollect.storage.sqlite.connection import (
    PAGE_BYTES,
    REPAIR,
    file_layer,
    open_connection,
    open_for_reading,
    sound_pages,
    translated,
)
from recollect.storage.sqlite.erasing import samples
from recollect.storage.sqlite.session import SqliteSession, to_micros

MIGRATIONS_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version    INTEGER NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    checksum   TEXT    NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT
"""


def migrate(connection: apsw.Connection, where: str, now: datetime, analyser: int) -> None:
    """Apply what is missing. Processes that open the same file at once wait for each other at the lock.

    A new file notes which version of the analyser will make its terms.
    """
    known = load_migrations("sqlite")
    if _has_migrations_table(connection) and not pending_migrations(known, _applied(connection), where):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(MIGRATIONS_TABLE)
        applied = _applied(connection)
        apply_migrations(connection, pending_migrations(known, applied, where), now)
        if not applied:
            connection.execute("UPDATE store_marks SET value = ? WHERE name = ?", (analyser, ANALYSER))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def apply_migrations(connection: apsw.Connection, migrations: Sequence[Migration], now: datetime) -> None:
    """Take these steps of the schema, the first ones of a new file among them, inside a transaction."""
    connection.execute(MIGRATIONS_TABLE)
    for migration in migrations:
        connection.execute(migration.sql)
        row = (migration.version, migration.name, migration.checksum, to_micros(now))
        connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)", row)


def holds_store(path: Path, busy_timeout_s: float) -> bool:
    """Tell whether a file is a store, of whatever version, without a change to it or its folder.

    What cannot be read is left to those who open it: they know what to do about damage.
    """
    if not path.exists():
        return False
    try:
        with closing(open_for_reading(path, busy_timeout_s)) as connection:
            return _has_migrations_table(connection)
    except (apsw.Error, StoreError):
        return True


def _has_migrations_table(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").fetchall())


def _applied(connection: apsw.Connection) -> list[AppliedMigration]:
    rows = connection.execute("SELECT version, name, checksum FROM schema_migrations")
    return [AppliedMigration(*row) for row in rows]


def applied_version(connection: apsw.Connection) -> int:
    return max((row.version for row in _applied(connection)), default=0)


class DamageNote:
    """An empty file that says: look at all pages. Damage is often met long after the file was opened."""

    def __init__(self, path: Path) -> None:
        self._file = path.with_name(f"{path.name}.damage-seen")

    def exists(self) -> bool:
        return self._file.exists()

    def write(self) -> None:
        """Note damage; a disk on which nothing can be written has no notes."""
        with suppress(OSError):
            self._file.touch(mode=0o600)

    def remove(self) -> None:
        with suppress(OSError):
            self._file.unlink(missing_ok=True)


def look_at_tables(connection: apsw.Connection) -> None:
    """Read the first page of every table: little work that notices much of the damage."""
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").fetchall()
    quoted = (str(name).replace('"', '""') for (name,) in names)
    for name in quoted:
        connection.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchall()  # noqa: S608 - names of the schema


_CHECKED_AT_ONCE = 512 * PAGE_BYTES
_MOST_NAMED = 5
_SAMPLES = "The planner's statistics hold words of users, forgotten ones too. `recollect maintain` removes them."


def damage(path: Path) -> Problem | None:
    """Say which pages are not what was written; None when the checksums of all that is in the file itself fit."""
    file = apsw.VFSFile(file_layer(), os.fspath(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        size, damaged = file.xFileSize(), list[int]()
        for start in range(0, size - size % PAGE_BYTES, _CHECKED_AT_ONCE):
            content = file.xRead(min(_CHECKED_AT_ONCE, size - size % PAGE_BYTES - start), start)
            sound = sound_pages(content, PAGE_BYTES)
            damaged += [start // PAGE_BYTES + 1 + page for page, is_sound in enumerate(sound) if not is_sound]
    finally:
        file.xClose()
    if not damaged or len(damaged) == size // PAGE_BYTES:  # with pages of another size none would fit
        return None
    named = ", ".join(map(str, damaged[:_MOST_NAMED])) + (" …" if len(damaged) > _MOST_NAMED else "")
    found = f"{len(damaged):,} of the {size // PAGE_BYTES:,} pages of {path} (number {named})"
    return Problem("damage", len(damaged), f"{found} differ from the checksum that was written with them. {REPAIR}")


def contradictions(connection: apsw.Connection) -> Iterator[Problem]:
    """Let SQLite check its pages, then look for rows without their other halves."""
    verdicts = [row[0] for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    if verdicts:
        yield Problem("integrity_check", len(verdicts), f"The file is damaged. {REPAIR} SQLite says: {verdicts[0]}")
    kinds = {row.number: row.kind for row in list_spaces(SqliteSession(connection))}
    for check in load_checks("sqlite", kinds):
        ((amount,),) = connection.execute(check.sql).fetchall()
        if amount:
            yield Problem(check.name, int(amount), check.advice)
    if kept := samples(connection):
        yield Problem("samples_of_keys", kept, _SAMPLES)


_BLOCK: Final = 2**20
_OVERLAP: Final = 512  # so that a passage is whole in one of two blocks
_FILES: Final = (
    ("", "pages", apsw.SQLITE_OPEN_MAIN_DB),
    ("-wal", "write_ahead_log", apsw.SQLITE_OPEN_WAL),
    ("-journal", "rollback_journal", apsw.SQLITE_OPEN_MAIN_JOURNAL),
)
_CHECKSUMS: Final = "cksmvfs"  # refuses pages that are torn; here every byte counts


def raw_blocks(path: Path, damaged: Sequence[Path] = ()) -> Iterator[RawBlock]:
    """Give the bytes of all files, in blocks that overlap; no process may have the damaged ones open."""
    plain = next(name for name in apsw.vfs_names() if name != _CHECKSUMS)
    for suffix, place, kind in _FILES:
        file = Path(f"{path}{suffix}")
        if file.exists() and file.stat().st_size:
            opened = apsw.VFSFile(plain, str(file), [kind | apsw.SQLITE_OPEN_READONLY, 0])
            try:
                size = opened.xFileSize()
                for start in range(0, size, _BLOCK):
                    yield RawBlock(place, opened.xRead(min(_BLOCK + _OVERLAP, size - start), start))
            finally:
                opened.xClose()
    for kept in damaged:
        with suppress(FileNotFoundError), kept.open("rb") as copy:
            while data := copy.read(_BLOCK + _OVERLAP):
                yield RawBlock("damaged_copies", data)
                copy.seek(_BLOCK - len(data), os.SEEK_CUR)


_PAGES: Final = 1_000  # of a step: writers of this process wait no longer than one takes
_BESIDE: Final = ("-wal", "-shm", "-journal")
_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"


def copy_database(path: Path, busy_timeout_s: float, target: Path, tell: StepListener) -> DatabaseFacts:
    """Copy a file as it is at one moment. A snapshot stays open meanwhile, or each write would start the copy anew."""
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with translated(path), closing(open_connection(path, busy_timeout_s)) as source:
        source.execute("BEGIN")
        try:
            facts = database_facts(SqliteSession(source), _count_rows(source), applied_version(source))
            with (
                translated(target),
                closing(apsw.Connection(os.fspath(target))) as copy,
                copy.backup("main", source, "main") as job,
            ):
                while not job.done:
                    job.step(_PAGES)
                    tell("Copying the database", job.page_count - job.remaining, job.page_count)
        finally:
            source.execute("COMMIT")
    tell("Checking the copy", 0, 1)
    verify(target, facts.tables)
    tell("Checking the copy", 1, 1)
    return facts


def _count_rows(connection: apsw.Connection) -> dict[str, int]:
    counts = {}
    for name in [str(name) for (name,) in connection.execute(_TABLES)]:
        quoted = name.replace('"', '""')
        ((amount,),) = connection.execute(f'SELECT count(*) FROM "{quoted}"').fetchall()  # noqa: S608 - of the schema
        counts[name] = int(str(amount))
    return counts


def verify(copy: Path, tables: Mapping[str, int]) -> None:
    """Check the pages and the rows of a copy that no process has open. Raises StoreDamaged."""
    with translated(copy), closing(open_settled(copy)) as connection:
        verdicts = [row[0] for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
        if verdicts:
            raise StoreDamaged(f"{copy} is damaged; SQLite says: {verdicts[0]}")
        found = _count_rows(connection)
    wrong = [name for name in sorted({*found, *tables}) if found.get(name) != tables.get(name)]
    if wrong:
        name = wrong[0]
        raise StoreDamaged(f"{copy} has {found.get(name)} rows in {name}; expected {tables.get(name)}.")


def open_settled(copy: Path) -> apsw.Connection:
    """Open a file that nothing writes to, and leave nothing beside it."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"{copy.as_uri()}?immutable=1", flags=flags)


class SqliteRestorer:
    """Puts a copy where a file is to be."""

    backend = "sqlite"

    def __init__(self, path: Path) -> None:
        self._path = path.expanduser().absolute()

    def location(self) -> str:
        return str(self._path)

    def insist_empty(self) -> None:
        for path in (self._path, *(Path(f"{self._path}{suffix}") for suffix in _BESIDE)):
            if os.path.lexists(path):
                raise InvalidInput(
                    f"{path} is there already. A backup is restored to a new file: name one, or move it."
                )

    def restore(self, copy: str, tables: Mapping[str, int], tell: StepListener) -> None:
        """Check the copy, which must lie in the same folder or on the same disk, and give it its name."""
        tell("Checking the database", 0, 1)
        try:
            verify(Path(copy), tables)
        except StoreDamaged as error:
            raise BackupDamaged(f"The database of the backup cannot be used. {error}") from error
        try:
            os.link(copy, self._path)  # never over a file that has appeared meanwhile
        except FileExistsError:
            self.insist_empty()
        except OSError:  # a disk without links
            Path(copy).rename(self._path)
        tell("Checking the database", 1, 1)
