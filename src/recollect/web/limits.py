"""Body and connection limits, as data: importing them loads no framework."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Self

if sys.platform != "win32":
    import resource

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How large a body may be, how long it may take, and how many requests with one may be inside.

    All bodies inside are never larger than `room_bytes`, which bounds the memory. `larger` allows some paths more, and
    as much longer as that takes at `slowest_bytes_per_s`, but only half of the room, so that some is always left for
    the others. A body for one of the paths of `any_form` need not be JSON.
    """

    body_bytes: int = _MIB
    larger: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    inside: int = 64
    room_bytes: int = 256 * _MIB
    body_wait_s: float = 30.0
    slowest_bytes_per_s: int = 256 * 1024
    any_form: frozenset[str] = frozenset()
    retry_after_s: int = 1

    def most(self, path: str) -> int:
        """Give the largest body for a path."""
        return self.larger.get(path, self.body_bytes)

    def wait_s(self, path: str) -> float:
        """Give how long a body for a path may take."""
        return self.body_wait_s + self.larger.get(path, 0) / self.slowest_bytes_per_s

    def room(self, path: str) -> int:
        """Give up to how many bytes in all a body for a path is accepted."""
        return self.room_bytes // 2 if path in self.larger else self.room_bytes


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections a process keeps, and how long it waits on each for a request.

    The head of a request has to be complete within `head_wait_s`. A client that has not read the last answer yet has to
    read on within `answer_wait_s`; it is longer because the system buffers megabytes for slow readers.

    Beyond `most` connections, new ones are closed. They were open for a moment, so no more than `at_once` are accepted
    in one round of the event loop.
    """

    most: int = 2_000
    at_once: int = 128
    head_wait_s: float = 10.0
    answer_wait_s: float = 60.0

    @classmethod
    def of_this_process(cls) -> Self:
        """Leave at least half of the open files of this process to the store and everything else."""
        if sys.platform == "win32":
            return cls()
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if files == resource.RLIM_INFINITY:
            return cls()
        # The event loop takes four rounds to close a connection, and new ones come in each.
        return cls(most=min(cls().most, files // 2), at_once=max(1, min(cls().at_once, files // 32)))
