"""Receipts of forgetting: drawn up in the transaction that deletes, signed again when the files are erased.

A receipt holds no content. Its marks are keyed with the secret of the store, so that without the store nothing can be
tried against them; the same secret signs it (docs/decisions/0021-receipts-of-forgetting.md).
"""

import hmac
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from recollect.engine.base import audit
from recollect.engine.base.audit import AuditedAction, AuditedWrite
from recollect.engine.base.context import Engine
from recollect.engine.drafts.items import batched
from recollect.engine.drafts.redaction import texts_in
from recollect.engine.forgetting.marks import MARK_KINDS, KeyedMark, Marker, MarkFinder, MarkKind, read_marks
from recollect.engine.forgetting.plan import ForgetPlan
from recollect.errors import ReceiptRefused
from recollect.model.files import FileRecord
from recollect.model.literals import DocumentsFate
from recollect.model.media import media_texts, original_name
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.messages import Message
from recollect.model.receipts import RECEIPT_VERSION, AuditPosition, Receipt
from recollect.storage.base import StoreWriter

# These tables name items by id, on purpose and without what they say: who did what, in which order, with which answer.
ID_LOGS: Final = frozenset({"audit_log", "changes", "answers"})
ACTION: Final = "forget-receipt"  # of the line in the audit log
CHECKED: Final = "checked"  # looked for, and not found
ERASED: Final = "erased"
PENDING: Final = "pending"
UNSEEN: Final = "unseen"

_BATCH = 1_000
_MADE_OF_TEXT = frozenset({"terms", "content_hash"})  # and never said by itself
_MOST_MARKS = 250_000
_LOCAL = "local"
_BEFORE_ERASING = "Signed together with the deletion, before the database's files were erased."
_IN_TABLES = ("rows", "queues", "search_log")
_IN_FILES = ("statistics", "pages")
_LOG = "write_ahead_log"
# What the id of a receipt is a hash of; the rest changes when the files are erased or purged.
_LASTING = (
    *("version", "store", "key", "user", "actor", "request", "allow_again"),
    *("forgotten_at", "counts", "marks", "marks_total", "elsewhere", "documents", "kept", "not_covered"),
)
_NEVER_COVERED = (
    "Backups, exports and copies of the store that were made before.",
    "What was handed on: transcripts of agents' hosts, providers of models, other services that searched here.",
    f"Ids, which tell no words, stay in {', '.join(sorted(ID_LOGS))}, and may stand in a server's statistics.",
)


