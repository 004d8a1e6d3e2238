"""Copies a database with pg_dump, from a snapshot whose rows are counted too, and restores it with pg_restore."""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from recollect.errors import BackupDamaged, InvalidInput, StoreDamaged, StoreError
from recollect.model.backups import DatabaseFacts
from recollect.settings import PostgresSettings, hide_password
from recollect.storage.base.forgotten import database_facts
from recollect.storage.base.values import StepListener
from recollect.storage.postgres.connection import PgConnection, connect, translated
from recollect.storage.postgres.schema import applied_version
from recollect.storage.postgres.session import PostgresSession

_REACH: Final = "-c recollect.reach=store"  # row-level security shows the store as a whole
_DUMP_OPTIONS: Final = ("--format=custom", "--no-owner", "--no-acl", "--no-comments", "--enable-row-security")
_RESTORE_OPTIONS: Final = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-acl", "--no-comments")
_MADE_WHEN_OPENED: Final = b" recollect_search "  # policies for a role that a new server need not have
_MOST_SAID = 500
_NEWER_TOOLS = " Install client tools that are at least as new as the server, or name them in postgres.tools_folder."
_ADVICE: Final = (
    ("server version mismatch", _NEWER_TOOLS),
    ("permission denied", " Use the login that owns the tables."),
)


class PgTools:
    """pg_dump and pg_restore, for one database. The password travels in the environment, not on the command line."""

    def __init__(self, url: str, settings: PostgresSettings) -> None:
        self._folder = settings.tools_folder
        parts = conninfo_to_dict(url)
        password, options = parts.pop("password", None), parts.pop("options", None)
        self._database = make_conninfo("", **parts)
        self._environment = {**os.environ, "PGOPTIONS": " ".join(filter(None, (str(options or ""), _REACH)))}
        if password is not None:
            self._environment["PGPASSWORD"] = str(password)

    def run(self, tool: str, *arguments: str, connects: bool = False) -> None:
        """Run a tool to its end. Raises StoreError with what it says."""
        with self.started(tool, *arguments, connects=connects) as output:
            output.read()

    @contextmanager
    def started(self, tool: str, *arguments: str, connects: bool = False) -> Iterator[IO[bytes]]:
        """Run a tool and lend what it prints. Raises StoreError with what it says."""
        command = [self._find(tool), *arguments, *([f"--dbname={self._database}"] if connects else [])]
        with TemporaryFile() as errors:  # not a pipe, which a tool that says much would fill
            with subprocess.Popen(  # noqa: S603 - the tools of PostgreSQL, and no shell
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=self._environment
            ) as process:
                assert process.stdout is not None  # noqa: S101 - for the type checker
                yield process.stdout
            errors.seek(0)
            said = errors.read().decode(errors="replace")
        if process.returncode:
            advice = next((advice for words, advice in _ADVICE if words in said), "")
            raise StoreError(f"{tool} failed: {' '.join(said.split())[:_MOST_SAID]}{advice}")

    def _find(self, tool: str) -> str:
        found = shutil.which(tool, path=self._folder or None)
        if found is None:
            where = self._folder or "the PATH"
            raise StoreError(
                f"{tool} is not in {where}. Install the client tools of PostgreSQL (Debian: postgresql-client, Fedora: "
                "postgresql, macOS: libpq), or name their folder in postgres.tools_folder."
            )
        return found


def copy_database(url: str, settings: PostgresSettings, target: Path, tell: StepListener) -> DatabaseFacts:
    """Dump a database as it is at one moment, and count what the dump holds against what was there."""
    tools, where = PgTools(url, settings), hide_password(url)
    with translated(where), connect(url, settings.connect_timeout_s) as connection:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        connection.execute("SET LOCAL recollect.reach = 'store'")
        snapshot = _one(connection, "SELECT pg_export_snapshot()")
        tell("Copying the database", 0, 1)
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        tools.run("pg_dump", *_DUMP_OPTIONS, f"--snapshot={snapshot}", f"--file={target}", connects=True)
        tell("Copying the database", 1, 1)
        facts = database_facts(PostgresSession(connection), _count_rows(connection), applied_version(connection))
    tell("Checking the copy", 0, 1)
    verify(tools, target, facts.tables)
    tell("Checking the copy", 1, 1)
    return facts


