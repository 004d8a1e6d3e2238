"""Copies a SQLite file while it is in use, by SQLite's backup interface, and puts copies in place."""

import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from recollect.errors import BackupDamaged, InvalidInput, StoreDamaged
from recollect.model.backups import DatabaseFacts
from recollect.model.media import original_name
from recollect.storage.base.erasure import names_key, tombstone_secret
from recollect.storage.base.tables import IDENTITY
from recollect.storage.base.values import BackupProgress
from recollect.storage.sqlite.connection import open_connection, translated
from recollect.storage.sqlite.migrate import applied_version
from recollect.storage.sqlite.session import SqliteSession

_PAGES: Final = 1_000  # of a step: writers of this process wait no longer than one takes
_BESIDE: Final = ("-wal", "-shm", "-journal")
_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"


def copy_database(path: Path, busy_timeout_s: float, target: Path, tell: BackupProgress) -> DatabaseFacts:
    """Copy a file as it is at one moment. A snapshot stays open meanwhile, or each write would start the copy anew."""
    _make_private(target)
    with translated(path), closing(open_connection(path, busy_timeout_s)) as source:
        source.execute("BEGIN")
        try:
            facts = read_facts(source)
            with translated(target), closing(apsw.Connection(os.fspath(target))) as copy:
                _copy_pages(source, copy, tell)
        finally:
            source.execute("COMMIT")
    tell("Checking the copy", 0, 1)
    verify(target, facts.tables)
    tell("Checking the copy", 1, 1)
    return facts


def _copy_pages(source: apsw.Connection, copy: apsw.Connection, tell: BackupProgress) -> None:
    with copy.backup("main", source, "main") as job:
        while not job.done:
            job.step(_PAGES)
            tell("Copying the database", job.page_count - job.remaining, job.page_count)


def read_facts(connection: apsw.Connection) -> DatabaseFacts:
    """Count the rows of a database, inside a transaction."""
    session = SqliteSession(connection)
    of_files = connection.execute("SELECT DISTINCT original FROM files WHERE original <> ''").fetchall()
    of_media = connection.execute("SELECT DISTINCT user_id, original FROM media_originals").fetchall()
    originals = {str(name) for (name,) in of_files} | {original_name(str(user), str(key)) for user, key in of_media}
    return DatabaseFacts(
        tables=_count_rows(connection),
        schema_version=applied_version(connection),
        identity=next((int(row[0]) for row in session.rows("get_mark", {"name": IDENTITY})), 0),
        users=_count(connection, "users"),
        originals=tuple(sorted(originals)),
        names_key=names_key(tombstone_secret(session)),
    )


def _count_rows(connection: apsw.Connection) -> dict[str, int]:
    names = [str(name) for (name,) in connection.execute(_TABLES)]
    return {name: _count(connection, name) for name in names}


def _count(connection: apsw.Connection, table: str) -> int:
    quoted = table.replace('"', '""')
    ((amount,),) = connection.execute(f'SELECT count(*) FROM "{quoted}"').fetchall()  # noqa: S608 - of the schema
    return int(str(amount))


def verify(copy: Path, tables: Mapping[str, int]) -> None:
    """Check the pages and the rows of a copy that no process has open. Raises StoreDamaged."""
    with translated(copy), closing(_open_settled(copy)) as connection:
        verdicts = [row[0] for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
        if verdicts:
            raise StoreDamaged(f"{copy} is damaged; SQLite says: {verdicts[0]}")
        found = _count_rows(connection)
    wrong = [name for name in sorted({*found, *tables}) if found.get(name) != tables.get(name)]
    if wrong:
        name = wrong[0]
        raise StoreDamaged(f"{copy} has {found.get(name)} rows in {name}; expected {tables.get(name)}.")


def _open_settled(copy: Path) -> apsw.Connection:
    """Open a file that nothing writes to, and leave nothing beside it."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"{copy.as_uri()}?immutable=1", flags=flags)


def _make_private(path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


class SqliteRestorer:
    """Puts a copy where a file is to be."""

    backend = "sqlite"

    def __init__(self, path: Path) -> None:
        self._path = path.expanduser().absolute()

    def location(self) -> str:
        """The path of the file."""
        return str(self._path)

    def insist_empty(self) -> None:
        """Raise InvalidInput when there is a file, or what a file has left beside it."""
        for path in (self._path, *(Path(f"{self._path}{suffix}") for suffix in _BESIDE)):
            if os.path.lexists(path):
                raise InvalidInput(
                    f"{path} is there already. A backup is restored to a new file: name one, or move it."
                )

    def restore(self, copy: str, tables: Mapping[str, int], tell: BackupProgress) -> None:
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
