"""Changes one user's files inside one transaction."""

from collections.abc import Sequence

from recollect.model.files import ChunkDraft, ChunkMark, FileRecord, Folder
from recollect.model.memories import Space
from recollect.ports import TouchedFile
from recollect.storage.rows import name_of
from recollect.storage.sqlite import codec, spaces
from recollect.storage.sqlite.items import ItemWriter, Written
from recollect.storage.sqlite.rows import QUERIES, id_array


class FileWriter(ItemWriter):
    """The part of a writer that is about files."""

    def save_file(self, record: FileRecord) -> None:
        """Write a file."""
        self._run("save_file", codec.to_file_row(record))

    def touch_files(self, touched: Sequence[TouchedFile]) -> None:
        """Note what changed besides the bytes."""
        rows = [{"user_id": self._user, "name": name_of(one.path), **one._asdict()} for one in touched]
        self._connection.executemany(QUERIES["touch_file"], rows)

    def insert_chunks(self, record: FileRecord, drafts: Sequence[ChunkDraft], space: Space | None) -> None:
        """Write chunks with all that belongs to them."""
        if not drafts:
            return
        numbered = list(enumerate(drafts, self._next_numbers(len(drafts))))
        moment = codec.to_micros(record.updated_at)
        rows = [codec.to_chunk_row(seq, (self._user, record.id), draft, moment) for seq, draft in numbered]
        self._connection.executemany(QUERIES["insert_chunk"], rows)
        written = [Written(seq, draft.id, draft.vector) for seq, draft in numbered]
        if not self._owe("chunk", written, space, record.updated_at):
            return
        lacking = [(seq, draft.id, draft.indexed.content_hash) for seq, draft in numbered if draft.vector is None]
        twins = self._twins(drafts)
        same = [(twins[digest], seq, chunk_id) for seq, chunk_id, digest in lacking if digest in twins]
        self._share_vectors(same)
        self.note_embedded([("chunk", chunk_id) for _, _, chunk_id in same], record.updated_at)

    def _twins(self, drafts: Sequence[ChunkDraft]) -> dict[str, int]:
        """Find older rows that say the same as some drafts; gives their numbers by hash."""
        hashes = id_array({draft.indexed.content_hash for draft in drafts})
        new = {draft.id for draft in drafts}
        found = self._run("same_chunks", {"hashes": hashes})
        ids = {item_id: digest for digest, item_id in found if item_id not in new}
        numbers = self._run("item_numbers", {"ids": id_array(ids)}, kind="chunk") if ids else ()
        return {ids[item_id]: seq for seq, item_id in numbers}

    def _share_vectors(self, same: Sequence[tuple[int, int, str]]) -> None:
        """Give rows the vectors of others; where one had a vector, the other is owed none."""
        for shelf in spaces.listing(self._connection).of_kind("chunk") if same else ():
            for from_seq, to_seq, item_id in same:
                values = {"from_seq": from_seq, "to_seq": to_seq}
                self._run("copy_vector", values, space=shelf.number)
                if self._connection.changes():
                    self._run("copy_code", values, space=shelf.number)
                    self._run("finish_jobs", {"space": shelf.number, "ids": id_array([item_id])})

    def mark_chunks(self, marks: Sequence[ChunkMark]) -> None:
        """Note where chunks stand."""
        rows = [{"user_id": self._user, **one._asdict(), "dated_at": codec.to_micros(one.dated_at)} for one in marks]
        self._connection.executemany(QUERIES["mark_chunk"], rows)

    def delete_chunks(self, ids: Sequence[str]) -> None:
        """Remove chunks."""
        if ids:
            self._delete("chunk", ids)

    def delete_files(self, ids: Sequence[str]) -> None:
        """Remove files."""
        self._run("delete_files", {"ids": id_array(ids)})

    def save_folder(self, folder: Folder) -> None:
        """Note that a folder was looked through."""
        self._run("save_folder", codec.to_folder_row(folder))

    def delete_folder(self, root: str) -> None:
        """Forget a folder."""
        self._run("delete_folder", {"root": root})
