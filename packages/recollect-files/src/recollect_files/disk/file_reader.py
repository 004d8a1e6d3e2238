"""Turns the bytes of a file into what is kept of it: digest, kind, pieces with their terms.

The invariant: it depends on nothing but bytes, name and recipe, so that it does not matter which process did it.
"""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple

from recollect.errors import InvalidDocument
from recollect.model.files import TURN_BREAK, SkippedFile
from recollect.model.literals import FileKind
from recollect.ports import ChunkingRecipe, FileReading
from recollect.text.chunks import index, mask
from recollect_files.chunks import render_session_line
from recollect_files.disk import skip_reasons
from recollect_files.disk.safe_open import BeneathRoot, FileBytes, youth_s
from recollect_files.disk.skip_reasons import FileRefused
from recollect_files.documents.cut_pieces import cut_plain, masked_metadata
from recollect_files.documents.decode_text import decode_plain
from recollect_files.ports import ReadFile, ReadRequest

Detect = Callable[[str, bytes], tuple[FileKind, str]]
Extract = Callable[[bytes, str, ChunkingRecipe], FileReading]

HAD_NUL: Final = "NUL characters"
_PLAIN: Final = frozenset({"markdown", "text", "code"})
_SESSION_MIME: Final = "application/x-ndjson"
_HEAD_BYTES: Final = 8_192
_DATED: Final = re.compile(r"(\d{4})(-?)(\d\d)\2(\d\d)(?!\d)")


class RetryLater(NamedTuple):
    """A file to read again: in `wait_s`, when it is old enough, or in a process that can read its kind."""

    request: ReadRequest
    wait_s: float = 0.0
    elsewhere: bool = False


class FileReaderOfRoot:
    """Reads files of one root. Without `extract`, kinds that are no plain text are left to the caller."""

    def __init__(self, recipe: ChunkingRecipe, detect: Detect, extract: Extract | None) -> None:
        self._recipe = recipe
        self._detect = detect
        self._extract = extract

    def read(
        self, beneath: BeneathRoot, request: ReadRequest, *, last: bool = False
    ) -> ReadFile | SkippedFile | RetryLater:
        """Read and cut a file. One that has only just changed comes later, unless this is the `last` time.

        Then its time is noted as a little earlier than it is, so that the next walk takes it for changed.
        """
        try:
            file = beneath.read(request.path, self._recipe.most_bytes)
            wait_s = youth_s(file.mtime_ns, time.time_ns())
            if wait_s and not last:
                return RetryLater(request, wait_s)
            return self._content(request, file._replace(mtime_ns=file.mtime_ns - 1) if wait_s else file)
        except OSError as error:
            return SkippedFile(request.path, skip_reasons.reason_for(error))

    def _content(self, request: ReadRequest, file: FileBytes) -> ReadFile | RetryLater:
        digest = sha256(file.data).hexdigest()
        reading = None
        if digest not in request.known:
            reading = self._reading(file.data, request.path)
            if reading is None:
                return RetryLater(request, elsewhere=True)
        return ReadFile(request.path, file.size, file.mtime_ns, file.ctime_ns, file.inode, digest, reading)

    def _reading(self, data: bytes, path: str) -> FileReading | None:
        """Give what a file says; None if the caller must extract it. Raises FileRefused."""
        name = path.rpartition("/")[2]
        try:
            kind, mime = kind_of(name, data, self._detect)
        except InvalidDocument as error:
            raise FileRefused(skip_reasons.NO_TEXT) from error
        if kind in _PLAIN or kind == "session":
            return read_text(data, name, (kind, mime), self._recipe)
        try:
            return self._extract(data, name, self._recipe) if self._extract else None
        except InvalidDocument as error:
            raise FileRefused(skip_reasons.DAMAGED) from error


def kind_of(name: str, data: bytes, detect: Detect) -> tuple[FileKind, str]:
    """Say what a file is; a `.jsonl` that is a text at all is a session. Raises InvalidDocument."""
    kind, mime = detect(name, data[:_HEAD_BYTES])
    if name.lower().endswith(".jsonl") and kind in _PLAIN:
        return "session", _SESSION_MIME
    return kind, mime


def read_text(data: bytes, name: str, detected: tuple[FileKind, str], recipe: ChunkingRecipe) -> FileReading:
    """Cut a text or a session, and analyse its pieces."""
    kind, mime = detected
    text, notes = decoded(data)
    parts, lines, cut_notes = cut_plain(text, kind, recipe)
    metadata = masked_metadata(parts.metadata, recipe)
    dated_at = parts.dated_at or day_of(name)
    return FileReading(kind, mime, index(parts), lines, metadata, dated_at, (*notes, *cut_notes))


def shown_text(data: bytes, kind: FileKind, recipe: ChunkingRecipe) -> str:
    """Give a text as it is cut, or what the turns of a session say, each on its own line. Raises InvalidDocument."""
    text, _ = decoded(data)
    clean = partial(mask, redact=recipe.redact)
    if kind in _PLAIN:
        return clean(text)
    if kind != "session":
        raise InvalidDocument(f"A file of the kind {kind!r} has no lines of its own; read it from the store.")
    return "\n".join(render_session_line(line, clean).replace("\n", TURN_BREAK) for line in text.split("\n"))


def decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Decode a text, and say what was wrong with it."""
    text, notes = decode_plain(data)
    had_nul = b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"))
    return text, (*notes, HAD_NUL) if had_nul else notes


def day_of(name: str) -> datetime | None:
    """Give the day that a file is named after: `2026-03-01.md`, `2026-03-01-standup.md`, `20260301.md`."""
    found = _DATED.match(name)
    try:
        return datetime(int(found[1]), int(found[3]), int(found[4]), tzinfo=UTC) if found else None
    except ValueError:
        return None
