"""Everything with which one of two neighbours could try to reach the other's rows."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial

from recollect.model.files import ChunkMark
from recollect.model.filters import Filters, ItemFilters
from recollect.model.geo import Circle
from recollect.model.literals import ITEM_KINDS
from recollect.model.memories import Draft, Fingerprint, MessageDraft, Slot
from recollect.model.messages import Usage
from recollect.model.places import NamedPlace, place_id
from recollect.model.scopes import Membership
from recollect.model.stats import AuditLine
from recollect.storage.base import (
    CachedPassageVector,
    CachedPlace,
    Derivation,
    EmbedJob,
    GeocodeJob,
    ReadJob,
    Retirement,
    SearchNote,
    StoredResponse,
    StoreReader,
    StoreWriter,
    TouchedFile,
    TransferReader,
    UnlocatedItem,
    UnnamedPlace,
)
from recollect.storage.base.tables import TOMBSTONES, TRANSFERRED, IncomingRow, Row, TransferTable
from recollect.storage.postgres.cluster import ServerCluster
from recollect.storage.postgres.store import PostgresStore
from recollect.storage.postgres.writer import PostgresWriter
from tests.storage.neighbours import (
    ASKED,
    FILED,
    GEOCODER,
    HERE,
    LIVE,
    LONG_AGO,
    ME,
    MINE,
    NOW,
    OTHER_ID,
    OUR_SCOPE,
    SAID,
    SHARED,
    SOON,
    SPACE,
    THEIR_ROWS,
    THEIRS,
    VECTOR,
    a_conversation,
    a_file,
    a_folder,
    a_message,
    a_new_draft,
    a_piece,
    drafts_of,
    original,
)

Crossing = Callable[[PostgresStore], object]


def _reading(work: Callable[[StoreReader], object]) -> Crossing:
    return lambda store: store.read(ME, work)


def _writing(work: Callable[[StoreWriter], object]) -> Crossing:
    return lambda store: store.write(ME, work)


# What I could ask; of what has an id, by the other's ids.
READS: dict[str, Crossing] = {
    name: _reading(work)
    for name, work in {
        "generation": lambda r: r.generation(),
        "get": lambda r: r.get(THEIRS.memories),
        "select": lambda r: r.select(LIVE, 100),
        "count": lambda r: r.count(LIVE),
        "timeline": lambda r: r.timeline(LIVE, 100),
        "moments": lambda r: r.moments(None, None, NOW),
        "subjects": lambda r: [r.subjects(LIVE), r.subjects(Filters(now=NOW, subject="pump"))],
        "chain": lambda r: [r.chain(one) for one in (*THEIRS.memories, *MINE.memories)],
        "everything": lambda r: r.everything(),
        "of_session": lambda r: r.of_session("s1"),
        "of_source": lambda r: r.of_source("user_stated"),
        "expired": lambda r: r.expired(NOW),
        "nearest": lambda r: r.nearest(SPACE, VECTOR, LIVE, 100),
        "nearest inside": lambda r: r.nearest(SPACE, VECTOR, Filters(now=NOW, near=Circle(*HERE, 5.0)), 100),
        "cosines": lambda r: r.cosines("memory", SPACE, VECTOR, THEIRS.memories),
        "wish_cosines": lambda r: r.wish_cosines("memory", SPACE, VECTOR, [a_new_draft(300).record.id]),
        "embedded": lambda r: [row.id for row in r.embedded(SPACE, LIVE, 100)],
        "stored_vectors": lambda r: [str(one) for one in r.stored_vectors(SPACE, THEIRS.memories).values()],
        "indexed": lambda r: [r.indexed(kind, 100) for kind in ITEM_KINDS],
        "stats": lambda r: r.stats(SPACE, NOW),
        "conversation": lambda r: r.conversation("c2"),
        "conversations": lambda r: r.conversations(100),
        "conversation_ids": lambda r: r.conversation_ids(),
        "get_messages": lambda r: r.get_messages(THEIRS.messages),
        "active_messages": lambda r: [r.active_messages("c1", limit) for limit in (1, 100)],
        "active_size": lambda r: r.active_size("c1"),
        "folded": lambda r: r.folded("c1", reasoning=True),
        "last_messages": lambda r: r.last_messages("c1", 100),
        "around": lambda r: r.around(THEIRS.messages, 3, SAID),
        "said_between": lambda r: r.said_between(SAID, 100),
        "message_ids": lambda r: r.message_ids("c1"),
        "delivered": lambda r: r.delivered("c1", [f"x{number}" for number in range(9)]),
        "buried": lambda r: sorted(r.buried([f"buried {number}" for number in range(9)]).items()),
        "unlearned": lambda r: r.unlearned(THEIRS.messages),
        "sources": lambda r: r.sources(THEIRS.memories),
        "made_from": lambda r: r.made_from(THEIRS.messages),
        "changed_sayings": lambda r: r.changed_sayings([*THEIRS.memories, *THEIRS.messages]),
        "versions_around": lambda r: r.versions_around(THEIRS.memories, 100),
        "answer": lambda r: r.answer(THEIRS.memories[1], LONG_AGO),
        "changes": lambda r: [r.last_change(), r.first_change(), r.changes(0, 100)],
        "audit": lambda r: r.audit(0, 100),
        "search_figures": lambda r: r.search_figures(LONG_AGO),
        "searches": lambda r: r.searches(LONG_AGO, 100),
        "coverage": lambda r: r.coverage(SPACE),
        "growth": lambda r: [r.growth(kind) for kind in ITEM_KINDS],
        "untidy_memories": lambda r: r.untidy_memories(100, 100),
        "untidy_messages": lambda r: r.untidy_messages(100, 100, SOON),
        "file": lambda r: [r.file(file_id) for file_id in THEIRS.files],
        "file_at": lambda r: [r.file_at("/notes", f"{number}.md") for number in range(9)],
        "document": lambda r: r.document("digest 0"),
        "file_marks": lambda r: r.file_marks("/notes"),
        "known_files": lambda r: r.known_files("/notes"),
        "file_ids": lambda r: r.file_ids(),
        "has_original": lambda r: [r.has_original(original(number)) for number in range(9)],
        "own_originals": lambda r: r.own_originals(THEIRS.memories),
        "files": lambda r: r.files(100),
        "files_called": lambda r: r.files_called([f"{number}.md" for number in range(9)]),
        "folder_sizes": lambda r: sorted(r.folder_sizes().items()),
        "get_chunks": lambda r: r.get_chunks(THEIRS.chunks),
        "chunks_of": lambda r: [r.chunks_of(file_id) for file_id in THEIRS.files],
        "chunk_marks": lambda r: [r.chunk_marks(file_id) for file_id in THEIRS.files],
        "chunks_in": lambda r: r.chunks_in(THEIRS.files, FILED, 100),
        "folders": lambda r: r.folders(),
        "sightings": lambda r: r.sightings(LIVE),
        "named_places": lambda r: r.named_places(),
        "place_rows": lambda r: r.place_rows(),
        "geocoded": lambda r: [r.geocoded(GEOCODER, f"{number}:0") for number in range(9)],
        "get_places": lambda r: r.get_places([_place("Road " + one) for one in THEIRS.messages]),
    }.items()
}


def _moving(work: Callable[[TransferReader], object]) -> Crossing:
    def crossing(store: PostgresStore) -> object:
        with store.snapshot(ME) as snapshot:
            return work(snapshot)

    return crossing


def _exported(snapshot: TransferReader, table: TransferTable) -> object:
    rows = list(snapshot.rows(ME, table))
    return len(rows) if table is TOMBSTONES else rows  # which are keyed with the secret of their store


READS |= {
    "export talk": _moving(lambda s: list(s.talk(ME, "c1"))),
    "export vectors": _moving(lambda s: [item_id for item_id, _, _ in s.vectors(ME, "memory", SPACE)]),
    **{f"export {table.name}": _moving(partial(_exported, table=table)) for table in TRANSFERRED},
}


def _foreign_rows(table: TransferTable) -> list[Row]:
    return [tuple(row) for row in THEIR_ROWS[table.name]]


def _incoming(table: TransferTable) -> list[IncomingRow]:
    """Give one of the other's rows under a key of its own, so that it can be written."""
    anew = {"content_hash": "new", "external_id": "x70", "path": "70.md", "digest": "new", "superseded_by": None}
    anew |= {
        column.name: OTHER_ID if column.kind == "id" else "new" for column in table.columns if column.name in table.key
    }
    anew |= {"file_id": MINE.files[0], "source_id": MINE.messages[0]}
    values = dict(zip(table.names, _foreign_rows(table)[0], strict=True))
    return [IncomingRow(tuple(anew.get(name, value) for name, value in values.items()), ("pump",))]


