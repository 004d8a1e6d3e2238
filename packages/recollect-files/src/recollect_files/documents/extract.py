"""Reads documents on this machine, what is no plain text in a child process, whose answer is checked before it is used.

The invariant: when `extract` returns or raises, no process of its is left, and no more was taken in than a bound.
"""

import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, NamedTuple

from recollect import errors
from recollect.errors import InvalidDocument
from recollect.model.literals import FileKind
from recollect.model.media import LONGEST_CAPTION, Media
from recollect.ports import ChunkingRecipe, FileReading
from recollect_files.documents.cut_pieces import read_found, read_plain
from recollect_files.documents.detect_kind import HEAD_BYTES, detect, detect_media
from recollect_files.documents.extract_process import READERS
from recollect_files.documents.extracted import (
    MOST_CHARACTERS,
    MOST_OF_A_VALUE,
    MOST_VALUES,
    ExtractedText,
    known_values,
    one_line,
    shortened,
    tidy,
)

_PACKAGES = [Path(file).resolve().parents[up] for file, up in ((__file__, 2), (errors.__file__, 1))]
_MOST_ANSWER_BYTES = 8 * MOST_CHARACTERS
_MOST_PARTS = 100_000
# Without these some Pythons do not start at all.
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")

_AT_ONCE = 2
_TOLD = ("title", "camera", "lens", "taken", "author", "copyright")  # of a photo, and searched


class ExtractionLimits(NamedTuple):
    """How much reading one document may take."""

    timeout_s: float = 60.0
    memory_mb: int = 1_024
    most_bytes: int = 32 * 2**20


class _ChildOutput(NamedTuple):
    """What a child has written, how it ended, and whether its time was up."""

    written: bytes
    code: int
    too_slow: bool


def extract(data: bytes, name: str, kind: FileKind, limits: ExtractionLimits) -> ExtractedText:
    """Read a document in a child. Raises InvalidDocument, which says why it is not read."""
    answered = _ask(data, kind, limits)
    reason = _reason(answered, limits)
    if reason:
        raise InvalidDocument(f"{name!r} was not read: {reason}")
    try:
        told = json.loads(answered.written)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise InvalidDocument(f"{name!r} was not read: what its reader answered is no answer. The document is damaged.")
    if isinstance(told.get("refused"), str):
        raise InvalidDocument(f"{name!r} was not read. {one_line(told['refused'])}")
    if not isinstance(told.get("found"), dict):
        raise InvalidDocument(f"{name!r} was not read: {_told_reason(told, limits)}")
    return _checked(told["found"])


def _ask(data: bytes, kind: FileKind, limits: ExtractionLimits) -> _ChildOutput:
    child = subprocess.Popen(  # noqa: S603 -- our own module, and a kind of ours
        _command(kind, limits),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=Path(_PACKAGES[0].anchor),
        env=_environment(),
        start_new_session=True,
    )
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(child)

    timer = threading.Timer(limits.timeout_s, stop)
    feeder = threading.Thread(target=_feed, args=(child, data), daemon=True)
    try:
        timer.start()
        feeder.start()
        written = child.stdout.read(_MOST_ANSWER_BYTES + 1) if child.stdout else b""
        if len(written) <= _MOST_ANSWER_BYTES:
            child.wait()
    finally:
        timer.cancel()
        _kill(child)
        child.wait()
        feeder.join()
        if child.stdout:
            child.stdout.close()
    return _ChildOutput(written, child.returncode, late.is_set())


def _command(kind: FileKind, limits: ExtractionLimits) -> list[str]:
    """Start Python as bare as it comes: the path to modules is handed over, so it need not look for it."""
    cpu_s = math.ceil(limits.timeout_s) + 1
    bare = [sys.executable, "-S", "-P", "-B", "-m", "recollect_files.documents.extract_process"]
    return [*bare, kind, str(limits.memory_mb), str(cpu_s)]


def _environment() -> dict[str, str]:
    path = [*map(str, _PACKAGES), *(entry for entry in sys.path if os.path.isabs(entry))]  # noqa: PTH117 -- strings
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(path), "PYTHONUTF8": "1"}


def _feed(child: subprocess.Popen[bytes], data: bytes) -> None:
    """Write the document to the child, as far as it listens."""
    if child.stdin is None:
        return
    try:
        with child.stdin as channel:
            channel.write(data)
    except OSError:  # it is gone; how it ended tells why
        return


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End a child and whatever it has started."""
    if child.poll() is not None:
        return
    try:
        if sys.platform == "win32":
            child.kill()
        else:
            os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _reason(answered: _ChildOutput, limits: ExtractionLimits) -> str:
    """Say what stopped a child that did not come to its end; nothing if it did."""
    if answered.too_slow or answered.code == -getattr(signal, "SIGXCPU", 0):
        return f"it takes longer than {limits.timeout_s:g} s. Raise `files.extract_s`, or split the document."
    if len(answered.written) > _MOST_ANSWER_BYTES:
        return "its text never ends. The document is made to do harm, or damaged."
    if answered.code < 0:
        return (
            f"it crashed its reader ({_signal_name(-answered.code)}). The document is damaged, or needs more than "
            f"{limits.memory_mb:,} MiB of memory (`files.extract_mb`)."
        )
    if answered.code:
        return f"its reader ended with code {answered.code}. The document is damaged, or the installation is."
    return ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _told_reason(told: Mapping[str, Any], limits: ExtractionLimits) -> str:
    if told.get("limit") == "memory":
        return (
            f"it needs more than {limits.memory_mb:,} MiB of memory. Raise `files.extract_mb`, or split the document."
        )
    if told.get("limit") == "nesting":
        return "its parts are nested too deeply. No document that people write is."
    return f"it is damaged ({one_line(str(told.get('failed', 'no answer')))})."


def _checked(found: Mapping[str, Any]) -> ExtractedText:
    """Take over what is of the right type and of a bearable size: the child has read what strangers wrote."""
    parts, notes = shortened(tidy(part) for part in _strings(found.get("parts"), _MOST_PARTS) or [""])
    metadata = found.get("metadata")
    pairs = list(metadata.items())[:MOST_VALUES] if isinstance(metadata, dict) else []
    return ExtractedText(
        parts,
        known_values((one_line(key), value) for key, value in pairs if _is_simple(value)),
        tuple(dict.fromkeys([*map(one_line, _strings(found.get("notes"), MOST_VALUES)), *notes])),
        dated_at=str(found.get("dated_at", ""))[:MOST_OF_A_VALUE],
        headings=tuple(map(one_line, _strings(found.get("headings"), len(parts)))),
    )


def _strings(value: object, most: int) -> list[str]:
    return [item for item in value[:most] if isinstance(item, str)] if isinstance(value, list) else []


def _is_simple(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str | int) or (isinstance(value, list) and all(isinstance(item, str) for item in value))


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
