"""What the engine asks of the world; adapters implement it. What it asks of a store is in `recollect.storage.base`."""

from recollect.ports.documents import ChunkingRecipe, Documents, FileReading, Originals
from recollect.ports.world import (
    BulkEmbedder,
    BulkOutcome,
    BulkPhase,
    BulkProgress,
    Clock,
    Embedder,
    Geocoder,
    Observer,
    Reader,
    RemoteEmbedder,
    Reranker,
    RerankText,
    Role,
    Stage,
    Summarizer,
    Tokenizer,
)

__all__ = [
    "BulkEmbedder", "BulkOutcome", "BulkPhase", "BulkProgress", "ChunkingRecipe", "Clock", "Documents", "Embedder",
    "FileReading", "Geocoder", "Observer", "Originals", "Reader", "RemoteEmbedder", "RerankText", "Reranker", "Role",
    "Stage", "Summarizer", "Tokenizer",
]  # fmt: skip
