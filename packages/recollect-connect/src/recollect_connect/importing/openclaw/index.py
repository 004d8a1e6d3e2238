"""Brings back from OpenClaw's index what is nowhere else: the chunks of files that are gone from the disk."""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

from recollect.model.files import TextPiece
from recollect.model.memories import Space, Vector
from recollect.text.chunks import mask
from recollect_connect.importing.deliver import ImportRun, TextCutter
from recollect_connect.importing.openclaw import tables
from recollect_connect.importing.openclaw.find_stores import FORMAT, NOTES_AT_THE_TOP, OpenClawStores, agent_of
from recollect_connect.importing.openclaw.tables import IndexedChunk, Names
from recollect_connect.importing.parse_values import name_of

# OpenClaw's name of a provider, ours, and how texts must have been prefixed for both to have made the same vector.
# Where OpenClaw writes no prefix and we do, the vectors differ; and nothing is believed of a provider not named here.
_SAME: Final[Mapping[str, tuple[str, str]]] = {
    "openai": ("openai", "none"),
    "gemini": ("gemini", "gemini"),
    "google": ("gemini", "gemini"),
    "ollama": ("ollama", "none"),
}


def is_same(provider: str, model: str, searched: Space | None) -> bool:
    """Tell whether a provider and a model, as OpenClaw names them, make vectors of the searched space.

    They do when both systems ask the same provider for the same model with the same prefixes. The length of each vector
    is still to be looked at.
    """
    ours = _SAME.get(provider.lower())
    if searched is None or ours is None:
        return False
    named = model.removeprefix("models/").removeprefix(f"{provider.lower()}/")
    return (searched.provider, searched.prefix_scheme, searched.model, searched.revision) == (*ours, named, "")


AS_A_FILE: Final = "already brought as a file"
AS_A_SESSION: Final = "already brought as a session"
FROM_ANOTHER: Final = "already brought from a newer index"
CHANGED: Final = "the file has changed since, and is brought as it is now"
ANOTHER_MODEL: Final = "made by another model than is searched here; it is made anew"
WITHOUT_VECTORS: Final = "this store makes no vectors"
NO_VECTOR: Final = "there is none that can be used; it is made anew"
NOT_NEEDED: Final = "no chunk that is brought needs it"
UNKNOWN_SOURCE: Final = "neither of memory nor of sessions"
_DATE: Final = re.compile(r"(\d{4}-\d{2}-\d{2})[^/]*")
_LARGEST_FILE: Final = 10 * 2**20
_MOST_TEXTS: Final = 8


@dataclass(slots=True)
class IndexPlaces:
    """Where the files of an agent lie, to tell what of its index is still on the disk."""

    found: OpenClawStores
    agent: str
    sessions: frozenset[str]  # the ids of those that are brought from a database
    own: frozenset[tuple[int, int]] = frozenset()  # the files of the store, which may not be opened
    _read: dict[Path, str] = field(default_factory=dict)

    def fate(self, chunk: IndexedChunk) -> str:
        """Say why a chunk need not be brought; empty when it must be."""
        if chunk.source == "sessions":
            return self._fate_of_session(PurePosixPath(chunk.path).name)
        if chunk.source != "memory":
            return UNKNOWN_SOURCE
        parts = PurePosixPath(chunk.path).parts
        if not _is_synced(parts):
            return ""
        candidates = [workspace.joinpath(*parts) for workspace in self.found.workspaces]
        if any(chunk.text in self._text(path) for path in candidates):
            return AS_A_FILE
        own = self._own_workspace()
        return CHANGED if own is not None and self._text(own.joinpath(*parts)) else ""

    def _fate_of_session(self, name: str) -> str:
        if name in self.found.logs:
            return AS_A_FILE
        return AS_A_SESSION if name.removesuffix(".jsonl") in self.sessions else ""

    def _own_workspace(self) -> Path | None:
        """Find the workspace of the agent by its name; if there is one of each, they belong together."""
        if len(self.found.workspaces) == 1 and len({agent_of(path) for path in self.found.databases}) == 1:
            return self.found.workspaces[0]
        names = {f"workspace-{self.agent}", self.agent} | (
            {"workspace"} if self.agent in ("main", "default") else set()
        )
        named = [path for path in self.found.workspaces if path.name in names]
        return named[0] if named else None

    def _text(self, path: Path) -> str:
        """Read a file that lies in a workspace; empty when it does not, or is none."""
        if path not in self._read:
            if len(self._read) > _MOST_TEXTS:  # chunks come file by file, so the old ones have done their duty
                self._read.clear()
            self._read[path] = self._from_disk(path)
        return self._read[path]

    def _from_disk(self, path: Path) -> str:
        try:
            if path.resolve() != path or not path.is_file():
                return ""  # a sync would not follow a link either
            seen = path.stat()
            if seen.st_size > _LARGEST_FILE or (seen.st_dev, seen.st_ino) in self.own:
                return ""
            return path.read_bytes().decode("utf-8", "replace")
        except (OSError, ValueError):
            return ""


