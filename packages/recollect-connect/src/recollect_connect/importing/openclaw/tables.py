"""The tables in which OpenClaw keeps its index and its sessions, as its releases have called them.

Until 2026 each agent had `memory/<agent>.sqlite` with `meta`, `chunks` and `embedding_cache`; since then all of an
agent's state is in `agents/<agent>/agent/openclaw-agent.sqlite`, with longer names, vectors as blobs instead of JSON,
and sessions as `transcript_events`.

Its databases are opened read-only. The invariant: the folder of one is the same afterwards, byte for byte: no lock, no
journal, nothing beside it.
"""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import numpy as np

from recollect.errors import InvalidDocument
from recollect.model.memories import Vector
from recollect_connect.importing.parse_values import mapping_of

_BESIDE: Final = ("-wal", "-journal")  # what may hold a part of the database
_TRIES: Final = 3

MALFORMED: Final = "not in OpenClaw's format"
_META_KEY: Final = "memory_index_meta_v1"
_MOST_LINES: Final = 1_000_000
_LONGEST_CHUNK: Final = 100_000  # characters; OpenClaw cuts after a few thousand
_LONGEST_VECTOR: Final = 2**20  # bytes of JSON or of floats


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


class Names(NamedTuple):
    """What the tables of an index are called."""

    meta: str
    chunks: str
    cache: str


GENERATIONS: Final = (
    Names("memory_index_meta", "memory_index_chunks", "memory_embedding_cache"),
    Names("meta", "chunks", "embedding_cache"),
)
_CHUNK_COLUMNS: Final = frozenset({"path", "start_line", "end_line", "hash", "model", "text", "embedding"})
_CACHE_COLUMNS: Final = frozenset({"provider", "model", "hash", "embedding"})
_EVENT_COLUMNS: Final = frozenset({"session_id", "seq", "event_json"})


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk as OpenClaw keeps it. `embedding` is as it stands there."""

    path: str
    source: str
    start_line: int
    end_line: int
    hash: str
    model: str
    text: str
    embedding: object


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Give the columns of a table; none when there is no such table, or when a view only looks like one."""
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
    if known is None:
        return frozenset()
    return frozenset(str(row[0]) for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def generations(connection: sqlite3.Connection) -> Iterator[Names]:
    """Give the indexes that a database holds."""
    for names in GENERATIONS:
        if columns(connection, names.chunks) >= _CHUNK_COLUMNS:
            yield names


def has_sessions(connection: sqlite3.Connection) -> bool:
    """Tell whether a database holds sessions."""
    return columns(connection, "transcript_events") >= _EVENT_COLUMNS


def provider_of(connection: sqlite3.Connection, names: Names) -> str:
    """Give who made the vectors of an index, as OpenClaw names them; empty when it does not say."""
    if not columns(connection, names.meta) >= {"key", "value"}:
        return ""
    row = connection.execute(f"SELECT value FROM {names.meta} WHERE key = ?", (_META_KEY,)).fetchone()  # noqa: S608
    try:
        return str(mapping_of(json.loads(row[0])).get("provider") or "") if row else ""
    except (TypeError, ValueError, RecursionError):
        return ""


def files(connection: sqlite3.Connection, names: Names) -> Iterator[tuple[str, str, list[IndexedChunk | None]]]:
    """Give the chunks of each file of an index, in order, with its source and path; None for what is malformed."""
    source = "source" if "source" in columns(connection, names.chunks) else "'memory'"
    rows = connection.execute(
        f"SELECT path, {source}, start_line, end_line, hash, model, text, embedding FROM {names.chunks} "  # noqa: S608
        f"ORDER BY {source}, path, start_line, end_line, rowid"
    )
    for (kind, path), group in groupby(rows, key=lambda row: (str(row[1]), str(row[0]))):
        yield kind, path, [_chunk(row) for row in group]


def _chunk(row: tuple[Any, ...]) -> IndexedChunk | None:
    path, source, start, end, digest, model, text, embedding = row
    lines = isinstance(start, int) and isinstance(end, int) and 1 <= start <= end <= _MOST_LINES
    if not (lines and isinstance(path, str) and path and isinstance(text, str) and text.strip()):
        return None
    if len(text) > _LONGEST_CHUNK:
        return None
    return IndexedChunk(path, str(source), start, end, str(digest), str(model), text, embedding)


def cached(connection: sqlite3.Connection, names: Names) -> dict[tuple[str, str], int]:
    """Count the vectors that are kept by what their texts hash to, by who made them and with which model."""
    if not columns(connection, names.cache) >= _CACHE_COLUMNS:
        return {}
    rows = connection.execute(f"SELECT provider, model, count(*) FROM {names.cache} GROUP BY provider, model")  # noqa: S608
    return {(str(provider), str(model)): amount for provider, model, amount in rows}


def cached_vector(connection: sqlite3.Connection, names: Names, made: tuple[str, str], digest: str) -> object:
    """Give the vector of a text by its hash; None when it is not there."""
    if not columns(connection, names.cache) >= _CACHE_COLUMNS:
        return None
    row = connection.execute(
        f"SELECT embedding FROM {names.cache} WHERE provider = ? AND model = ? AND hash = ?",  # noqa: S608
        (*made, digest),
    ).fetchone()
    return row[0] if row else None


def sessions(connection: sqlite3.Connection) -> Iterator[tuple[str, list[str]]]:
    """Give the events of each session in order, as JSON."""
    rows = connection.execute("SELECT session_id, event_json FROM transcript_events ORDER BY session_id, seq")
    for session, group in groupby(rows, key=lambda row: str(row[0])):
        yield session, [event for _, event in group if isinstance(event, str)]


def vector(stored: object) -> Vector | None:
    """Read a vector: JSON in older releases, doubles in newer ones. None for what is none."""
    try:
        if isinstance(stored, bytes) and len(stored) <= _LONGEST_VECTOR:
            numbers = np.frombuffer(stored, "<f8")
        elif isinstance(stored, str) and len(stored) <= _LONGEST_VECTOR:
            numbers = np.asarray(json.loads(stored), dtype=np.float64)
        else:
            return None
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None
    usable = numbers.ndim == 1 and numbers.size > 0 and bool(np.isfinite(numbers).all()) and bool(numbers.any())
    return numbers.astype(np.float32) if usable else None
