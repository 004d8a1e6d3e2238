"""A loaded model. What it gives is checked here, so that no vector leaves that a search could not use."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from recollect.embedding.known_models import ENCODERS, LATEST, BundledEncoder, encoder_named
from recollect.embedding.local import LocalEmbedder
from recollect.errors import EmbeddingError
from recollect.model.memories import Vector
from recollect.ports import Role
from recollect_connect.e5.sentence_models import load_encode, require_library

BUNDLED: Final = frozenset({*(encoder.space.model for encoder in ENCODERS), "bundled", "local"})
_PROBE: Final = "A first text, so that the model is loaded before a client waits for it."

Encode: TypeAlias = Callable[[Sequence[str], Role], Vector]


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A loaded model: its name, the length of its vectors, and its function."""

    name: str
    dimension: int
    encode: Encode

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        """Give one row per text. Raises EmbeddingError when a row is of no use."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        vectors = np.asarray(self.encode(texts, role), np.float32)
        if vectors.shape != (len(texts), self.dimension):
            expected = (len(texts), self.dimension)
            raise EmbeddingError(f"{self.name} gave vectors of the shape {vectors.shape}, expected {expected}.")
        if not (np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)).all():
            raise EmbeddingError(f"{self.name} gave a vector that is all zeros, or not finite.")
        return vectors


def full_name(name: str) -> str:
    """Give the full name of a model, which it reports."""
    return _bundled(name).space.model if name in BUNDLED else name.rstrip("/\\")


def require_runnable(name: str) -> None:
    """Check, without loading anything, that the libraries of a model are installed. Raises EmbeddingError."""
    if name in BUNDLED:
        _bundled(name).folder()
    else:
        require_library(name)


def load_model(name: str) -> ServedModel:
    """Load the model and try it. Raises EmbeddingError when there is none, or it does not work."""
    encode = LocalEmbedder(encoder=_bundled(name)).embed if name in BUNDLED else load_encode(name)
    return probe_model(full_name(name), encode)


def _bundled(name: str) -> BundledEncoder:
    return encoder_named(name) or LATEST


def probe_model(name: str, encode: Encode) -> ServedModel:
    """Compute a first vector, which tells how long vectors are."""
    probe = np.asarray(encode([_PROBE], "passage"))
    model = ServedModel(name, int(probe.shape[-1]), encode)
    model.embed([_PROBE], "query")
    return model
