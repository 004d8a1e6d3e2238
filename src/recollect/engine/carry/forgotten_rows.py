"""What of an archive was forgotten in the store: rows, and whatever was made from them. None of it comes back.

A row is recognised by its id, by what it says, and by what it belongs to. One that is newer than the forgetting was
said anew. What an archive says of how its rows were made decides before the first of them is written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Final

from recollect.engine.base.context import Engine
from recollect.engine.carry.archive import ExportFile
from recollect.engine.carry.lines import MEDIA, with_value
from recollect.engine.drafts import tombstones
from recollect.engine.drafts.tombstones import TombstoneMarks
from recollect.engine.forgetting import forget
from recollect.model.media import read_media
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.messages import Message, ToolCall
from recollect.model.readings import CAPTURED_BY
from recollect.storage.base import StoreReader, StoreWriter, UserRows
from recollect.storage.base.tables import (
    CHUNKS,
    CONVERSATIONS,
    DERIVATIONS,
    FILES,
    FOLDERS,
    MEMORIES,
    MESSAGES,
    NAMED_PLACES,
    SEARCH_LOG,
    Row,
    TransferTable,
)

_BATCH: Final = 1_000
_MARKS: Final = TombstoneMarks()
_SUMMARY: Final = "session_summary"
_RECORD: Final = len(MemoryRecord._fields)
_MESSAGE: Final = len(Message._fields)
_CALLS: Final = Message._fields.index("tool_calls")
_NOTED: Final = CONVERSATIONS.names.index("metadata")
_TYPE: Final = MEMORIES.names.index("type")
_SESSION: Final = MEMORIES.names.index("session_id")
_SAID: Final = ("content", "value", "blocks", "tool_calls", "metadata", "media")  # what a rewritten row says otherwise
# What tells whether a row is older than a forgetting. Spending has no words; other rows come with what they belong to.
_MOMENTS: Final = {
    **dict.fromkeys((MEMORIES.name, MESSAGES.name, FILES.name, CHUNKS.name), "created_at"),
    **dict.fromkeys((CONVERSATIONS.name, NAMED_PLACES.name), "updated_at"),
    FOLDERS.name: "scanned_at",
    SEARCH_LOG.name: "asked_at",
}


@dataclass(slots=True)
class KeptAway:
    """The ids of what stays away from a user, and of the messages that are active again without their summary.

    `made` was made from what was forgotten. `resets` tells how much the user had forgotten when this was found.
    """

    resets: int = 0
    items: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    reopened: set[str] = field(default_factory=set)
    _digests: set[str] = field(default_factory=set)  # memories that are summaries
    of_session: set[str] = field(default_factory=set)  # memories of a forgotten conversation

    def look(self, writer: StoreWriter, table: TransferTable, rows: Sequence[Row]) -> None:
        """Note which messages or memories were forgotten."""
        known = writer.known_rows(table, rows)
        said = [position for position, name in enumerate(table.names) if name in _SAID]
        new = []
        for row in rows:
            stored = known.get(table.key_of(row))
            if stored is None or any(row[position] != stored[position] for position in said):
                new.append(row)
        self.items |= forgotten(writer, table, new)
        if table is MEMORIES:
            self._digests.update(row[0] for row in rows if row[_TYPE] == _SUMMARY)
            marks = {row[0]: (tombstones.of_session(row[_SESSION]),) for row in new if row[_SESSION]}
            self.of_session |= _older(writer, table, [row for row in new if row[_SESSION]], marks)

    def look_for_sources(self, rows: StoreReader, notes: Sequence[Row]) -> None:
        """Note which sources were forgotten, be they in the archive or not."""
        sources = {tombstones.of_item(note[3]): note[3] for note in notes}
        self.items.update(sources[mark] for mark in rows.buried([*sources]))

    def spare(self, made_id: str, sources: Sequence[str]) -> None:
        """Keep a memory of a forgotten conversation that was also learned elsewhere, as forgetting does."""
        if not self.items.issuperset(sources):
            self.of_session.discard(made_id)

    def follow(self, kind: str, made_id: str, sources: Sequence[str]) -> bool:
        """Leave out what was made from this: a summary if any source was forgotten, else if all were."""
        if made_id in self.made:
            return False
        whole = kind == "message" or made_id in self._digests
        if made_id not in self.items and not (any if whole else all)(source in self.items for source in sources):
            return False
        self.made.add(made_id)
        self.items.add(made_id)
        return True

    def reopen(self, kind: str, made_id: str, sources: Sequence[str]) -> None:
        """Note what is active when a summary of it stays away."""
        if kind == "message" and made_id in self.items:
            self.reopened.update(source for source in sources if source not in self.items)


def find(engine: Engine, archive: ExportFile, chosen: Mapping[str, Scope]) -> dict[Scope, KeptAway]:
    """Find what must stay away from users."""
    found = {user: KeptAway(engine.store.read(scope, lambda rows: rows.resets())) for user, scope in chosen.items()}
    careful = {
        user: scope
        for user, scope in chosen.items()
        if engine.store.write(scope, lambda writer: writer.has_tombstones())
    }
    if careful:
        for table in (MESSAGES, MEMORIES):
            for user, rows in _batches(archive.rows(table), careful):
                engine.store.write(careful[user], partial(found[user].look, table=table, rows=rows))
        for user, notes in _batches(archive.rows(DERIVATIONS), careful):
            engine.store.read(careful[user], partial(found[user].look_for_sources, notes=notes))
    _follow(
        archive, {user: left for user, left in found.items() if user in careful and (left.items or left.of_session)}
    )
    for user, scope in careful.items():
        _forget_escaped(engine, scope, found[user])
    return {scope: found[user] for user, scope in chosen.items()}


def _follow(archive: ExportFile, found: Mapping[str, KeptAway]) -> None:
    """Leave out what was made from what is left out, and what was made from that."""
    if not found:
        return
    for user, _, made_id, sources in _notes(archive, found):
        found[user].spare(made_id, sources)
    for left in found.values():
        left.items |= left.of_session  # what was learned in a forgotten conversation and nowhere else
    while sum(found[user].follow(kind, made_id, sources) for user, kind, made_id, sources in _notes(archive, found)):
        pass
    for user, kind, made_id, sources in _notes(archive, found):
        found[user].reopen(kind, made_id, sources)


def _forget_escaped(engine: Engine, scope: Scope, left: KeptAway) -> None:
    """Forget what an import that was killed brought without the notes of what it was made from; nothing else."""

    def escaped(rows: UserRows) -> list[str]:
        made = [*left.made]
        noted = {note.made_id for note in rows.sources(made)}
        found = [message.id for message in rows.get_messages(made) if message.role == "summary"]
        memories = (record for record in rows.get(made) if record.type == _SUMMARY or CAPTURED_BY in record.metadata)
        found += [record.id for record in memories]
        return [item_id for item_id in found if item_id not in noted]

    if not left.made:
        return
    if engine.store.read(scope, escaped):
        forget.forget_chosen(engine, scope, escaped)
        engine.write(scope, lambda writer: writer.set_status([*left.reopened], "active"))
        left.resets = engine.store.read(scope, lambda rows: rows.resets())


def _batches(rows: Iterator[tuple[str, Row]], users: Mapping[str, Scope]) -> Iterator[tuple[str, list[Row]]]:
    for user, group in groupby(rows, key=itemgetter(0)):
        coming = (row for _, row in group)
        while user in users and (some := [*islice(coming, _BATCH)]):
            yield user, some


def _notes(archive: ExportFile, users: Mapping[str, KeptAway]) -> Iterator[tuple[str, str, str, list[str]]]:
    """Give for what was made its user, kind and id, and the ids of its sources."""
    for (user, kind, made_id), notes in groupby(archive.rows(DERIVATIONS), key=lambda one: (one[0], *one[1][:2])):
        if user in users:
            yield user, kind, made_id, [note[3] for _, note in notes]


def forgotten(writer: StoreWriter, table: TransferTable, rows: Sequence[Row]) -> set[str]:
    """Give the keys of rows that were forgotten, but for what was made from the forgotten."""
    if table.name not in _MOMENTS or not rows or not writer.has_tombstones():
        return set()
    return _older(writer, table, rows, {row[0]: _marks(table, row) for row in rows})


def without_titles(writer: StoreWriter, rows: Sequence[Row]) -> list[Row]:
    """Give conversations that went on after they were forgotten without what was noted about them before."""
    marks = {row[0]: _marks(CONVERSATIONS, row) for row in rows}
    begun = _older(writer, CONVERSATIONS, rows, marks, "created_at")
    return [with_value(row, _NOTED, {}) if row[0] in begun else row for row in rows]


def _older(
    writer: StoreWriter, table: TransferTable, rows: Sequence[Row], marks: Mapping[str, Sequence[str]], moment: str = ""
) -> set[str]:
    """Give the keys of rows with a tombstone that are older than it."""
    found, at = tombstones.forgotten_at(writer, marks), table.names.index(moment or _MOMENTS[table.name])
    stored = table.names.index("created_at") if table is CONVERSATIONS else at  # what is brought was said before
    return {row[0] for row in rows if row[0] in found and max(found[row[0]]) >= max(row[at], row[stored])}


def _marks(table: TransferTable, row: Row) -> Sequence[str]:
    if table is MEMORIES:
        return tombstones.OLDER, *_MARKS.of_memory(record_of(row))
    if table is MESSAGES:
        return tombstones.OLDER, *_MARKS.of_message(message_of(row))
    if table is FILES:
        root, path, digest = (row[FILES.names.index(name)] for name in ("root", "path", "digest"))
        folder = (tombstones.of_folder(root),) if root else ()
        return tombstones.OLDER, tombstones.of_item(row[0]), *folder, *tombstones.of_file(root, path, digest)
    kinds = {
        CHUNKS.name: tombstones.of_item,
        CONVERSATIONS.name: tombstones.of_session,
        FOLDERS.name: tombstones.of_folder,
        NAMED_PLACES.name: tombstones.of_place,
    }
    return tombstones.OLDER, *([kinds[table.name](row[0])] if table.name in kinds else ())


def record_of(row: Row) -> MemoryRecord:
    """Give the memory of a row."""
    return MemoryRecord._make(row[:_RECORD])._replace(media=read_media(row[MEMORIES.names.index(MEDIA)]))


def message_of(row: Row) -> Message:
    """Give the message of a row."""
    calls, media = tuple(ToolCall(*call) for call in row[_CALLS]), read_media(row[MESSAGES.names.index(MEDIA)])
    return Message._make(row[:_MESSAGE])._replace(tool_calls=calls, media=media)
