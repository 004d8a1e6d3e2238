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
    from recollect.api.aio import AsyncConversation, AsyncMemory, AsyncUserMemory
    from recollect.api.memory import Memory, UserMemory
    from recollect.api.user import Conversation
    from recollect.authorization import ApiKey, NewKey
    from recollect.embedding import create_embedding_provider, vector_dims_for_model
    from recollect.errors import (
        AccessDenied,
        AlreadyProcessed,
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
        ProviderUnavailable,
        RecollectError,
        SettingsError,
        StaleVersion,
        StoreDamaged,
        StoreError,
        StoreTooNew,
        StoreTooOld,
        StoreUnavailable,
        SummaryError,
        TextRefused,
        UnknownKey,
    )
    from recollect.model.files import (
        AddedFile,
        Chunk,
        FilePage,
        FileRecord,
        FileText,
        Folder,
        FolderStatus,
        SkippedFile,
        SyncProgress,
        SyncReport,
        TextPiece,
    )
    from recollect.model.literals import MEMORY_TYPES, ROLES, SOURCES, Trust
    from recollect.model.memories import (
        About,
        ChannelPart,
        Forgotten,
        Hit,
        MemoryRecord,
        NewMemory,
        Page,
        Place,
        PromptContext,
        Recall,
        Remembered,
        ScoreParts,
        Space,
        TurnOutcome,
    )
    from recollect.model.messages import (
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
    from recollect.model.places import Located, Location, NamedPlace, PlacePart, PlaceSummary
    from recollect.model.stats import (
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
        WorkReport,
    )
    from recollect.settings import Settings, load_settings

# Names are looked up when they are used, so that `recollect --help` does not pay for NumPy and two databases.
_HOMES = {
    "recollect.authorization": ("ApiKey", "NewKey"),
    "recollect.api.aio": ("AsyncConversation", "AsyncMemory", "AsyncUserMemory"),
    "recollect.embedding": ("create_embedding_provider", "vector_dims_for_model"),
    "recollect.errors": (
        "AccessDenied", "EmbeddingError", "GeocoderUnavailable", "InvalidDocument", "InvalidInput", "InvalidMemory",
        "InvalidMessage", "InvalidVector", "LlmError", "ModelDamaged", "NotFound", "NotPermitted", "StaleVersion",
        "ProviderUnavailable", "RecollectError", "AlreadyProcessed", "SettingsError", "StoreDamaged", "StoreError",
        "StoreTooNew", "StoreTooOld", "StoreUnavailable", "SummaryError", "TextRefused", "UnknownKey",
    ),
    "recollect.model.stats": (
        "AuditLine", "BulkBatch", "CacheFigures", "Coverage", "Estimate", "Maintenance", "Model", "ParkedItem",
        "Problem", "Reembedding", "Stats", "Status", "StoreStats", "WorkReport",
    ),
    "recollect.model.files": (
        "AddedFile", "Chunk", "FilePage", "FileRecord", "FileText", "Folder", "FolderStatus", "SyncProgress",
        "SyncReport", "SkippedFile", "TextPiece",
    ),
    "recollect.api.memory": ("Memory", "UserMemory"),
    "recollect.model.messages": (
        "Appended", "Captured", "Compaction", "ConversationInfo", "Message", "NewMessage", "ToolCall", "Usage",
        "Window",
    ),
    "recollect.model.places": ("Located", "Location", "NamedPlace", "PlacePart", "PlaceSummary"),
    "recollect.settings": ("Settings", "load_settings"),
    "recollect.model.memories": (
        "About", "ChannelPart", "Forgotten", "Hit", "MemoryRecord", "NewMemory", "Page", "ScoreParts", "Place",
        "PromptContext", "Recall", "Remembered", "Space", "TurnOutcome",
    ),
    "recollect.api.user": ("Conversation",),
    "recollect.model.literals": ("MEMORY_TYPES", "ROLES", "SOURCES", "Trust"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "MEMORY_TYPES",
    "ROLES",
    "SOURCES",
    "About",
    "AccessDenied",
    "AddedFile",
    "AlreadyProcessed",
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
    "Page",
    "ParkedItem",
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
    "ScoreParts",
    "Settings",
    "SettingsError",
    "SkippedFile",
    "Space",
    "StaleVersion",
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
    "TextPiece",
    "TextRefused",
    "ToolCall",
    "Trust",
    "TurnOutcome",
    "UnknownKey",
    "Usage",
    "UserMemory",
    "Window",
    "WorkReport",
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
