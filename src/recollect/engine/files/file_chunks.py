"""What syncing a folder and adding a document have in common: a file and its chunks, written so that what stays, stays.

The invariant: inside one transaction a file goes from one content to the next, and a chunk whose text is the same in
both keeps its id and its vector.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, NamedTuple

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.engine.vectors import embed_queue
from recollect.engine.vectors.embed_texts import waits
from recollect.model.files import ChunkDraft, ChunkMark, FileRecord, IndexedTextPiece
from recollect.model.literals import FileSource, Trust
from recollect.model.memories import Scope, Vector
from recollect.ports import ChunkingRecipe, FileReading, StoreWriter
from recollect.text.chunks import RECIPE

_NO_VECTORS: Mapping[str, Vector] = MappingProxyType({})
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_OWN_ROLES = frozenset({"", "user", "assistant"})  # what others say in a session, such as tools, is not the user's own


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """Where a file is and which bytes it has."""

    root: str
    path: str
    source: FileSource
    size: int
    mtime_ns: int
    digest: str
    original: str = ""


class WrittenFile(NamedTuple):
    """A file as it was written, how many of its chunks are new and how many stayed, and which of them are to go."""

    record: FileRecord
    written: int
    kept: int
    gone: Sequence[str]


class _ChunkChanges(NamedTuple):
    """What is new, what stands elsewhere, and what is gone."""

    new: Sequence[IndexedTextPiece]
    moved: Sequence[ChunkMark]
    gone: Sequence[str]


def recipe(engine: Engine) -> ChunkingRecipe:
    """Say how texts are cut."""
    files = engine.settings.files
    return ChunkingRecipe(
        files.chunk_tokens, files.chunk_overlap, engine.settings.redact_secrets, files.most_mb * 2**20
    )


def recipe_number(engine: Engine) -> int:
    """Give the number that changes whenever the same bytes may be cut in another way."""
    files = engine.settings.files
    chosen = f"{RECIPE}/{files.chunk_tokens}/{files.chunk_overlap}/{engine.settings.redact_secrets}"
    return int.from_bytes(blake2b(chosen.encode(), digest_size=3).digest())


def save(
    writer: StoreWriter,
    engine: Engine,
    old: FileRecord | None,
    where: FileIdentity,
    reading: FileReading,
    *,
    vectors: Mapping[str, Vector] = _NO_VECTORS,
) -> WrittenFile:
    """Write a file in the place of what it was, in the running transaction; `vectors` are known ones, by hash.

    Chunks that are `gone` are left to the caller, who removes them when all files of the transaction are written: what
    stands in another file now gets its vector from them.
    """
    now = engine.clock.now()
    trust = int(Trust.EXTERNAL if reading.external else Trust.FILE)
    pieces = [_storable_piece(one) for one in reading.pieces]
    record = FileRecord(
        id=old.id if old else ids.new(now),
        root=where.root,
        path=where.path,
        source=where.source,
        kind=reading.kind,
        mime=reading.mime,
        size=where.size,
        mtime_ns=where.mtime_ns,
        digest=where.digest,
        recipe=recipe_number(engine),
        lines=reading.lines,
        chunks=len(pieces),
        trust=trust,
        original=where.original,
        dated_at=reading.dated_at,
        notes=tuple(storable(note) for note in reading.notes),
        metadata=_storable_values(reading.metadata),
        created_at=old.created_at if old else now,
        updated_at=now,
    )
    writer.save_file(record)
    marks = writer.chunk_marks(record.id) if old else ()
    change = _compare(record, marks, pieces)
    drafts = [
        ChunkDraft(chunk_id, piece, _trust(record, piece), _moment(record, piece), vectors.get(piece.content_hash))
        for chunk_id, piece in zip(ids.new_many(now, len(change.new)), change.new, strict=True)
    ]
    writer.insert_chunks(record, drafts, engine.models.latest)
    writer.mark_chunks(change.moved)
    return WrittenFile(record, len(change.new), len(pieces) - len(change.new), change.gone)


def storable(text: str) -> str:
    """Give a text without what no database takes: NULs and halves of surrogate pairs, which JSON and YAML can spell."""
    if "\0" not in text:
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text
    return _UNSTORABLE.sub("\ufffd", text)


def _storable_piece(one: IndexedTextPiece) -> IndexedTextPiece:
    content, heading = storable(one.piece.content), storable(one.piece.heading)
    if content is one.piece.content and heading is one.piece.heading:
        return one
    return IndexedTextPiece(one.piece._replace(content=content, heading=heading), one.content_hash, storable(one.terms))


def _storable_values(value: Any) -> Any:  # noqa: ANN401 -- JSON
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(name): _storable_values(inner) for name, inner in value.items()}
    return [_storable_values(inner) for inner in value] if isinstance(value, list | tuple) else value


def _compare(record: FileRecord, marks: Sequence[ChunkMark], pieces: Sequence[IndexedTextPiece]) -> _ChunkChanges:
    """Match pieces with the chunks that say the same."""
    known = defaultdict[str, deque[ChunkMark]](deque)
    for mark in marks:
        known[mark.content_hash].append(mark)
    moved: list[ChunkMark] = []
    new: list[IndexedTextPiece] = []
    for piece in pieces:
        same = known.get(piece.content_hash)
        if same:
            before = same.popleft()
            after = _mark(record, before.id, piece)
            moved += [after] if after != before else []
        else:
            new.append(piece)
    return _ChunkChanges(new, moved, [mark.id for left in known.values() for mark in left])


def _mark(record: FileRecord, chunk_id: str, indexed: IndexedTextPiece) -> ChunkMark:
    piece = indexed.piece
    place = (piece.start_line, piece.end_line, piece.start_column, piece.role)
    return ChunkMark(chunk_id, indexed.content_hash, *place, _trust(record, indexed), _moment(record, indexed))


def _trust(record: FileRecord, indexed: IndexedTextPiece) -> int:
    return record.trust if indexed.piece.role in _OWN_ROLES else int(Trust.EXTERNAL)


def _moment(record: FileRecord, indexed: IndexedTextPiece) -> datetime | None:
    return indexed.piece.said_at or record.dated_at


def remove(writer: StoreWriter, files: Iterable[str]) -> None:
    """Remove files with all that belongs to them, in the running transaction."""
    gone = list(files)
    remove_chunks(writer, [mark.id for file_id in gone for mark in writer.chunk_marks(file_id)])
    writer.delete_files(gone)


def remove_chunks(writer: StoreWriter, chunk_ids: Sequence[str]) -> None:
    """Remove chunks, and what was paid for them."""
    if chunk_ids:
        writer.delete_chunks(chunk_ids)
        writer.forget_paid(chunk_ids, questions=False)


def own_files(engine: Engine) -> frozenset[tuple[int, int]]:
    """Give the device and inode of what belongs to the store: none of it may be synced, or even opened."""
    return engine.store.own_files() | engine.documents.own()


def discard(engine: Engine, originals: Sequence[str]) -> None:
    """Remove the copies of documents that are forgotten, unless somebody has added the same bytes again."""
    if originals:
        known = engine.store.known_originals(originals)
        engine.documents.discard([name for name in originals if name not in known])


def embed(engine: Engine, scope: Scope, *, wait: bool | None) -> int:
    """Give vectors to what was written, if somebody waits for them; otherwise the queue does."""
    space = engine.space
    if space is None or engine.models.configured is None:
        engine.background.wake()
        return 0
    if not waits(engine, engine.models.embedder(space), wait=wait):
        engine.background.wake()
        return 0
    return embed_queue.drain(engine, space, scope=scope).embedded


def tombs(root: str, path: str, digest: str) -> tuple[str, str]:
    """Give the marks by which a forgotten file is known again: by its place, and by its bytes."""
    place = blake2b(f"{root}\0{path}".encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
    return f"file-place:{place}", f"file-bytes:{digest}"
