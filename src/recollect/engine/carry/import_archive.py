"""Brings an archive into a store: in batches, each of which is whole or has not happened.

The invariant: nothing is changed or removed. What is there is left as it is, what was forgotten here stays away, and
whatever was found is counted as brought or as skipped with a reason. So an import can be repeated, also after a crash.
"""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from recollect import encryption
from recollect.engine import stored_files
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import authored_metadata, owner_of
from recollect.engine.carry import forgotten_rows
from recollect.engine.carry.archive import ExportFile, open_archive
from recollect.engine.carry.export import insist_not_own, outgoing
from recollect.engine.carry.forgotten_rows import KeptAway, message_of, record_of
from recollect.engine.carry.lines import MEDIA, ArchivedVector, with_value
from recollect.engine.drafts import memory_drafts, tombstones
from recollect.engine.drafts.items import terms_of
from recollect.engine.vectors import model_change
from recollect.errors import InvalidDocument, InvalidInput, RecollectError
from recollect.model.memories import Scope, Space
from recollect.storage.base import StoreWriter
from recollect.storage.base.tables import (
    CHUNKS,
    CONVERSATIONS,
    DERIVATIONS,
    FILES,
    MEMORIES,
    MESSAGES,
    SEARCH_LOG,
    TOMBSTONES,
    TRANSFERRED,
    UNREAD_MESSAGES,
    ImportedRows,
    IncomingRow,
    Row,
    TransferTable,
)
from recollect.text.chunks import chunk_terms
from recollect.text.passages import PASSAGES

ALREADY_THERE: Final = "already there"
DIFFERENT: Final = "there already, and different; it was left as it is"
SAID_ALREADY: Final = "the same is there under another id"
FORGOTTEN: Final = "it was forgotten here, and does not come back"
WITHOUT_REST: Final = "what it belongs to was left out"
OTHER_MODEL: Final = "made with another model; they are made anew"
NO_ORIGINAL: Final = "the original is not in the archive"
TOMBSTONES_STAY: Final = "only an administrator brings tombstones"

_MOST_ROWS: Final = 1_000
_MOST_CHARACTERS: Final = 2_000_000
_MOST_USERS: Final = 100
_VECTORS_AT_ONCE: Final = 500
_MOST_EXAMPLES: Final = 20
_AUTHORED: Final = (MEMORIES, MESSAGES, FILES)
_STATUS: Final = MESSAGES.names.index("status")
_ORIGINAL: Final = FILES.names.index("original")
# What rows cannot be without, and where they name it.
_BELONGS_TO: Final = {
    MESSAGES: (CONVERSATIONS, MESSAGES.names.index("conversation_id")),
    UNREAD_MESSAGES: (MESSAGES, 0),
    CHUNKS: (FILES, 1),
}
_QUERY: Final = SEARCH_LOG.names.index("query")

T = TypeVar("T")

ImportProgressListener: TypeAlias = Callable[[str, int, int], None]


class ImportOptions(NamedTuple):
    """Which user of an archive is meant and into whose memory, what becomes of it, and what decrypts it."""

    of_user: str | None = None
    into: Scope | None = None
    dry_run: bool = False
    tombstones: bool = True
    tell: ImportProgressListener | None = None
    identity: str | PathLike[str] | None = None
    passphrase: str = ""


@dataclass(slots=True)
class ArchiveReport:
    """What an import of an archive brought, and what it left out and why."""

    users: tuple[str, ...] = ()
    brought: Counter[str] = field(default_factory=Counter)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def skip(self, what: str, reason: str, amount: int = 1, example: str = "") -> None:
        """Count what was left out."""
        if not amount:
            return
        self.skipped[what, reason] += amount
        if example and len(self.examples) < _MOST_EXAMPLES:
            self.examples.append(f"{example}: {reason}")


