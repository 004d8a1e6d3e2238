"""Adds documents, media, and files that were cut elsewhere."""

import stat
from collections.abc import Sequence
from dataclasses import replace as changed
from hashlib import blake2b, sha256
from pathlib import Path

from recollect.engine import stored_files
from recollect.engine.base.context import AnyPath, Engine, PrecutFile
from recollect.engine.drafts import media, redaction, tombstones
from recollect.errors import InvalidDocument, InvalidInput
from recollect.model.files import AddedFile, FileRecord, IndexedTextPiece
from recollect.model.literals import REDACTION_MARK, FileKind, marked
from recollect.model.media import Media
from recollect.model.memories import Scope, Vector
from recollect.model.vectors import as_unit
from recollect.ports import FileReading
from recollect.storage.base import StoreWriter
from recollect.text.chunks import index
from recollect_files import writing
from recollect_files.writing import FileIdentity

_MAX_NAME_BYTES = 1_000


def add(engine: Engine, scope: Scope, file: AnyPath | bytes, name: str | None, *, replace: bool) -> AddedFile:
    """Add a document: its original, its text and its chunks. The same bytes are added once."""
    data, name = _named_bytes(engine, file, name)
    _check(engine, data, name)
    name = stored_files.storable(redaction.public_text(engine, name))
    digest = sha256(data).hexdigest()
    duplicate = engine.store.read(scope, lambda reader: reader.document(digest))
    if duplicate is not None:
        return AddedFile("duplicate", duplicate)
    reading = engine.documents.read(data, name, stored_files.recipe(engine))
    original = engine.originals.keep(scope.user_id, digest, data)
    where = FileIdentity("", name, "document", len(data), 0, 0, 0, digest, original)
    try:
        added = _save(engine, scope, where, reading, replace=replace)
        engine.originals.keep(scope.user_id, digest, data)  # again: the same bytes may just have been forgotten
    finally:
        stored_files.discard(engine, [original] if original else [])  # unless it belongs to a file, as it should
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
        writer.exhume(tombstones.of_file("", where.path, where.digest))
        duplicate = writer.document(where.digest)
        if duplicate is not None:
            return AddedFile("duplicate", duplicate)
        older = _of_name(writer, where.path) if replace else []
        replaced.extend(file.original for file in older)
        if older:
            chunks = [mark.id for file in older for mark in writer.chunk_marks(file.id)]
            writer.forget_traces([*chunks, *(file.id for file in older)])
            writer.forget_paid(chunks)
        stored_files.remove(writer, [file.id for file in older])
        saved = writing.save(writer, engine, None, where, reading)
        return AddedFile("replaced" if older else "created", saved.record, left_out=_left_out(reading))

    added = engine.write(scope, work)
    stored_files.discard(engine, [name for name in replaced if name])
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
    name = stored_files.storable(redaction.public_text(engine, file.name))
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
        if writer.buried(tombstones.of_file("", name, digest)):
            return None
        duplicate = writer.document(digest)
        if duplicate is not None:
            return AddedFile("duplicate", duplicate)
        older = next((known for known in _of_name(writer, name) if known.source == file.source), None)
        saved = writing.save(writer, engine, older, where, reading, vectors=vectors)
        stored_files.remove_chunks(writer, saved.gone)
        return AddedFile("replaced" if older else "created", saved.record, left_out=_left_out(reading))

    return engine.write(scope, work)


def _usable_vectors(engine: Engine, file: PrecutFile, indexed: Sequence[IndexedTextPiece]) -> dict[str, Vector]:
    space = engine.space
    if space is None or file.space != space:
        return {}
    pairs = zip(indexed, file.vectors, strict=True)
    return {piece.content_hash: as_unit(vector, space.dimensions) for piece, vector in pairs if vector is not None}


def add_medium(engine: Engine, scope: Scope, file: AnyPath | bytes) -> Media:
    """Keep bytes as an original, and say what they are. Without a memory or message that has it, it goes again."""
    most = engine.settings.files.media_mb
    data = (
        bytes(file)
        if isinstance(file, bytes | bytearray | memoryview)
        else _read(engine, Path(file).expanduser(), most)
    )
    if not data:
        raise InvalidDocument("The medium is empty.")
    if len(data) > most * 2**20:
        raise InvalidDocument(f"The medium has more than {most} MiB. Raise files.media_mb, or make it smaller.")
    digest = sha256(data).hexdigest()
    engine.store.write(scope, lambda writer: writer.has_original(digest))  # who only reads a shared scope may add none
    if not engine.originals.keep(scope.user_id, digest, data):
        raise InvalidInput("No originals are kept, because files.originals is off. Give a url instead.")
    return media.located(engine, changed(media.redacted(engine, engine.documents.examine(data)), original=digest))


def _named_bytes(engine: Engine, file: AnyPath | bytes, name: str | None) -> tuple[bytes, str]:
    if isinstance(file, bytes | bytearray | memoryview):
        if not name:
            raise InvalidInput("Bytes need a name: me.files.add(data, name='manual.pdf').")
        return bytes(file), name
    path = Path(file).expanduser()
    advice = f" For a folder there is `recollect sync {path}`."
    return _read(engine, path, engine.settings.files.document_mb, advice), name or path.name


def _read(engine: Engine, path: Path, most_mb: int, advice: str = "") -> bytes:
    """Read a plain file of this machine, and one byte more than it may have. Raises InvalidDocument."""
    try:
        status = path.stat()
        if (status.st_dev, status.st_ino) in engine.store.own_files():  # opening it would drop SQLite's locks
            raise InvalidDocument(f"{path} is the store itself.")
        if not stat.S_ISREG(status.st_mode):
            raise InvalidDocument(f"{path} is no plain file.{advice}")
        with path.open("rb") as opened:
            return opened.read(most_mb * 2**20 + 1)
    except (OSError, ValueError) as error:  # a name may have characters that no file has
        raise InvalidDocument(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
