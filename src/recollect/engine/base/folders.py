"""What syncs and watches folders, as the engine asks for it: the package recollect-files brings it.

The invariant: nothing that reads, finds or forgets what was synced needs it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from threading import Event
from typing import TYPE_CHECKING, Any, Protocol

from recollect.errors import RecollectError
from recollect.model.files import FileRecord, Folder, SyncProgress, SyncReport
from recollect.model.literals import FileSource
from recollect.model.memories import Scope

if TYPE_CHECKING:
    from recollect.engine.base.context import Engine

SyncListener = Callable[[SyncProgress], None]
WatchListener = Callable[[SyncReport | RecollectError], None]


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """Folders by the paths that were typed, or all that were synced before; `rules` are those that change, by name."""

    paths: Sequence[str | PathLike[str]]
    source: FileSource | None
    rules: Mapping[str, Any]
    dry_run: bool = False
    even_if_empty: bool = False
    full: bool = False


class FolderSync(Protocol):
    """Keeps folders and the store in step."""

    def sync(
        self, engine: "Engine", scope: Scope, asked: SyncRequest, *, wait: bool | None, tell: SyncListener | None
    ) -> tuple[SyncReport, ...]:
        """Sync folders into the store, and embed what is new."""

    def watch(self, engine: "Engine", scope: Scope, asked: SyncRequest, *, stop: Event, tell: WatchListener) -> None:
        """Sync folders now and on every change, until `stop` is set."""

    def drift(self, engine: "Engine", scope: Scope, folder: Folder) -> int | None:
        """Count the files of a folder that differ from the store; None when the folder is missing."""

    def text(self, engine: "Engine", folder: Folder, file: FileRecord) -> tuple[str, str]:
        """Give the text of a synced file as it lies on the disk, and its digest. Raises OSError, InvalidDocument."""