def import_archive(engine: Engine, given: str, options: ImportOptions) -> ArchiveReport:
    """Bring an archive of ours. Raises InvalidDocument, before anything is written, for one that is damaged."""
    path = Path(given).expanduser()
    insist_not_own(engine, path)
    key = encryption.key_for(options.identity, options.passphrase)
    with _plain(path, key) as source, open_archive(path, source) as archive:
        chosen = _chosen(archive, options)
        report = ArchiveReport(tuple(scope.user_id for scope in chosen.values()))
        if options.dry_run:
            for (user, what), amount in archive.counts.items():
                report.brought[what] += amount if user in chosen else 0
            return report
        _Import(engine, archive, chosen, report, options).run()
        return report


@contextmanager
def _plain(path: Path, key: encryption.FileKey) -> Iterator[BinaryIO]:
    """Open a file; one that is encrypted is decrypted into a file without a name. Raises InvalidDocument."""
    with ExitStack() as stack:
        try:
            source = stack.enter_context(path.open("rb"))
            plain: BinaryIO = source
            if encryption.is_encrypted(source):
                plain = cast("BinaryIO", stack.enter_context(tempfile.TemporaryFile()))
                encryption.decrypt(source, plain, key)
        except OSError as error:
            raise InvalidDocument(f"{path} cannot be read: {error.strerror or error}.") from error
        yield plain


def _chosen(archive: ExportFile, options: ImportOptions) -> dict[str, Scope]:
    """Say which users of the archive are brought, and into whose memory."""
    users = archive.manifest.users
    if options.of_user is not None:
        if options.of_user not in users:
            raise InvalidInput(f"{archive.path} holds nothing of the user {options.of_user!r}. {_named(users)}")
        users = (options.of_user,)
    if options.into is None:
        return {user: owner_of(user) for user in users}
    if len(users) > 1:
        raise InvalidInput(
            f"{archive.path} holds the memories of several users, which shall not be mixed: say whose are meant. "
            f"{_named(users)}"
        )
    return dict.fromkeys(users, options.into)


def _named(users: Sequence[str]) -> str:
    return f"Users in it: {', '.join(users[:10]) or 'none'}{', …' if len(users) > 10 else ''}."  # noqa: PLR2004


class _Judged(NamedTuple):
    """The rows of a batch that are new, and why the others are left out."""

    new: list[Row]
    skipped: list[tuple[Row, str]]


