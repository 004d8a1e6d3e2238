"""Reads the `.sql` files: named queries, the checks of `doctor`, and numbered migrations.

A query stands under a line `-- name --`; what follows up to the next such line is the query. Those in `storage/sql`
serve both databases: they name parameters as `:name` and are written for PostgreSQL (`= ANY(:ids::uuid[])`, casts). The
loader translates placeholders for psycopg, and arrays and casts for SQLite. `twins.sql` of a backend holds what needs
other words there, `dialect.sql` what only that database does.

The gaps: `{record}`, `{message}`, `{conversation}`, `{file}` and `{chunk}` stand for the columns of one, those of a
chunk with its file's; `{rows}` and `{words}` for the tables of a kind of item; `{space}` and `{type}` for the number
and the column type of an embedding space, which come from the list of spaces; `{filters}` for conditions.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from recollect.errors import NotFound, StoreDamaged, StoreTooNew, StoreTooOld
from recollect.model.literals import VectorKind
from recollect.storage.base.tables import (
    CONVERSATION_FIELDS,
    FILE_FIELDS,
    MESSAGE_FIELDS,
    RECORD_FIELDS,
    chunk_columns,
    columns,
    of_kind,
    transfer_queries,
)

COMMON = (
    "memories.sql",
    "conversations.sql",
    "spaces.sql",
    "files.sql",
    "media.sql",
    "places.sql",
    "access.sql",
    "scopes.sql",
    "transfer.sql",
)

_COLUMN_GAPS = {
    "{record}": ", ".join(columns(RECORD_FIELDS)),
    "{message}": ", ".join(columns(MESSAGE_FIELDS)),
    "{conversation}": ", ".join(columns(CONVERSATION_FIELDS)),
    "{file}": ", ".join(columns(FILE_FIELDS)),
    "{chunk}": ", ".join(chunk_columns()),
}
_NAME = re.compile(r"^-- (\w+) --$", re.MULTILINE)
_PARAMETER = re.compile(r"(?<![:\w]):(\w+)")
_ANY = re.compile(r"= ANY\((:\w+)(?:::\w+\[\])?\)")
_NONE = re.compile(r"<> ALL\((:\w+)(?:::\w+\[\])?\)")
_CAST = re.compile(r"::\w+(?:\[\])?")
_COLLATION = ' COLLATE "C"'  # SQLite compares bytes anyway


@lru_cache(maxsize=1024)
def translate(backend: str, sql: str) -> str:
    """Put a query or a condition into the words of a backend's driver."""
    if backend == "postgres":
        return _PARAMETER.sub(r"%(\1)s", sql.replace("%", "%%"))
    arrays = _NONE.sub(r"NOT IN (SELECT value FROM carray(\1))", _ANY.sub(r"IN (SELECT value FROM carray(\1))", sql))
    return _CAST.sub("", arrays).replace(_COLLATION, "")


def sql_folder(backend: str = "") -> Traversable:
    """Find the folder with a backend's SQL or the common one, also when the package is not a plain directory."""
    return files("recollect.storage") / backend / "sql" if backend else files("recollect.storage") / "sql"


def load_queries(backend: str) -> Mapping[str, str]:
    """Read all named queries for a backend, translated for its driver."""
    generated = {name: translate(backend, sql) for name, sql in transfer_queries(numbered=backend == "sqlite")}
    return load_common(backend) | generated | load_own(backend, "twins.sql") | load_own(backend, "dialect.sql")


def load_common(backend: str) -> dict[str, str]:
    return {name: sql for file in COMMON for name, sql in _load(backend, sql_folder() / file)}


def load_own(backend: str, file: str) -> dict[str, str]:
    """Read the queries of one of a backend's own files."""
    return dict(_load(backend, sql_folder(backend) / file))


def _load(backend: str, file: Traversable) -> Iterator[tuple[str, str]]:
    text = file.read_text(encoding="utf-8")
    for gap, names in _COLUMN_GAPS.items():
        text = text.replace(gap, names)
    return parse_queries(translate(backend, text))