def _place(address: str, label: str = "") -> str:
    return place_id(address, label) or ""


def _unlocated(memory_id: str) -> UnlocatedItem:
    return UnlocatedItem("memory", memory_id, *HERE)


def _looking_up(*kinds: ItemFilters, searches: bool, limit: int) -> Crossing:
    """Look for words, by the function that uses the index, or plainly."""

    def look(reader: StoreReader) -> object:
        answers = (reader.text_candidates(["pump", "hum"], kind, limit) for kind in kinds)
        return [replace(answer, rows=sorted(answer.rows)) for answer in answers]  # their order is not promised

    def crossing(store: PostgresStore) -> object:
        usual = store._rights
        store._rights = usual._replace(searches=searches)
        try:
            return store.read(ME, look)
        finally:
            store._rights = usual

    return crossing


READS |= {
    "memberships": _reading(lambda r: r.memberships()),
    "role_of": lambda s: s.read(OUR_SCOPE, lambda r: [r.role_of("lodger"), r.role_of("another")]),
}


READS |= {
    f"words, {'by a function' if searches else 'plainly'}, {limit}": _looking_up(
        LIVE, SAID, FILED, searches=searches, limit=limit
    )
    for searches in (True, False)
    for limit in (2, 100)
}
READS["words, when few of the best pass"] = _looking_up(replace(LIVE, lacking=("2",)), searches=True, limit=2)


