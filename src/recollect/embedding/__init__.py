"""Where vectors come from. Importing this loads no model, no HTTP library, and nothing that runs either."""

from recollect.embedding.factory import create_embedding_provider, embedder_for
from recollect.embedding.known_models import vector_dims_for_model
from recollect.embedding.local import LocalEmbedder
from recollect.settings.embedding import PROVIDERS

__all__ = [
    "PROVIDERS",
    "LocalEmbedder",
    "create_embedding_provider",
    "embedder_for",
    "vector_dims_for_model",
]