def _count_rows(connection: PgConnection) -> dict[str, int]:
    tables = connection.execute(
        "SELECT relname, quote_ident(relname) FROM pg_class "
        "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname"
    ).fetchall()
    return {name: int(_one(connection, f"SELECT count(*) FROM {quoted}")) for name, quoted in tables}  # noqa: S608


def _one(connection: PgConnection, query: str) -> str:
    ((value,),) = connection.execute(query.encode()).fetchall()
    return str(value)


def verify(tools: PgTools, dump: Path, tables: Mapping[str, int]) -> None:
    """Read a dump from end to end and count its rows. Raises StoreDamaged."""
    try:
        with tools.started("pg_restore", "--data-only", "--file=-", str(dump)) as output:
            found = _rows_in(output)
    except StoreError as error:
        raise StoreDamaged(f"{dump} is damaged. {error}") from error
    wrong = [name for name, amount in tables.items() if found[name] != amount]
    if wrong:
        raise StoreDamaged(f"{dump} has {found[wrong[0]]} rows in {wrong[0]}; expected {tables[wrong[0]]}.")


def _rows_in(script: IO[bytes]) -> Counter[str]:
    """Count the rows of each table in a script: a row is a line between COPY and a backslash with a dot."""
    rows: Counter[str] = Counter()
    table = ""
    for line in script:
        if table:
            if line == b"\\.\n":
                table = ""
            else:
                rows[table] += 1
        elif line.startswith(b"COPY "):
            table = line.split()[1].decode().rpartition(".")[2].strip('"')
    return rows


class PostgresRestorer:
    """Restores a dump into a database without tables."""

    backend = "postgresql"

    def __init__(self, url: str, settings: PostgresSettings) -> None:
        self._url = url
        self._settings = settings
        self._tools = PgTools(url, settings)

    def location(self) -> str:
        return hide_password(self._url)

    def insist_empty(self) -> None:
        with translated(self.location()), connect(self._url, self._settings.connect_timeout_s) as connection:
            amount = _one(
                connection,
                "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                "WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind IN ('r', 'p', 'v', 'm') "
                "AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')",
            )
        if int(amount):
            raise InvalidInput(
                f"{self.location()} has tables already. A backup is restored to an empty database: make one with "
                "`createdb` and name it."
            )

    def restore(self, copy: str, tables: Mapping[str, int], tell: StepListener) -> None:
        """Restore a dump in one transaction, and count the rows."""
        try:
            verify(self._tools, Path(copy), tables)
        except StoreDamaged as error:
            raise BackupDamaged(f"The database of the backup cannot be used. {error}") from error
        listed = Path(f"{copy}.list")
        with self._tools.started("pg_restore", "--list", copy) as output:
            listed.write_bytes(b"".join(line for line in output if _MADE_WHEN_OPENED not in line))
        tell("Restoring the database", 0, 1)
        self._tools.run("pg_restore", *_RESTORE_OPTIONS, f"--use-list={listed}", copy, connects=True)
        with translated(self.location()), connect(self._url, self._settings.connect_timeout_s) as connection:
            connection.execute("SET recollect.reach = 'store'")
            found = _count_rows(connection)
        if found != dict(tables):
            wrong = next(name for name in sorted({*found, *tables}) if found.get(name) != tables.get(name))
            raise BackupDamaged(
                f"{self.location()} has {found.get(wrong)} rows in {wrong} after restoring; the backup says "
                f"{tables.get(wrong)}. Do not use it; drop the database."
            )
        tell("Restoring the database", 1, 1)