def parse_queries(text: str) -> Iterator[tuple[str, str]]:
    """Split a file of named queries. The comment that says what a query is for is not sent to the database."""
    for name, body in _sections(text):
        lines = [line for line in body.strip().splitlines() if not line.startswith("--")]
        yield name, "\n".join(lines).strip().removesuffix(";")


def _sections(text: str) -> Iterator[tuple[str, str]]:
    pieces = _NAME.split(text)
    return zip(pieces[1::2], pieces[2::2], strict=True)


@dataclass(frozen=True, slots=True)
class IntegrityCheck:
    """A query that counts what should not exist, and what to do when it finds something."""

    name: str
    sql: str
    advice: str


def load_checks(backend: str, spaces: Mapping[int, VectorKind]) -> Iterator[IntegrityCheck]:
    """Read the common checks and a backend's own; those about vectors come once for each embedding space."""
    for folder in (sql_folder(), sql_folder(backend)):
        text = (folder / "checks.sql").read_text(encoding="utf-8")
        advice = {
            name: " ".join(line[2:].strip() for line in body.strip().splitlines() if line.startswith("--"))
            for name, body in _sections(text)
        }
        for name, sql in parse_queries(text):
            if "{space}" not in sql:
                yield IntegrityCheck(name, sql, advice[name])
                continue
            for number, kind in spaces.items():
                rendered = of_kind(sql, kind).replace("{space}", str(number))
                yield IntegrityCheck(f"{name}_{number}", rendered, advice[name])


_FILE_NAME = re.compile(r"^(\d{4})_(\w+)\.sql$")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema, known by its number and by the checksum of its text."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """Identify the text, so that a migration that was changed after its release is noticed."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


class AppliedMigration(NamedTuple):
    """A row of `schema_migrations`."""

    version: int
    name: str
    checksum: str


def no_store(where: str) -> NotFound:
    """Say that there is no store, and how one begins."""
    return NotFound(
        f"There is no memory yet at {where}, and nothing was made there. Check the address (--database) if there "
        'should be one; `recollect store "…"` begins a new one.'
    )


def migrations_folder(backend: str) -> Traversable:
    return sql_folder(backend) / "migrations"


def load_migrations(backend: str) -> tuple[Migration, ...]:
    """Read a backend's migrations in order, and insist that their numbers have no gap."""
    migrations = []
    for entry in migrations_folder(backend).iterdir():
        match = _FILE_NAME.match(entry.name)
        if match:
            migrations.append(Migration(int(match[1]), match[2], entry.read_text(encoding="utf-8")))
    migrations.sort(key=lambda migration: migration.version)
    if [migration.version for migration in migrations] != list(range(1, len(migrations) + 1)):
        raise AssertionError(f"the migrations of {backend} are not numbered 1, 2, 3 …")
    return tuple(migrations)


def pending_migrations(
    migrations: Sequence[Migration], applied: Sequence[AppliedMigration], where: str
) -> Sequence[Migration]:
    """Compare what a store has applied with what this version knows; forward is the only direction."""
    by_version = {row.version: row for row in applied}
    begun = by_version.get(1)
    if begun and begun.name != migrations[0].name:
        raise StoreTooOld(
            f"{where} was made by an unreleased version of recollect: its schema, number {max(by_version)}, begins "
            f"with the migration {begun.name!r}, that of this version with {migrations[0].name!r}. Nothing was "
            "changed. To take everything along, run `recollect export everything.zip --all-users` with the version "
            "that wrote it, then `recollect import everything.zip` with this one and a new file or database."
        )
    newest = max(by_version, default=0)
    if newest > len(migrations):
        raise StoreTooNew(
            f"{where} was written by a newer version of recollect: its schema is number {newest}, "
            f"this version knows {len(migrations)}. Upgrade recollect to open it; nothing was changed."
        )
    for migration in migrations[:newest]:
        row = by_version.get(migration.version)
        if row is None or row.checksum != migration.checksum:
            raise StoreDamaged(
                f"{where}: migration {migration.version} ({migration.name}) is recorded with another checksum than "
                "the one in this version. The store was made by a modified recollect; restore a backup or use that "
                "version. Nothing was changed."
            )
    return migrations[newest:]
