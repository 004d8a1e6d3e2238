"""What the engine asks of the outside world. Adapters implement these; the engine never sees a driver.

The invariant of the stores: whatever runs inside `write` happens wholly or not at all, and the writes of one user come
one after the other. So a decision taken inside `write` from what it has read there still holds when it commits.
"""

from recollect.ports.access_log import (
    CHANGES_KEPT,
    STORE,
    AccessLogWriter,
    ChangeKind,
    ChangeNotifier,
    SearchNote,
    StoreChange,
    StoredResponse,
)
from recollect.ports.backup import BackupProgress, DatabaseRestorer
from recollect.ports.conversations import ConversationSize, Derivation, MessagePosition, ReadJob
from recollect.ports.files import (
    ChunkingRecipe,
    Disk,
    Documents,
    FileReading,
    FolderWalk,
    FolderWatch,
    ReadFile,
    ReadRequest,
    SeenFile,
    SyncRules,
    TouchedFile,
)
from recollect.ports.memories import Fingerprint, IndexedItem, Neighbour, Slot, TextCandidate, TextCandidates
from recollect.ports.places import CachedPlace, GeocodeJob, Geocoder, UnlocatedItem, UnnamedPlace
from recollect.ports.spaces import CachedPassageVector, CachedQueryVector, EmbedJob
from recollect.ports.store import PendingWrite, StepListener, Store, StoreReader, StoreWriter
from recollect.ports.world import (
    BulkEmbedder,
    BulkOutcome,
    BulkProgress,
    Clock,
    Embedder,
    Observer,
    Reader,
    RemoteEmbedder,
    Role,
    Stage,
    Summarizer,
    Tokenizer,
)

__all__ = [
    "CHANGES_KEPT",
    "STORE",
    "AccessLogWriter",
    "BackupProgress",
    "BulkEmbedder",
    "BulkOutcome",
    "BulkProgress",
    "CachedPassageVector",
    "CachedPlace",
    "CachedQueryVector",
    "ChangeKind",
    "ChangeNotifier",
    "ChunkingRecipe",
    "Clock",
    "ConversationSize",
    "DatabaseRestorer",
    "Derivation",
    "Disk",
    "Documents",
    "EmbedJob",
    "Embedder",
    "FileReading",
    "Fingerprint",
    "FolderWalk",
    "FolderWatch",
    "GeocodeJob",
    "Geocoder",
    "IndexedItem",
    "MessagePosition",
    "Neighbour",
    "Observer",
    "PendingWrite",
    "ReadFile",
    "ReadJob",
    "ReadRequest",
    "Reader",
    "RemoteEmbedder",
    "Role",
    "SearchNote",
    "SeenFile",
    "Slot",
    "Stage",
    "StepListener",
    "Store",
    "StoreChange",
    "StoreReader",
    "StoreWriter",
    "StoredResponse",
    "Summarizer",
    "SyncRules",
    "TextCandidate",
    "TextCandidates",
    "Tokenizer",
    "TouchedFile",
    "UnlocatedItem",
    "UnnamedPlace",
]
