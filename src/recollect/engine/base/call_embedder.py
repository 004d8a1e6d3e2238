"""Asking an embedder, whoever wrote it, and believing only what makes sense."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from recollect.errors import EmbeddingError, InvalidVector, RecollectError
from recollect.model.memories import Space, Vector
from recollect.model.messages import Usage
from recollect.model.vectors import as_units
from recollect.ports import Embedder, RemoteEmbedder, Role

PROBE = "A sentence to try the embedder."
_SILENCE = "-"  # what stands for a text without a word, which providers refuse


def embed(embedder: Embedder, space: Space, texts: Sequence[str], role: Role) -> tuple[Vector, Usage]:
    """Ask for vectors and check them. Raises EmbeddingError, also for vectors that make no sense."""
    with _as_embedding_errors():
        if isinstance(embedder, RemoteEmbedder):
            vectors, usage = embedder.embed_metered([spoken(text) for text in texts], role)
        else:
            vectors, usage = embedder.embed(texts, role), Usage()
    return checked(vectors, space, len(texts)), usage


@contextmanager
def _as_embedding_errors() -> Iterator[None]:
    """Let whatever an embedder raises, which may be anybody's code, be what callers are prepared for."""
    try:
        yield
    except RecollectError:
        raise
    except Exception as error:
        raise EmbeddingError(f"The embedder failed: {type(error).__name__}: {error}") from error


def checked(vectors: Vector, space: Space, amount: int) -> Vector:
    """Give what an embedder made for so many texts, in unit length. Raises EmbeddingError if it makes no sense."""
    if len(vectors) != amount:
        raise EmbeddingError(f"The embedder gave {len(vectors)} vectors for {amount} texts.")
    try:
        return as_units(vectors, space.dimensions)
    except InvalidVector as error:
        raise EmbeddingError(f"The embedder gave a vector that cannot be used. {error}") from error


def probed(embedder: Embedder) -> Space:
    """Ask for one vector, check it, and give the space that it is of. Raises EmbeddingError."""
    with _as_embedding_errors():
        vectors = embedder.embed([PROBE], "passage")
    space = embedder.space
    if space is None:
        raise EmbeddingError("The embedder gave a vector, but does not say of which space it is.")
    checked(vectors, space, 1)
    return space


def spoken(text: str) -> str:
    """Give a text that a provider accepts."""
    return text if text.strip() else _SILENCE
