"""Long-term memory for AI agents: remembered for years, found in milliseconds, forgotten for good.

from recollect import Memory

with Memory.open() as memory:
    me = memory.user("me")
    me.remember("Prefers dark mode in all applications", type="preference")
    for hit in me.recall("which theme do I like?").hits:
        print(hit.score, hit.content)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recollect._version import __version__

if TYPE_CHECKING:
    from recollect.aio import AsyncConversation, AsyncMemory, AsyncUserMemory
    from recollect.authorization import ApiKey, NewKey
    from recollect.embedding import create_embedding_provider, vector_dims_for_model
    from recollect.errors import (
        AccessDenied,
        EmbeddingError,
        GeocoderUnavailable,
        InvalidDocument,
        InvalidInput,
        InvalidMemory,
        InvalidMessage,
        InvalidVector,
        LlmError,
        ModelDamaged,
        NotFound,
        NotPermitted,
        Outdated,
        ProviderUnavailable,
        RecollectError,
        Repeated,
        SettingsError,
        StoreDamaged,
        StoreError,
        StoreTooNew,
        StoreTooOld,
        StoreUnavailable,
        SummaryError,
        TextRefused,
        UnknownKey,
    )
    from recollect.figures import (
        AuditLine,
        BulkBatch,
        CacheFigures,
        Coverage,
        Estimate,
        Maintenance,
        Model,
        ParkedItem,
        Problem,
        Reembedding,
        Stats,
        Status,
        StoreStats,
        Worked,
    )
    from recollect.files import (
        AddedFile,
        Chunk,
        FilePage,
        FileRecord,
        FileText,
        Folder,
        FolderStatus,
        Piece,
        SyncProgress,
        SyncReport,
        Trouble,
    )
    from recollect.memory import Memory, UserMemory
    from recollect.messages import (
        Appended,
        Captured,
        Compaction,
        ConversationInfo,
        Message,
        NewMessage,
        ToolCall,
        Usage,
        Window,
    )
    from recollect.places import Located, Location, NamedPlace, PlacePart, PlaceSummary
    from recollect.settings import Settings, load_settings
    from recollect.types import (
        About,
        ChannelPart,
        Forgotten,
        Hit,
        MemoryRecord,
        NewMemory,
        Page,
        Parts,
        Place,
        PromptContext,
        Recall,
        Remembered,
        Space,
        TurnOutcome,
    )
    from recollect.user import Conversation
    from recollect.vocabulary import MEMORY_TYPES, ROLES, SOURCES, Trust

# Names are looked up when they are used, so that `recollect --help` does not pay for NumPy and two databases.
_HOMES = {
    "recollect.authorization": ("ApiKey", "NewKey"),
    "recollect.aio": ("AsyncConversation", "AsyncMemory", "AsyncUserMemory"),
    "recollect.embedding": ("create_embedding_provider", "vector_dims_for_model"),
    "recollect.errors": (
        "AccessDenied", "EmbeddingError", "GeocoderUnavailable", "InvalidDocument", "InvalidInput", "InvalidMemory",
        "InvalidMessage", "InvalidVector", "LlmError", "ModelDamaged", "NotFound", "NotPermitted", "Outdated",
        "ProviderUnavailable", "RecollectError", "Repeated", "SettingsError", "StoreDamaged", "StoreError",
        "StoreTooNew", "StoreTooOld", "StoreUnavailable", "SummaryError", "TextRefused", "UnknownKey",
    ),
    "recollect.figures": (
        "AuditLine", "BulkBatch", "CacheFigures", "Coverage", "Estimate", "Maintenance", "Model", "ParkedItem",
        "Problem", "Reembedding", "Stats", "Status", "StoreStats", "Worked",
    ),
    "recollect.files": (
        "AddedFile", "Chunk", "FilePage", "FileRecord", "FileText", "Folder", "FolderStatus", "Piece", "SyncProgress",
        "SyncReport", "Trouble",
    ),
    "recollect.memory": ("Memory", "UserMemory"),
    "recollect.messages": (
        "Appended", "Captured", "Compaction", "ConversationInfo", "Message", "NewMessage", "ToolCall", "Usage",
        "Window",
    ),
    "recollect.places": ("Located", "Location", "NamedPlace", "PlacePart", "PlaceSummary"),
    "recollect.settings": ("Settings", "load_settings"),
    "recollect.types": (
        "About", "ChannelPart", "Forgotten", "Hit", "MemoryRecord", "NewMemory", "Page", "Parts", "Place",
        "PromptContext", "Recall", "Remembered", "Space", "TurnOutcome",
    ),
    "recollect.user": ("Conversation",),
    "recollect.vocabulary": ("MEMORY_TYPES", "ROLES", "SOURCES", "Trust"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "MEMORY_TYPES",
    "ROLES",
    "SOURCES",
    "About",
    "AccessDenied",
    "AddedFile",
    "ApiKey",
    "Appended",
    "AsyncConversation",
    "AsyncMemory",
    "AsyncUserMemory",
    "AuditLine",
    "BulkBatch",
    "CacheFigures",
    "Captured",
    "ChannelPart",
    "Chunk",
    "Compaction",
    "Conversation",
    "ConversationInfo",
    "Coverage",
    "EmbeddingError",
    "Estimate",
    "FilePage",
    "FileRecord",
    "FileText",
    "Folder",
    "FolderStatus",
    "Forgotten",
    "GeocoderUnavailable",
    "Hit",
    "InvalidDocument",
    "InvalidInput",
    "InvalidMemory",
    "InvalidMessage",
    "InvalidVector",
    "LlmError",
    "Located",
    "Location",
    "Maintenance",
    "Memory",
    "MemoryRecord",
    "Message",
    "Model",
    "ModelDamaged",
    "NamedPlace",
    "NewKey",
    "NewMemory",
    "NewMessage",
    "NotFound",
    "NotPermitted",
    "Outdated",
    "Page",
    "ParkedItem",
    "Parts",
    "Piece",
    "Place",
    "PlacePart",
    "PlaceSummary",
    "Problem",
    "PromptContext",
    "ProviderUnavailable",
    "Recall",
    "RecollectError",
    "Reembedding",
    "Remembered",
    "Repeated",
    "Settings",
    "SettingsError",
    "Space",
    "Stats",
    "Status",
    "StoreDamaged",
    "StoreError",
    "StoreStats",
    "StoreTooNew",
    "StoreTooOld",
    "StoreUnavailable",
    "SummaryError",
    "SyncProgress",
    "SyncReport",
    "TextRefused",
    "ToolCall",
    "Trouble",
    "Trust",
    "TurnOutcome",
    "UnknownKey",
    "Usage",
    "UserMemory",
    "Window",
    "Worked",
    "__version__",
    "create_embedding_provider",
    "load_settings",
    "vector_dims_for_model",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Find a public name in its module at first use."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
