"""The verbs for files, awaited."""

from asyncio import to_thread
from collections.abc import Callable, Mapping, Sequence
from threading import Event
from typing import Any

from recollect.api.files import AnyPath
from recollect.api.memory import UserMemory
from recollect.errors import RecollectError
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
from recollect.model.literals import FileSource
from recollect.model.memories import Space, VectorLike


class AsyncFileVerbs:
    """The verbs for files. See `UserMemory`."""

    def __init__(self, memory: UserMemory) -> None:
        self._memory = memory

    async def sync(
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
        """See `UserMemory.sync`; `tell` is called in the thread that does the work."""
        return await to_thread(
            self._memory.sync,
            *paths,
            source=source,
            include=include,
            exclude=exclude,
            hidden=hidden,
            gitignore=gitignore,
            dry_run=dry_run,
            even_if_empty=even_if_empty,
            wait=wait,
            tell=tell,
        )

    async def keep_in_step(
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
        """See `UserMemory.keep_in_step`; it ends when `stop` is set, also if nobody waits for it any more."""
        await to_thread(
            self._memory.keep_in_step,
            *paths,
            stop=stop,
            tell=tell,
            source=source,
            include=include,
            exclude=exclude,
            hidden=hidden,
            gitignore=gitignore,
        )

    async def store_files(self) -> frozenset[tuple[int, int]]:
        """See `UserMemory.store_files`."""
        return await to_thread(self._memory.store_files)

    async def folders(self, *, look: bool = True) -> tuple[FolderStatus, ...]:
        """See `UserMemory.folders`."""
        return await to_thread(self._memory.folders, look=look)

    async def add_file(
        self,
        file: AnyPath | bytes,
        *,
        name: str | None = None,
        replace: bool = False,
        wait: bool | None = None,
    ) -> AddedFile:
        """See `UserMemory.add_file`."""
        return await to_thread(self._memory.add_file, file, name=name, replace=replace, wait=wait)

    async def add_pieces(
        self,
        name: str,
        pieces: Sequence[TextPiece],
        *,
        source: FileSource = "document",
        vectors: Sequence[VectorLike | None] | None = None,
        space: Space | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> AddedFile | None:
        """See `UserMemory.add_pieces`."""
        return await to_thread(
            self._memory.add_pieces, name, pieces, source=source, vectors=vectors, space=space, metadata=metadata
        )

    async def files(self, *, limit: int = 50, cursor: str | None = None, source: FileSource | None = None) -> FilePage:
        """See `UserMemory.files`."""
        return await to_thread(self._memory.files, limit=limit, cursor=cursor, source=source)

    async def file(self, id: str) -> FileRecord:
        """See `UserMemory.file`."""
        return await to_thread(self._memory.file, id)

    async def original(self, id: str) -> bytes:
        """See `UserMemory.original`."""
        return await to_thread(self._memory.original, id)

    async def read(self, path: str, lines: tuple[int, int] | None = None) -> FileText:
        """See `UserMemory.read`."""
        return await to_thread(self._memory.read, path, lines)
