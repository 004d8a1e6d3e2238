"""`me.files` and `me.media`: synced folders, documents, pictures and sounds, added and read back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from threading import Event
from typing import Any

from recollect.api.scoped import Scoped, canonical, check_limit
from recollect.engine import stored_files
from recollect.engine.base.context import AnyPath, PrecutFile, SyncRequest
from recollect.engine.drafts import media
from recollect.engine.search import times
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.model import kinds
from recollect.model.files import (
    AddedFile,
    Chunk,
    FilePage,
    FileRecord,
    FileText,
    FolderStatus,
    SyncProgress,
    SyncReport,
    TextPiece,
)
from recollect.model.literals import FILE_SOURCES, FileSource
from recollect.model.media import Media
from recollect.model.memories import Space, VectorLike


class UserFiles(Scoped):
    """A user's synced folders and documents."""

    def sync(
        self,
        *paths: AnyPath,
        source: FileSource | None = None,
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        hidden: bool | None = None,
        gitignore: bool | None = None,
        dry_run: bool = False,
        even_if_empty: bool = False,
        full: bool = False,
        wait: bool | None = None,
        tell: Callable[[SyncProgress], None] | None = None,
    ) -> tuple[SyncReport, ...]:
        """Sync folders of notes or session logs into the store; without paths, those that were synced before.

        A folder is opened only on the machine on which it was named by its path: one of an archive is `unnamed`.

        `include` and `exclude` are patterns like those of `.gitignore`; what is not given is as in the last sync of the
        folder, or as in the settings. `source` is `memory` or `sessions`; by default a folder whose patterns are all
        `.jsonl` holds sessions. `dry_run` only reports. `even_if_empty` accepts a folder that has lost all its files.
        `full` also reads files that seem unchanged. `wait` says whether to wait for vectors, as with `remember`; those
        that an interrupted sync left are made, too. `tell` is called with the progress.
        """
        rules = {"include": include, "exclude": exclude, "hidden": hidden, "gitignore": gitignore}
        asked = SyncRequest(paths, source, rules, dry_run, even_if_empty, full)
        return self._engine.filing.sync(self._engine, self._scope, asked, wait=wait, tell=tell)

    def watch(
        self,
        *paths: AnyPath,
        stop: Event,
        tell: Callable[[SyncReport | RecollectError], None],
        source: FileSource | None = None,
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        hidden: bool | None = None,
        gitignore: bool | None = None,
    ) -> None:
        """Sync folders now and on every change, until `stop` is set; `tell` is called after each sync."""
        rules = {"include": include, "exclude": exclude, "hidden": hidden, "gitignore": gitignore}
        asked = SyncRequest(paths, source, rules)
        self._engine.filing.watch(self._engine, self._scope, asked, stop=stop, tell=tell)

    def folders(self, *, look: bool = True) -> tuple[FolderStatus, ...]:
        """List the synced folders; with `look` each is scanned, to count the files that have changed since."""
        return stored_files.folders(self._engine, self._scope, look=look)

    def add(
        self, file: AnyPath | bytes, *, name: str | None = None, replace: bool = False, wait: bool | None = None
    ) -> AddedFile:
        """Add a document: Markdown, text, code, PDF, HTML, DOCX, e-mail, CSV or an image. Raises InvalidDocument.

        `file` is a path, or the bytes themselves with a `name`. The same bytes are stored once. `replace` replaces what
        was added under the same name before.
        """
        return self._engine.filing.add(self._engine, self._scope, file, name, replace=replace, wait=wait)

    def add_pieces(
        self,
        name: str,
        pieces: Sequence[TextPiece],
        *,
        source: FileSource = "document",
        vectors: Sequence[VectorLike | None] | None = None,
        space: Space | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> AddedFile | None:
        """Add a file that another program has split, with its vectors if they are of the active embedding space.

        Returns None when the file was forgotten before: it does not come back.
        """
        precut = PrecutFile(name, tuple(pieces), source, vectors or [None] * len(pieces), space, dict(metadata or {}))
        return self._engine.filing.add_pieces(self._engine, self._scope, precut)

    def list(
        self,
        *,
        limit: int = 50,
        cursor: str | None = None,
        source: FileSource | None = None,
        since: kinds.Since | None = None,
        until: kinds.Until | None = None,
    ) -> FilePage:
        """List files, the last added first, a page at a time; with `since` and `until` those of that time.

        The time of a file is its date, if it has one, or when it was added.
        """
        if source is not None and source not in FILE_SOURCES:
            raise InvalidInput(f"Unknown source of files {source!r}. They are: {', '.join(FILE_SOURCES)}.")
        first, last = times.bounds(self._engine, since, until)
        return stored_files.listing(
            self._reading, self._scope, check_limit(limit), cursor, source=source, since=first, until=last
        )

    def chunks(self, id: str, *, limit: int = 100) -> tuple[Chunk, ...]:
        """Return the first chunks of a file, the pieces by which it is searched, in order. Raises NotFound."""
        file_id = self.get(id).id
        most = check_limit(limit)
        return tuple(self._engine.store.read(self._scope, lambda reader: reader.chunks_of(file_id, limit=most)))

    def get(self, id: str) -> FileRecord:
        """Return one file. Raises NotFound."""
        known_id = canonical(id, "file")
        record = self._engine.store.read(self._scope, lambda reader: reader.file(known_id))
        if record is None:
            raise NotFound(f"No file {id}. See what there is with `files`.")
        return record

    def original(self, id: str) -> bytes:
        """Return the bytes of a document as they were added. Raises NotFound."""
        record = self.get(id)
        if not record.original:
            raise NotFound(f"No original of {record.path} is kept.")
        return self._engine.originals.original(record.original)

    def read(self, path: str, lines: tuple[int, int] | None = None) -> FileText:
        """Return a file's text, or the lines from the first to the last of two numbers. Raises NotFound.

        `path` is an id, a path, or the end of a path that only one file has. The text comes from the disk, or from the
        store when the file is gone.
        """
        return stored_files.read(self._engine, self._scope, path, lines)

    def store_files(self) -> frozenset[tuple[int, int]]:
        """Return the device and inode of the store's own files, which must not be opened: it would drop locks."""
        return self._engine.store.own_files()


class UserMedia(Scoped):
    """A user's originals of media."""

    def add(
        self,
        file: str | PathLike[str] | bytes,
        *,
        caption: str = "",
        alt: str = "",
        transcript: str = "",
        duration_s: float | None = None,
    ) -> Media:
        """Store the bytes of a picture, sound or film, and return it for `media` of a memory or message.

        `file` is a path, or the bytes themselves. What it is, is told by its bytes; of a photo also its size, its words
        and its place. What no memory or message has after an hour is removed. Raises InvalidDocument when it is too
        large.
        """
        added = self._engine.filing.add_medium(self._engine, self._scope, file)
        return replace(added, caption=caption, alt=alt, transcript=transcript, duration_s=duration_s)

    def original(self, original: str) -> bytes:
        """Return the bytes of a medium that a memory or message of the user has. Raises NotFound."""
        return media.original(self._engine, self._scope, original)
