"""What became of a damaged file. Frozen values without I/O."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class TableSalvage:
    """How many rows of a table were saved, and how many were lost; `estimated`: from the size of damaged pages."""

    table: str
    saved: int
    lost: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Repaired:
    """A repair: why it was done, what was saved, and where the damaged file is kept.

    `damaged_file` is kept whole and still holds all it held: delete it when it is no longer needed. `damaged_pages`
    counts those of its `pages` that could not be read. `notes` say what else a user should know.
    """

    location: str
    damaged_file: str
    repaired_at: datetime
    reason: str
    pages: int
    damaged_pages: int
    tables: tuple[TableSalvage, ...]
    notes: tuple[str, ...] = ()

    def saved(self, table: str) -> int:
        """How many rows of a table were saved."""
        return sum(one.saved for one in self.tables if one.table == table)

    def lost(self, table: str) -> int:
        """How many rows of a table were lost."""
        return sum(one.lost for one in self.tables if one.table == table)

    @property
    def lost_rows(self) -> int:
        """How many rows of all tables were lost."""
        return sum(one.lost for one in self.tables)