class ReceiptDraft:
    """Gathers the marks of one forgetting."""

    def __init__(
        self, engine: Engine, scope: Scope, request: str, *, allow_again: bool = False, documents: DocumentsFate = "ask"
    ) -> None:
        self._engine = engine
        self._scope = scope
        self._request = request
        self._allow_again = allow_again
        self._keys = engine.store.receipt_keys()
        self._store = f"{engine.store.identity():x}"
        self._marker = Marker(self._keys.marking)
        self._marks = MarkSet()
        self._counts: Counter[str] = Counter()
        self._partial = True
        self._documents = documents
        self._kept: tuple[FileRecord, ...] = ()
        self._on_disk: list[str] = []
        self._synced = 0

    def collect(self, writer: StoreWriter, plan: ForgetPlan, conversations: Sequence[str]) -> None:
        """Mark what will be deleted, while it is still there."""
        self._marks, self._counts = MarkSet(), Counter()  # a full disk may have ended an earlier try
        self._partial = plan.partial
        self._kept = plan.documents
        self._on_disk = [f"{change.chunk.root}/{change.chunk.path}" for change in plan.chunks if change.chunk.root]
        self._synced = sum(bool(file.root) for file in plan.files)  # what is forgotten is not named
        remade = {summary.id for summary in plan.remade}
        file_ids = {file.id for file in plan.files}
        memory_ids = [item_id for item_id in plan.ids if item_id not in plan.messages and item_id not in file_ids]
        for some in batched(memory_ids, _BATCH):
            for record in writer.get(some):
                self._marks.add(self._of_memory(record, said=record.id not in remade))
        for some in batched([*plan.messages], _BATCH):
            for message in writer.get_messages(some):
                self._marks.add(self._of_message(message, said=message.id not in remade))
        for file in plan.files:
            self._marks.add(self._of_file(writer, file))
        self._marks.add(map(self._marker.name, (*plan.folders, *conversations)))
        originals = plan.own_originals(writer)
        self._marks.add(self._marker.name(original_name(self._scope.user_id, digest)) for digest in originals)
        self._collect_rewritten(plan)
        self._counts.update(conversations=len(conversations), folders=len(plan.folders), files=len(plan.files))

    def _collect_rewritten(self, plan: ForgetPlan) -> None:
        """Mark the sentences that messages and chunks of files lose."""
        removed = [sentence for change in plan.rewritten for sentence in change.removed]
        removed += [sentence for change in plan.chunks for sentence in change.removed]
        for sentence in removed:
            self._marks.add(self._of_text(sentence, whole=False))
        for chunk in plan.chunks:
            self._marks.add([self._marker.id(chunk.chunk.id)])
        kept = [change for change in plan.rewritten if change.left is not None]
        self._counts.update(sentences_of_messages=len(kept), passages_of_files=len(plan.chunks))

    def _of_memory(self, record: MemoryRecord, *, said: bool) -> Iterator[KeyedMark]:
        self._counts["versions" if record.superseded_by else "memories"] += 1
        yield self._marker.id(record.id)
        if said:
            yield from self._of_text(record.content)
            if record.key and record.value:
                yield self._marker.value(record.subject, record.key, record.value)
            yield from self._of_data(record.metadata)
            yield from self._of_data([*media_texts(record.media)])

    def _of_message(self, message: Message, *, said: bool) -> Iterator[KeyedMark]:
        self._counts["summaries" if message.role == "summary" else "messages"] += 1
        yield self._marker.id(message.id)
        if said:
            yield from self._of_text(message.content, whole=False)
            yield from self._of_data([*message.blocks, message.metadata, *media_texts(message.media)])
            for call in message.tool_calls:
                yield from self._of_text(call.arguments, whole=False)

    def _of_file(self, writer: StoreWriter, file: FileRecord) -> Iterator[KeyedMark]:
        yield self._marker.id(file.id)
        yield from map(self._marker.name, filter(None, (file.path, file.original)))
        for chunk in writer.chunks_of(file.id):
            self._counts["chunks"] += 1
            yield self._marker.id(chunk.id)
            yield from self._of_text(chunk.content, whole=False)

    def _of_data(self, data: Any) -> Iterator[KeyedMark]:  # noqa: ANN401 - JSON
        for text in texts_in(data):
            yield from self._of_text(text, whole=False)

    def _of_text(self, text: str, *, whole: bool = True) -> Iterator[KeyedMark]:
        yield from self._marker.texts(text, whole=whole)
        yield from self._marker.passages(text)

    def draw_up(self, writer: StoreWriter) -> Receipt:
        """Look whether the rows are gone, take out marks of what other items still say, write a line, and sign."""
        now = self._engine.clock.now()
        left = self._look_through(writer)
        stated = Receipt(
            id="",
            store=self._store,
            key=self._keys.name,
            user=self._scope.user_id,
            actor=self._engine.audit.actor if isinstance(self._engine.audit, AuditedWrite) else _LOCAL,
            request=self._request,
            allow_again=self._allow_again,
            forgotten_at=now.isoformat(),
            signed_at=now.isoformat(),
            counts={kind: amount for kind, amount in sorted(self._counts.items()) if amount},
            audit=AuditPosition(0, ""),
            places=dict.fromkeys((*_IN_TABLES, "search_index", "caches", "originals", *_IN_FILES, _LOG), PENDING)
            | dict.fromkeys(_IN_TABLES, f"found {left}" if left else CHECKED),
            pending=_BEFORE_ERASING,
            purged=False,
            marks=self._marks.listed(),
            marks_total=self._marks.total,
            elsewhere=self._marks.elsewhere,
            documents=self._documents,
            kept=tuple(file.id for file in self._kept),
            not_covered=self._not_covered(),
        )
        document = stated.document()
        lasting = _canonical({name: document[name] for name in _LASTING})
        named = replace(stated, id=sha256(lasting).hexdigest()[:32])
        line = audit.note(writer, self._scope, AuditedAction(named.actor, ACTION), [named.id], now)
        return signed(replace(named, audit=AuditPosition(line.number, line.hash)), self._keys.signing)

    def _not_covered(self) -> tuple[str, ...]:
        """Say by name what stays, and what no forgetting reaches."""
        kept = [
            f"The original of {file.path} is kept as it was added, and says it still: forget it by its id, {file.id}."
            for file in self._kept
        ]
        disk = [
            f"{path} on the disk of its owner, which memory does not change." for path in dict.fromkeys(self._on_disk)
        ]
        disk += [f"{self._synced:,} synced file(s) that lie on the disk of their owner."] if self._synced else []
        elsewhere = self._marks.elsewhere
        said = [f"{elsewhere:,} text(s) that other items of the user say, too."] if elsewhere else []
        return (*kept, *disk, *said, *_NEVER_COVERED)

    def _look_through(self, writer: StoreWriter) -> int:
        """Count what is left of the items; their words in others are not looked for later."""
        left, finder = 0, MarkFinder(self._marker, self._marks.hashes)
        for row in writer.stored_rows():
            found = finder.in_texts({name: text for name, text in row.texts.items() if name not in _MADE_OF_TEXT})
            left += sum(mark.kind == "ids" for mark in found) if row.table not in ID_LOGS else 0
            if self._partial:
                self._marks.leave_out(mark for mark in found if mark.kind != "ids")
        return left


