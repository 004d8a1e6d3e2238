"""Checks later that nothing of what a receipt tells of is left: in rows, indexes, statistics, bytes and originals."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, Final, NamedTuple

from recollect.dialogue.exchanges import fingerprints
from recollect.engine import stored_files
from recollect.engine.base import audit
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import owner_of
from recollect.engine.drafts import tombstones
from recollect.engine.drafts.items import batched
from recollect.engine.forgetting.marks import KeyedMark, Marker
from recollect.engine.forgetting.plan import files_of
from recollect.engine.forgetting.receipt import ACTION, CHECKED, ID_LOGS, UNSEEN, finder_of, insist_genuine, parsed
from recollect.errors import InvalidDocument, NotFound, PackageMissing
from recollect.model.files import FileRecord
from recollect.model.receipts import ErasureCheck, ErasureFinding, Receipt
from recollect.storage.base import StoreReader

_BATCH = 500
FOUND: Final = "found"
_IDS_ONLY: Final = ID_LOGS | {"pg_statistic"}  # where ids stand on purpose, or are of those
# What doctor finds that may hold words of rows that are gone, by the beginning of its name.
_ORPHANS: Final = ("integrity_check", "terms_without_", "vectors_without_row", "codes_without_vector", "samples_of_")
_PLACES: Final = (
    *("rows", "queues", "search_log", "search_index", "statistics", "caches", "originals", "pages"),
    *("write_ahead_log", "damaged_copies"),
)


class _MarkedRow(NamedTuple):
    """A row of the user that holds something of what was forgotten."""

    table: str
    item_id: str
    stored_at: datetime | None
    kinds: frozenset[str]


def verify(engine: Engine, given: Receipt | Mapping[str, Any] | str | bytes) -> ErasureCheck:
    """Look for everything that a receipt tells of. Raises ReceiptRefused unless this store signed it."""
    receipt = parsed(given)
    insist_genuine(engine, receipt)
    check = _Check(engine, receipt)
    check.look()
    return check.result()


class _Check:
    """One check."""

    def __init__(self, engine: Engine, receipt: Receipt) -> None:
        self._engine = engine
        self._receipt = receipt
        self._scope = owner_of(receipt.user)
        self._marker = Marker(engine.store.receipt_keys().marking)
        self._finder = finder_of(self._marker, receipt)
        self._since = datetime.fromisoformat(receipt.forgotten_at)
        self._left: Counter[tuple[str, str]] = Counter()
        self._again: Counter[tuple[str, str]] = Counter()
        self._kept: list[str] = []
        self._unread: list[str] = []

    def look(self) -> None:
        """Look everywhere. The bytes come first: what is found there and in live rows as well is no remainder."""
        in_bytes: defaultdict[str, set[KeyedMark]] = defaultdict(set)
        for block in self._engine.store.raw_blocks():
            in_bytes[block.place] |= self._finder.in_bytes(block.data)
        in_originals = self._in_contents_of_originals()
        explained: set[KeyedMark] = set()
        wanted = chain(in_bytes.values(), (marks for _, marks in in_originals))
        hits = self._in_rows({mark for marks in wanted for mark in marks}, explained)
        for place, marks in in_bytes.items():
            self._left.update((place, mark.kind) for mark in marks - explained)
        for file, said in in_originals:
            self._judge_original(file, {mark for mark in said if mark.kind == "texts" or mark not in explained})
        self._judge(hits)
        self._in_index()
        self._in_originals()
        self._in_audit_log()
        self._engine.forget_cached(self._scope)

    def _in_contents_of_originals(self) -> list[tuple[FileRecord, set[KeyedMark]]]:
        """Give the user's documents whose originals say something of it, read as when they were added."""
        recipe = stored_files.recipe(self._engine)
        found = []
        for file in self._engine.store.read(self._scope, lambda rows: files_of(rows, rows.file_ids())):
            if not file.original:
                continue
            try:
                data = self._engine.originals.original(file.original)
                pieces = self._engine.documents.read(data, file.path, recipe).pieces
            except (InvalidDocument, NotFound, PackageMissing) as error:
                self._unread.append(f"The original of {file.path} cannot be read: {error}")
                continue
            marks = set(self._finder.in_bytes(data))
            for piece in (indexed.piece for indexed in pieces):
                marks |= self._finder.in_bytes(piece.content.encode("utf-8", "replace"))
                marks |= self._finder.in_texts({"content": piece.content, "heading": piece.heading})
            found += [(file, marks)] if marks else []
        return found

    def _judge_original(self, file: FileRecord, marks: Collection[KeyedMark]) -> None:
        """Tell an original that was added since from one that was kept, and whether that was decided."""
        named = file.id in self._receipt.kept
        self._kept += [file.path] if named and marks else []
        counted = self._again if file.created_at > self._since else self._left
        if not (named and self._receipt.documents == "keep"):
            counted.update(("originals", mark.kind) for mark in marks)

    def _in_rows(self, in_bytes: set[KeyedMark], explained: set[KeyedMark]) -> list[_MarkedRow]:
        """Give the user's rows that hold something of it; `explained` gets what live rows of any user hold."""
        hits = []
        with self._engine.store.whole_rows() as rows:
            for row in rows:
                marks = self._finder.in_texts(row.texts)
                explained |= marks
                if in_bytes - explained:
                    texts = (value.encode("utf-8", "replace") for value in row.texts.values() if isinstance(value, str))
                    explained |= {mark for data in texts for mark in self._finder.in_bytes(data)}
                if row.user_id in ("", self._receipt.user):
                    kinds = frozenset(mark.kind for mark in marks if mark.kind != "ids" or row.table not in _IDS_ONLY)
                    hits += [_MarkedRow(row.table, str(row.texts.get("id", "")), row.stored_at, kinds)] if kinds else []
        return hits

    def _judge(self, hits: Sequence[_MarkedRow]) -> None:
        """Tell what was stored again from what was never erased, or was put back past the verbs."""
        for some in batched(hits, _BATCH):
            buried = self._buried(some)
            for hit in some:
                stored_again = self._is_newer(hit) and hit.item_id not in buried
                imported = self._receipt.allow_again and hit.stored_at is not None  # perhaps, with its own time
                counted = self._again if stored_again or imported else self._left
                counted.update((hit.table, kind) for kind in hit.kinds)

    def _is_newer(self, hit: _MarkedRow) -> bool:
        return hit.stored_at is not None and hit.stored_at > self._since

    def _buried(self, hits: Sequence[_MarkedRow]) -> frozenset[str]:
        """Give the ids of new rows whose tombstones stand: every verb that stores something anew lifts them."""
        ids = [hit.item_id for hit in hits if hit.table in ("memories", "messages") and self._is_newer(hit)]
        return self._engine.store.read(self._scope, lambda rows: self._standing(rows, ids)) if ids else frozenset()

    def _standing(self, rows: StoreReader, ids: Sequence[str]) -> frozenset[str]:
        new = [record for record in rows.get(ids) if record.created_at > self._since]
        marks = {record.id: tombstones.of_memory(record) for record in new}
        said = (message for message in rows.get_messages(ids) if message.role != "summary")
        marks |= {message.id: fingerprints(message) for message in said if message.created_at > self._since}
        return frozenset(tombstones.forgotten_at(rows, marks))

    def _in_index(self) -> None:
        for problem in self._engine.store.check():
            if problem.check.startswith(_ORPHANS):
                self._left["search_index", problem.check] += problem.count

    def _in_originals(self) -> None:
        names = [name for name in self._engine.originals.names() if self._finder.wanted([self._marker.name(name)])]
        known = self._engine.store.known_originals(names) if names else frozenset()
        for name in names:
            (self._again if name in known else self._left)["originals", "names"] += 1

    def _in_audit_log(self) -> None:
        """Look for the line that tells of the receipt, in a chain that is whole."""
        position = self._receipt.audit
        lines = audit.lines(self._engine, self._scope, position.number - 1)
        line = next(iter(lines), None)
        told = line is not None and (line.hash, line.action, line.items) == (
            position.hash,
            ACTION,
            (self._receipt.id,),
        )
        flaw = audit.first_flaw(self._engine, self._scope)
        if not told or (flaw is not None and flaw <= position.number):
            self._left["audit_log", "chain"] += 1

    def result(self) -> ErasureCheck:
        """Say what was found."""
        unseen = (*self._engine.store.unseen(), *self._unread)
        places = dict.fromkeys(_PLACES, CHECKED)
        if self._engine.store.unseen():
            places |= {"pages": UNSEEN, "write_ahead_log": UNSEEN}
        if self._engine.store.statistics() is None:
            places["statistics"] = UNSEEN
        places |= {place if place in places else _place_of(place): FOUND for place, _ in self._left}
        return ErasureCheck(
            receipt=self._receipt.id,
            user=self._receipt.user,
            forgotten_at=self._receipt.forgotten_at,
            checked_at=self._engine.clock.now().isoformat(),
            left=_findings(self._left),
            again=_findings(self._again),
            places=places,
            unseen=unseen,
            pending=self._engine.store.erasure().reason,
            kept=tuple(self._kept),
            not_covered=self._receipt.not_covered,
        )


def _place_of(table: str) -> str:
    return {"jobs": "queues", "search_log": "search_log", "pg_statistic": "statistics"}.get(
        table, "statistics" if table.startswith("sqlite_stat") else "rows"
    )


def _findings(counted: Counter[tuple[str, str]]) -> tuple[ErasureFinding, ...]:
    return tuple(ErasureFinding(place, kind, amount) for (place, kind), amount in sorted(counted.items()))
