"""Reads documents on this machine."""

from dataclasses import replace
from threading import BoundedSemaphore

from recollect.errors import InvalidDocument
from recollect.model.media import LONGEST_CAPTION, Media
from recollect.ports import ChunkingRecipe, FileReading
from recollect_files.documents.cut_pieces import read_found, read_plain
from recollect_files.documents.detect_kind import HEAD_BYTES, detect
from recollect_files.documents.detect_media import detect_media
from recollect_files.documents.extract import ExtractionLimits, extract
from recollect_files.documents.extract_process import READERS

_AT_ONCE = 2
_TOLD = ("title", "camera", "lens", "taken", "author", "copyright")  # of a photo, and searched


class LocalDocuments:
    """The port `Documents`. It may be asked by many threads; only a few documents are read at once."""

    def __init__(self, *, timeout_s: float = 60.0, memory_mb: int = 1_024, most_bytes: int = 32 * 2**20) -> None:
        """Take what reading one document may take."""
        self._limits = ExtractionLimits(timeout_s, memory_mb, most_bytes)
        self._turns = BoundedSemaphore(_AT_ONCE)

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