class _Import:
    """An import under way."""

    def __init__(
        self,
        engine: Engine,
        archive: ExportFile,
        chosen: dict[str, Scope],
        report: ArchiveReport,
        options: ImportOptions,
    ) -> None:
        self._engine = engine
        self._archive = archive
        self._chosen = chosen
        self._report = report
        self._options = options
        self._careful = {scope: tombstones.unless_emptied(engine, scope) for scope in chosen.values()}
        self._originals: dict[tuple[str, str], str] = {}  # the names of those that were kept, by users and digests
        self._changed: set[str] = set()  # the ids of items that are there and say something else
        self._left: dict[Scope, KeptAway] = {}

    def run(self) -> None:
        """Bring all tables, then vectors."""
        space = self._usable_space()
        self._left = forgotten_rows.find(self._engine, self._archive, self._chosen)
        if self._options.tombstones:
            self._engine.store.add_secrets(self._archive.secrets())
        for table in TRANSFERRED:
            if table is TOMBSTONES:
                self._settle()
            if table is not TOMBSTONES or self._options.tombstones:
                self._bring_table(table)
            else:
                amount = sum(self._archive.counts.get((user, table.name), 0) for user in self._chosen)
                self._report.skip(table.name, TOMBSTONES_STAY, amount)
        if space is not None:
            self._bring_vectors(space)
        for scope in self._chosen.values():
            self._engine.forget_cached(scope)
        self._engine.background.wake()

    def _usable_space(self) -> Space | None:
        """Give the space of the archive's vectors, if this store uses it or has none yet."""
        space, own = self._archive.manifest.space, self._engine.space
        if space is None:
            return None
        active = model_change.active(self._engine.store.spaces())
        if (active or own) not in (None, space):
            vectors = sum(1 for vector in self._archive.vectors() if vector.user in self._chosen)
            self._report.skip("vectors", OTHER_MODEL, vectors)
            return None
        if active is None:
            model_change.open_first(self._engine, space)
        return space

    def _bring_table(self, table: TransferTable) -> None:
        total = sum(self._archive.counts.get((user, table.name), 0) for user in self._chosen)
        done = 0
        for batch in self._batches(table):
            if table is not TOMBSTONES:  # find again what stays away from users who have forgotten something meanwhile
                resets = {scope: self._engine.store.read(scope, lambda rows: rows.resets()) for scope, _ in batch}
                changed = {scope for scope, amount in resets.items() if amount != self._left[scope].resets}
                chosen = {user: scope for user, scope in self._chosen.items() if scope in changed}
                self._left |= forgotten_rows.find(self._engine, self._archive, chosen)
            prepared = [(scope, self._prepared(scope, table, rows)) for scope, rows in batch]
            self._bring(table, prepared)
            self._engine.priority.give_way()
            done += sum(len(rows) for _, rows in batch)
            if self._options.tell is not None:
                self._options.tell(table.name.replace("_", " "), done, total)

    def _prepared(self, scope: Scope, table: TransferTable, rows: list[Row]) -> list[Row]:
        """Keep the originals of rows that are about to be brought."""
        if self._engine.author and table in _AUTHORED:  # the member who imports: an archive could name any other
            position = table.names.index("metadata")
            rows = [with_value(row, position, authored_metadata(self._engine, row[position])) for row in rows]
        if table is MESSAGES:
            reopened = self._left[scope].reopened
            rows = [with_value(row, _STATUS, "active") if row[0] in reopened else row for row in rows]
        if not any(_digests(table, row) for row in rows):
            return rows
        left = self._left[scope]
        judged = self._engine.store.write(scope, lambda writer: _judge(writer, table, rows, left))
        kept = {
            row[0]: [self._kept(scope, table, row, digest) for digest in _digests(table, row)] for row in judged.new
        }
        if table is not FILES:
            return rows
        # which then name it as this store does
        return [with_value(row, _ORIGINAL, kept[row[0]][0]) if kept.get(row[0]) else row for row in rows]

    def _kept(self, scope: Scope, table: TransferTable, row: Row, digest: str) -> str:
        """Keep an original, once for each user; gives its name, or nothing when the archive lacks it."""
        place = (scope.user_id, digest)
        if place in self._originals and table is not FILES:
            return self._originals[place]
        data = self._archive.original(digest)
        name = "" if data is None else self._engine.originals.keep(scope.user_id, digest, data)
        self._originals[place] = name
        self._report.brought["originals"] += bool(name)
        self._report.skip("originals", NO_ORIGINAL, int(data is None), example=f"{table.name} {row[0]}")
        return name

    def _batches(self, table: TransferTable) -> Iterator[list[tuple[Scope, list[Row]]]]:
        """Give as many rows as fit into a transaction, by their users, who are in the order of their ids."""
        batch = defaultdict[Scope, list[Row]](list)
        amount = size = 0
        for user, row in self._archive.rows(table):
            if user not in self._chosen:
                continue
            batch[self._chosen[user]].append(row)
            amount += 1
            size += sum(len(value) for value in row if isinstance(value, str))
            if amount >= _MOST_ROWS or size >= _MOST_CHARACTERS:
                yield sorted(batch.items(), key=lambda share: share[0].user_id)
                batch.clear()
                amount = size = 0
        if batch:
            yield sorted(batch.items(), key=lambda share: share[0].user_id)

    def _bring(self, table: TransferTable, batch: Sequence[tuple[Scope, list[Row]]]) -> None:
        """Write a batch, and count what became of it once that is certain."""
        outcomes = [list[tuple[Row, str]]() for _ in batch]
        works = [
            (scope, self._work(scope, table, rows, outcome))
            for (scope, rows), outcome in zip(batch, outcomes, strict=True)
        ]
        for written, outcome in zip(_write_together(self._engine, works), outcomes, strict=True):
            self._report.brought[table.name] += written.written
            for row, reason in outcome:
                named = "" if reason == ALREADY_THERE else f"{table.name} {table.key_of(row)[0]}"
                self._report.skip(table.name, reason, example=named)
                if reason == DIFFERENT and table.kind:
                    self._changed.add(row[0])

    def _work(
        self, scope: Scope, table: TransferTable, rows: Sequence[Row], outcome: list[tuple[Row, str]]
    ) -> Callable[[StoreWriter], ImportedRows]:
        """Give what writes the rows of one user; it notes which of them it leaves out, and why."""
        engine = self._engine if table is TOMBSTONES else self._careful[scope]
        now, left = engine.clock.now(), self._left[scope]

        def work(writer: StoreWriter) -> ImportedRows:
            judged = _judge(writer, table, _hashed_anew(table, rows), left)
            if table is CONVERSATIONS:
                judged = judged._replace(new=forgotten_rows.without_titles(writer, judged.new))
            if table is SEARCH_LOG and writer.has_tombstones():  # some may have asked for what was forgotten here
                judged = judged._replace(new=[with_value(row, _QUERY, "") for row in judged.new])
            refused = writer.insert_rows(
                table, [_incoming(table, row) for row in judged.new], engine.models.latest, now
            )
            late = [(row, SAID_ALREADY) for row in judged.new if table.key_of(row) in refused]
            outcome[:] = judged.skipped + late
            return ImportedRows(len(judged.new) - len(late))

        return engine.wrapped(scope, work)

    def _settle(self) -> None:
        """Take back what cannot stand alone."""
        scopes = sorted(self._chosen.values(), key=lambda scope: scope.user_id)
        for first in range(0, len(scopes), _MOST_USERS):
            works = [(scope, lambda writer: writer.settle_import()) for scope in scopes[first : first + _MOST_USERS]]
            for lost in _write_together(self._engine, works):
                self._report.brought["memories"] -= lost
                self._report.skip("memories", WITHOUT_REST, lost)

    def _bring_vectors(self, space: Space) -> None:
        batch: list[ArchivedVector] = []
        for vector in self._archive.vectors():
            if vector.user not in self._chosen or vector.id in self._changed:
                continue
            full = len(batch) >= _VECTORS_AT_ONCE and vector.id != batch[-1].id
            if batch and (full or (vector.user, vector.kind) != batch[0][:2]):
                self._write_vectors(space, batch)
                batch = []
            batch.append(vector)
        if batch:
            self._write_vectors(space, batch)
        if self._archive.manifest.passages < PASSAGES:  # long texts lack some vectors, which `maintain` then makes
            self._engine.store.set_passages(0)

    def _write_vectors(self, space: Space, batch: Sequence[ArchivedVector]) -> None:
        scope, kind = self._chosen[batch[0].user], batch[0].kind
        parts = {item_id: [*group] for item_id, group in groupby(batch, key=lambda one: one.id)}
        whole = {  # a matrix needs the whole text and all its passages; without some, the queue makes them
            item_id: np.stack([one.vector for one in group])
            for item_id, group in parts.items()
            if [one.part for one in group] == [*range(len(group))]
        }
        item_ids, vectors = [*whole], [*whole.values()]

        def work(writer: StoreWriter) -> ImportedRows:
            return ImportedRows(writer.insert_late_vectors(space, kind, item_ids, vectors))

        self._report.brought["vectors"] += self._careful[scope].store.write(scope, work).written