class MarkSet:
    """Marks by kind. Of very many, those that sort first are kept: keyed hashes are as good as drawn by lot."""

    def __init__(self, most: int = _MOST_MARKS) -> None:
        self._most = most
        self.hashes: dict[MarkKind, set[bytes]] = {kind: set() for kind in MARK_KINDS}
        self._dropped = 0
        self.elsewhere = 0

    def add(self, marks: Iterable[KeyedMark]) -> None:
        """Add marks."""
        for mark in marks:
            self.hashes[mark.kind].add(mark.hash)
        if sum(map(len, self.hashes.values())) > 2 * self._most:
            self._trim()

    def _trim(self) -> None:
        every = sorted((hash_, kind) for kind, hashes in self.hashes.items() for hash_ in hashes)
        for hash_, kind in every[self._most :]:
            self.hashes[kind].discard(hash_)
        self._dropped += max(0, len(every) - self._most)

    def leave_out(self, marks: Iterable[KeyedMark]) -> None:
        """Take out marks of what is said elsewhere."""
        for mark in marks:
            if mark.hash in self.hashes[mark.kind]:
                self.hashes[mark.kind].discard(mark.hash)
                self.elsewhere += 1

    def listed(self) -> dict[str, tuple[str, ...]]:
        """Give the marks, sorted."""
        self._trim()
        return {
            kind: tuple(KeyedMark(kind, hash_).listed() for hash_ in sorted(hashes))
            for kind, hashes in self.hashes.items()
            if hashes
        }

    @property
    def total(self) -> int:
        """How many there were."""
        return sum(map(len, self.hashes.values())) + self._dropped


