"""Reads the bytes of an SQLite file and its log as they stand on the disk, free pages and unused parts included.

SQLite's own layer for files opens them: closing a file that Python opened would drop the locks of this process.
Damaged files that a repair has kept are read, too.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw

from recollect.storage.base.values import RawBlock

_BLOCK: Final = 2**20
_OVERLAP: Final = 512  # so that a passage is whole in one of two blocks
_FILES: Final = (
    ("", "pages", apsw.SQLITE_OPEN_MAIN_DB),
    ("-wal", "write_ahead_log", apsw.SQLITE_OPEN_WAL),
    ("-journal", "rollback_journal", apsw.SQLITE_OPEN_MAIN_JOURNAL),
)
_CHECKSUMS: Final = "cksmvfs"  # refuses pages that are torn; here every byte counts


def raw_blocks(path: Path, damaged: Sequence[Path] = ()) -> Iterator[RawBlock]:
    """Give the bytes of all files, in blocks that overlap; no process may have the damaged ones open."""
    plain = next(name for name in apsw.vfs_names() if name != _CHECKSUMS)
    for suffix, place, kind in _FILES:
        file = Path(f"{path}{suffix}")
        if file.exists() and file.stat().st_size:
            opened = apsw.VFSFile(plain, str(file), [kind | apsw.SQLITE_OPEN_READONLY, 0])
            try:
                yield from _blocks(opened, place)
            finally:
                opened.xClose()
    for kept in damaged:
        yield from _blocks_of_copy(kept)


def _blocks(file: apsw.VFSFile, place: str) -> Iterator[RawBlock]:
    size, start = file.xFileSize(), 0
    while start < size:
        yield RawBlock(place, file.xRead(min(_BLOCK + _OVERLAP, size - start), start))
        start += _BLOCK


def _blocks_of_copy(path: Path) -> Iterator[RawBlock]:
    start = 0
    with suppress(FileNotFoundError), path.open("rb") as file:
        while data := file.read(_BLOCK + _OVERLAP):
            yield RawBlock("damaged_copies", data)
            start += _BLOCK
            file.seek(start)
