"""Reads the `.sql` files: named queries, and numbered migrations.

SQL lives in files of its own so that it can be read, compared between the dialects and run by hand. A query stands
under a line `-- name --`; what follows up to the next such line is the query. The gaps: `{record}`, `{message}`,
`{conversation}`, `{file}` and `{chunk}` stand for the columns of one, those of a chunk with its file's; `{rows}` and
`{words}` for the tables of a kind of item; `{space}` and `{type}` for the number and the column type of an embedding
space, which come from the list of spaces; `{filters}` for conditions that a backend's `filters.py` assembled.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from recollect.model.literals import VectorKind
from recollect.storage.rows import (
    CONVERSATION_FIELDS,
    FILE_FIELDS,
    MESSAGE_FIELDS,
    RECORD_FIELDS,
    chunk_columns,
    columns,
    of_kind,
)

_COLUMN_GAPS = {
    "{record}": ", ".join(columns(RECORD_FIELDS)),
    "{message}": ", ".join(columns(MESSAGE_FIELDS)),
    "{conversation}": ", ".join(columns(CONVERSATION_FIELDS)),
    "{file}": ", ".join(columns(FILE_FIELDS)),
    "{chunk}": ", ".join(chunk_columns()),
}
_NAME = re.compile(r"^-- (\w+) --$", re.MULTILINE)
_MIGRATION = re.compile(r"^(\d{4})_(\w+)\.sql$")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema, known by its number and by the checksum of its text."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """Identify the text, so that a step that was changed after its release is noticed."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def sql_folder(backend: str) -> Traversable:
    """Find the folder with a backend's SQL, also when the package is not a plain directory."""
    return files("recollect.storage") / backend / "sql"


def load_queries(backend: str, *files_: str) -> Mapping[str, str]:
    """Read named queries from a backend's files."""
    texts = ((sql_folder(backend) / name).read_text(encoding="utf-8") for name in files_)
    return {name: _with_columns(sql) for text in texts for name, sql in parse_queries(text)}


def _with_columns(sql: str) -> str:
    for gap, names in _COLUMN_GAPS.items():
        sql = sql.replace(gap, names)
    return sql


def parse_queries(text: str) -> Iterator[tuple[str, str]]:
    """Split a file of named queries. The comment that says what a query is for is not sent to the database."""
    for name, body in _sections(text):
        lines = [line for line in body.strip().splitlines() if not line.startswith("--")]
        yield name, "\n".join(lines).strip().removesuffix(";")


def _sections(text: str) -> Iterator[tuple[str, str]]:
    pieces = _NAME.split(text)
    return zip(pieces[1::2], pieces[2::2], strict=True)


def load_migrations(backend: str) -> tuple[Migration, ...]:
    """Read a backend's migrations in order, and insist that their numbers have no gap."""
    found = []
    for entry in (sql_folder(backend) / "migrations").iterdir():
        match = _MIGRATION.match(entry.name)
        if match:
            found.append(Migration(int(match[1]), match[2], entry.read_text(encoding="utf-8")))
    found.sort(key=lambda migration: migration.version)
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        raise AssertionError(f"the migrations of {backend} are not numbered 1, 2, 3 …")
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Check:
    """A query that counts what should not exist, and what to do when it finds something."""

    name: str
    sql: str
    advice: str


def load_checks(backend: str, spaces: Mapping[int, VectorKind]) -> Iterator[Check]:
    """Read a backend's checks; those about vectors come once for each embedding space, on the rows of its kind."""
    text = (sql_folder(backend) / "checks.sql").read_text(encoding="utf-8")
    advice = {
        name: " ".join(line[2:].strip() for line in body.strip().splitlines() if line.startswith("--"))
        for name, body in _sections(text)
    }
    for name, sql in parse_queries(text):
        if "{space}" not in sql:
            yield Check(name, sql, advice[name])
            continue
        for number, kind in spaces.items():
            yield Check(f"{name}_{number}", of_kind(sql, kind).replace("{space}", str(number)), advice[name])
