"""What brings files into the store, as the engine asks for it: the package recollect-files has it.

The invariant: nothing that finds, reads, exports or forgets what is stored needs it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from threading import Event
from typing import TYPE_CHECKING, Any, Protocol

from recollect.errors import RecollectError
from recollect.model.files import AddedFile, FileRecord, Folder, SyncProgress, SyncReport, TextPiece
from recollect.model.literals import FileSource
from recollect.model.media import Media
from recollect.model.memories import Scope, Space, VectorLike

if TYPE_CHECKING:
    from recollect.engine.base.context import Engine

AnyPath = str | PathLike[str]
SyncListener = Callable[[SyncProgress], None]
WatchListener = Callable[[SyncReport | RecollectError], None]


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """Folders by the paths that were typed, or all that were synced before; `rules` are those that change, by name."""

    paths: Sequence[AnyPath]
    source: FileSource | None
    rules: Mapping[str, Any]
    dry_run: bool = False
    even_if_empty: bool = False
    full: bool = False


@dataclass(frozen=True, slots=True)
class PrecutFile:
    """A file that was cut elsewhere, perhaps with vectors of a space."""

    name: str
    pieces: Sequence[TextPiece]
    source: FileSource = "document"
    vectors: Sequence[VectorLike | None] = ()
    space: Space | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


class Filing(Protocol):
    """Keeps folders and the store in step, and adds documents and media."""

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

    def add(
        self,
        engine: "Engine",
        scope: Scope,
        file: AnyPath | bytes,
        name: str | None,
        *,
        replace: bool,
        wait: bool | None,
    ) -> AddedFile:
        """Add a document by its path, or its bytes with a name. Raises InvalidDocument."""

    def add_pieces(self, engine: "Engine", scope: Scope, file: PrecutFile) -> AddedFile | None:
        """Add a file that was cut elsewhere; None when it was forgotten before."""

    def add_medium(self, engine: "Engine", scope: Scope, file: AnyPath | bytes) -> Media:
        """Keep a picture, sound or film as an original, and say what it is. Raises InvalidDocument."""
