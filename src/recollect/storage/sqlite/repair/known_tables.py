"""The tables that a file may have, from the migrations that made it, and how to tell their rows from others.

A table is known by its name in the catalogue. Where the catalogue cannot be read, its rows tell: their number of
values, the types of these, and the checks of the schema, which a scratch database tries.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from recollect.storage.base.migrations import load_migrations
from recollect.storage.base.statements import sql_folder
from recollect.storage.base.tables import ANALYSER, FORGETTING, IDENTITY, PASSAGES
from recollect.storage.sqlite.migrate import MIGRATIONS_TABLE
from recollect.storage.sqlite.repair.records import RecordValues
from recollect.storage.sqlite.writer import UNMERGED

_TABLES: Final = "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict"
_COLUMNS: Final = 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid'
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "INTEGER": (int,),
    "TEXT": (str,),
    "REAL": (float, int),
    "BLOB": (bytes,),
}
_MARKS: Final = frozenset({ANALYSER, IDENTITY, PASSAGES, UNMERGED})
_FIRST_MOMENT: Final = 10**14  # microseconds; row numbers stay below
VECTORS: Final = "vectors_{space}"
_SPACE_TABLE: Final = re.compile(r"(vectors|codes)_\d+")

# What indexes hold may look like a row of a small table; what such a row says tells it apart.
_SIGNS: Final[Mapping[str, Any]] = {
    "sequence": lambda row: row["name"] in ("item", "space"),
    "store_marks": lambda row: row["name"] in _MARKS or row["name"].startswith(("repair:", FORGETTING)),
    "store_secrets": lambda row: row["name"].startswith("tombstones"),
    "tombstones": lambda row: (
        re.fullmatch(r"([0-9a-f]{16}:)?[0-9a-f]{32}", row["fingerprint"]) and row["forgotten_at"] >= _FIRST_MOMENT
    ),
    "media_originals": lambda row: re.fullmatch(r"[0-9a-f]{64}", row["original"]),
    "derivations": lambda row: row["created_at"] >= _FIRST_MOMENT,
    "geocodes": lambda row: row["used_at"] >= _FIRST_MOMENT,
}


@dataclass(frozen=True, slots=True)
class DeclaredColumn:
    """A column as the schema declares it."""

    name: str
    types: tuple[type, ...]
    required: bool
    default: Any
    is_rowid: bool = False


@dataclass(frozen=True, slots=True)
class KnownTable:
    """A table: its columns in the order in which a row is stored, and whether it is a tree of keys."""

    name: str
    columns: tuple[DeclaredColumn, ...]
    without_rowid: bool

    def row(self, rowid: int, record: RecordValues) -> dict[str, Any] | None:
        """Give the values of a row by their columns; None when the record is none of this table's."""
        if len(record) > len(self.columns):
            return None
        values: dict[str, Any] = {}
        for position, column in enumerate(self.columns):
            if position >= len(record):
                if column.required and column.default is None:
                    return None
                values[column.name] = column.default
                continue
            value = record[position]
            if column.is_rowid and value is None:
                value = rowid
            if value is None:
                if column.required:
                    return None
            elif type(value) not in column.types:
                return None
            values[column.name] = value
        return values

    def is_like(self, values: Mapping[str, Any]) -> bool:
        """Tell whether values are what such rows say."""
        sign = _SIGNS.get(self.name)
        return sign is None or bool(sign(values))

    def insertion(self, name: str) -> str:
        """Give the statement that writes a row into the table of that name; rows that break a rule are left out."""
        names = ", ".join(f'"{column.name}"' for column in self.columns)
        places = ", ".join(f":{column.name}" for column in self.columns)
        return f'INSERT OR IGNORE INTO "{name}" ({names}) VALUES ({places})'  # noqa: S608 - names of the schema


class KnownSchema:
    """The tables after so many migrations, in a scratch database that tries rows."""

    def __init__(self, version: int | None = None) -> None:
        migrations = load_migrations("sqlite")
        self.version = len(migrations) if version is None else version
        self._scratch = apsw.Connection(":memory:")
        self._scratch.execute(MIGRATIONS_TABLE)
        for migration in migrations[: self.version]:
            self._scratch.execute(migration.sql)
        for filled in ("sequence", "store_marks", "store_secrets"):
            if self._scratch.table_exists("main", filled):
                self._scratch.execute(f"DELETE FROM {filled}")  # noqa: S608 - our own names
        self._scratch.execute((sql_folder("sqlite") / "space.sql").read_text("utf-8").replace("{space}", "0"))
        tables = [
            self._describe(str(name), without_rowid=bool(wr)) for name, wr in self._scratch.execute(_TABLES).fetchall()
        ]
        self.vectors = next(table for table in tables if table.name == "vectors_0")
        self.tables = {table.name: table for table in tables if not _SPACE_TABLE.fullmatch(table.name)}

    def _describe(self, name: str, *, without_rowid: bool) -> KnownTable:
        declared: list[Any] = self._scratch.execute(_COLUMNS, (name,)).fetchall()
        keys = [row for row in declared if row[4]]
        alias = not without_rowid and len(keys) == 1 and keys[0][1] == "INTEGER"
        columns = {
            row[0]: DeclaredColumn(row[0], _TYPES[row[1]], bool(row[2]), self._constant(row[3]), alias and bool(row[4]))
            for row in declared
        }
        names = [row[0] for row in declared]
        if without_rowid:
            first = [row[0] for row in sorted(keys, key=lambda row: row[4])]
            names = first + [row for row in names if row not in first]
        return KnownTable(name, tuple(columns[column] for column in names), without_rowid)

    def _constant(self, default: str | None) -> Any:  # noqa: ANN401 - a value of SQLite
        return None if default is None else self._scratch.execute(f"SELECT {default}").fetchall()[0][0]

    def table(self, name: str) -> KnownTable | None:
        """Give a table by its name in the catalogue."""
        return self.vectors if re.fullmatch(r"vectors_\d+", name) else self.tables.get(name)

    def recognise(self, rows: Sequence[tuple[int, RecordValues]], *, without_rowid: bool) -> KnownTable | None:
        """Give the one table to which all these rows can belong; None when there is none, or more than one."""
        candidates = [*self.tables.values(), self.vectors]
        fitting = [
            table
            for table in candidates
            if table.without_rowid == without_rowid and rows and all(self._fits(table, *row) for row in rows)
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _fits(self, table: KnownTable, rowid: int, record: RecordValues) -> bool:
        """Try a row in the scratch database, which has the checks of the schema."""
        values = table.row(rowid, record)
        if values is None or not table.is_like(values):
            return False
        self._scratch.execute("SAVEPOINT trial")
        try:
            before = self._scratch.total_changes()
            self._scratch.execute(table.insertion(table.name), values)
            return self._scratch.total_changes() > before
        except apsw.Error:
            return False
        finally:
            self._scratch.execute("ROLLBACK TO trial; RELEASE trial")

    def close(self) -> None:
        """Give the scratch database back."""
        self._scratch.close()