def _digests(table: TransferTable, row: Row) -> list[str]:
    if table is FILES:
        return [row[_ORIGINAL]] if row[_ORIGINAL] else []
    media = row[table.names.index(MEDIA)] if table in (MEMORIES, MESSAGES) else ()
    return [medium["original"] for medium in media if "original" in medium]


def _write_together(engine: Engine, works: Sequence[tuple[Scope, Callable[[StoreWriter], T]]]) -> Iterator[T]:
    """Write for several users in one transaction. Raises what one of them failed with; the others' is stored."""
    for outcome in engine.store.write_many(works).result():
        if isinstance(outcome, RecollectError):
            raise outcome
        yield outcome


def _judge(writer: StoreWriter, table: TransferTable, rows: Sequence[Row], left: KeptAway) -> _Judged:
    """Tell what is new from what is there, was forgotten, or has lost what it belongs to."""
    known = writer.known_rows(table, rows)
    new: list[Row] = []
    skipped: list[tuple[Row, str]] = []
    gone = forgotten_rows.forgotten(writer, table, rows) | (left.items if table.kind or table is FILES else set())
    for row in rows:
        stored = known.get(table.key_of(row))
        if stored is None:
            new.append(row)
            continue
        same = table is TOMBSTONES or (outgoing(stored) if table is FILES else stored) == row
        if not same and table is CONVERSATIONS and row[0] not in gone:
            writer.extend_conversation(row)
        skipped.append((row, ALREADY_THERE if same else DIFFERENT))
    if table is DERIVATIONS:
        ends = {end for row in new for end in (row[:2], row[2:4])}
        there = {
            kind: writer.known_ids(table, [item_id for other, item_id in ends if other == kind])
            for kind, table in (("memory", MEMORIES), ("message", MESSAGES))
        }
        held = [row[1] in there[row[0]] and row[3] in there[row[2]] for row in new]
        skipped += [(row, WITHOUT_REST) for row, holds in zip(new, held, strict=True) if not holds]
        return _Judged([row for row, holds in zip(new, held, strict=True) if holds], skipped)
    reasons = dict.fromkeys(gone, FORGOTTEN) | _left_out(writer, table, new, gone)
    skipped += [(row, reasons[row[0]]) for row in new if row[0] in reasons]
    return _Judged([row for row in new if row[0] not in reasons], skipped)


