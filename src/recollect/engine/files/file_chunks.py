"""Files and their chunks in the store: how they are cut, masked and removed."""

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from recollect.engine.base.context import Engine
from recollect.model.files import Folder
from recollect.ports import ChunkingRecipe, StoreReader, StoreWriter
from recollect.text.mentions import sentence_marks, without

ANY_SENTENCE = "sentence:any"  # the tombstone that says that there are tombstones of sentences

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


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
    if "\0" not in text:
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text
    return _UNSTORABLE.sub("\ufffd", text)


def mask_forgotten(rows: StoreReader | StoreWriter, texts: Sequence[str]) -> list[str]:
    """Take out of texts the sentences that were forgotten; lines stay where they are."""
    if not rows.buried([ANY_SENTENCE]):
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


def folder_at(rows: StoreReader | StoreWriter, root: str) -> Folder | None:
    """Give the folder with this root, if one is synced or was brought."""
    return next((folder for folder in rows.folders() if folder.root == root), None)


def discard(engine: Engine, originals: Sequence[str]) -> None:
    """Remove the originals of forgotten documents, unless the same bytes were added again."""
    if originals:
        known = engine.store.known_originals(originals)
        engine.originals.discard([name for name in originals if name not in known])


def tombs(root: str, path: str, digest: str) -> tuple[str, str]:
    """Give the tombstones of a forgotten file: one for its path, one for its bytes."""
    place = blake2b(f"{root}\0{path}".encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
    return f"file-place:{place}", f"file-bytes:{digest}"
