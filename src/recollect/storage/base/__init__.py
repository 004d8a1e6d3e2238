"""The store as the engine sees it: this is the port, and what its two backends have in common; no driver is known here.

The backends derive from `Store`, `StoreReader` and `StoreWriter`, and override what differs.
"""

from recollect.storage.base.reader import StoreReader, TransferReader
from recollect.storage.base.store import Store
from recollect.storage.base.user_rows import UserRows
from recollect.storage.base.values import (
    CHANGES_KEPT,
    ERASED,
    LAST,
    STORE,
    WITH_SAME_WORDS,
    CachedPassageVector,
    CachedPlace,
    CachedQueryVector,
    ChangeKind,
    ChangeNotifier,
    ConversationSize,
    DatabaseRestorer,
    Derivation,
    EmbeddedMemory,
    EmbedJob,
    GeocodeJob,
    IndexedItem,
    ItemMarks,
    LiveMemory,
    Neighbour,
    OpenedConversation,
    PendingWrite,
    RawBlock,
    ReachedUsers,
    ReadJob,
    ReceiptKeys,
    Retirement,
    Saying,
    SearchNote,
    StepListener,
    StoreChange,
    StoredResponse,
    StoredRow,
    TouchedFile,
    UnlocatedItem,
    UnnamedPlace,
)
from recollect.storage.base.writer import StoreWriter

__all__ = [
    "CHANGES_KEPT", "ERASED", "LAST", "STORE", "WITH_SAME_WORDS", "CachedPassageVector",
    "CachedPlace", "CachedQueryVector", "ChangeKind", "ChangeNotifier", "ConversationSize", "DatabaseRestorer",
    "Derivation", "EmbedJob", "EmbeddedMemory", "GeocodeJob", "IndexedItem", "ItemMarks", "LiveMemory", "Neighbour",
    "OpenedConversation",
    "PendingWrite", "RawBlock", "ReachedUsers", "ReadJob", "ReceiptKeys", "Retirement", "Saying", "SearchNote",
    "StepListener", "Store", "StoreChange", "StoreReader", "StoreWriter", "StoredResponse", "StoredRow", "TouchedFile",
    "TransferReader", "UnlocatedItem", "UnnamedPlace", "UserRows",
]  # fmt: skip
