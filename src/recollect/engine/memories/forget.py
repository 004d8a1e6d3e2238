"""Forgetting: exactly what was asked for, with everything that was made from it, and gone from the files too.

What is made from several things stays while one of them does: a memory that was heard in two conversations survives the
first. A summary does not, because nobody can take a sentence out of it; what else it told becomes active again and is
folded anew. A value that had replaced another gives its place back.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from recollect.dialogue.overlap import fingerprints
from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts
from recollect.engine.files import file_chunks
from recollect.engine.search.hits import TIME
from recollect.errors import InvalidInput
from recollect.model.files import FileRecord
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.search import Forgotten, ForgottenAction, Hit
from recollect.ports import StoreReader, StoreWriter


class ForgetPlan(NamedTuple):
    """What goes, the asked-for first, and which of it are messages and files. `torn`: versions of it may stay.

    `folders` are synced folders that go with all their files. `buried` files are marked, so that no sync brings them
    back.
    """

    ids: tuple[str, ...]
    messages: frozenset[str]
    torn: bool = True
    files: tuple[FileRecord, ...] = ()
    folders: tuple[str, ...] = ()
    buried: bool = True


def forget_id(engine: Engine, scope: Scope, item_id: str, *, dry_run: bool) -> Forgotten:
    """Forget a memory with its history, an old version alone, a message, or a file with all its chunks."""

    def doomed(rows: StoreReader | StoreWriter) -> ForgetPlan:
        file = rows.file(item_id)
        for chunk in rows.get_chunks([item_id]) if file is None else ():
            raise InvalidInput(
                f"{item_id} is a part of {chunk.path}. A file is forgotten whole, by its id: {chunk.file_id}."
            )
        return _doomed(rows, [item_id], family=True) if file is None else _doomed_files([file])

    return _forget(engine, scope, doomed, dry_run=dry_run)


def forget_folder(engine: Engine, scope: Scope, root: str, *, dry_run: bool) -> Forgotten:
    """Forget a synced folder: its files, and that it was ever synced. It may be synced again."""

    def doomed(rows: StoreReader | StoreWriter) -> ForgetPlan:
        found = [rows.file(one.id) for one in rows.known_files(root)]
        known = [root] if any(folder.root == root for folder in rows.folders()) else []
        return _doomed_files([file for file in found if file is not None], folders=known, buried=False)

    return _forget(engine, scope, doomed, dry_run=dry_run)


def _doomed_files(files: Sequence[FileRecord], *, folders: Sequence[str] = (), buried: bool = True) -> ForgetPlan:
    ids = (file.id for file in files)
    return ForgetPlan(tuple(ids), frozenset(), files=tuple(files), folders=tuple(folders), buried=buried)


def forget_session(engine: Engine, scope: Scope, session: str, *, dry_run: bool) -> Forgotten:
    """Forget a conversation: its messages, what was learned in it, and what was stored under its name."""

    def doomed(rows: StoreReader | StoreWriter) -> ForgetPlan:
        said, learned = rows.message_ids(session), rows.of_session(session)
        here = frozenset(said)
        elsewhere = {one.made_id for one in rows.sources(learned) if one.source_id not in here}
        return _doomed(rows, (*said, *(memory_id for memory_id in learned if memory_id not in elsewhere)))

    return _forget(engine, scope, doomed, dry_run=dry_run, conversations=[session])


def forget_source(engine: Engine, scope: Scope, source: str, *, dry_run: bool) -> Forgotten:
    """Forget all memories that came from one source."""
    return _forget(engine, scope, lambda rows: _doomed(rows, rows.of_source(source)), dry_run=dry_run)


def forget_everything(engine: Engine, scope: Scope, *, dry_run: bool) -> Forgotten:
    """Forget all that a user has."""

    def doomed(rows: StoreReader | StoreWriter) -> ForgetPlan:
        said = [message_id for name in rows.conversation_ids() for message_id in rows.message_ids(name)]
        found = [rows.file(file_id) for file_id in rows.file_ids()]
        files = tuple(file for file in found if file is not None)
        folders = tuple(folder.root for folder in rows.folders())
        ids = (*rows.everything(), *said, *(file.id for file in files))
        return ForgetPlan(ids, frozenset(said), torn=False, files=files, folders=folders)

    return _forget(engine, scope, doomed, dry_run=dry_run, conversations=None)


def expire(engine: Engine, scope: Scope) -> int:
    """Forget the memories that are past their expiry; their traces go when the store is tuned."""
    now = engine.clock.now()

    def doomed(rows: StoreReader | StoreWriter) -> ForgetPlan:
        return _doomed(rows, _with_edits(rows, rows.expired(now)))

    return len(_forget(engine, scope, doomed, dry_run=False, scrub=False).ids)


def _forget(
    engine: Engine,
    scope: Scope,
    choose: Callable[[StoreReader | StoreWriter], ForgetPlan],
    *,
    dry_run: bool,
    conversations: Sequence[str] | None = (),
    scrub: bool = True,
) -> Forgotten:
    """Delete what is chosen inside the transaction; `conversations` go too, all of them when it is None."""

    def begun(rows: StoreReader | StoreWriter) -> Sequence[str]:
        names = rows.conversation_ids() if conversations is None else conversations
        return [name for name in names if rows.conversation(name)]

    def work(writer: StoreWriter) -> Forgotten:
        doomed, names = choose(writer), begun(writer)
        originals.extend(file.original for file in doomed.files if file.original)
        if doomed.ids or names or doomed.folders:
            writer.forget_traces(everything=not doomed.torn)
        _delete(writer, doomed, engine.clock.now())
        for name in names:
            writer.delete_conversation(name)
        return _receipt(doomed, names, dry_run=False)

    originals: list[str] = []
    if dry_run:
        return engine.store.read(scope, lambda reader: _receipt(choose(reader), begun(reader), dry_run=True))
    receipt = engine.write(scope, work)
    file_chunks.discard(engine, originals)
    engine.forget_cached(scope)
    if scrub and receipt.action == "deleted":
        engine.store.scrub()
    return receipt


def _receipt(doomed: ForgetPlan, conversations: Sequence[str], *, dry_run: bool) -> Forgotten:
    action: ForgottenAction = "deleted" if doomed.ids or conversations or doomed.folders else "not_found"
    said, files = len(doomed.messages), len(doomed.files)
    return Forgotten(action, doomed.ids, dry_run=dry_run, messages=said, files=files)


def _delete(writer: StoreWriter, doomed: ForgetPlan, now: datetime) -> None:
    files = {file.id for file in doomed.files}
    memories = [one for one in doomed.ids if one not in doomed.messages and one not in files]
    said = [*doomed.messages]
    _delete_files(writer, doomed, now)
    _forget_vectors(writer, doomed, memories)
    reopened = {made.source_id for made in writer.sources(said)} - set(doomed.ids)
    if doomed.torn:
        _mend(writer, {record.id: record for record in writer.get(memories)})
        _bury(writer, said, now)
    else:
        writer.delete_tombstones()
        writer.delete_named_places()
    if memories:
        writer.delete(memories)
    if said:
        writer.delete_messages(said)
    writer.drop_derivations(doomed.ids)
    if reopened:
        writer.set_status([*reopened], "active")


def _delete_files(writer: StoreWriter, doomed: ForgetPlan, now: datetime) -> None:
    """Remove files, and unless their folder goes too, leave marks that keep a sync from bringing them back."""
    for file in doomed.files:
        writer.forget_paid([mark.id for mark in writer.chunk_marks(file.id)])
        if doomed.torn and doomed.buried:
            place, digest = file_chunks.tombs(file.root, file.path, file.digest)
            writer.bury([place, digest] if file.size else [place], now)  # an empty file is like any other
    file_chunks.remove(writer, [file.id for file in doomed.files])
    for root in doomed.folders:
        writer.delete_folder(root)


def _forget_vectors(writer: StoreWriter, doomed: ForgetPlan, memories: Sequence[str]) -> None:
    """Let go of vectors that were kept for what goes. What an edited memory once said is kept under its own id."""
    if not doomed.torn:
        writer.forget_paid(None)
        return
    relatives = [version.id for one in memories for version in writer.chain(one)]
    writer.forget_paid([*doomed.ids, *relatives])


def _bury(writer: StoreWriter, message_ids: Sequence[str], now: datetime) -> None:
    """Leave marks by which the messages are known when their host delivers them again; what they said is gone."""
    for message in writer.get_messages(message_ids):
        if message.role != "summary":
            writer.bury(fingerprints(message), now)


def _mend(writer: StoreWriter, gone: Mapping[str, MemoryRecord]) -> None:
    """Keep chains of versions whole: what goes is passed over, and when the present value goes, the last one holds."""
    seen: set[str] = set()
    for record in gone.values():
        if record.id not in seen:
            family = writer.chain(record.id)
            seen.update(version.id for version in family)
            left = [version for version in family if version.id not in gone]
            if left:
                _close_ranks(writer, gone, left)


def _close_ranks(writer: StoreWriter, gone: Mapping[str, MemoryRecord], left: Sequence[MemoryRecord]) -> None:
    """Let what is left of a chain point at what is left; its newest holds, if nothing newer does."""
    newest = left[-1]
    headless = newest.superseded_by in gone
    twin = writer.same(memory_drafts.fingerprint_of(newest)) if headless else None
    heir = twin.id if twin else newest.id
    later = heir
    for version in reversed(left):
        if version.superseded_by in gone:
            writer.relink(version.superseded_by, later)
        later = version.id
    if headless and twin is None:
        writer.revive(newest.id)


def _doomed(rows: StoreReader | StoreWriter, wanted: Sequence[str], *, family: bool = False) -> ForgetPlan:
    """Give what goes: the wanted, as a `family` with their versions, and what was made from nothing else."""
    doomed: dict[str, None] = {}
    messages: set[str] = set()
    waiting = list(_with_versions(rows, wanted)) if family else list(wanted)
    while waiting:
        said = {message.id for message in rows.get_messages(waiting)}
        known = said | {record.id for record in rows.get(waiting)}
        fresh = [one for one in waiting if one in known and one not in doomed]
        doomed.update(dict.fromkeys(fresh))
        messages |= said
        waiting = _with_edits(rows, _made_from(rows, fresh, doomed))
    return ForgetPlan(tuple(doomed), frozenset(messages))


def _with_versions(rows: StoreReader | StoreWriter, ids: Sequence[str]) -> Iterator[str]:
    """A live memory takes its versions along, itself first; a version goes alone, and so does a message."""
    yield from ids
    for record in rows.get(ids):
        if record.superseded_by is None:
            yield from (version.id for version in rows.chain(record.id) if version.id != record.id)


def _with_edits(rows: StoreReader | StoreWriter, ids: Sequence[str]) -> list[str]:
    """Take along what a memory was before it was edited. An edit leaves the moment of birth as it was."""
    found = list(ids)
    for record in rows.get(ids):
        if record.superseded_by is None:
            family = (version for version in rows.chain(record.id) if version.id != record.id)
            found.extend(version.id for version in family if version.created_at == record.created_at)
    return found


def _made_from(rows: StoreReader | StoreWriter, fresh: Sequence[str], doomed: Iterable[str]) -> list[str]:
    """Give what was made from these: summaries always, other memories when no other source of theirs stays."""
    gone = set(doomed)
    made = {one.made_id: one.made_kind for one in rows.made_from(fresh) if one.made_id not in gone}
    left = {one.made_id for one in rows.sources([*made]) if one.source_id not in gone}
    told = {record.id for record in rows.get([*made]) if record.type == "session_summary"}
    return [one for one, kind in made.items() if kind == "message" or one in told or one not in left]


def clear_match(hits: Sequence[Hit], min_score: float, margin: float) -> Hit | None:
    """Say which hit is meant beyond doubt: good in itself, and well ahead of the next.

    One that others repeat may not be the one that was meant; one that only is of the time that was named neither.
    """
    if not hits or hits[0].score < min_score or hits[0].folded or TIME in hits[0].parts.channels:
        return None
    if len(hits) > 1 and hits[0].score - hits[1].score < margin:
        return None
    return hits[0]
