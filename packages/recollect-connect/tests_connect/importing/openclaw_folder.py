"""A folder of OpenClaw as its releases write it: notes, logs, and databases in the old and in the new manner."""

import hashlib
import json
import sqlite3
import struct
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

OLD = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE files (path TEXT PRIMARY KEY, source TEXT NOT NULL DEFAULT 'memory', hash TEXT NOT NULL,
    mtime INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE TABLE chunks (id TEXT PRIMARY KEY, path TEXT NOT NULL, source TEXT NOT NULL DEFAULT 'memory',
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, hash TEXT NOT NULL, model TEXT NOT NULL,
    text TEXT NOT NULL, embedding TEXT NOT NULL, updated_at INTEGER NOT NULL);
CREATE TABLE embedding_cache (provider TEXT NOT NULL, model TEXT NOT NULL, provider_key TEXT NOT NULL,
    hash TEXT NOT NULL, embedding TEXT NOT NULL, dims INTEGER, updated_at INTEGER NOT NULL,
    PRIMARY KEY (provider, model, provider_key, hash));
CREATE VIRTUAL TABLE chunks_fts USING fts5(text, id UNINDEXED, path UNINDEXED, source UNINDEXED, model UNINDEXED,
    start_line UNINDEXED, end_line UNINDEXED);
"""
NEW = """
CREATE TABLE memory_index_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE memory_index_sources (id INTEGER PRIMARY KEY, path TEXT NOT NULL, source TEXT NOT NULL DEFAULT 'memory',
    hash TEXT NOT NULL, mtime REAL NOT NULL, size INTEGER NOT NULL, UNIQUE (path, source)) STRICT;
CREATE TABLE memory_index_chunks (chunk_rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, path TEXT NOT NULL,
    source TEXT NOT NULL DEFAULT 'memory', start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, hash TEXT NOT NULL,
    model TEXT NOT NULL, text TEXT NOT NULL, embedding BLOB NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE TABLE memory_embedding_cache (provider TEXT NOT NULL, model TEXT NOT NULL, provider_key TEXT NOT NULL,
    hash TEXT NOT NULL, embedding BLOB NOT NULL, dims INTEGER, updated_at INTEGER NOT NULL,
    PRIMARY KEY (provider, model, provider_key, hash)) STRICT;
CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT NOT NULL,
    created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq)) STRICT;
"""
MODEL = "text-embedding-3-small"


def digest(text: str) -> str:
    """Hash a text the way OpenClaw does."""
    return hashlib.sha256(text.encode()).hexdigest()


def unit(position: int, length: int = 1536) -> list[float]:
    return [1.0 if place == position else 0.0 for place in range(length)]


def chunk(path: str, text: str, lines: tuple[int, int] = (1, 1), **more: Any) -> dict[str, Any]:
    return {"path": path, "text": text, "lines": lines, "source": "memory", "model": MODEL, "embedding": [], **more}


class Database:
    """A database of OpenClaw that is being written."""

    def __init__(self, path: Path, *, new: bool = False, provider: str = "openai") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.new = new
        self.path = path
        self.connection = sqlite3.connect(path)
        self.connection.executescript(NEW if new else OLD)
        meta = json.dumps({"provider": provider, "model": MODEL, "chunkTokens": 400, "vectorDims": 1536})
        table = "memory_index_meta" if new else "meta"
        self.connection.execute(f"INSERT INTO {table} VALUES ('memory_index_meta_v1', ?)", (meta,))  # noqa: S608

    def vector(self, numbers: Sequence[float]) -> object:
        """Write a vector the way of its release."""
        return struct.pack(f"<{len(numbers)}d", *numbers) if self.new else json.dumps(list(numbers))

    def chunks(self, *chunks: dict[str, Any]) -> "Database":
        table = "memory_index_chunks" if self.new else "chunks"
        for number, one in enumerate(chunks):
            row = (
                f"{number}-{digest(one['path'])}", one["path"], one["source"], *one["lines"], digest(one["text"]),
                one["model"], one["text"], self.vector(one["embedding"]), 1_770_000_000_000,
            )  # fmt: skip
            names = "id, path, source, start_line, end_line, hash, model, text, embedding, updated_at"
            self.connection.execute(f"INSERT INTO {table} ({names}) VALUES (?,?,?,?,?,?,?,?,?,?)", row)  # noqa: S608
        return self

    def cached(self, text: str, numbers: Sequence[float], model: str = MODEL) -> "Database":
        table = "memory_embedding_cache" if self.new else "embedding_cache"
        row = ("openai", model, "key", digest(text), self.vector(numbers), len(numbers), 1_770_000_000_000)
        self.connection.execute(f"INSERT INTO {table} VALUES (?,?,?,?,?,?,?)", row)  # noqa: S608
        return self

    def session(self, id: str, *events: dict[str, Any]) -> "Database":
        for number, event in enumerate(events):
            row = (id, number, json.dumps(event), 1_770_000_000_000)
            self.connection.execute("INSERT INTO transcript_events VALUES (?,?,?,?)", row)
        return self

    def close(self) -> Path:
        with closing(self.connection):
            self.connection.commit()
        return self.path


def turn(role: str, text: str, at: str = "2026-02-03T08:00:00.000Z") -> dict[str, Any]:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"type": "message", "id": digest(text)[:8], "parentId": None, "timestamp": at, "message": message}


def header(id: str) -> dict[str, Any]:
    return {"type": "session", "version": 3, "id": id, "timestamp": "2026-02-03T07:59:00.000Z", "cwd": "/w"}


def log(path: Path, *events: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return path


def note(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def fingerprint(root: Path) -> dict[str, tuple[int, int, int, str]]:
    """Give all that can be told of a tree: names, kinds, sizes, times and bytes."""
    tree = {}
    for path in sorted(root.rglob("*")):
        found = path.lstat()
        content = digest(path.read_bytes().hex()) if path.is_file() and not path.is_symlink() else ""
        tree[path.relative_to(root).as_posix()] = (found.st_mode, found.st_size, found.st_mtime_ns, content)
    return tree
