"""Values of the public interface: frozen, without I/O. Import them from here: `from recollect.model import Page`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# isort: off
# fmt: off
if TYPE_CHECKING:
    from recollect.model.files import (
        AddedFile, Chunk, FilePage, FileRecord, FileText, Folder, FolderStatus, SkippedFile, SyncProgress,
        SyncReport, TextPiece,
    )
    from recollect.model.kinds import FilterFields
    from recollect.model.literals import (
        FILE_KINDS, FILE_SOURCES, MEMORY_TYPES, PERMISSIONS, ROLES, SOURCES, FileKind, FileSource, MemoryType,
        MessageRole, Permission, Source, Trust,
    )
    from recollect.model.media import MEDIA_KINDS, Media, MediaKind, MediaLike
    from recollect.model.memories import (
        CommonFields, Doubt, KeyedFields, MemoryChanges, MemoryFields, MemoryRecord, NewMemory, Page, Remembered, Space,
        VectorLike,
    )
    from recollect.model.messages import (
        Appended, Compaction, Content, ConversationInfo, Message, MessageFields, NewMessage, ToolCall,
        Usage, Window,
    )
    from recollect.model.insights import (
        AgentFigures, Cluster, Clusters, DuplicatePair, Insights, MonthGrowth, QueryFigures, RecalledItem, Tidying,
        TidySuggestion, TypeCoverage,
    )
    from recollect.model.places import (
        Located, Location, LocationLike, LocationMode, NamedPlace, PlacePart, PlaceSummary,
    )
    from recollect.model.readings import (
        Captured, ExplainedReading, MemoryOrigin, Need, Reading, SkippedStatement, SkipReason, Statement, TextSpan,
    )
    from recollect.model.search import (
        About, ChannelPart, Correction, Forgotten, Hit, Place, PromptContext, Recall, Reranking, RerankPart, ScoreParts,
        TurnOutcome,
    )
    from recollect.model.stats import (
        AuditLine, BulkBatch, CacheFigures, Coverage, Estimate, Maintenance, Model, ParkedItem, Problem,
        Reembedding, SearchFigures, Stats, Status, StoreStats, WorkReport,
    )

__all__ = [
    "FILE_KINDS", "FILE_SOURCES", "MEDIA_KINDS", "MEMORY_TYPES", "PERMISSIONS", "ROLES", "SOURCES", "About",
    "AddedFile",
    "AgentFigures", "Appended", "AuditLine", "BulkBatch", "CacheFigures", "Captured", "ChannelPart", "Chunk",
    "Cluster", "Clusters", "CommonFields", "Compaction", "Content", "ConversationInfo", "Correction", "Coverage",
    "Doubt", "DuplicatePair", "Estimate", "ExplainedReading",
    "FileKind", "FilePage", "FileRecord", "FileSource", "FileText", "FilterFields", "Folder", "FolderStatus",
    "Forgotten", "Hit", "Insights", "KeyedFields", "Located", "Location", "LocationLike", "LocationMode", "Maintenance",
    "Media", "MediaKind", "MediaLike",
    "MemoryChanges", "MemoryFields", "MemoryOrigin", "MemoryRecord", "MemoryType", "Message", "MessageFields",
    "MessageRole", "Model", "MonthGrowth", "NamedPlace", "Need", "NewMemory", "NewMessage", "Page", "ParkedItem",
    "Permission", "Place", "PlacePart", "PlaceSummary", "Problem", "PromptContext", "QueryFigures", "Reading",
    "Recall", "RecalledItem", "Reembedding", "Remembered", "RerankPart", "Reranking", "ScoreParts", "SearchFigures",
    "SkipReason", "SkippedFile", "SkippedStatement", "Source", "Space", "Statement", "Stats", "Status", "StoreStats",
    "SyncProgress", "SyncReport", "TextPiece", "TextSpan", "TidySuggestion", "Tidying", "ToolCall", "Trust",
    "TurnOutcome", "TypeCoverage", "Usage", "VectorLike", "Window", "WorkReport",
]
_HOMES = (
    "literals", "files", "media", "messages", "readings", "places", "filters", "kinds", "stats", "memories", "search",
    "insights",
)
# fmt: on
# isort: on


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module has names of all types
    """Import a public name at first use, from the first module that has it: some of them need NumPy."""
    for home in _HOMES if name in __all__ else ():
        module = import_module(f"recollect.model.{home}")
        if name in vars(module):
            return vars(module)[name]
    raise AttributeError(f"module 'recollect.model' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
