"""Finds out which pages of a damaged file belong to which table.

The catalogue names the root of each tree, and inner pages name their children. What is beneath a damaged inner page, or
all of it when the catalogue is damaged, is found by looking at the pages that no tree has: their rows tell the table,
by their number of values, the types of these, and the checks of the schema, which a scratch database tries. The tables
that there may be are those of the migrations that made the file.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

import apsw
import numpy as np

from recollect.storage.base.statements import load_migrations, sql_folder
from recollect.storage.base.tables import ANALYSER, FORGETTING, IDENTITY, PASSAGES
from recollect.storage.sqlite.repair.damaged_file import (
    INDEX_INNER,
    INDEX_LEAF,
    INNER,
    TABLE_INNER,
    TABLE_LEAF,
    DamagedFile,
    RecordValues,
    Unreadable,
    cell_count,
    cell_offsets,
    children,
    read_cell,
)
from recollect.storage.sqlite.upkeep import MIGRATIONS_TABLE
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
            name: DeclaredColumn(
                name,
                _TYPES[kind],
                bool(required),
                None if default is None else self._scratch.execute(f"SELECT {default}").fetchall()[0][0],
                alias and bool(key),
            )
            for name, kind, required, default, key in declared
        }
        names = [row[0] for row in declared]
        if without_rowid:
            first = [row[0] for row in sorted(keys, key=lambda row: row[4])]
            names = first + [row for row in names if row not in first]
        return KnownTable(name, tuple(columns[column] for column in names), without_rowid)

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
        if values is None or (table.name in _SIGNS and not _SIGNS[table.name](values)):
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
        self._scratch.close()


_TREE_PAGES: Final = (INDEX_INNER, TABLE_INNER, INDEX_LEAF, TABLE_LEAF)
_CATALOGUE_ROOT: Final = 1
_CATALOGUE_COLUMNS: Final = 5
_SAMPLED_PAGES: Final = 12
_SAMPLED_ROWS: Final = 4  # of each page
UNIQUE_INDEX: Final = "sqlite_autoindex_{table}_1"


@dataclass(slots=True)
class TablePages:
    """The pages with rows of one table, those that a tree leads to and those found without, and the damaged ones."""

    table: KnownTable
    certain: list[int] = field(default_factory=list)
    stray: list[int] = field(default_factory=list)
    lost: int = 0


@dataclass(slots=True)
class _Tree:
    pages: list[int] = field(default_factory=list)
    lost: int = 0
    cells: int = 0  # in leaves


@dataclass(slots=True)
class PageMap:
    """All tables of a file by the names that the catalogue has for them.

    `strays` are groups of vectors whose table is not known. `indexed` are the numbers of rows that unique indexes have.
    """

    tables: dict[str, TablePages] = field(default_factory=dict)
    strays: list[list[int]] = field(default_factory=list)
    indexed: dict[str, int] = field(default_factory=dict)
    catalogue: int = 0  # how many entries of it were read
    damaged: int = 0  # pages that a tree leads to and that cannot be read
    free: frozenset[int] | None = None


class TreeWalker:
    """Walks the trees of a file. Each page is taken once."""

    def __init__(self, file: DamagedFile, schema: KnownSchema) -> None:
        self.file = file
        self.schema = schema
        self.unreadable = 0
        self._taken = np.zeros(file.pages + 1, np.bool_)
        free = file.free_pages()
        self.found = PageMap(free=None if free is None else frozenset(free))
        for number in free or ():
            if number <= file.pages:
                self._taken[number] = True

    def walk(self) -> PageMap:
        """Give all pages to tables, as far as they can be recognised."""
        catalogue = self._tree(_CATALOGUE_ROOT)
        self.found.damaged += catalogue.lost
        for name, root in (_catalogue_entry(record) for _, record in self.rows(catalogue.pages)):
            if name and root:
                self.found.catalogue += 1
                self._take_named(name, root)
        for pages in self._stray_groups(only_catalogue=True):
            self._adopt_catalogue(pages)
        for pages in self._stray_groups():
            self._take_stray(pages)
        return self.found

    def _take_named(self, name: str, root: int) -> None:
        tree = self._tree(root)
        self.found.damaged += tree.lost
        table = self.schema.table(name)
        if table is not None:
            self.found.tables[name] = TablePages(table, certain=tree.pages, lost=tree.lost)
        elif name.startswith("sqlite_autoindex_"):
            self.found.indexed[name] = tree.cells

    def _tree(self, root: int) -> _Tree:
        """Walk one tree; gives the pages that hold rows."""
        tree, waiting = _Tree(), [root]
        while waiting:
            number = waiting.pop()
            if not 0 < number <= self.file.pages or self._taken[number]:
                tree.lost += 1
                continue
            self._taken[number] = True
            page = self.file.page(number)
            kind = int(self.file.kinds[number])
            if page is None or kind not in _TREE_PAGES:
                tree.lost += 1
                continue
            if kind in INNER:
                waiting.extend(reversed(list(children(page, number))))
            if kind != TABLE_INNER:
                tree.pages.append(number)
                tree.cells += cell_count(page, number)
        return tree

    def _stray_groups(self, *, only_catalogue: bool = False) -> Iterator[list[int]]:
        """Give the pages of trees and parts of trees that no page leads to."""
        sound = self.file.sound & ~self._taken & np.isin(self.file.kinds, _TREE_PAGES)
        strays: list[int] = np.flatnonzero(sound).tolist()
        beneath: set[int] = set()
        for number in strays:
            if self.file.kinds[number] in INNER:
                page = self.file.page(number)
                beneath.update(children(page, number) if page else ())
        for number in strays:
            if only_catalogue:
                sample = list(self._sampled([number])) if self.file.kinds[number] == TABLE_LEAF else []
                if sample and all(_catalogue_entry(record)[0] for _, record in sample):
                    yield self._tree(number).pages
            elif number not in beneath:
                tree = self._tree(number)
                self.found.damaged += tree.lost
                yield tree.pages

    def _adopt_catalogue(self, pages: list[int]) -> None:
        """Walk the trees that a part of the catalogue names which was found without its root."""
        for _, record in self.rows(pages):
            name, root = _catalogue_entry(record)
            if 0 < root <= self.file.pages and not self._taken[root] and name not in self.found.tables:
                self.found.catalogue += 1
                self._take_named(name, root)

    def _take_stray(self, pages: list[int]) -> None:
        sample = list(self._sampled(pages))
        if not sample:
            return
        kind = int(self.file.kinds[pages[0]])
        table = self.schema.recognise(sample, without_rowid=kind in (INDEX_LEAF, INDEX_INNER))
        if table is self.schema.vectors:
            self.found.strays.append(pages)
        elif table is not None:
            self.found.tables.setdefault(table.name, TablePages(table)).stray.extend(pages)

    def _sampled(self, pages: list[int]) -> Iterator[tuple[int, RecordValues]]:
        step = max(1, len(pages) // _SAMPLED_PAGES)
        for number in pages[::step]:
            yield from islice(self.rows([number]), _SAMPLED_ROWS)

    def rows(self, pages: list[int]) -> Iterator[tuple[int, RecordValues]]:
        """Give the rows of pages that can be read, with their numbers; others are counted in `unreadable`."""
        for number in pages:
            page, kind = self.file.page(number), int(self.file.kinds[number])
            if page is None:
                continue
            for offset in cell_offsets(page, number):
                try:
                    cell = read_cell(page, kind, offset, self.file.layout, self.file.page)
                except Unreadable:
                    self.unreadable += 1
                    continue
                yield cell.rowid, cell.record


def _catalogue_entry(record: RecordValues) -> tuple[str, int]:
    """Give the name and the root of an entry of the catalogue; nothing when it is none."""
    if len(record) != _CATALOGUE_COLUMNS or record[0] not in ("table", "index", "view", "trigger"):
        return "", 0
    name, root = record[1], record[3]
    return (name, root) if isinstance(name, str) and isinstance(root, int) else ("", 0)
