"""Says whether a vector that OpenClaw has paid for lies in the space that is searched here."""

from collections.abc import Mapping
from typing import Final

from recollect.model.memories import Space

# OpenClaw's name of a provider, ours, and how texts must have been prefixed for both to have made the same vector.
# Where OpenClaw writes no prefix and we do, the vectors differ; and nothing is believed of a provider not named here.
_SAME: Final[Mapping[str, tuple[str, str]]] = {
    "openai": ("openai", "none"),
    "gemini": ("gemini", "gemini"),
    "google": ("gemini", "gemini"),
    "ollama": ("ollama", "none"),
}


def is_same(provider: str, model: str, searched: Space | None) -> bool:
    """Tell whether a provider and a model, as OpenClaw names them, make vectors of the searched space.

    They do when both systems ask the same provider for the same model with the same prefixes. The length of each vector
    is still to be looked at.
    """
    ours = _SAME.get(provider.lower())
    if searched is None or ours is None:
        return False
    named = model.removeprefix("models/").removeprefix(f"{provider.lower()}/")
    return (searched.provider, searched.prefix_scheme, searched.model, searched.revision) == (*ours, named, "")