def _revise(writer: StoreWriter, memory_id: str) -> None:
    """Try to make a version of what the other has: the new text under their id, the old one under another of theirs."""
    draft = a_new_draft(0)
    draft = draft._replace(record=draft.record._replace(id=memory_id), vector=None)
    writer.revise(THEIRS.memories[1], draft, SPACE, valid_until=NOW, keep_vector=True)


def _job(memory_id: str) -> EmbedJob:
    record = drafts_of(THEIRS)[0].record._replace(id=memory_id)
    return EmbedJob(ME, record, SPACE, 0)


def _finish_jobs(writer: StoreWriter) -> None:
    jobs = [_job(memory_id) for memory_id in THEIRS.memories]
    writer.finish_jobs(jobs, [VECTOR[None]] * len(jobs))


def _fingerprint() -> Fingerprint:
    draft = drafts_of(THEIRS)[4]
    record = draft.record
    return Fingerprint(record.type, record.subject, record.key, record.context, draft.content_hash)


# What I could try to change, likewise; and what the store does for one user only.
def _usage(writer: StoreWriter) -> object:
    """Ask what counts against the quotas."""
    assert isinstance(writer, PostgresWriter)
    return writer._rows("user_usage")


def _look_up(writer: StoreWriter, table: TransferTable) -> object:
    assert isinstance(writer, PostgresWriter)
    if table is TOMBSTONES:  # keyed with the secret of this store
        rows = [(writer._secrets.mark(f"buried {number}"), NOW) for number in range(9)]
        return len(writer.known_rows(table, rows))
    return sorted(map(repr, writer.known_rows(table, _foreign_rows(table)).items()))


