"""How much strangers may send. Apart from the gate, so that settings can be read without loading a framework."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How large one body may be, how long it may take, and how many requests with one may be inside.

    Together they bound the memory that strangers can take: all bodies inside are never larger than `room_bytes`. A body
    that does not arrive within `body_wait_s` gives up its place. `larger` allows some paths more than the others.
    """

    body_bytes: int = _MIB
    larger: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    inside: int = 64
    room_bytes: int = 256 * _MIB
    body_wait_s: float = 30.0
    retry_after_s: int = 1

    def most(self, path: str) -> int:
        """Give how large a body for this path may be."""
        return self.larger.get(path, self.body_bytes)
