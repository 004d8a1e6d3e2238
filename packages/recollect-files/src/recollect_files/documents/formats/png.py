"""Reads the chunks of a PNG that are words.

The invariant: what is compressed is unpacked to a bound, and no further.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from recollect_files.documents.extracted import DocumentRefused

_SIGNATURE_BYTES = 8
_HEADER_BYTES = 13
_MOST_WORDS_BYTES = 256 * 1024
_MOST_TEXTS = 200
_XMP = b"XML:com.adobe.xmp"


class Png(NamedTuple):
    """What a PNG says of itself, and its EXIF block as it is."""

    width: int
    height: int
    words: tuple[str, ...]
    exif: bytes


def read_png(data: bytes) -> Png:
    """Read a PNG. Raises Refused when it does not begin as one."""
    header = data[_SIGNATURE_BYTES + 8 : _SIGNATURE_BYTES + 8 + _HEADER_BYTES]
    if data[_SIGNATURE_BYTES + 4 : _SIGNATURE_BYTES + 8] != b"IHDR" or len(header) < _HEADER_BYTES:
        raise DocumentRefused("The PNG is damaged: it has no header.")
    width, height = struct.unpack(">II", header[:8])
    words: list[str] = []
    exif = b""
    for kind, body in _chunks(data):
        if kind == b"eXIf":
            exif = body
        elif kind in _READERS and len(words) < _MOST_TEXTS:
            words.append(_READERS[kind](body))
    return Png(width, height, tuple(filter(None, words)), exif)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = _SIGNATURE_BYTES
    while at + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        yield kind, data[at + 8 : at + 8 + length] if kind in (b"eXIf", *_READERS) else b""
        at += length + 12


def _plain(body: bytes) -> str:
    key, _, value = body.partition(b"\0")
    return _told(key, value.decode("latin-1"))


def _compressed(body: bytes) -> str:
    key, _, value = body.partition(b"\0")
    return _told(key, _unpacked(value[1:]).decode("latin-1"))


def _international(body: bytes) -> str:
    key, _, rest = body.partition(b"\0")
    if key == _XMP:  # left to the XMP reader
        return ""
    packed, rest = rest[:1] == b"\1", rest[2:]
    _language, _, rest = rest.partition(b"\0")
    _translated, _, value = rest.partition(b"\0")
    return _told(key, (_unpacked(value) if packed else value).decode("utf-8", "replace"))


def _told(key: bytes, value: str) -> str:
    """Give a text with what it is called."""
    name = key.decode("latin-1")[:79]
    return f"{name}: {value}" if value.strip() else ""


def _unpacked(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, _MOST_WORDS_BYTES)
    except zlib.error:
        return b""


_READERS = {b"tEXt": _plain, b"zTXt": _compressed, b"iTXt": _international}
