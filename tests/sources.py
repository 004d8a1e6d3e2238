"""Where the source of this project is: the core, and the packages that come with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
BESIDE: Final = (ROOT / "packages" / "recollect-connect", ROOT / "packages" / "recollect-files")
SOURCES: Final = (ROOT / "src" / "recollect", *(path / "src" / path.name.replace("-", "_") for path in BESIDE))


def source_files(pattern: str = "*.py") -> Iterator[Path]:
    """List the files of the core, then those of each package."""
    for folder in SOURCES:
        yield from sorted(folder.rglob(pattern))


def place(path: Path) -> str:
    """Give a file's place inside its package."""
    return next(path.relative_to(folder).as_posix() for folder in SOURCES if path.is_relative_to(folder))