def _left_out(writer: StoreWriter, table: TransferTable, rows: Sequence[Row], gone: set[str]) -> dict[str, str]:
    """Give the ids of rows that have lost what they belong to, or a sentence, and why they must not come."""
    if not rows or table not in _BELONGS_TO:
        return {}
    owner, position = _BELONGS_TO[table]
    there = writer.known_ids(owner, list({row[position] for row in rows}))
    reasons = {row[0]: WITHOUT_REST for row in rows if row[position] not in there}
    if table is MESSAGES:  # what was forgotten is said to be
        return {message_id: reason for message_id, reason in reasons.items() if message_id not in gone}
    if table is not CHUNKS:
        return reasons
    said = [text for row in rows for text in row[2:4]]
    masked = stored_files.mask_forgotten(writer, said)
    changed = [said[at : at + 2] != masked[at : at + 2] for at in range(0, len(said), 2)]
    return {row[0]: FORGOTTEN for row, other in zip(rows, changed, strict=True) if other} | reasons


def _incoming(table: TransferTable, row: Row) -> IncomingRow:
    """Give a row with what is made anew from it."""
    if table is MEMORIES:
        record = record_of(row)
        return IncomingRow(row, terms_of(record), record)
    if table is MESSAGES:
        message = message_of(row)
        return IncomingRow(row, terms_of(message), message)
    if table is CHUNKS:
        return IncomingRow(row, chunk_terms(row[3], row[2]))
    return IncomingRow(row)


def _hashed_anew(table: TransferTable, rows: Sequence[Row]) -> Sequence[Row]:
    """Give rows with hashes of this version: an archive may be older, or say what it likes. What is right stays."""
    if table is not MEMORIES:
        return rows
    place = MEMORIES.names.index("content_hash")
    anew = []
    for row in rows:
        made = memory_drafts.content_hash(record_of(row))
        right = memory_drafts.words_hash(str(row[place])) == memory_drafts.words_hash(made)
        anew.append(row if right else with_value(row, place, made))
    return anew
