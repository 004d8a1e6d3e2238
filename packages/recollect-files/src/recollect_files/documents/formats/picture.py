"""Reads what a picture carries beside its pixels: format, size, camera, time and place (EXIF), any words (XMP, PNG).

The invariant: no pixel is ever decoded, so a picture costs what its file weighs, not what it shows; what is compressed
is unpacked to a bound, and no further.
"""

import io
import math
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from PIL import Image, UnidentifiedImageError
from PIL.Image import Exif

from recollect_files.documents.extracted import DocumentRefused, ExtractedText, known_values, shortened, tidy
from recollect_files.documents.formats.xml import stream

_DETAILS, _PLACE = 0x8769, 0x8825
_DESCRIPTION, _MAKE, _MODEL, _CHANGED, _ARTIST, _COPYRIGHT = 0x010E, 0x010F, 0x0110, 0x0132, 0x013B, 0x8298
_TAKEN, _OFFSET, _COMMENT, _LENS = 0x9003, 0x9011, 0x9286, 0xA434
_WINDOWS_WORDS = (0x9C9B, 0x9C9C, 0x9C9E, 0x9C9F)  # title, comment, keywords, subject
_ENCODINGS = {b"ASCII\0\0\0": "ascii", b"UNICODE\0": "utf-16", b"JIS\0\0\0\0\0": "iso2022_jp", b"\0" * 8: "utf-8"}
_POLE, _DATE_LINE = 90, 180

_SIGNATURE_BYTES = 8
_HEADER_BYTES = 13
_MOST_WORDS_BYTES = 256 * 1024
_MOST_TEXTS = 200
_XMP = b"XML:com.adobe.xmp"

_BEGIN, _END = b"<x:xmpmeta", b"</x:xmpmeta>"
_MOST_BYTES = 4 * 2**20
_TITLE, _KEYWORDS = "title", "subject"
_TOLD = frozenset(
    {_TITLE, "description", _KEYWORDS, "Headline", "UserComment", "AltTextAccessibility", "ExtDescrAccessibility"}
)

_SIZE = b"ispe\0\0\0\0"
_EXIF_MARKS = (b"Exif\0\0MM\0*", b"Exif\0\0II*\0")
_EXIF_PREFIX = len(b"Exif\0\0")
_MOST_EXIF_BYTES = 2**20
_MOST_SIZES = 10_000


class Shot(NamedTuple):
    """What EXIF tells of a picture: its words, its camera and place, and when it was taken as ISO 8601."""

    words: tuple[str, ...]
    metadata: Mapping[str, Any]
    taken_at: str


def read_exif(exif: Exif) -> Shot:
    """Read EXIF that Pillow has taken apart; what is damaged in it is left out."""
    details, place = _block(exif, _DETAILS), _block(exif, _PLACE)
    words = (
        _text(exif.get(_DESCRIPTION)),
        _comment(details.get(_COMMENT)),
        *(_wide(exif.get(tag)) for tag in _WINDOWS_WORDS),
    )
    taken_at = _time(_text(details.get(_TAKEN)) or _text(exif.get(_CHANGED)), _text(details.get(_OFFSET)))
    metadata = {
        "camera": f"{_text(exif.get(_MAKE))} {_text(exif.get(_MODEL))}",
        "lens": _text(details.get(_LENS)),
        "taken": taken_at,
        "author": _text(exif.get(_ARTIST)),
        "copyright": _text(exif.get(_COPYRIGHT)),
        **_position(place),
    }
    return Shot(tuple(filter(None, words)), metadata, taken_at)


def _block(exif: Exif, tag: int) -> Mapping[int, Any]:
    try:
        return exif.get_ifd(tag)
    except (OSError, SyntaxError, ValueError, KeyError, IndexError, TypeError):
        return {}


def _text(value: object) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return value.replace("\0", " ").strip() if isinstance(value, str) else ""


def _comment(value: object) -> str:
    if not isinstance(value, bytes):
        return _text(value)
    encoding = _ENCODINGS.get(value[:8])
    return _text(value[8:].decode(encoding, "replace") if encoding else value)


def _wide(value: object) -> str:
    raw = bytes(value) if isinstance(value, tuple) and all(_is_byte(item) for item in value) else value
    return _text(raw.decode("utf-16-le", "replace")) if isinstance(raw, bytes) else ""


def _is_byte(item: object) -> bool:
    return isinstance(item, int) and 0 <= item < 256  # noqa: PLR2004 -- what fits into a byte


def _time(written: str, offset: str) -> str:
    """Give `2024:05:01 18:30:00` as ISO 8601, with its offset from UTC when that is known."""
    for spelled in (written + offset, written):
        try:
            return datetime.strptime(spelled, "%Y:%m:%d %H:%M:%S%z").isoformat()
        except ValueError:
            pass
    try:
        return datetime.strptime(written, "%Y:%m:%d %H:%M:%S").isoformat()  # noqa: DTZ007 -- cameras know no zone
    except ValueError:
        return ""


def _position(place: Mapping[int, Any]) -> dict[str, float]:
    latitude, longitude = _degrees(place.get(2), place.get(1), "S"), _degrees(place.get(4), place.get(3), "W")
    if latitude is None or longitude is None or abs(latitude) > _POLE or abs(longitude) > _DATE_LINE:
        return {}
    return {"latitude": latitude, "longitude": longitude}


