"""What backups ask of a database: a copy while it is in use, and a copy put where no database is yet."""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from recollect.model.backups import DatabaseFacts

BackupProgress: TypeAlias = Callable[[str, int, int], None]  # what is being done, how much of it is, how much there is


class CopiedStore(Protocol):
    """A store that can be copied while it is in use."""

    def copy_database(self, target: str, tell: BackupProgress) -> DatabaseFacts:
        """Write a copy of the whole database, as it is at one moment, to a new file, and verify it.

        Other processes go on writing meanwhile. Raises StoreDamaged when the copy is not sound.
        """


class DatabaseRestorer(Protocol):
    """Puts a copy where the settings want the database."""

    @property
    def backend(self) -> str:
        """`sqlite` or `postgresql`."""

    def location(self) -> str:
        """Where the database will be, without any password."""

    def insist_empty(self) -> None:
        """Raise InvalidInput when there is something already."""

    def restore(self, copy: str, tables: Mapping[str, int], tell: BackupProgress) -> None:
        """Put the copy in place, if it is sound and has these rows; otherwise raise BackupDamaged.

        The file is used up.
        """
