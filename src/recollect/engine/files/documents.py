"""Documents that are added one by one, and reading back of all files: lists, lines, folders."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b, sha256
from typing import Any

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.engine.drafts import redaction
from recollect.engine.files import file_chunks
from recollect.engine.files.file_chunks import FileIdentity
from recollect.errors import InvalidDocument, InvalidInput, NotFound, PackageMissing
from recollect.model.files import (
    TURN_BREAK,
    AddedFile,
    Chunk,
    FilePage,
    FileRecord,
    FileText,
    Folder,
    FolderStatus,
    IndexedTextPiece,
    TextPiece,
)
from recollect.model.literals import REDACTION_MARK, FileKind, FileSource, marked
from recollect.model.memories import Scope, Space, Vector, VectorLike
from recollect.model.vectors import as_unit
from recollect.ports import FileReading, StoreReader, StoreWriter
from recollect.text.chunks import index
from recollect.text.query import file_names

_MAX_NAME_BYTES = 1_000
_MAX_SHOWN = 5
_MOST_LINES = 16 * 2**20  # no more than a document may have characters, whatever an archive said
_MOST_BLANK = 2**20  # characters between two pieces of a line
_WIDE = "utf-32-le"


@dataclass(frozen=True, slots=True)
class PrecutFile:
    """A file that was cut elsewhere, perhaps with vectors of a space."""

    name: str
    pieces: Sequence[TextPiece]
    source: FileSource = "document"
    vectors: Sequence[VectorLike | None] = ()
    space: Space | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def add(engine: Engine, scope: Scope, data: bytes, name: str, *, replace: bool) -> AddedFile:
    """Add a document: its original, its text and its chunks. The same bytes are added once."""
    _check(engine, data, name)
    name = file_chunks.storable(redaction.public_text(engine, name))
    digest = sha256(data).hexdigest()
    duplicate = engine.store.read(scope, lambda reader: reader.document(digest))
    if duplicate is not None:
        return AddedFile("duplicate", duplicate)
    reading = engine.documents.read(data, name, file_chunks.recipe(engine))
    original = engine.originals.keep(scope.user_id, digest, data)
    where = FileIdentity("", name, "document", len(data), 0, 0, 0, digest, original)
    try:
        added = _save(engine, scope, where, reading, replace=replace)
        engine.originals.keep(scope.user_id, digest, data)  # again: the same bytes may just have been forgotten
    finally:
        file_chunks.discard(engine, [original] if original else [])  # unless it belongs to a file, as it should
    return added


def _check(engine: Engine, data: bytes, name: str) -> None:
    if not name or len(name.encode("utf-8", "surrogatepass")) > _MAX_NAME_BYTES or "\0" in name:
        raise InvalidInput(f"A file needs a name of 1 to {_MAX_NAME_BYTES} bytes of UTF-8.")
    most = engine.settings.files.document_mb
    if len(data) > most * 2**20:
        raise InvalidDocument(
            f"{name} has more than {most} MiB, which is as much as a document may have. Raise files.document_mb, or "
            "split it."
        )


def _save(engine: Engine, scope: Scope, where: FileIdentity, reading: FileReading, *, replace: bool) -> AddedFile:
    replaced: list[str] = []

    def work(writer: StoreWriter) -> AddedFile:
        writer.exhume(file_chunks.tombs("", where.path, where.digest))
        duplicate = writer.document(where.digest)
        if duplicate is not None:
            return AddedFile("duplicate", duplicate)
        older = _of_name(writer, where.path) if replace else []
        replaced.extend(file.original for file in older)
        if older:
            chunks = [mark.id for file in older for mark in writer.chunk_marks(file.id)]
            writer.forget_traces([*chunks, *(file.id for file in older)])
            writer.forget_paid(chunks)
        file_chunks.remove(writer, [file.id for file in older])
        saved = file_chunks.save(writer, engine, None, where, reading)
        return AddedFile("replaced" if older else "created", saved.record, left_out=_left_out(reading))

    added = engine.write(scope, work)
    file_chunks.discard(engine, [name for name in replaced if name])
    if replaced:
        engine.search.results.drop(scope)
        engine.erase()
    return added


def _left_out(reading: FileReading) -> tuple[str, ...]:
    """Name the kinds of secrets that were left out of a file."""
    texts = (*(piece.piece.content for piece in reading.pieces), repr(reading.metadata))
    return marked(texts, REDACTION_MARK)


def _of_name(writer: StoreWriter, name: str) -> list[FileRecord]:
    return [file for file in writer.files_called([name.casefold()]) if not file.root and file.path == name]


def add_pieces(engine: Engine, scope: Scope, file: PrecutFile) -> AddedFile | None:
    """Add a file that was cut elsewhere, with its vectors if they are of the searched space.

    Gives None when it was forgotten before: then it does not come back.
    """
    indexed = index(file.pieces)
    name = file_chunks.storable(redaction.public_text(engine, file.name))
    fingerprint = blake2b(name.encode(), digest_size=32)
    for piece in indexed:
        fingerprint.update(piece.content_hash.encode())
    digest = fingerprint.hexdigest()
    size = sum(len(piece.piece.content.encode("utf-8", "surrogatepass")) for piece in indexed)
    kind: FileKind = "session" if file.source == "sessions" else "markdown"
    lines = max((piece.piece.end_line for piece in indexed), default=0)
    reading = FileReading(kind, "text/plain", indexed, lines, file.metadata)
    where = FileIdentity("", name, file.source, size, 0, 0, 0, digest)
    vectors = _usable_vectors(engine, file, indexed)

    def work(writer: StoreWriter) -> AddedFile | None:
        if writer.buried(file_chunks.tombs("", name, digest)):
            return None
        duplicate = writer.document(digest)
        if duplicate is not None:
            return AddedFile("duplicate", duplicate)
        older = next((known for known in _of_name(writer, name) if known.source == file.source), None)
        saved = file_chunks.save(writer, engine, older, where, reading, vectors=vectors)
        file_chunks.remove_chunks(writer, saved.gone)
        return AddedFile("replaced" if older else "created", saved.record, left_out=_left_out(reading))

    return engine.write(scope, work)


def _usable_vectors(engine: Engine, file: PrecutFile, indexed: Sequence[IndexedTextPiece]) -> dict[str, Vector]:
    space = engine.space
    if space is None or file.space != space:
        return {}
    pairs = zip(indexed, file.vectors, strict=True)
    return {piece.content_hash: as_unit(vector, space.dimensions) for piece, vector in pairs if vector is not None}


def listing(
    engine: Engine,
    scope: Scope,
    limit: int,
    cursor: str | None,
    *,
    source: FileSource | None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> FilePage:
    """List files, newest first."""
    before = None if cursor is None else ids.canonical(cursor)
    if cursor is not None and before is None:
        raise InvalidInput(f"The cursor {cursor!r} is not one. Pass the cursor of the page before, or none.")
    files = engine.store.read(
        scope, lambda reader: reader.files(limit + 1, before, source=source, since=since, until=until)
    )
    return FilePage(tuple(files[:limit]), files[limit - 1].id if len(files) > limit else None)


def folders(engine: Engine, scope: Scope, *, look: bool) -> tuple[FolderStatus, ...]:
    """List synced folders, with their drift on request."""

    def counted(reader: StoreReader) -> list[tuple[Folder, int, int]]:
        sizes = reader.folder_sizes()
        return [(folder, *sizes.get(folder.root, (0, 0))) for folder in reader.folders()]

    counted_folders = engine.store.read(scope, counted)
    return tuple(
        FolderStatus(folder, files, chunks, engine.folders.drift(engine, scope, folder) if look else None)
        for folder, files, chunks in counted_folders
    )


def read(engine: Engine, scope: Scope, name: str, lines: tuple[int, int] | None) -> FileText:
    """Give lines of a file, by its id, its path, or the end of its path if only one file has it."""
    file = engine.store.read(scope, lambda reader: _find(reader, file_chunks.storable(name)))
    on_disk = _text_on_disk(engine, scope, file)
    all_lines = on_disk[0].split("\n") if on_disk else []
    count = len(all_lines) if on_disk else min(file.lines, _MOST_LINES)
    first, last = lines or (1, count)
    if not 1 <= first <= min(last, count):
        raise InvalidInput(f"{file.path} has the lines 1 to {count}; {first} to {last} are none of them.")
    last = min(last, count)
    if on_disk:
        shown = "\n".join(all_lines[first - 1 : last])
    else:
        chunks = engine.store.read(scope, lambda reader: reader.chunks_of(file.id, first=first, last=last))
        shown = assemble_text(chunks, first, last)
    if file.kind == "session":
        shown = shown.replace(TURN_BREAK, "\n")
    return FileText(file, first, last, shown, "disk" if on_disk else "store", on_disk[1] if on_disk else True)


def _find(reader: StoreReader, name: str) -> FileRecord:
    file_id = ids.canonical(name)
    if file_id is not None and (file := reader.file(file_id)) is not None:
        return file
    wanted = posixpath.normpath(name).casefold().lstrip("/") if name else ""
    files = reader.files_called([wanted]) if wanted else ()
    if not files and file_names(name):
        files = reader.files_called(file_names(name))
    if not files:
        raise NotFound(f"No file {name}. See what there is with `files`.")
    exact = [file for file in files if file.path.casefold() == wanted]
    candidates = exact if len(exact) == 1 else files
    if len(candidates) > 1:
        shown = ", ".join(posixpath.join(file.root, file.path) for file in candidates[:_MAX_SHOWN])
        raise InvalidInput(f"{len(candidates)} files are called {name}: {shown}. Give more of the path, or the id.")
    return candidates[0]


def _text_on_disk(engine: Engine, scope: Scope, file: FileRecord) -> tuple[str, bool] | None:
    """Give the text of a synced file, and whether it is what was indexed; None if the store has to tell."""
    folder = engine.store.read(scope, lambda reader: file_chunks.folder_at(reader, file.root)) if file.root else None
    if folder is None:
        return None
    try:
        text, digest = engine.folders.text(engine, folder, file)
    except (OSError, InvalidDocument, PackageMissing):
        return None
    (text,) = engine.store.read(scope, lambda reader: file_chunks.mask_forgotten(reader, [text]))
    return file_chunks.storable(text), digest == file.digest


def assemble_text(chunks: Sequence[Chunk], first: int, last: int) -> str:
    """Assemble lines of a text from its overlapping chunks. A line that no chunk holds was blank.

    What several chunks write is kept in bytes, four to a character, so that writing costs what is written.
    """
    lines = [""] * (last - first + 1)
    shared: dict[int, bytearray] = {}
    widest = sum(len(chunk.content) for chunk in chunks) + _MOST_BLANK
    for chunk in chunks:
        column = min(chunk.start_column, widest)
        content = chunk.content.replace("\n", TURN_BREAK) if chunk.start_line == chunk.end_line else chunk.content
        for number, part in enumerate(content.split("\n"), chunk.start_line - first):
            if 0 <= number < len(lines):
                if column or lines[number] or number in shared:
                    _overwrite(shared.setdefault(number, bytearray(_wide(lines[number]))), column, part)
                else:
                    lines[number] = part
            column = 0
    for number, line in shared.items():
        lines[number] = line.decode(_WIDE, "surrogatepass")
    return "\n".join(lines)


def _overwrite(line: bytearray, column: int, part: str) -> None:
    missing = column - len(line) // 4
    if missing > 0:
        line += _wide(" ") * missing
    line[4 * column : 4 * (column + len(part))] = _wide(part)


def _wide(text: str) -> bytes:
    return text.encode(_WIDE, "surrogatepass")