def settled(engine: Engine, receipt: Receipt, pending: str, *, purged: bool = False) -> Receipt:
    """Sign a receipt again, with what has become of the database's files."""
    unseen = tuple(engine.store.unseen())
    files = PENDING if pending else ERASED
    places = {
        **receipt.places,
        **dict.fromkeys(("search_index", "caches"), ERASED),
        "originals": f"kept {len(receipt.kept)}" if receipt.kept else ERASED,
        **dict.fromkeys(_IN_FILES, files),
        _LOG: UNSEEN if unseen else files,
    }
    if unseen:  # a server, whose statistics no deletion touches: looked into, not promised
        places["statistics"] = _in_statistics(engine, receipt)
    moment = engine.clock.now().isoformat()
    stated = replace(receipt, places=places, pending=pending, purged=purged or receipt.purged, signed_at=moment)
    return signed(replace(stated, unseen=unseen), engine.store.receipt_keys().signing)


def _in_statistics(engine: Engine, receipt: Receipt) -> str:
    """Say whether a server's statistics hold words of what was forgotten."""
    sampled = engine.store.statistics()
    if sampled is None:
        return UNSEEN
    finder = finder_of(Marker(engine.store.receipt_keys().marking), receipt)
    found = sum(mark.kind != "ids" for row in sampled for mark in finder.in_texts(row.texts))
    return f"found {found}" if found else CHECKED


def finder_of(marker: Marker, receipt: Receipt) -> MarkFinder:
    """Give what finds the marks of a receipt."""
    return MarkFinder(marker, {kind: read_marks(receipt.marks.get(kind, ())) for kind in MARK_KINDS})


def signed(receipt: Receipt, key: bytes) -> Receipt:
    """Sign a receipt."""
    return replace(receipt, signature=_signature(receipt.document(), key))


def _signature(document: Mapping[str, Any], key: bytes) -> str:
    content = {name: value for name, value in document.items() if name != "signature"}
    return hmac.digest(key, _canonical(content), "sha256").hex()


def _canonical(content: Any) -> bytes:  # noqa: ANN401 - JSON
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def parsed(given: Receipt | Mapping[str, Any] | str | bytes) -> Receipt:
    """Read a receipt. Raises ReceiptRefused for what is none, or one of a newer version."""
    if isinstance(given, Receipt):
        return given
    try:
        content = dict(json.loads(given) if isinstance(given, (str, bytes)) else given)
    except (ValueError, TypeError, RecursionError) as error:
        raise ReceiptRefused(
            f"This is no receipt of forgetting: {error}. Give the file as `forget` wrote it."
        ) from None
    version = content.get("version")
    if "signature" not in content or not isinstance(version, int):
        raise ReceiptRefused("This is no receipt of forgetting: it has no version and signature.")
    if not 1 <= version <= RECEIPT_VERSION:
        raise ReceiptRefused(
            f"The receipt has version {version}; this version of recollect knows 1 to {RECEIPT_VERSION}. Upgrade it."
        )
    try:
        audit = AuditPosition(**content.pop("audit"))
        marks = {kind: tuple(hashes) for kind, hashes in content.pop("marks").items()}
        content |= {name: tuple(content[name]) for name in ("kept", "not_covered", "unseen") if name in content}
        return Receipt(**content, audit=audit, marks=marks)
    except (KeyError, TypeError, AttributeError) as error:
        raise ReceiptRefused(f"The receipt was changed: {error}. Give the file as `forget` wrote it.") from None


def insist_genuine(engine: Engine, receipt: Receipt) -> None:
    """Raise ReceiptRefused unless this store signed the receipt, and nothing in it was changed since."""
    keys = engine.store.receipt_keys()
    if receipt.key != keys.name or receipt.store != f"{engine.store.identity():x}":
        raise ReceiptRefused(
            f"The receipt is of another store: {receipt.store}, with the key {receipt.key}. Open that store, or one "
            "that was restored from a backup of it."
        )
    try:
        expected = _signature(receipt.document(), keys.signing)
    except (TypeError, ValueError) as error:
        raise ReceiptRefused(f"The receipt was changed: {error}.") from None
    if not hmac.compare_digest(expected.encode(), str(receipt.signature).encode("utf-8", "surrogatepass")):
        raise ReceiptRefused("The receipt was changed: its signature does not fit. Give the file as `forget` wrote it.")
