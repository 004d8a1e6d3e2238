"""The tables in which OpenClaw keeps its index and its sessions, as its releases have called them.

Until 2026 each agent had `memory/<agent>.sqlite` with `meta`, `chunks` and `embedding_cache`; since then all of an
agent's state is in `agents/<agent>/agent/openclaw-agent.sqlite`, with longer names, vectors as blobs instead of JSON,
and sessions as `transcript_events`.
"""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple

import numpy as np

from recollect.model.memories import Vector
from recollect_connect.importing.parse_values import mapping_of

MALFORMED: Final = "not in OpenClaw's format"
_META_KEY: Final = "memory_index_meta_v1"
_MOST_LINES: Final = 1_000_000
_LONGEST_CHUNK: Final = 100_000  # characters; OpenClaw cuts after a few thousand
_LONGEST_VECTOR: Final = 2**20  # bytes of JSON or of floats


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