def _bring(writer: StoreWriter, table: TransferTable) -> object:
    return writer.insert_rows(table, _incoming(table), SPACE, NOW)


def _lost_versions(writer: StoreWriter) -> object:
    """Ask which versions have lost their successor; removing another's would never end."""
    assert isinstance(writer, PostgresWriter)
    return writer._ids("lost_versions")


def _recount_chunks(writer: StoreWriter) -> None:
    assert isinstance(writer, PostgresWriter)
    writer._execute("recount_chunks")


def _searches_that_found(writer: StoreWriter) -> object:
    assert isinstance(writer, PostgresWriter)
    return sorted(map(tuple, writer._rows("searches_that_found")))


def _set_found(writer: StoreWriter) -> None:
    assert isinstance(writer, PostgresWriter)
    writer._execute("set_found", {"id": THEIRS.memories[0], "found": ""})


def _note_late(store: PostgresStore) -> None:
    """Note a search from before the other one forgot something, in a store where I have not."""
    store.write(ME, lambda writer: writer.delete_tombstones())
    store.note_searches(ME, [SearchNote(OTHER_ID, LONG_AGO, "recall", 1, 2.0, 0.5, "", "late")], 100)


def _insert_as_distributed(store: PostgresStore) -> object:
    """Insert a batch as a store that is distributed does."""
    usual = store._transactions
    store._transactions = usual._replace(cluster=ServerCluster(()))
    try:
        return store.write(ME, lambda w: w.insert([a_new_draft(number) for number in range(30)], SPACE))
    finally:
        store._transactions = usual


_IMPORTS: Mapping[str, Callable[[StoreWriter], object]] = {
    **{f"import known {table.name}": partial(_look_up, table=table) for table in TRANSFERRED},
    **{f"import {table.name}": partial(_bring, table=table) for table in TRANSFERRED},
}

