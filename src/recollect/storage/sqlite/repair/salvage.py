"""Writes the rows of a damaged file into a new one, in batches, and counts what was saved and what was lost."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, islice
from typing import Any, Final, TypeVar

import apsw
import numpy as np

from recollect.model.repairs import TableSalvage
from recollect.storage.base.erasure import tombstone_secret
from recollect.storage.base.spaces import SpaceRow, list_spaces
from recollect.storage.base.statements import sql_folder
from recollect.storage.base.tables import PASSAGES, UNKNOWN
from recollect.storage.base.values import ItemMarks
from recollect.storage.sqlite.binary_codes import encode
from recollect.storage.sqlite.repair.forgotten_rows import ForgottenRows
from recollect.storage.sqlite.repair.known_tables import KnownTable
from recollect.storage.sqlite.repair.mending import mend, query
from recollect.storage.sqlite.repair.records import RecordValues
from recollect.storage.sqlite.repair.trees import UNIQUE_INDEX, PageMap, TreeWalker
from recollect.storage.sqlite.session import SqliteSession

T = TypeVar("T")

_BATCH: Final = 500
_FIRST: Final = ("store_secrets", "tombstones", "embedding_spaces")  # others need what these say
_MADE_AGAIN: Final = frozenset({"schema_migrations"})
_FILLED: Final = frozenset({"sequence", "store_marks", "store_secrets"})  # a new file has rows of these
_MADE_FROM_OTHERS: Final = ("users", "conversations")  # of which some are known by rows of other tables
_COUNTED: Final = ("memories", "messages", "chunks")  # of which users know how many they have
CONTENT: Final = ("memories", "messages", "chunks", "files", "conversations", "api_keys", "tombstones", "named_places")

_KEY_LOST: Final = (
    "the secret of the tombstones was lost: what was forgotten stays deleted, but an import or a sync can bring it back"
)
_NO_SPACE: Final = "the list of embedding spaces was lost: `recollect reembed` makes all vectors anew"


class Salvage:
    """Brings rows over to a new file, which has the same schema and no rows."""

    def __init__(self, walker: TreeWalker, target: apsw.Connection, marks: ItemMarks, now: datetime) -> None:
        self._walker = walker
        self._file = walker.file
        self._schema = walker.schema
        self._map: PageMap = walker.found
        self._target = target
        self._now = now
        self._forgotten = ForgottenRows(target, marks)
        self._unreadable = defaultdict[str, int](int)
        self.notes: list[str] = []

    @property
    def damaged_pages(self) -> int:
        """How many pages of trees could not be read."""
        return self._map.damaged

    @property
    def knows_file(self) -> bool:
        """Tell whether anything in the file is as SQLite writes it here."""
        return self._file.has_checksums or self._map.catalogue > 0

    def run(self) -> tuple[TableSalvage, ...]:
        """Save all rows, let them fit each other, and make again what is made from them."""
        secret = tombstone_secret(SqliteSession(self._target))  # a new one, unless that of the file replaces it
        names = [*_FIRST, *(name for name in self._schema.tables if name not in {*_FIRST, *_MADE_AGAIN})]
        for name in names:
            if name in self._schema.tables:
                with self._target:
                    self._save_table(self._schema.tables[name])
        ((*sums,),) = self._target.execute(query("count_expected")).fetchall()
        expected = {name: int(str(amount)) for name, amount in zip(_COUNTED, sums, strict=True)}
        spaces = list(list_spaces(SqliteSession(self._target)))
        with self._target:
            self._save_vectors(spaces)
        if secret == tombstone_secret(SqliteSession(self._target)) and self._count("tombstones"):
            self.notes.append(_KEY_LOST)
        if not spaces and self._has_vectors():
            self.notes.append(_NO_SPACE)
        made = {name: self._count(name) for name in _MADE_FROM_OTHERS}
        if self._has_lost_vectors():
            # all long texts are looked through
            self._target.execute(query("save_mark"), {"name": PASSAGES, "value": UNKNOWN})
        mended = mend(self._target, spaces, self._now)
        self.notes += mended.notes
        if self._forgotten.dropped:
            self.notes.append(
                f"{self._forgotten.dropped} row(s) on stray pages had been forgotten before, and were left out"
            )
        again = {name: self._count(name) - before for name, before in made.items()}
        return (*self._counts(expected, again), *self._vectors(spaces, mended.owed_vectors))

    def _has_lost_vectors(self) -> bool:
        spaces = (pages for name, pages in self._map.tables.items() if name.startswith("vectors_"))
        return bool(self._map.strays) or any(pages.lost for pages in spaces)

    def _has_vectors(self) -> bool:
        return bool(self._map.strays) or any(name.startswith("vectors_") for name in self._map.tables)

    def _save_table(self, table: KnownTable) -> None:
        pages = self._map.tables.get(table.name)
        if pages is None:
            return
        before = self._walker.unreadable
        insertion = table.insertion(table.name)
        if table.name in _FILLED:
            insertion = insertion.replace("OR IGNORE", "OR REPLACE")
        doubtful = self._file.log.damaged
        for source, stray in ((pages.certain, doubtful), (pages.stray, True)):
            rows = self._values(table, self._walker.rows(source))
            if stray:
                rows = (row for row in rows if not self._forgotten.has(table.name, row))
            for batch in _batches(rows):
                self._target.executemany(insertion, batch)
        self._unreadable[table.name] += self._walker.unreadable - before

    def _values(self, table: KnownTable, rows: Iterable[tuple[int, RecordValues]]) -> Iterator[dict[str, Any]]:
        for rowid, record in rows:
            values = table.row(rowid, record)
            if values is None:
                self._walker.unreadable += 1
            else:
                yield values

    def _save_vectors(self, spaces: Sequence[SpaceRow]) -> None:
        template = (sql_folder("sqlite") / "space.sql").read_text("utf-8")
        for space in spaces:
            self._target.execute(template.replace("{space}", str(space.number)))
            pages = self._map.tables.get(f"vectors_{space.number}")
            if pages is not None:
                self._insert_vectors(space, self._values(pages.table, self._walker.rows(pages.certain)))
        found = chain.from_iterable(self._values(self._schema.vectors, self._walker.rows(p)) for p in self._map.strays)
        for batch in _batches(found):
            by_space = defaultdict[int, list[dict[str, Any]]](list)
            for values in batch:
                number = self._space_of(values, spaces)
                if number is not None:
                    by_space[number].append(values)
            for space in spaces:
                self._insert_vectors(space, by_space[space.number])

    def _space_of(self, values: dict[str, Any], spaces: Sequence[SpaceRow]) -> int | None:
        """Find the space of a vector whose table is not known: its item has a kind, and the vector a length."""
        item = values["seq"] if values["seq"] > 0 else -values["seq"] // 256  # the number of a passage, see space.sql
        kind = self._target.execute(query("kind_of_item"), {"seq": item}).fetchall()[0][0]
        fitting = [
            row.number for row in spaces if row.kind == kind and 4 * row.space.dimensions == len(values["vector"])
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _insert_vectors(self, space: SpaceRow, rows: Iterable[dict[str, Any]]) -> None:
        """Write vectors that can be ones, with their codes."""
        width = 4 * space.space.dimensions
        for batch in _batches(row for row in rows if len(row["vector"]) == width):
            floats = np.frombuffer(b"".join(row["vector"] for row in batch), "<f4").reshape(len(batch), -1)
            usable = np.isfinite(floats).all(axis=1) & floats.any(axis=1)
            codes = encode(floats)
            kept = [{**row, "code": codes[at].tobytes()} for at, row in enumerate(batch) if usable[at]]
            self._target.executemany(query("insert_vector", space=space.number), kept)
            self._target.executemany(query("insert_code", space=space.number), kept)

    def _counts(self, expected: dict[str, int], again: dict[str, int]) -> Iterator[TableSalvage]:
        for name in self._schema.tables:
            if name in _MADE_AGAIN:
                continue
            saved = self._count(name)
            known = max(expected.get(name, 0), self._map.indexed.get(UNIQUE_INDEX.format(table=name), 0))
            lost = max(known - saved, 0)
            guessed = 0 if lost else max(self._guess(name) - again.get(name, 0), 0)
            if saved or lost or guessed:
                yield TableSalvage(name, saved, lost or guessed, estimated=bool(guessed))

    def _vectors(self, spaces: Sequence[SpaceRow], owed: int) -> Iterator[TableSalvage]:
        saved = sum(self._count(f"vectors_{space.number}") for space in spaces)
        if owed:
            self.notes.append(f"{owed} vector(s) are made again by the worker, or by `recollect maintain`")
        if saved or owed:
            yield TableSalvage("vectors", saved, owed)

    def _guess(self, name: str) -> int:
        """Guess how many rows the damaged pages of a table had."""
        pages = self._map.tables.get(name)
        if pages is None:
            return 0
        readable = len(pages.certain) + len(pages.stray)
        average = self._count(name) / readable if readable else 1
        return self._unreadable[name] + round(pages.lost * max(average, 1))

    def _count(self, name: str) -> int:
        ((amount,),) = self._target.execute(f'SELECT count(*) FROM "{name}"').fetchall()  # noqa: S608 - of the schema
        return int(str(amount))


def _batches(rows: Iterable[T]) -> Iterator[list[T]]:
    left = iter(rows)
    while batch := list(islice(left, _BATCH)):
        yield batch
