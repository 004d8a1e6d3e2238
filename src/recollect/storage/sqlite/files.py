"""One user's files: reading them inside one transaction."""

from collections.abc import Mapping, Sequence

from recollect.model.files import Chunk, ChunkMark, FileMark, FileRecord, Folder, KnownFile
from recollect.model.literals import FileSource
from recollect.storage.rows import name_of
from recollect.storage.sqlite import codec
from recollect.storage.sqlite.rows import SqliteRows, id_array

_ABOVE_ALL_IDS = "\U0010ffff"


class FileRows(SqliteRows):
    """What reading and writing have in common."""

    def file(self, file_id: str) -> FileRecord | None:
        """Give a file."""
        found = self._run("get_file", {"id": file_id})
        return codec.file_from_row(found[0]) if found else None

    def file_at(self, root: str, path: str) -> FileRecord | None:
        """Give the synced file at a path."""
        found = self._run("file_at", {"root": root, "path": path})
        return codec.file_from_row(found[0]) if found else None

    def document(self, digest: str) -> FileRecord | None:
        """Give the document with these bytes."""
        found = self._run("document_with", {"digest": digest})
        return codec.file_from_row(found[0]) if found else None

    def get_chunks(self, ids: Sequence[str]) -> Sequence[Chunk]:
        """Give chunks by id."""
        return [codec.chunk_from_row(row) for row in self._run("get_chunks", {"ids": id_array(ids)})]

    def chunks_of(self, file_id: str) -> Sequence[Chunk]:
        """Give the chunks of a file in order."""
        return [codec.chunk_from_row(row) for row in self._run("chunks_of_file", {"file_id": file_id})]

    def chunk_marks(self, file_id: str) -> Sequence[ChunkMark]:
        """Give what tells the chunks of a file apart."""
        return [codec.mark_from_row(row) for row in self._run("chunk_marks", {"file_id": file_id})]

    def file_marks(self, root: str) -> Sequence[FileMark]:
        """Give what a look at a folder is held against."""
        return self._run("file_marks", {"root": root})

    def known_files(self, root: str) -> Sequence[KnownFile]:
        """Give what tells whether files have changed."""
        return [KnownFile._make(row) for row in self._run("known_files", {"root": root})]

    def files_called(self, names: Sequence[str]) -> Sequence[FileRecord]:
        """Give files by name, or by the end of their path."""
        last = id_array({name_of(name) for name in names})
        ends = tuple(f"/{name}" for name in names)
        found = (codec.file_from_row(row) for row in self._run("files_named", {"names": last}))
        return [record for record in found if f"{record.root}/{record.path}".casefold().endswith(ends)]

    def folders(self) -> Sequence[Folder]:
        """Give the folders that were synced."""
        return [codec.folder_from_row(row) for row in self._run("list_folders")]

    def file_ids(self) -> Sequence[str]:
        """Give the ids of all files."""
        return [row[0] for row in self._run("all_file_ids")]


class FileReader(FileRows):
    """Questions about files."""

    def files(self, limit: int, before: str | None = None, *, source: FileSource | None = None) -> Sequence[FileRecord]:
        """List files, newest first."""
        values = {"limit": limit, "before": before or _ABOVE_ALL_IDS, "source": source or ""}
        return [codec.file_from_row(row) for row in self._run("list_files", values)]

    def folder_sizes(self) -> Mapping[str, tuple[int, int]]:
        """Say how much each root holds."""
        return {root: (files, chunks) for root, files, chunks in self._run("folder_sizes")}
