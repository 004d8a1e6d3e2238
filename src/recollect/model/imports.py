"""What an import says of itself.

The invariant: whatever was found is counted once, as brought or as skipped with a reason; nothing is silently dropped.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias


class Skipped(NamedTuple):
    """What was left where it is: what it is, why, and how many."""

    what: str
    reason: str
    amount: int


class ImportProgress(NamedTuple):
    """How far an import is with one kind of thing."""

    what: str
    done: int
    total: int


ImportListener: TypeAlias = Callable[[ImportProgress], None]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import brought, or with `dry_run` would bring into an empty store, and what it left out.

    `brought` counts by what it is: conversations, messages, memories, files, chunks, vectors. `examples` name some of
    what was skipped. `waiting` counts the user's texts that wait for a vector, where that was asked.
    """

    format: str
    path: str
    brought: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()
    examples: tuple[str, ...] = ()
    dry_run: bool = False
    waiting: int = 0

    def skipped_because(self, reason: str) -> int:
        """Say how many were skipped for a reason."""
        return sum(one.amount for one in self.skipped if one.reason == reason)