def _is_synced(parts: Sequence[str]) -> bool:
    """Tell whether a path is one that is synced with its workspace; others only the index has."""
    if len(parts) == 1:
        return parts[0] in NOTES_AT_THE_TOP
    hidden = any(part.startswith(".") for part in parts)
    return bool(parts) and parts[0] == "memory" and parts[-1].endswith(".md") and not hidden


@dataclass(slots=True)
class Index:
    """An index that is being brought."""

    delivery: ImportRun
    connection: sqlite3.Connection
    names: Names
    places: IndexPlaces
    searched: Space | None
    provider: str = ""
    served: dict[tuple[str, str], int] = field(default_factory=dict)

    def bring(self) -> None:
        """Bring what is gone from the disk, and account for the rest."""
        self.provider = tables.provider_of(self.connection, self.names)
        tally = self.delivery.tally
        for source, path, group in tables.files(self.connection, self.names):
            chunks = [chunk for chunk in group if chunk is not None]
            tally.skip("chunks", tables.MALFORMED, len(group) - len(chunks), example=path)
            gone = []
            for chunk in chunks:
                reason = self.places.fate(chunk)
                tally.skip("chunks", reason, 1 if reason else 0)
                if not reason:
                    gone.append(chunk)
            if not gone:
                continue
            if document_name(self.places.agent, path) in self.delivery.documents:
                tally.skip("chunks", FROM_ANOTHER, len(gone))
            else:
                self.delivery.cutting(self._cutting(source, path, gone))
        for made, amount in tables.cached(self.connection, self.names).items():
            used = self.served.get(made, 0)
            reason = NOT_NEEDED if is_same(*made, self.searched) else self._no_use()
            tally.skip("cached vectors", reason, amount - used)

    def _cutting(self, source: str, path: str, chunks: Sequence[IndexedChunk]) -> TextCutter:
        pieces, vectors = [], []
        for chunk in chunks:
            text = mask(chunk.text.replace("\r\n", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}"), redact=True)
            if not text.strip():
                self.delivery.tally.skip("chunks", "nothing of it may be kept")
                continue
            pieces.append(TextPiece(text, "", chunk.start_line, chunk.end_line))
            vectors.append(self._vector(chunk) if text == chunk.text else None)
        dated = _DATE.fullmatch(PurePosixPath(path).name)
        about = {"imported_from": FORMAT, "agent": self.places.agent, "original_path": path}
        if dated:
            about["date"] = dated[1]
        return TextCutter(
            document_name(self.places.agent, path),
            "sessions" if source == "sessions" else "memory",
            pieces,
            vectors,
            self.searched if any(vector is not None for vector in vectors) else None,
            about,
        )

    def _vector(self, chunk: IndexedChunk) -> Vector | None:
        """Give the vector that OpenClaw made of a chunk, from the chunk or from its cache, if it is of our space."""
        if not is_same(self.provider, chunk.model, self.searched):
            self.delivery.tally.skip("vectors", self._no_use())
            return None
        own = self._usable(chunk.embedding)
        if own is None:
            made = (self.provider, chunk.model)
            digest = sha256(chunk.text.encode("utf-8", "replace")).hexdigest()
            own = self._usable(tables.cached_vector(self.connection, self.names, made, digest))
            if own is not None:
                self.served[made] = self.served.get(made, 0) + 1
                self.delivery.tally.bring("cached vectors")
        if own is None:
            self.delivery.tally.skip("vectors", NO_VECTOR)
        return own

    def _no_use(self) -> str:
        return ANOTHER_MODEL if self.searched is not None else WITHOUT_VECTORS

    def _usable(self, stored: object) -> Vector | None:
        found = tables.vector(stored)
        return found if found is not None and self.searched and found.size == self.searched.dimensions else None


def document_name(agent: str, path: str) -> str:
    """Name a document that is brought back, so that it cannot be taken for a path of this machine."""
    parts = [part for part in PurePosixPath(path.replace("\\", "/")).parts if part not in ("/", "..", ".")]
    return name_of("/".join([FORMAT, agent, *parts]), 500)
