"""The verbs for files: folders that are kept in step, documents, and reading them back."""

import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from threading import Event
from typing import Any

from recollect.api.scoped import Scoped, canonical, check_limit, noted_path
from recollect.engine.files import documents, file_chunks, sync, watch
from recollect.engine.files.sync import SyncOrder
from recollect.errors import InvalidDocument, InvalidInput, NotFound, RecollectError
from recollect.model.files import (
    AddedFile,
    FilePage,
    FileRecord,
    FileText,
    FolderStatus,
    SyncProgress,
    SyncReport,
    TextPiece,
)
from recollect.model.literals import FILE_SOURCES, FileSource
from recollect.model.memories import Space, VectorLike
from recollect.ports import SyncRules

AnyPath = str | PathLike[str]


class FileVerbs(Scoped):
    """The verbs for files."""

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
        wait: bool | None = None,
        tell: Callable[[SyncProgress], None] | None = None,
    ) -> tuple[SyncReport, ...]:
        """Bring folders of notes and session logs in step with the store; without paths, those synced before.

        `include` and `exclude` are patterns like those of `.gitignore`; without them, and for the other two, the rules
        of the last sync hold, or those of the settings. `source` is `memory` or `sessions`; without it, a folder with
        nothing but `.jsonl` files wanted holds sessions. `dry_run` says what would be done. `even_if_empty` believes a
        folder that has lost all its files. `wait` says whether to wait for vectors, as with `remember`.
        """
        patterns = {"include": _patterns(include), "exclude": _patterns(exclude)}
        wishes = _given({**patterns, "hidden": hidden, "gitignore": gitignore})
        orders = [
            replace(order, dry_run=dry_run, even_if_empty=even_if_empty)
            for order in self._orders(paths, source, wishes)
        ]
        reports = [sync.sync(self._engine, self._scope, order, tell=tell) for order in orders]
        if dry_run or not any(report.writes for report in reports):
            return tuple(reports)
        embedded = file_chunks.embed(self._engine, self._scope, wait=wait)
        return (*reports[:-1], replace(reports[-1], embedded=embedded))

    def keep_in_step(
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
        """Sync folders now and whenever something in them changes, until `stop` is set; `tell` hears of each sync."""
        patterns = {"include": _patterns(include), "exclude": _patterns(exclude)}
        wishes = _given({**patterns, "hidden": hidden, "gitignore": gitignore})
        orders = self._orders(paths, source, wishes)
        watch.keep(self._engine, self._scope, orders, stop=stop, tell=tell)

    def folders(self, *, look: bool = True) -> tuple[FolderStatus, ...]:
        """Give the folders that were synced. With `look` each is walked through, to say how far it has drifted."""
        return documents.folders(self._engine, self._scope, look=look)

    def add_file(
        self,
        file: AnyPath | bytes,
        *,
        name: str | None = None,
        replace: bool = False,
        wait: bool | None = None,
    ) -> AddedFile:
        """Add a document: Markdown, text, code, PDF, HTML, DOCX, e-mail, CSV or an image. Raises InvalidDocument.

        `file` is a path, or the bytes themselves with a `name`. The same bytes are kept once. `replace` takes the place
        of what was added under the same name before.
        """
        data, called = self._document(file, name)
        added = documents.add(self._engine, self._scope, data, called, replace=replace)
        if added.action != "duplicate":
            file_chunks.embed(self._engine, self._scope, wait=wait)
        return added

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
        """Add a file that another program has cut, with its vectors if they are of the space that is searched.

        Gives None when it was forgotten before: then it does not come back.
        """
        given = documents.PrecutFile(
            name, tuple(pieces), source, vectors or [None] * len(pieces), space, dict(metadata or {})
        )
        return documents.add_pieces(self._engine, self._scope, given)

    def store_files(self) -> frozenset[tuple[int, int]]:
        """Give the device and inode of the store's own files. Opening them by other means would drop SQLite's locks."""
        return self._engine.store.own_files()

    def files(self, *, limit: int = 50, cursor: str | None = None, source: FileSource | None = None) -> FilePage:
        """List files, the one that was added last first."""
        if source is not None and source not in FILE_SOURCES:
            raise InvalidInput(f"Unknown source of files {source!r}. They are: {', '.join(FILE_SOURCES)}.")
        return documents.listing(self._engine, self._scope, check_limit(limit), cursor, source)

    def file(self, id: str) -> FileRecord:
        """Give one file. Raises NotFound."""
        known = canonical(id, "file")
        found = self._engine.store.read(self._scope, lambda reader: reader.file(known))
        if found is None:
            raise NotFound(f"No file {id}. See what there is with `files`.")
        return found

    def original(self, id: str) -> bytes:
        """Give the bytes of a document as they were added. Raises NotFound."""
        found = self.file(id)
        if not found.original:
            raise NotFound(f"No original of {found.path} is kept.")
        return self._engine.documents.original(found.original)

    def read(self, path: str, lines: tuple[int, int] | None = None) -> FileText:
        """Give a file's text, or the lines from the first to the last of two numbers. Raises NotFound.

        `path` is an id, a path, or as much of the end of a path as only one file has. Lines come from the disk, or from
        the store when the file is gone.
        """
        return documents.read(self._engine, self._scope, path, lines)

    def _document(self, file: AnyPath | bytes, name: str | None) -> tuple[bytes, str]:
        if isinstance(file, bytes | bytearray | memoryview):
            if not name:
                raise InvalidInput("Bytes need a name: add_file(data, name='manual.pdf').")
            return bytes(file), name
        path = Path(fspath(file)).expanduser()
        most = self._engine.settings.files.document_mb * 2**20
        try:
            seen = path.stat()
            if (seen.st_dev, seen.st_ino) in self.store_files():  # opening it would drop SQLite's locks
                raise InvalidDocument(f"{path} is the store itself.")
            if not stat.S_ISREG(seen.st_mode):
                raise InvalidDocument(f"{path} is no plain file. For a folder there is `recollect sync {path}`.")
            with path.open("rb") as opened:
                return opened.read(most + 1), name or path.name
        except (OSError, ValueError) as error:  # a name may have characters that no file has
            raise InvalidDocument(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error

    def _orders(
        self, paths: Sequence[AnyPath], source: FileSource | None, wishes: Mapping[str, Any]
    ) -> list[SyncOrder]:
        known = {
            folder.root: folder for folder in self._engine.store.read(self._scope, lambda reader: reader.folders())
        }
        roots = [self._engine.disk.resolve(noted_path(path)) for path in paths] or [*known]
        if not roots:
            raise InvalidInput("Name a folder: none has been synced before.")
        for root in roots:
            if Path(root).is_file():
                raise InvalidInput(f"{root} is a file. Name its folder, or add it by itself: `recollect add {root}`.")
        return [self._order(root, known, source, wishes) for root in dict.fromkeys(roots)]

    def _order(
        self, root: str, known: Mapping[str, Any], source: FileSource | None, wishes: Mapping[str, Any]
    ) -> SyncOrder:
        before = known.get(root)
        rules = sync.rules_of(self._engine, before) if before else sync.usual_rules(self._engine)
        rules = sync.changed_rules(rules, wishes)
        chosen = source or (before.source if before else _source_of(rules))
        if chosen not in ("memory", "sessions"):
            raise InvalidInput(f"A folder holds `memory` or `sessions`, not {chosen!r}.")
        return SyncOrder(root, chosen, rules)


def _given(wishes: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what nobody wished for."""
    return {name: value for name, value in wishes.items() if value is not None}


def _source_of(rules: SyncRules) -> FileSource:
    logs = [pattern.endswith(".jsonl") for pattern in rules.include]
    return "sessions" if logs and all(logs) else "memory"


def _patterns(given: Sequence[str] | None) -> Sequence[str] | None:
    """Insist on patterns that can be noted; one may be given by itself. Raises InvalidInput."""
    patterns = [given] if isinstance(given, str) else given
    for pattern in patterns or ():
        if file_chunks.storable(pattern) != pattern:
            raise InvalidInput(f"{pattern!a} is no pattern that can be noted. Write it as text, such as *.md.")
    return patterns
