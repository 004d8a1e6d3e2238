"""Two neighbours in one database.

What one has resembles what the other has: the same words, slots, names of conversations, hashes, and even an id that
both use. So a query that forgets to name its user is bound to meet the other's rows.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np

from recollect.engine.drafts.memory_drafts import draft_memories
from recollect.model.files import ChunkDraft, FileRecord, Folder, IndexedTextPiece, NamedRoot, TextPiece
from recollect.model.filters import ChunkFilters, Filters, MessageFilters
from recollect.model.media import Media
from recollect.model.memories import Draft, MessageDraft, NewMemory, Scope, Space, Vector
from recollect.model.messages import ConversationRecord, Message, Usage
from recollect.model.places import Located, NamedPlace
from recollect.model.scopes import Membership, shared_scope
from recollect.model.stats import AuditLine
from recollect.storage.base import (
    CachedPassageVector,
    CachedPlace,
    CachedQueryVector,
    Derivation,
    SearchNote,
    StoredResponse,
    StoreWriter,
)
from recollect.storage.base.tables import TRANSFERRED, Row
from recollect.storage.postgres.store import PostgresStore
from recollect.storage.postgres.writer import PostgresWriter

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=30)
EARLIER = NOW - timedelta(days=60)
ME = Scope("me")
OTHER = Scope("another")  # comes before "me" in every order
OUR_SCOPE = shared_scope("ours")
THEIR_SCOPE = shared_scope("theirs")
SPACE = Space("test", "quick", "1", "none", 384, normalised=False)
VECTOR = np.eye(1, 384, dtype=np.float32)[0]
LIVE = Filters(now=NOW)
SAID = MessageFilters()
FILED = ChunkFilters()
OTHER_ID = f"cccccccc-0000-7000-8000-{8:012d}"
ASKED = CachedQueryVector(SPACE, "a question", VECTOR, Usage(1, 0), 1)
SOON = NOW + timedelta(hours=1)
GEOCODER = "a geocoder"
HERE = (49.2, 16.6)
SHARED = "ffffffff-0000-7000-8000-000000000099"


class Home(NamedTuple):
    """The ids of what one of them has."""

    memories: list[str]
    messages: list[str]
    files: list[str]
    chunks: list[str]


def _home(letter: str, amount: int) -> Home:
    def ids(block: int) -> list[str]:
        return [f"{letter * 8}-0000-7000-8000-{block:04d}{number:08d}" for number in range(amount)]

    return Home([*ids(1), SHARED], [*ids(2), SHARED], [*ids(3), SHARED], [*ids(4), SHARED])


MINE = _home("b", 3)
THEIRS = _home("a", 5)


def original(number: int) -> str:
    return f"{number:064x}"


def drafts_of(home: Home) -> list[Draft]:
    texts = [f"The pump hums {number}" for number in range(len(home.memories))]
    offered = [
        NewMemory(
            text,
            type="fact",
            subject="pump",
            key=f"key{number}",
            session="s1",
            source="user_stated",
            media=[Media("image", original=original(number), size=7)] if number != 4 else [],
        )
        for number, text in enumerate(texts)
    ]
    drafts = draft_memories(offered, LONG_AGO)
    made = [
        draft._replace(record=draft.record._replace(id=memory_id), vector=VECTOR)
        for draft, memory_id in zip(drafts, home.memories, strict=True)
    ]
    made[1] = made[1]._replace(record=made[1].record._replace(expires_at=NOW - timedelta(days=1)))
    made[2] = made[2]._replace(vector=None)  # it is owed one
    room, street = ("loft", "Their Street 1") if home is THEIRS else ("attic", "Old Street 1")
    for number, address, label in ((0, "", room), (1, street, ""), (2, "", ""), (3, "", room)):
        where = made[number].record._replace(lat=HERE[0], lng=HERE[1], address=address, place_label=label)
        made[number] = made[number]._replace(record=where)
    if home is MINE:
        made[3] = made[3]._replace(vector=None)  # the other has one under the same id
    if home is THEIRS:
        made[4] = made[4]._replace(record=made[4].record._replace(subject="cellar", place_label="lonely"))
    return made


def a_message(message_id: str, number: int) -> Message:
    return Message(
        id=message_id,
        conversation="c1",
        external_id=f"x{number}" if number else "",
        sequence=number,
        role="user",
        speaker="",
        content=f"The pump hums {number}?",
        blocks=(),
        tool_calls=(),
        tool_call_id="",
        tokens=5,
        status="archived" if number == 1 else "active",
        trust=3,
        model="",
        input_tokens=None,
        output_tokens=None,
        thinking_tokens=None,
        feedback=-1 if number == 2 else None,
        metadata={},
        said_at=LONG_AGO,
        created_at=LONG_AGO,
        lat=HERE[0],
        lng=HERE[1],
        address=f"Road {message_id}",
    )


def a_conversation(name: str, size: int) -> ConversationRecord:
    return ConversationRecord(name, private=False, last_sequence=size, compacting_until=None, metadata={},
                              created_at=LONG_AGO, updated_at=LONG_AGO)  # fmt: skip


def a_file(file_id: str, number: int) -> FileRecord:
    """Give a synced file, and as the first a document."""
    return FileRecord(
        id=file_id,
        root="/notes" if number else "",
        path=f"{number}.md",
        source="memory" if number else "document",
        kind="markdown",
        mime="text/markdown",
        size=5,
        mtime_ns=5,
        ctime_ns=5,
        inode=5,
        digest=f"digest {number}",
        recipe=1,
        lines=1,
        chunks=1,
        trust=1,
        original=f"original {file_id}",
        dated_at=None,
        lat=HERE[0],
        lng=HERE[1],
        notes=(),
        metadata={},
        created_at=LONG_AGO,
        updated_at=LONG_AGO,
    )


def a_piece(chunk_id: str, number: int, vector: Vector | None = VECTOR) -> ChunkDraft:
    indexed = IndexedTextPiece(TextPiece(f"The pump hums {number}", "", 1, 1), f"hash {number}", "pump hum")
    return ChunkDraft(chunk_id, indexed, 1, None, vector)


def a_folder(root: str) -> Folder:
    return Folder(NamedRoot(root), "memory", {}, LONG_AGO, None, {})


def a_new_draft(number: int, now: datetime = NOW) -> Draft:
    """Give a draft that is new, always under the same id."""
    media = Media("image", original=original(number), size=7)
    (draft,) = draft_memories([NewMemory(f"New {number}", media=[media])], now)
    record = draft.record._replace(id=f"dddddddd-0000-7000-8000-{number:012d}")
    return draft._replace(record=record, vector=VECTOR, passages=VECTOR[None])


def furnish(store: PostgresStore) -> None:
    """Let both move in, the other one first; but I have been here before."""
    store.write(ME, _stay_for_a_night)
    store.forget_old_logs(answers=LONG_AGO, changes=EARLIER, searches=LONG_AGO, sessions=LONG_AGO)
    for scope, home in ((OTHER, THEIRS), (ME, MINE)):
        store.write(scope, lambda writer, home=home: _move_in(writer, home))  # type: ignore[misc]
        for number in range(len(home.memories)):
            note = SearchNote(
                home.memories[number], NOW, "recall", 1, 2.0, 0.5, "", "pump", found=home.memories[number]
            )
            store.note_searches(scope, [note], 100)
        store.count_cache_uses(scope, len(home.memories), 1)
        for number in range(len(home.memories)):
            cached = CachedPlace(f"{number}:0", Located(*HERE, f"Village {number}"), None)
            store.keep_geocoded(scope, GEOCODER, [cached], now=LONG_AGO, most=100, resets=store.resets(scope))
        store.note_question(
            scope, replace(ASKED, key="asked before", resets=store.resets(scope)), day="2026-02-01", now=NOW
        )
    for scope, name, members in ((OUR_SCOPE, "ours", ("me", "another")), (THEIR_SCOPE, "theirs", ("lodger",))):
        for member in members:
            joined = Membership(name, member, "reader", NOW, "local")
            store.write(scope, lambda writer, joined=joined: writer.set_member(joined))  # type: ignore[misc]
    _note_their_rows(store)


THEIR_ROWS: dict[str, list[Row]] = {}  # as an archive holds them; read once when they have moved in


def _note_their_rows(store: PostgresStore) -> None:
    with store.snapshot(OTHER) as snapshot:
        THEIR_ROWS.update({table.name: list(snapshot.rows(OTHER, table)) for table in TRANSFERRED})


def _stay_for_a_night(writer: StoreWriter) -> None:
    """Leave nothing behind but numbers that were used up."""
    drafts = [a_new_draft(number, EARLIER) for number in range(40)]
    writer.insert(drafts, SPACE)
    writer.delete([draft.record.id for draft in drafts])


def _move_in(writer: StoreWriter, home: Home) -> None:
    writer.insert(drafts_of(home), SPACE)
    writer.retire(home.memories[0], NOW, home.memories[1])
    writer.save_conversation(a_conversation("c1", len(home.messages)))
    if home is THEIRS:
        writer.save_conversation(a_conversation("c2", 0))
        for _ in range(2):  # so that something was forgotten more often than by me
            writer.delete([THEIRS.memories[3]])
        lost = a_new_draft(300, LONG_AGO)
        writer.insert([lost], SPACE)
        writer.retire(lost.record.id, NOW, OTHER_ID)  # which is not there
        writer.record_spending("2026-01-01", "summary", "theirs", Usage(1, 1))
    drafts = [
        MessageDraft(a_message(message_id, number), ("pump", "hum"), VECTOR)
        for number, message_id in enumerate(home.messages)
    ]
    writer.insert_messages(drafts, SPACE)
    writer.owe_readings(home.messages, LONG_AGO)
    pairs = zip(home.memories, home.messages, strict=True)
    writer.derive([Derivation("memory", made, "message", source) for made, source in pairs], NOW)
    for number, (file_id, chunk_id) in enumerate(zip(home.files, home.chunks, strict=True)):
        record = a_file(file_id, number)
        writer.save_file(record._replace(chunks=7) if (home, number) == (THEIRS, 1) else record)
        writer.insert_chunks(record, [a_piece(chunk_id, number)], SPACE)
        writer.save_folder(a_folder(f"/notes/{number}"))
    _name_in_vain(writer, "attic" if home is THEIRS else "lonely")
    for number, made in enumerate(home.memories):
        writer.save_named_place(NamedPlace(f"place {number}", *HERE, made, LONG_AGO))
    writer.bury([f"buried {number}" for number in range(len(home.memories))], NOW)
    writer.keep_paid(SPACE, [CachedPassageVector(f"paid {made}", made, VECTOR) for made in home.memories], NOW)
    for number, made in enumerate(home.memories):
        writer.keep_answer(made, StoredResponse("hash", made, private=True), NOW)
        writer.add_audit(AuditLine(number + 1, NOW, "local", "store", (made,), 1, made))


def _name_in_vain(writer: StoreWriter, label: str) -> None:
    """Note the name of a place at which nothing is; the neighbour has something at a place of that name."""
    assert isinstance(writer, PostgresWriter)
    writer._name_places([("", label)], LONG_AGO)
