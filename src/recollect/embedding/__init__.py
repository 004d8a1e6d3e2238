"""Where vectors come from. Importing this loads no model, and none of the libraries that run one."""

from typing import Final

from recollect.embedding.local import LocalEmbedder
from recollect.errors import SettingsError
from recollect.ports import Embedder

__all__ = ["PROVIDERS", "LocalEmbedder", "create_embedder"]

PROVIDERS: Final[tuple[str, ...]] = ("local", "none")


def create_embedder(provider: str, *, threads: int | None) -> Embedder | None:
    """Give the embedder a provider's name stands for; None for `none`, which means search by words alone."""
    match provider:
        case "local":
            return LocalEmbedder(threads=threads)
        case "none":
            return None
        case _:
            raise SettingsError(f"Unknown embedding provider: {provider}. Known providers: {', '.join(PROVIDERS)}.")
