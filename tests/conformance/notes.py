"""Folders of notes for the tests of files: a tree that is written and changed, and what a store keeps of it."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recollect import EmbeddingError, Memory, UserMemory, load_settings
from recollect.model.memories import Scope, Space, Vector
from recollect.ports import Clock, Embedder, Role
from recollect.storage.base import StoreReader
from tests.providers.vectors import vector_of

_BEGAN_NS = 1_700_000_000_123_456_789  # long ago: what has only just changed is waited for
_STEP_NS = 1_000_003


@dataclass
class Notes:
    """A folder. Whatever is written gets a time of its own in the past, so that no test depends on the clock."""

    root: Path
    times: "count[int]" = field(default_factory=count)

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file, and the folders that lead to it."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        self.touch(path)
        return file

    def text(self, path: str) -> str:
        """Read a file as it lies there."""
        return (self.root / path).read_bytes().decode("utf-8", "surrogatepass")

    def touch(self, path: str) -> None:
        """Give a file another time."""
        moment_ns = _BEGAN_NS + next(self.times) * _STEP_NS
        os.utime(self.root / path, ns=(moment_ns, moment_ns))

    def move(self, old: str, new: str) -> None:
        """Rename a file; its time stays."""
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def remove(self, path: str) -> None:
        whole = self.root / path
        shutil.rmtree(whole) if whole.is_dir() else whole.unlink()

    def paths(self) -> list[str]:
        return sorted(file.relative_to(self.root).as_posix() for file in self.root.rglob("*") if file.is_file())


class Words:
    """An embedder that makes vectors of words and says what it was asked; it may be told to fail."""

    languages: frozenset[str] | None = None

    def __init__(self, dimensions: int = 16) -> None:
        self.space = Space("test", f"words-{dimensions}", "1", "none", dimensions, normalised=True)
        self.asked: list[str] = []
        self.fails = False

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        if self.fails:
            raise EmbeddingError("The provider is out of order.")
        if role == "passage":
            self.asked += texts
        return np.stack([vector_of(text, "any", self.space.model, self.space.dimensions) for text in texts])

    def close(self) -> None:
        """There is nothing to give back."""


class Kept(NamedTuple):
    """What a store keeps of a piece of a file, but for what is made anew each time."""

    path: str
    start_line: int
    end_line: int
    start_column: int
    content: str
    heading: str
    role: str
    trust: int
    dated_at: datetime | None


def open_notes(
    database: str, clock: Clock | None, folder: Path, embedder: Embedder | None = None, **more: object
) -> Memory:
    """Open a store that keeps originals beneath a folder; without an embedder, words have to do."""
    overrides: dict[str, object] = {
        "database": database,
        "embedding.worker": False,
        "recall.deadline_s": 120,
        "hooks.budget_s": 60,
        "recall.cache": 0,
        "files.originals": str(folder / "originals"),
        **{name.replace("__", "."): value for name, value in more.items()},
    }
    if embedder is None:
        overrides["embedding.provider"] = "none"
    settings = load_settings(os.devnull, environ={}, overrides=overrides)
    return Memory.open(settings=settings, clock=clock, embedder=embedder)


def pieces(me: UserMemory) -> list[Kept]:
    """Give all that is kept of a user's files, in order."""

    def work(reader: StoreReader) -> list[Kept]:
        return [
            Kept(*(getattr(chunk, name) for name in Kept._fields))
            for file_id in reader.file_ids()
            for chunk in reader.chunks_of(file_id)
        ]

    found = me._engine.store.read(Scope(me.user_id), work)
    return sorted(found, key=lambda one: (one.path, one.start_line, one.start_column, one.content))


def chunk_ids(me: UserMemory, path: str) -> list[str]:
    """Give the ids of a file's chunks."""
    file = me.files.read(path).file
    return me._engine.store.read(Scope(me.user_id), lambda reader: [one.id for one in reader.chunks_of(file.id)])


def marks(memory: Memory, user: str = "me") -> tuple[int, int]:
    """Give what goes up whenever anything is written for a user: the generation, and the number of the last change."""
    generation = memory._engine.store.read(Scope(user), lambda reader: reader.generation())
    return generation, memory.operations.change_position(user)