def _degrees(parts: object, side: object, negative: str) -> float | None:
    if not isinstance(parts, tuple) or len(parts) != 3:  # noqa: PLR2004 -- degrees, minutes, seconds
        return None
    try:
        degrees, minutes, seconds = (float(part) for part in parts)
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    value = degrees + minutes / 60 + seconds / 3600
    if not math.isfinite(value):
        return None
    return round(-value if _text(side).upper() == negative else value, 6)


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


class Xmp(NamedTuple):
    """What a packet says."""

    title: str = ""
    words: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()


def read_xmp(data: bytes) -> Xmp:
    """Read the first packet among the bytes of a picture; one that is damaged says nothing."""
    start = data.find(_BEGIN)
    end = data.find(_END, start)
    if start < 0 or end < 0 or end - start > _MOST_BYTES:
        return Xmp()
    return read_packet(data[start : end + len(_END)])


def read_packet(packet: bytes) -> Xmp:
    """Read a packet."""
    found: dict[str, list[str]] = {}
    inside: list[str] = []

    def begin(name: str, attributes: Mapping[str, str]) -> None:
        inside.append(name)
        for key in _TOLD & attributes.keys():
            found.setdefault(key, []).append(attributes[key])

    def words(text: str) -> None:
        told = next((name for name in reversed(inside[-4:]) if name in _TOLD), "")
        if told and text.strip():
            found.setdefault(told, []).append(text.strip())

    def end(_name: str) -> None:
        inside.pop()

    try:
        stream(io.BytesIO(packet), begin, end, words)
    except DocumentRefused:
        return Xmp()
    said = [text for name in sorted(found, key=lambda name: name != _TITLE) for text in found[name]]
    return Xmp(" ".join(found.get(_TITLE, [])), tuple(said), tuple(found.get(_KEYWORDS, ())))


class _Picture(NamedTuple):
    """What is to be told of a picture, whatever its format."""

    format: str
    width: int
    height: int
    words: tuple[str, ...]
    shot: Shot
    frames: int = 1


def read_image(data: bytes) -> ExtractedText:
    """Read a picture. Raises Refused when it is damaged."""
    if data.startswith(b"\x89PNG"):
        picture = _png(data)
    elif data[4:8] == b"ftyp":
        picture = _heif(data)
    elif data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") or data.startswith((b"\xff\xfe<", b"\xfe\xff\0<")):
        return _svg(data)
    else:
        picture = _common(data)
    xmp = read_xmp(data)
    words = _distinct((*xmp.words, *picture.shot.words, *picture.words))
    parts, notes = shortened(("\n".join(words),))
    metadata: dict[str, Any] = {
        "title": xmp.title,
        "format": picture.format,
        "width": picture.width,
        "height": picture.height,
        "frames": picture.frames if picture.frames > 1 else None,
        "keywords": list(xmp.keywords),
        **picture.shot.metadata,
    }
    return ExtractedText(parts, known_values(metadata.items()), notes, dated_at=picture.shot.taken_at)


def _png(data: bytes) -> _Picture:
    png = read_png(data)
    return _Picture("PNG", png.width, png.height, png.words, read_exif(_exif_of(png.exif)))


def _heif(data: bytes) -> _Picture:
    """Look for size and EXIF in a format whose pixels cannot be decoded here."""
    sizes = [(0, 0)]
    at = data.find(_SIZE)
    while at >= 0 and len(sizes) < _MOST_SIZES:
        if at + len(_SIZE) + 8 <= len(data):
            sizes.append(struct.unpack_from(">II", data, at + len(_SIZE)))
        at = data.find(_SIZE, at + 1)
    width, height = max(sizes, key=lambda size: size[0] * size[1])
    start = max(data.find(mark) for mark in _EXIF_MARKS)
    raw = data[start + _EXIF_PREFIX : start + _MOST_EXIF_BYTES] if start >= 0 else b""
    name = "AVIF" if data[8:12] in (b"avif", b"avis") else "HEIC"
    return _Picture(name, width, height, (), read_exif(_exif_of(raw)))


def _common(data: bytes) -> _Picture:
    Image.MAX_IMAGE_PIXELS = None
    try:
        with Image.open(io.BytesIO(data)) as image:
            comment = image.info.get("comment", b"")
            words = (comment.decode("utf-8", "replace") if isinstance(comment, bytes) else str(comment),)
            frames = getattr(image, "n_frames", 1) if image.format in ("TIFF", "WEBP") else 1
            return _Picture(str(image.format), image.width, image.height, words, read_exif(image.getexif()), frames)
    except UnidentifiedImageError as error:
        raise DocumentRefused("The picture is damaged: nothing can be told of it but how it begins.") from error
    except (OSError, SyntaxError, ValueError, KeyError, IndexError, TypeError, struct.error) as error:
        raise DocumentRefused(f"The picture is damaged: {error}.") from error


def _svg(data: bytes) -> ExtractedText:
    from recollect_files.documents.formats.svg import read_svg  # noqa: PLC0415 -- only drawings need it

    return read_svg(data)


def _exif_of(raw: bytes) -> Image.Exif:
    exif = Image.Exif()
    if raw:
        try:
            exif.load(raw)
        except (OSError, SyntaxError, ValueError, KeyError, IndexError, TypeError, struct.error):
            return Image.Exif()
    return exif


def _distinct(words: Iterable[str]) -> list[str]:
    """Give each text once, in order, without those that say nothing."""
    return list(dict.fromkeys(text for text in (tidy(word).strip() for word in words) if text))
