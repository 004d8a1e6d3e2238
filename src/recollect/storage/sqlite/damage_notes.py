"""A note beside a file that a page of it could not be read, for the next process that opens it."""

from contextlib import suppress
from pathlib import Path


class DamageNote:
    """An empty file that says: look at all pages. Damage is often met long after the file was opened."""

    def __init__(self, path: Path) -> None:
        self._file = path.with_name(f"{path.name}.damage-seen")

    def exists(self) -> bool:
        """Tell whether damage was met."""
        return self._file.exists()

    def write(self) -> None:
        """Note damage; a disk on which nothing can be written has no notes."""
        with suppress(OSError):
            self._file.touch(mode=0o600)

    def remove(self) -> None:
        """Note that the file was looked at."""
        with suppress(OSError):
            self._file.unlink(missing_ok=True)
