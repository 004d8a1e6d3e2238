"""A loaded model: one of our own encoders, or one that sentence-transformers runs.

What it gives is checked here, so that no vector leaves that a search could not use. The library of the others is an
extra, takes seconds to import, and brings torch. E5 was trained with a prefix before every text that says what it is.
Without it vectors look right and find less; so it is added here, and clients cannot forget it.
"""

import logging
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, TypeAlias

import numpy as np

from recollect.embedding.known_models import ENCODERS, LATEST, BundledEncoder, encoder_named
from recollect.embedding.local import LocalEmbedder
from recollect.errors import EmbeddingError
from recollect.model.memories import Vector
from recollect.ports import Role

_LIBRARY: Final = "sentence_transformers"
_LONGEST_REASON: Final = 300

_E5_NAME: Final = re.compile(r"(?<![a-z0-9])e5(?![a-z0-9])", re.IGNORECASE)
_E5: Final[Mapping[Role, str]] = {"query": "query: ", "passage": "passage: "}
_E5_INSTRUCT: Final[Mapping[Role, str]] = {
    "query": "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ",
    "passage": "",
}


def require_library(name: str) -> None:
    """Raise EmbeddingError if the library is not installed. Nothing is imported."""
    if find_spec(_LIBRARY) is None:
        raise EmbeddingError(
            f"The model {name} needs sentence-transformers, which is not installed. Install it with: "
            "pip install 'recollect[e5]'. The bundled encoder needs nothing more: --model bundled."
        )


def load_encode(name: str) -> Callable[[Sequence[str], Role], Vector]:
    """Load a model from the hub, the cache or a folder, and give its function."""
    try:
        model = _import_quietly().SentenceTransformer(name)
    except Exception as error:  # five libraries have their own errors for a bad model
        raise EmbeddingError(
            f"The model {name} cannot be loaded: {_first_line(error)} Check its name, and that the hub can be reached "
            "or that the model is a folder on this machine."
        ) from error
    prefixes = prefixes_of(name)
    return _with_own_prompts(model) if prefixes is None else _with_prefixes(model, prefixes)


def _import_quietly() -> Any:  # noqa: ANN401 - the library is not there to be checked
    """Import the library without telemetry, and with progress bars only on a terminal."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    if not sys.stderr.isatty():
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    library = import_module(_LIBRARY)
    for logger in (_LIBRARY, "transformers", "huggingface_hub"):
        logging.getLogger(logger).setLevel(logging.ERROR)
    return library


def prefixes_of(name: str) -> Mapping[Role, str] | None:
    """Give the prefixes of a model of the E5 family; None for a model of another family."""
    last = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    if not _E5_NAME.search(last):
        return None
    return _E5_INSTRUCT if "instruct" in last.lower() else _E5


def _with_prefixes(model: Any, prefixes: Mapping[Role, str]) -> Callable[[Sequence[str], Role], Vector]:  # noqa: ANN401 - as above
    def encode(texts: Sequence[str], role: Role) -> Vector:
        vectors: Vector = model.encode([prefixes[role] + text for text in texts], **_OPTIONS)
        return vectors

    return encode


def _with_own_prompts(model: Any) -> Callable[[Sequence[str], Role], Vector]:  # noqa: ANN401 - as above
    """Use the prompts of a model's own configuration, which may be empty."""

    def encode(texts: Sequence[str], role: Role) -> Vector:
        ask = model.encode_query if role == "query" else model.encode_document
        vectors: Vector = ask(list(texts), **_OPTIONS)
        return vectors

    return encode


_OPTIONS: Final = {"normalize_embeddings": True, "convert_to_numpy": True, "show_progress_bar": False}


def _first_line(error: Exception) -> str:
    """Give the first line of an error as a sentence, or its kind when it is empty."""
    line = " ".join(str(error).strip().partition("\n")[0].split())[:_LONGEST_REASON] or type(error).__name__
    return line if line.endswith((".", "!", "?")) else f"{line}."


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
