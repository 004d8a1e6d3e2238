"""Defaults and limits of the embedding server."""

from dataclasses import dataclass
from typing import Final

from recollect.web.limits import BodyLimits

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8765
DEFAULT_MODEL: Final = "intfloat/multilingual-e5-large"


@dataclass(frozen=True, slots=True)
class EmbeddingServerLimits(BodyLimits):
    """Limits of a request, and of how many may be inside at a time."""

    body_bytes: int = 8 * 1024 * 1024
    inside: int = 32
    batch: int = 256
    text_chars: int = 100_000
