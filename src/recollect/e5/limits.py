"""What the server offers when nothing else is said, and how much may be asked of it."""

from dataclasses import dataclass
from typing import Final

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8765
DEFAULT_MODEL: Final = "intfloat/multilingual-e5-large"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one request may ask for, and how many requests may be inside at a time.

    Together they bound the memory that strangers can take: `inside` bodies of `body_bytes`. A body that does not arrive
    within `body_wait_s` gives up its place.
    """

    batch: int = 256
    text_chars: int = 100_000
    body_bytes: int = 8 * 1024 * 1024
    inside: int = 32
    body_wait_s: float = 30.0
    retry_after_s: int = 1
