"""Where vectors come from. Importing this loads no model, no HTTP library, and no client of a provider."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.embedding.factory import create_embedding_provider, embedder_for
    from recollect.embedding.known_models import vector_dims_for_model
    from recollect.embedding.local import LocalEmbedder
    from recollect.settings.sections import PROVIDERS

_HOME_OF = {
    "PROVIDERS": "recollect.settings.sections",
    "LocalEmbedder": "recollect.embedding.local",
    "create_embedding_provider": "recollect.embedding.factory",
    "embedder_for": "recollect.embedding.factory",
    "vector_dims_for_model": "recollect.embedding.known_models",
}

__all__ = [
    "PROVIDERS",
    "LocalEmbedder",
    "create_embedding_provider",
    "embedder_for",
    "vector_dims_for_model",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Find a public name in its module at first use."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
