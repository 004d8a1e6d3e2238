"""Writes files with their chunks, for synced folders and for documents alike.

The invariant: a file goes from one content to the next in one transaction, and a chunk whose text is the same in both
keeps its id and its vector.
"""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, NamedTuple

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import authored_metadata
from recollect.engine.drafts import redaction
from recollect.engine.stored_files import mask_forgotten, storable
from recollect.engine.vectors import embed_queue
from recollect.engine.vectors.embed_texts import waits
from recollect.model.files import ChunkDraft, ChunkMark, FileRecord, IndexedTextPiece
from recollect.model.geo import Point
from recollect.model.literals import FileSource, Trust
from recollect.model.memories import Scope, Vector
from recollect.ports import ChunkingRecipe, FileReading
from recollect.storage.base import StoreWriter
from recollect.text.chunks import RECIPE, index

_NO_VECTORS: Mapping[str, Vector] = MappingProxyType({})
_OWN_ROLES = frozenset({"", "user", "assistant"})  # what others say in a session, such as tools, is not the user's own


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """The path of a file and the digest of its bytes."""

    root: str
    path: str
    source: FileSource
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    digest: str
    original: str = ""


class WrittenFile(NamedTuple):
    """A file as it was written, how many of its chunks are new and how many stayed, and which are to be removed."""

    record: FileRecord
    written: int
    kept: int
    gone: Sequence[str]


class _ChunkChanges(NamedTuple):
    """Chunks that are new, moved within the file, and gone."""

    new: Sequence[IndexedTextPiece]
    moved: Sequence[ChunkMark]
    gone: Sequence[str]


def recipe_number(engine: Engine) -> int:
    """Give a hash of these settings and of the chunker's version. The usual budget was no part of it at first."""
    files = engine.settings.files
    chosen = f"{RECIPE}/{files.chunk_tokens}/{files.chunk_overlap}/{engine.settings.redact_secrets}"
    if files.most_pieces != ChunkingRecipe().most_pieces:
        chosen = f"{chosen}/{files.most_pieces}"
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
    """Write a file over its old version, in the running transaction; `vectors` are known ones, by hash.

    The caller removes the chunks that are `gone` after all files of the transaction are written: a text that was moved
    to another file gets its vector from them.
    """
    now = engine.clock.now()
    trust = int(Trust.EXTERNAL if reading.external else Trust.FILE)
    pieces = _without_forgotten(writer, [_storable_piece(piece) for piece in reading.pieces])
    taken_at, metadata = _taken_at(engine, reading)
    record = FileRecord(
        id=old.id if old else ids.new(now),
        root=where.root,
        path=where.path,
        source=where.source,
        kind=reading.kind,
        mime=reading.mime,
        size=where.size,
        mtime_ns=where.mtime_ns,
        ctime_ns=where.ctime_ns,
        inode=where.inode,
        digest=where.digest,
        recipe=recipe_number(engine),
        lines=reading.lines,
        chunks=len(pieces),
        trust=trust,
        original=where.original,
        dated_at=reading.dated_at,
        lat=taken_at.lat if taken_at else None,
        lng=taken_at.lng if taken_at else None,
        notes=tuple(storable(note) for note in reading.notes),
        metadata=_storable_values(authored_metadata(engine, metadata)),
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


def _taken_at(engine: Engine, reading: FileReading) -> tuple[Point | None, Mapping[str, Any]]:
    """Say where a photo was taken, with the precision of the settings, and give its metadata with the same."""
    lat, lng = reading.metadata.get("latitude"), reading.metadata.get("longitude")
    if reading.kind != "image" or not isinstance(lat, float) or not isinstance(lng, float):
        return None, reading.metadata
    public = redaction.public_place(engine, lat, lng)
    point = Point(public.get("lat", lat), public.get("lng", lng))
    return point, {**reading.metadata, "latitude": point.lat, "longitude": point.lng}


def _without_forgotten(writer: StoreWriter, pieces: list[IndexedTextPiece]) -> list[IndexedTextPiece]:
    """Take out of pieces the sentences that were forgotten; what then says nothing is left out."""
    contents = mask_forgotten(writer, [indexed.piece.content for indexed in pieces])
    headings = mask_forgotten(writer, [indexed.piece.heading for indexed in pieces])
    masked = [
        indexed
        if (content, heading) == (indexed.piece.content, indexed.piece.heading)
        else index([indexed.piece._replace(content=content, heading=heading)])[0]
        for content, heading, indexed in zip(contents, headings, pieces, strict=True)
    ]
    return [new for new, old in zip(masked, pieces, strict=True) if new is old or new.piece.content.strip()]


def _storable_piece(indexed: IndexedTextPiece) -> IndexedTextPiece:
    piece = indexed.piece
    content, heading = storable(piece.content), storable(piece.heading)
    if content is piece.content and heading is piece.heading:
        return indexed
    return IndexedTextPiece(
        piece._replace(content=content, heading=heading), indexed.content_hash, storable(indexed.terms)
    )


def _storable_values(value: Any) -> Any:  # noqa: ANN401 -- JSON
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(name): _storable_values(inner) for name, inner in value.items()}
    return [_storable_values(inner) for inner in value] if isinstance(value, list | tuple) else value


def _compare(record: FileRecord, marks: Sequence[ChunkMark], pieces: Sequence[IndexedTextPiece]) -> _ChunkChanges:
    """Match pieces with the stored chunks of the same text."""
    by_hash = defaultdict[str, deque[ChunkMark]](deque)
    for mark in marks:
        by_hash[mark.content_hash].append(mark)
    moved: list[ChunkMark] = []
    new: list[IndexedTextPiece] = []
    for piece in pieces:
        same = by_hash.get(piece.content_hash)
        if same:
            before = same.popleft()
            after = _mark(record, before.id, piece)
            moved += [after] if after != before else []
        else:
            new.append(piece)
    return _ChunkChanges(new, moved, [mark.id for left in by_hash.values() for mark in left])


def _mark(record: FileRecord, chunk_id: str, indexed: IndexedTextPiece) -> ChunkMark:
    piece = indexed.piece
    place = (piece.start_line, piece.end_line, piece.start_column, piece.role)
    return ChunkMark(chunk_id, indexed.content_hash, *place, _trust(record, indexed), _moment(record, indexed))


def _trust(record: FileRecord, indexed: IndexedTextPiece) -> int:
    return record.trust if indexed.piece.role in _OWN_ROLES else int(Trust.EXTERNAL)


def _moment(record: FileRecord, indexed: IndexedTextPiece) -> datetime | None:
    return indexed.piece.said_at or record.dated_at


def embed(engine: Engine, scope: Scope, *, wait: bool | None) -> int:
    """Embed what was written if the caller waits for it; otherwise wake the worker."""
    space = engine.space
    if space is None or engine.models.configured is None:
        engine.background.wake()
        return 0
    if not waits(engine, engine.models.embedder(space), wait=wait):
        engine.background.wake()
        return 0
    return embed_queue.drain(engine, space, scope=scope).embedded
