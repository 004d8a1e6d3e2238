"""What an import says about itself.

The invariant: whatever was found is counted once, as brought or as skipped with a reason; nothing is silently dropped.
"""

from collections import Counter
from typing import Final

from recollect.model.backups import ImportReport, Skipped

ALREADY_THERE: Final = "already there"
THE_STORE: Final = "the store itself"
_MOST_EXAMPLES: Final = 20
_LONGEST_EXAMPLE: Final = 200


class ImportCounts:
    """A report that is being made."""

    def __init__(self) -> None:
        self._brought: Counter[str] = Counter()
        self._skipped: Counter[tuple[str, str]] = Counter()
        self._examples: list[str] = []

    def bring(self, what: str, amount: int = 1) -> None:
        """Count what was brought."""
        if amount:
            self._brought[what] += amount

    def skip(self, what: str, reason: str, amount: int = 1, *, example: str = "") -> None:
        """Count what was left out; `example` names it."""
        if not amount:
            return
        self._skipped[what, reason] += amount
        if example and len(self._examples) < _MOST_EXAMPLES:
            self._examples.append(f"{shown(example)}: {reason}")

    def report(self, format: str, path: str, *, dry_run: bool) -> ImportReport:
        """Give what was counted."""
        skipped = tuple(Skipped(what, reason, amount) for (what, reason), amount in sorted(self._skipped.items()))
        return ImportReport(format, path, dict(self._brought), skipped, tuple(self._examples), dry_run)


def shown(name: str) -> str:
    """Give a name that others chose so that it fits on one line of a terminal."""
    plain = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name[:_LONGEST_EXAMPLE])
    return plain if len(name) <= _LONGEST_EXAMPLE else f"{plain}…"
