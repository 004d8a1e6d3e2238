"""Writes the rows of a damaged file into a new one, in batches, and counts what was saved and what was lost.

Rows whose page no tree leads to may have been forgotten: tombstones tell. Then the new file is mended: rows without
their other halves go, what is made from others is made anew, and there are jobs for vectors.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import chain, islice
from typing import Any, Final, NamedTuple, TypeVar

import apsw
import numpy as np

from recollect.model.backups import TableSalvage
from recollect.model.literals import ITEM_KINDS, VectorKind
from recollect.storage.base.forgotten import TombstoneSecrets, tombstone_secret, tombstone_secrets
from recollect.storage.base.spaces import SpaceRow, list_spaces
from recollect.storage.base.statements import load_own, sql_folder
from recollect.storage.base.tables import (
    ANALYSER,
    FILE_FIELDS,
    IDENTITY,
    MESSAGE_FIELDS,
    PASSAGES,
    RECORD_FIELDS,
    UNKNOWN,
    columns,
    of_kind,
)
from recollect.storage.base.values import ItemMarks
from recollect.storage.sqlite.caches import encode
from recollect.storage.sqlite.erasing import refresh_statistics
from recollect.storage.sqlite.repair.damaged_file import RecordValues
from recollect.storage.sqlite.repair.trees import UNIQUE_INDEX, KnownTable, PageMap, TreeWalker
from recollect.storage.sqlite.session import CODEC, SqliteSession

_STEPS = (
    "add_conversations",
    "raise_sequences",
    "drop_lost_derivations",
    "unfold_messages",
    "drop_lost_chunks",
    "reread_files",
    "drop_lost_places",
    "drop_lost_cache",
)
_NO_IDENTITY = (
    "the number of this store was lost, so it has a new one: originals of documents stay in the folder of the old one"
)
_NO_ANALYSER = "how the index of words was made is not known; `recollect maintain` makes it anew"


@cache
def _queries() -> Mapping[str, str]:
    return load_own("sqlite", "repair.sql")


def query(name: str, *, kind: VectorKind | None = None, space: int | None = None) -> str:
    """Give a query of a repair with its gaps filled."""
    sql = _queries()[name] if space is None else _queries()[name].replace("{space}", str(space))
    return sql if kind is None else of_kind(sql, kind)


class Mended(NamedTuple):
    """How many vectors have to be made again, and what else a user should know."""

    owed_vectors: int
    notes: tuple[str, ...]


def mend(target: apsw.Connection, spaces: Sequence[SpaceRow], now: datetime) -> Mended:
    """Mend a file whose rows were saved."""
    with target:
        target.execute(query("drop_lost_versions"))
        while target.changes():
            target.execute(query("drop_lost_versions"))
        for step in _STEPS:
            target.execute(query(step))
        for space in spaces:
            target.execute(query("drop_lost_vectors", kind=space.kind, space=space.number))
            target.execute(query("drop_lost_passages", space=space.number))
            target.execute(query("drop_lost_codes", space=space.number))
        target.execute(query("drop_lost_jobs"))
        for step in (
            "add_users",
            "raise_item_number",
            "raise_space_number",
            "recount_users",
            "drop_media",
            "add_media",
        ):
            target.execute(query(step))
        owed = _owe_vectors(target, spaces, now)
    for kind in ITEM_KINDS:
        with target:
            target.execute(query("rebuild_terms", kind=kind))
    refresh_statistics(target)
    return Mended(owed, tuple(_losses(target)))


def _owe_vectors(target: apsw.Connection, spaces: Sequence[SpaceRow], now: datetime) -> int:
    session, owed = SqliteSession(target), 0
    for space in spaces:
        last = target.execute(query("last_number", kind=space.kind)).fetchall()[0][0]
        values = {"item_kind": space.kind, "now": now, "after": 0, "last": last}
        owed += session.changed("owe_jobs", values, kind=space.kind, space=space.number)
    return owed


def _losses(target: apsw.Connection) -> Iterator[str]:
    """Name what a store cannot do without, if it was lost."""
    if not target.execute(query("has_mark"), {"name": ANALYSER}).fetchall():
        target.execute(query("save_mark"), {"name": ANALYSER, "value": UNKNOWN})
        target.execute(query("save_mark"), {"name": PASSAGES, "value": UNKNOWN})
        yield _NO_ANALYSER
    if (
        target.execute(query("any_original")).fetchall()
        and not target.execute(query("has_mark"), {"name": IDENTITY}).fetchall()
    ):
        yield _NO_IDENTITY


class ForgottenRows:
    """Compares rows with the tombstones that were saved before. An older row than its tombstone was forgotten."""

    def __init__(self, target: apsw.Connection, marks: ItemMarks) -> None:
        self._target = target
        self._marks = marks
        self._secrets: TombstoneSecrets | None = None
        self.dropped = 0

    def has(self, table: str, row: dict[str, Any]) -> bool:
        try:
            marks = self._marks_of(table, row)
        except (ValueError, TypeError, OverflowError):  # a text that should be JSON, a moment beyond all calendars
            return True
        if not marks:
            return False
        if self._secrets is None:
            self._secrets = tombstone_secrets(SqliteSession(self._target))
        known = [tombstone for mark in (*marks, self._marks.everything) for tombstone in self._secrets.marks(mark)]
        values = {"user_id": row["user_id"], "moment": row["created_at"], "fingerprints": apsw.carray(tuple(known))}
        forgotten = bool(self._target.execute(query("forgotten_since"), values).fetchall())
        self.dropped += forgotten
        return forgotten

    def _marks_of(self, table: str, row: dict[str, Any]) -> tuple[str, ...]:
        if table == "memories":
            return tuple(self._marks.of_memory(CODEC.memory([row[name] for name in columns(RECORD_FIELDS)])))
        if table == "messages":
            return tuple(self._marks.of_message(CODEC.message([row[name] for name in columns(MESSAGE_FIELDS)])))
        if table == "files":
            return tuple(self._marks.of_file(CODEC.file([row[name] for name in columns(FILE_FIELDS)])))
        return ()


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
        vectors = [pages for name, pages in self._map.tables.items() if name.startswith("vectors_")]
        if not spaces and (self._map.strays or vectors):
            self.notes.append(_NO_SPACE)
        made = {name: self._count(name) for name in _MADE_FROM_OTHERS}
        if self._map.strays or any(pages.lost for pages in vectors):
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
                # The table is not known: its item has a kind, and the vector a length.
                item = values["seq"] if values["seq"] > 0 else -values["seq"] // 256  # of a passage, see space.sql
                kind = self._target.execute(query("kind_of_item"), {"seq": item}).fetchall()[0][0]
                size = len(values["vector"])
                fitting = [one.number for one in spaces if one.kind == kind and 4 * one.space.dimensions == size]
                if len(fitting) == 1:
                    by_space[fitting[0]].append(values)
            for space in spaces:
                self._insert_vectors(space, by_space[space.number])

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