WRITES: Mapping[str, Crossing] = {
    **{name: _writing(work) for name, work in _IMPORTS.items()},
    **{
        name: _writing(work)
        for name, work in {
            "insert": lambda w: w.insert([a_new_draft(100)], SPACE),
            "usage": _usage,
            "same": lambda w: w.same(_fingerprint()),
            "holders": lambda w: [w.holders(Slot("pump", f"key{key}", "", preference=False)) for key in range(9)],
            "holders of several": lambda w: w.holders_of(
                [Slot("pump", f"key{key}", "", preference=False) for key in range(9)]
            ),
            "with words": lambda w: w.with_words([_fingerprint().content_hash]),
            "with several words": lambda w: w.with_words([_fingerprint().content_hash, "0" * 32]),
            "rehash": lambda w: w.rehash({THEIRS.memories[1]: "a" * 32}),
            "rehash to what I have": lambda w: w.rehash({THEIRS.memories[1]: drafts_of(MINE)[1].content_hash}),
            "retire several": lambda w: w.retire_many([Retirement(THEIRS.memories[2], NOW, MINE.memories[0])] * 2),
            "confirm several": lambda w: w.confirm_many([drafts_of(THEIRS)[2].record._replace(trust=1)] * 2),
            "retire": lambda w: w.retire(THEIRS.memories[2], NOW, MINE.memories[0]),
            "revive": lambda w: w.revive(THEIRS.memories[0]),
            "confirm": lambda w: w.confirm(drafts_of(THEIRS)[2].record._replace(trust=1)),
            "revise": lambda w: _revise(w, THEIRS.memories[4]),
            "revise what has no vector": lambda w: _revise(w, THEIRS.memories[2]),
            "relink": lambda w: w.relink(THEIRS.memories[1], SHARED),
            "delete": lambda w: w.delete(THEIRS.memories),
            "reindex": lambda w: w.reindex("memory", {THEIRS.memories[1]: ["mine"]}),
            "finish_jobs": _finish_jobs,
            "note_embedded": lambda w: w.note_embedded([("memory", MINE.memories[0])], NOW),
            "forget_paid": lambda w: w.forget_paid(THEIRS.memories),
            "forget_all_paid": lambda w: w.forget_paid(None),
            "insert_messages": lambda w: w.insert_messages(
                [MessageDraft(a_message(f"cccccccc-0000-7000-8000-{7:012d}", 70), ("pump",), None)], SPACE
            ),
            "insert_many": lambda w: w.insert([a_new_draft(number) for number in range(30)], SPACE),
            "save_conversation": lambda w: w.save_conversation(a_conversation("c2", 7)),
            "set_status": lambda w: w.set_status(THEIRS.messages, "archived"),
            "mark_learned": lambda w: w.mark_learned(THEIRS.messages),
            "owe_readings": lambda w: w.owe_readings([OTHER_ID], NOW),
            "finish_readings": lambda w: w.finish_readings(THEIRS.messages),
            "name_message": lambda w: w.name_message(THEIRS.messages[0], "x99"),
            "set_feedback": lambda w: w.set_feedback(a_message(THEIRS.messages[1], 1)._replace(feedback=1)),
            "disliked_messages": lambda w: w.disliked_messages(),
            "set_metadata": lambda w: w.set_metadata(THEIRS.memories[2], {"mine": 1}),
            "set_expiry": lambda w: w.set_expiry(THEIRS.memories[2], NOW, NOW),
            "delete_messages": lambda w: w.delete_messages(THEIRS.messages),
            "delete_conversation": lambda w: w.delete_conversation("c2"),
            "derive": lambda w: w.derive([Derivation("memory", SHARED, "message", THEIRS.messages[1])], NOW),
            "drop_derivations": lambda w: w.drop_derivations(THEIRS.memories),
            "bury": lambda w: w.bury(["buried 99"], NOW),
            "exhume": lambda w: w.exhume([f"buried {number}" for number in range(9)]),
            "has_tombstones": lambda w: (w.delete_tombstones(), w.has_tombstones()),
            "delete_tombstones": lambda w: w.delete_tombstones(),
            "spend": lambda w: w.record_spending("2026-03-01", "summary", "m", Usage(1, 1)),
            "keep_paid": lambda w: w.keep_paid(SPACE, [CachedPassageVector("key", SHARED, VECTOR)], NOW),
            "keep_answer": lambda w: w.keep_answer("new", StoredResponse("hash", "body"), NOW),
            "last_audit": lambda w: w.last_audit(),
            "add_audit": lambda w: w.add_audit(AuditLine(99, NOW, "local", "store", (), 0, "hash")),
            "save_file": lambda w: w.save_file(a_file(OTHER_ID, 50)),
            "touch_files": lambda w: w.touch_files([TouchedFile(one, "99.md", 9, 9, 9, 9) for one in THEIRS.files]),
            "insert_chunks": lambda w: w.insert_chunks(a_file(OTHER_ID, 50), [a_piece(OTHER_ID, 4, None)], SPACE),
            "mark_chunks": lambda w: w.mark_chunks(
                [ChunkMark(one, "", 7, 7, 0, "", 1, None) for one in THEIRS.chunks[:-1]]
            ),
            "delete_chunks": lambda w: w.delete_chunks(THEIRS.chunks),
            "delete_files": lambda w: w.delete_files(THEIRS.files),
            "save_folder": lambda w: w.save_folder(a_folder("/notes/new")),
            "delete_folder": lambda w: w.delete_folder("/notes/5"),
            "set_address": lambda w: [w.set_address(_unlocated(one), "mine", NOW) for one in THEIRS.memories],
            "finish_geocoding": lambda w: w.finish_geocoding(THEIRS.memories),
            "name_place": lambda w: w.name_place(
                UnnamedPlace(ME, "memory", THEIRS.memories[1], "Their Street 1", ""), NOW
            ),
            "save_named_place": lambda w: w.save_named_place(NamedPlace("new", *HERE, "", NOW)),
            "delete_named_place": lambda w: [w.delete_named_place(f"place {number}") for number in range(9)],
            "delete_named_places": lambda w: w.delete_named_places(),
            "insert what is somewhere": lambda w: w.insert([_new_there(200)], SPACE),
            "delete my own": lambda w: w.delete(MINE.memories),
            "delete one of my own": lambda w: w.delete(MINE.memories[:1]),
            "delete what is not mine": lambda w: w.delete(THEIRS.memories[:3]),
            "delete my own messages": lambda w: w.delete_messages(MINE.messages),
            "import vectors": lambda w: w.insert_late_vectors(
                SPACE, "memory", [SHARED, THEIRS.memories[0]], [VECTOR[None]] * 2
            ),
            "extend_conversation": lambda w: w.extend_conversation(("c2", False, 77, {}, NOW, SOON)),
            "lost_versions": _lost_versions,
            "recount_chunks": _recount_chunks,
            "forget_traces": lambda w: w.forget_traces(THEIRS.memories),
            "searches_that_found": _searches_that_found,
            "set_found": _set_found,
            "forget_all_traces": lambda w: w.forget_traces(None),
        }.items()
    },
    "insert_many as distributed": _insert_as_distributed,
    "set_member": lambda s: s.write(
        OUR_SCOPE, lambda w: w.set_member(Membership("ours", "another", "reader", NOW, "local"))
    ),
    "remove_member": lambda s: s.write(OUR_SCOPE, lambda w: w.remove_member("lodger")),
    "end my memberships": _writing(lambda w: w.end_memberships()),
    "end our memberships": lambda s: s.write(OUR_SCOPE, lambda w: w.end_memberships()),
    "cached": lambda s: s.cached(ME, SPACE, "passage", [f"paid {made}" for made in THEIRS.memories]),
    "resets": lambda s: s.resets(ME),
    "note_question": lambda s: s.note_question(ME, ASKED, day="2026-03-01", now=NOW),
    "count_cache_uses": lambda s: s.count_cache_uses(ME, 1, 1),
    "cache_figures": lambda s: s.cache_figures(ME),
    "note_searches late": _note_late,
    "note_searches": lambda s: s.note_searches(ME, [SearchNote(OTHER_ID, NOW, "recall", 1, 2.0, 0.5, "", "pump")], 2),
    "claim_jobs": lambda s: s.claim_jobs(SPACE, 100, now=NOW, lease_until=NOW + timedelta(hours=1), scope=ME),
    "claim_geocoding": lambda s: s.claim_geocoding(100, now=NOW, lease_until=SOON, scope=ME),
    "postpone_geocoding": lambda s: s.postpone_geocoding(
        [GeocodeJob(ME, _unlocated(one), 0) for one in THEIRS.memories], "no", None, to_blame=True
    ),
    "claim_readings": lambda s: s.claim_readings(100, now=NOW, lease_until=SOON, scope=ME),
    "postpone_readings": lambda s: s.postpone_readings(
        [ReadJob(ME, a_message(one, 0), 0) for one in THEIRS.messages], "no", None, to_blame=True
    ),
    "keep_geocoded": lambda s: s.keep_geocoded(
        ME, GEOCODER, [CachedPlace("new", None, SOON)], now=NOW, most=2, resets=s.resets(ME)
    ),
    "touch_geocoded": lambda s: s.touch_geocoded(ME, GEOCODER, "1:0", NOW),
    "postpone_jobs": lambda s: s.postpone_jobs([_job(one) for one in THEIRS.memories], "no", None, to_blame=True),
}


def _new_there(number: int) -> Draft:
    """Give a draft of something that is somewhere."""
    draft = a_new_draft(number)
    return draft._replace(record=draft.record._replace(lat=HERE[0], lng=HERE[1], place_label="new place"))
