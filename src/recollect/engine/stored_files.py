"""Files and their chunks in the store: how they are cut, masked, removed, and read back."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.engine.drafts import tombstones
from recollect.engine.drafts.memory_drafts import encodable
from recollect.errors import InvalidDocument, InvalidInput, NotFound, PackageMissing
from recollect.model.files import TURN_BREAK, Chunk, FilePage, FileRecord, FileText, Folder, FolderStatus
from recollect.model.literals import FileSource
from recollect.model.memories import Scope
from recollect.ports import ChunkingRecipe
from recollect.storage.base import StoreReader, StoreWriter, UserRows
from recollect.text.query import file_names
from recollect.text.repetition import sentence_marks, without

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_MAX_SHOWN = 5
_MOST_LINES = 16 * 2**20  # no more than a document may have characters, whatever an archive said
_MOST_BLANK = 2**20  # characters between two pieces of a line
_WIDE = "utf-32-le"


def recipe(engine: Engine) -> ChunkingRecipe:
    """Give the settings by which texts are cut into chunks."""
    files = engine.settings.files
    return ChunkingRecipe(
        files.chunk_tokens,
        files.chunk_overlap,
        engine.settings.redact_secrets,
        files.most_mb * 2**20,
        files.most_pieces,
    )


def storable(text: str) -> str:
    """Replace NULs and lone surrogates, which JSON and YAML can spell and databases do not take."""
    return text if "\0" not in text and encodable(text) else _UNSTORABLE.sub("\ufffd", text)


def mask_forgotten(rows: UserRows, texts: Sequence[str]) -> list[str]:
    """Take out of texts the sentences that were forgotten; lines stay where they are."""
    if not rows.buried([tombstones.ANY_SENTENCE]):
        return list(texts)
    marks = [sentence_marks(text) for text in texts]
    buried = rows.buried(list(dict.fromkeys(mark for several in marks for mark in several)))
    return [
        without(text, [span for mark, span in several.items() if mark in buried])
        for text, several in zip(texts, marks, strict=True)
    ]


def remove(writer: StoreWriter, files: Iterable[str]) -> None:
    """Remove files with their chunks, in the running transaction."""
    file_ids = list(files)
    remove_chunks(writer, [mark.id for file_id in file_ids for mark in writer.chunk_marks(file_id)])
    writer.delete_files(file_ids)


def remove_chunks(writer: StoreWriter, chunk_ids: Sequence[str]) -> None:
    """Remove chunks and their cached vectors."""
    if chunk_ids:
        writer.delete_chunks(chunk_ids)
        writer.forget_paid(chunk_ids, questions=False)


def folder_at(rows: UserRows, root: str) -> Folder | None:
    """Give the folder with this root, if one is synced or was brought."""
    return next((folder for folder in rows.folders() if folder.root == root), None)


def discard(engine: Engine, originals: Sequence[str]) -> None:
    """Remove the originals of forgotten documents, unless the same bytes were added again."""
    if originals:
        known = engine.store.known_originals(originals)
        engine.originals.discard([name for name in originals if name not in known])


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
        FolderStatus(folder, files, chunks, engine.filing.drift(engine, scope, folder) if look else None)
        for folder, files, chunks in counted_folders
    )


def read(engine: Engine, scope: Scope, name: str, lines: tuple[int, int] | None) -> FileText:
    """Give lines of a file, by its id, its path, or the end of its path if only one file has it."""
    file = engine.store.read(scope, lambda reader: _find(reader, storable(name)))
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
    folder = engine.store.read(scope, lambda reader: folder_at(reader, file.root)) if file.root else None
    if folder is None:
        return None
    try:
        text, digest = engine.filing.text(engine, folder, file)
    except (OSError, InvalidDocument, PackageMissing):
        return None
    (text,) = engine.store.read(scope, lambda reader: mask_forgotten(reader, [text]))
    return storable(text), digest == file.digest


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
