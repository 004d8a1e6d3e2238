"""Models that sentence-transformers runs. The library is an extra, takes seconds to import, and brings torch.

E5 was trained with a word before every text that says what it is. Whoever leaves it out gets vectors that look right
and find less; so it is written here, next to the model, and clients cannot forget it.
"""

import logging
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

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
    """Say how to install the library, if it is missing. Nothing is imported."""
    if find_spec(_LIBRARY) is None:
        raise EmbeddingError(
            f"The model {name} needs sentence-transformers, which is not installed. Install it with: "
            "pip install 'recollect[e5]'. The bundled encoder needs nothing more: --model bundled."
        )


def load_encode(name: str) -> Callable[[Sequence[str], Role], Vector]:
    """Load a model from the hub, the cache or a folder, and give the function that asks it."""
    try:
        model = _import_quietly().SentenceTransformer(name)
    except Exception as error:  # whatever is wrong with a model, five libraries have each their own way of saying it
        raise EmbeddingError(
            f"The model {name} cannot be loaded: {_in_short(error)} Check its name, and that the hub can be reached "
            "or that the model is a folder on this machine."
        ) from error
    prefixes = prefixes_of(name)
    return _own_prompts(model) if prefixes is None else _with_prefixes(model, prefixes)


def _import_quietly() -> Any:  # noqa: ANN401 - the library is not there to be checked
    """Import the library so that it tells its maker nothing, and its user only what takes so long."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    if not sys.stderr.isatty():
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    library = import_module(_LIBRARY)
    for talkative in (_LIBRARY, "transformers", "huggingface_hub"):
        logging.getLogger(talkative).setLevel(logging.ERROR)
    return library


def prefixes_of(name: str) -> Mapping[Role, str] | None:
    """Give what a model of the E5 family is told before a text; None for a model of another family."""
    last = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    if not _E5_NAME.search(last):
        return None
    return _E5_INSTRUCT if "instruct" in last.lower() else _E5


def _with_prefixes(model: Any, prefixes: Mapping[Role, str]) -> Callable[[Sequence[str], Role], Vector]:  # noqa: ANN401 - as above
    def encode(texts: Sequence[str], role: Role) -> Vector:
        vectors: Vector = model.encode([prefixes[role] + text for text in texts], **_PLAINLY)
        return vectors

    return encode


def _own_prompts(model: Any) -> Callable[[Sequence[str], Role], Vector]:  # noqa: ANN401 - as above
    """Let a model of another family be told what its own configuration says, which may be nothing."""

    def encode(texts: Sequence[str], role: Role) -> Vector:
        ask = model.encode_query if role == "query" else model.encode_document
        vectors: Vector = ask(list(texts), **_PLAINLY)
        return vectors

    return encode


_PLAINLY: Final = {"normalize_embeddings": True, "convert_to_numpy": True, "show_progress_bar": False}


def _in_short(error: Exception) -> str:
    """Give the first line of an error as a sentence, or its kind when it says nothing."""
    said = " ".join(str(error).strip().partition("\n")[0].split())[:_LONGEST_REASON] or type(error).__name__
    return said if said.endswith((".", "!", "?")) else f"{said}."
