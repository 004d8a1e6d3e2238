"""Opens another program's SQLite database read-only, without leaving a trace.

The invariant: the folder of the database is the same afterwards, byte for byte: no lock, no journal, nothing beside it.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from recollect.errors import InvalidDocument

_BESIDE: Final = ("-wal", "-journal")  # what may hold a part of the database
_TRIES: Final = 3


def is_one_of(path: Path, own: frozenset[tuple[int, int]]) -> bool:
    """Say whether a database, or what lies beside it, is among these files. It is looked at, never opened."""
    for ending in ("", *_BESIDE):
        with suppress(OSError):
            seen = Path(f"{path}{ending}").stat()
            if (seen.st_dev, seen.st_ino) in own:
                return True
    return False


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a copy of a database to read from, which must not be the store itself. Raises InvalidDocument."""
    with TemporaryDirectory(prefix="recollect-import-") as folder:
        copy = Path(folder, "copy.sqlite")
        try:
            _copy_whole(path, copy)
            connection = sqlite3.connect(copy)
        except (sqlite3.Error, OSError) as error:
            raise _unreadable(path, error) from error
        with closing(connection):
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            try:
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.execute("PRAGMA query_only = ON")
                yield connection
            except sqlite3.Error as error:
                raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> InvalidDocument:
    return InvalidDocument(f"{path} cannot be read as a SQLite database: {error}.")


def _copy_whole(path: Path, copy: Path) -> None:
    """Copy a database with what is still in its log. One that is being written is tried again."""
    for _ in range(_TRIES):
        before = _look(path)
        beside = before[2]
        if beside:
            shutil.copyfile(path, copy)
            for ending in beside:
                _copy_if_there(Path(f"{path}{ending}"), Path(f"{copy}{ending}"))
        else:
            _back_up(path, copy)
        if _look(path) == before and (not beside or _is_sound(copy)):
            return
        for ending in ("", *_BESIDE, "-shm"):
            Path(f"{copy}{ending}").unlink(missing_ok=True)
    raise sqlite3.DatabaseError("it is being written to; stop OpenClaw and try again")


def _look(path: Path) -> tuple[int, int, tuple[str, ...]]:
    """Give what changes when a database is written to: its size, its time, and what lies beside it."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns, tuple(one for one in _BESIDE if Path(f"{path}{one}").exists())


def _copy_if_there(source: Path, copy: Path) -> None:
    try:
        shutil.copyfile(source, copy)
    except FileNotFoundError:
        copy.unlink(missing_ok=True)


def _back_up(path: Path, copy: Path) -> None:
    """Copy a database that has no log. Being called immutable, it is neither locked nor touched."""
    address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def _is_sound(copy: Path) -> bool:
    with closing(sqlite3.connect(copy)) as connection:
        try:
            return [row[0] for row in connection.execute("PRAGMA quick_check(1)")] == ["ok"]
        except sqlite3.DatabaseError:
            return False
