"""Changes one user's files inside one transaction."""

from collections.abc import Sequence

from recollect.model.files import ChunkDraft, ChunkMark, FileRecord, Folder
from recollect.model.memories import Space
from recollect.ports import TouchedFile
from recollect.storage.postgres import codec, spaces
from recollect.storage.postgres.items import ItemWriter, Written
from recollect.storage.postgres.rows import QUERIES
from recollect.storage.rows import name_of


class FileWriter(ItemWriter):
    """The part of a writer that is about files."""

    def save_file(self, record: FileRecord) -> None:
        """Write a file."""
        self._run("save_file", codec.to_file_parameters(record))

    def touch_files(self, touched: Sequence[TouchedFile]) -> None:
        """Note what changed besides the bytes."""
        rows = [{"user_id": self._user, "name": name_of(one.path), **one._asdict()} for one in touched]
        with self._connection.cursor() as cursor:
            cursor.executemany(QUERIES["touch_file"].encode(), rows)

    def insert_chunks(self, record: FileRecord, drafts: Sequence[ChunkDraft], space: Space | None) -> None:
        """Write chunks with all that belongs to them."""
        if not drafts:
            return
        twins = self._twins(drafts)
        rows = [codec.to_chunk_parameters((self._user, record.id), draft, record.updated_at) for draft in drafts]
        with self._connection.cursor() as cursor:
            cursor.executemany(QUERIES["insert_chunk"].encode(), rows)
        self._owe("chunk", [Written(draft.id, draft.vector) for draft in drafts], space, record.updated_at)
        lacking = [(draft.id, draft.indexed.content_hash) for draft in drafts if draft.vector is None]
        same = [(twins[digest], chunk_id) for chunk_id, digest in lacking if digest in twins]
        for from_id, to_id in same:
            self._share_vectors(from_id, to_id)
        self.note_embedded([("chunk", chunk_id) for _, chunk_id in same], record.updated_at)

    def _twins(self, drafts: Sequence[ChunkDraft]) -> dict[str, str]:
        """Find rows that say the same as some drafts; gives their ids by hash."""
        if not spaces.listing(self._connection).of_kind("chunk"):
            return {}
        hashes = sorted({draft.indexed.content_hash for draft in drafts})
        return {row[0]: row[1] for row in self._run("same_chunks", {"hashes": hashes})}

    def _share_vectors(self, from_id: str, to_id: str) -> None:
        """Give a row the vectors of another; where one had a vector, the other is owed none."""
        for shelf in spaces.listing(self._connection).of_kind("chunk"):
            if self._run("copy_vector", {"from_id": from_id, "to_id": to_id}, space=shelf.number).rowcount:
                self._run("finish_jobs", {"space": shelf.number, "ids": [to_id]})

    def mark_chunks(self, marks: Sequence[ChunkMark]) -> None:
        """Note where chunks stand."""
        rows = [{"user_id": self._user, **one._asdict()} for one in marks]
        with self._connection.cursor() as cursor:
            cursor.executemany(QUERIES["mark_chunk"].encode(), rows)

    def delete_chunks(self, ids: Sequence[str]) -> None:
        """Remove chunks."""
        if ids:
            self._delete("chunk", ids)

    def delete_files(self, ids: Sequence[str]) -> None:
        """Remove files."""
        self._run("delete_files", {"ids": list(ids)})

    def save_folder(self, folder: Folder) -> None:
        """Note that a folder was looked through."""
        self._run("save_folder", codec.to_folder_parameters(folder))

    def delete_folder(self, root: str) -> None:
        """Forget a folder."""
        self._run("delete_folder", {"root": root})
