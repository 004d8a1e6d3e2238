"""What the engine asks of the outside world. Adapters implement these; the engine never sees a driver.

The invariant of the stores: whatever runs inside `write` happens wholly or not at all, and the writes of one user come
one after the other. So a decision taken inside `write` from what it has read there still holds when it commits.
"""

from recollect.ports.conversations import Derivation, Size, Spot
from recollect.ports.files import (
    Content,
    Disk,
    Documents,
    Reading,
    Recipe,
    Rules,
    Seen,
    Touched,
    Walk,
    Watching,
    Wish,
)
from recollect.ports.ledgers import CHANGES_KEPT, STORE, Bell, Change, ChangeKind, KeptAnswer, LedgerWriter, SearchNote
from recollect.ports.memories import Fingerprint, Indexed, Neighbour, Slot, TextCandidate, TextCandidates
from recollect.ports.places import CachedPlace, GeocodeJob, Geocoder, Unlocated, Unnamed
from recollect.ports.spaces import Asked, EmbedJob, Paid
from recollect.ports.store import Pending, Reader, Store, Writer
from recollect.ports.world import (
    BulkEmbedder,
    BulkOutcome,
    BulkProgress,
    Clock,
    Embedder,
    Extractor,
    Observer,
    RemoteEmbedder,
    Role,
    Stage,
    Summarizer,
    Tokenizer,
)

__all__ = [
    "CHANGES_KEPT",
    "STORE",
    "Asked",
    "Bell",
    "BulkEmbedder",
    "BulkOutcome",
    "BulkProgress",
    "CachedPlace",
    "Change",
    "ChangeKind",
    "Clock",
    "Content",
    "Derivation",
    "Disk",
    "Documents",
    "EmbedJob",
    "Embedder",
    "Extractor",
    "Fingerprint",
    "GeocodeJob",
    "Geocoder",
    "Indexed",
    "KeptAnswer",
    "LedgerWriter",
    "Neighbour",
    "Observer",
    "Paid",
    "Pending",
    "Reader",
    "Reading",
    "Recipe",
    "RemoteEmbedder",
    "Role",
    "Rules",
    "SearchNote",
    "Seen",
    "Size",
    "Slot",
    "Spot",
    "Stage",
    "Store",
    "Summarizer",
    "TextCandidate",
    "TextCandidates",
    "Tokenizer",
    "Touched",
    "Unlocated",
    "Unnamed",
    "Walk",
    "Watching",
    "Wish",
    "Writer",
]
