"""Finds out which pages of a damaged file belong to which table.

The catalogue names the root of each tree, and inner pages name their children. What is beneath a damaged inner page, or
all of it when the catalogue is damaged, is found by looking at the pages that no tree has: their rows tell the table.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import numpy as np

from recollect.storage.sqlite.repair.damaged_file import DamagedFile
from recollect.storage.sqlite.repair.known_tables import KnownSchema, KnownTable
from recollect.storage.sqlite.repair.records import (
    INDEX_INNER,
    INDEX_LEAF,
    INNER,
    TABLE_INNER,
    TABLE_LEAF,
    RecordValues,
    Unreadable,
    cell_count,
    cell_offsets,
    children,
    read_cell,
)

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
        for name, root in self._catalogue():
            self._take_named(name, root)
        for pages in self._stray_groups(only_catalogue=True):
            self._adopt_catalogue(pages)
        for pages in self._stray_groups():
            self._take_stray(pages)
        return self.found

    def _catalogue(self) -> Iterator[tuple[str, int]]:
        """Give the names and roots of all trees that the catalogue still has."""
        tree = self._tree(_CATALOGUE_ROOT)
        self.found.damaged += tree.lost
        for _, record in self.rows(tree.pages):
            name, root = _catalogue_entry(record)
            if name and root:
                self.found.catalogue += 1
                yield name, root

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
                if self._is_catalogue([number]):
                    yield self._tree(number).pages
            elif number not in beneath:
                tree = self._tree(number)
                self.found.damaged += tree.lost
                yield tree.pages

    def _is_catalogue(self, pages: list[int]) -> bool:
        sample = list(self._sampled(pages)) if self.file.kinds[pages[0]] == TABLE_LEAF else []
        return bool(sample) and all(_catalogue_entry(record)[0] for _, record in sample)

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
