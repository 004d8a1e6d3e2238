"""Calls to embedders, with every vector checked: an embedder may be a caller's own code."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from recollect.engine.base.priority import WorkPriority
from recollect.errors import EmbeddingError, InvalidVector, RecollectError
from recollect.model.memories import Space, Vector
from recollect.model.messages import Usage
from recollect.model.vectors import as_units
from recollect.ports import Embedder, RemoteEmbedder, Role

PROBE = "A sentence to try the embedder."
_SLICE = 2  # texts of patient work, which take about as long as a search
_EMPTY = "-"  # stands for a text without a word, which providers refuse


def embed(embedder: Embedder, space: Space, texts: Sequence[str], role: Role) -> tuple[Vector, Usage]:
    """Embed texts and check the vectors. Raises EmbeddingError."""
    with _as_embedding_errors():
        if isinstance(embedder, RemoteEmbedder):
            vectors, usage = embedder.embed_metered([non_empty(text) for text in texts], role)
        else:
            vectors, usage = embedder.embed(texts, role), Usage()
    return check_vectors(vectors, space, len(texts)), usage


def embed_passages(
    embedder: Embedder, space: Space, texts: Sequence[str], priority: WorkPriority
) -> tuple[Vector, Usage]:
    """Embed passages; patient work on this machine gives way to urgent calls after every few. Raises EmbeddingError."""
    if isinstance(embedder, RemoteEmbedder):
        return embed(embedder, space, texts, "passage")
    parts = [embed(embedder, space, part, "passage")[0] for part in priority.slices(texts, _SLICE)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts), Usage()


@contextmanager
def _as_embedding_errors() -> Iterator[None]:
    """Raise whatever an embedder raises as an EmbeddingError."""
    try:
        yield
    except RecollectError:
        raise
    except Exception as error:
        raise EmbeddingError(f"The embedder failed: {type(error).__name__}: {error}") from error


def check_vectors(vectors: Vector, space: Space, amount: int) -> Vector:
    """Give the vectors of so many texts in unit length. Raises EmbeddingError if they cannot be used."""
    if len(vectors) != amount:
        raise EmbeddingError(f"The embedder gave {len(vectors)} vectors for {amount} texts.")
    try:
        return as_units(vectors, space.dimensions)
    except InvalidVector as error:
        raise EmbeddingError(f"The embedder gave a vector that cannot be used. {error}") from error


def probe(embedder: Embedder) -> Space:
    """Embed one sentence, check its vector, and give the space that it is of. Raises EmbeddingError."""
    with _as_embedding_errors():
        vectors = embedder.embed([PROBE], "passage")
    space = embedder.space
    if space is None:
        raise EmbeddingError("The embedder gave a vector, but does not say of which space it is.")
    check_vectors(vectors, space, 1)
    return space


def non_empty(text: str) -> str:
    """Give a text that a provider accepts."""
    return text if text.strip() else _EMPTY
