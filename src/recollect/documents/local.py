"""Reads documents on this machine, and keeps their originals in a folder of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import BoundedSemaphore

from recollect.documents.cut_pieces import read_found, read_plain
from recollect.documents.detect_kind import HEAD_BYTES, detect
from recollect.documents.detect_media import detect_media
from recollect.documents.extract import ExtractionLimits, extract
from recollect.documents.extract_process import READERS
from recollect.documents.originals import Originals
from recollect.errors import InvalidDocument
from recollect.model.media import LONGEST_CAPTION, Media
from recollect.ports.files import ChunkingRecipe, FileReading

_AT_ONCE = 2
_TOLD = ("title", "camera", "lens", "taken", "author", "copyright")  # of a photo, and searched


class LocalDocuments:
    """The port `Documents`. It may be asked by many threads; only a few documents are read at once."""

    def __init__(
        self,
        originals: Callable[[], Path | None] | Path | None,
        *,
        timeout_s: float = 60.0,
        memory_mb: int = 1_024,
        most_bytes: int = 32 * 2**20,
    ) -> None:
        """Take the folder for originals, or None to keep none, and what reading one document may take.

        Where finding the folder takes something, it may be given as a function: it is asked when it is needed.
        """
        self._folder = originals
        self._limits = ExtractionLimits(timeout_s, memory_mb, most_bytes)
        self._turns = BoundedSemaphore(_AT_ONCE)

    @cached_property
    def _originals(self) -> Originals:
        return Originals(self._folder() if callable(self._folder) else self._folder)

    def own(self) -> frozenset[tuple[int, int]]:
        """Give the device and inode of the folder of originals, if there is one."""
        return self._originals.own()

    def read(self, data: bytes, name: str, recipe: ChunkingRecipe) -> FileReading:
        """Read a document. Raises InvalidDocument."""
        if len(data) > self._limits.most_bytes:
            raise InvalidDocument(
                f"{name!r} has {len(data):,} bytes; a document has at most {self._limits.most_bytes:,}. "
                "Raise `files.document_mb`, or split the document."
            )
        kind, mime = detect(name, data[:HEAD_BYTES])
        if kind not in READERS:
            return read_plain(data, name, (kind, mime), recipe)
        with self._turns:
            found = extract(data, name, kind, self._limits)
        return read_found(found, name, (kind, mime), recipe)

    def examine(self, data: bytes, *, details: bool = True) -> Media:
        """Say what bytes are. A picture that cannot be read is one all the same, of which nothing more is known."""
        kind, mime = detect_media(data)
        media = Media(kind, mime=mime, size=len(data))
        if kind != "image" or not details:
            return media
        try:
            with self._turns:
                found = extract(data, "picture", "image", self._limits)
        except InvalidDocument:
            return media
        told = found.metadata
        words = [*found.parts, *(str(told[name]) for name in _TOLD if told.get(name)), *told.get("keywords", ())]
        exif = "\n".join(dict.fromkeys(word.strip() for word in words if word.strip()))[:LONGEST_CAPTION]
        lat, lng = told.get("latitude"), told.get("longitude")
        return replace(media, width=told.get("width"), height=told.get("height"), exif=exif, lat=lat, lng=lng)

    def keep(self, owner: str, digest: str, data: bytes) -> str:
        """Keep a user's original, durably; gives the name under which it is kept, or '' when none are."""
        return self._originals.keep(owner, digest, data)

    def original(self, name: str) -> bytes:
        """Give an original. Raises NotFound."""
        return self._originals.original(name)

    def discard(self, names: Sequence[str]) -> None:
        """Remove originals for good; one that is gone already is fine."""
        self._originals.discard(names)

    def names(self) -> Iterator[str]:
        """Give the names of all originals that are kept."""
        return self._originals.names()

    def sweep(self, known: Callable[[str], bool]) -> int:
        """Remove originals without a file record, unless they are recent; returns how many."""
        return self._originals.sweep(known)
