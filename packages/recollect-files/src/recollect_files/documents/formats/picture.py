"""Reads what a picture carries beside its pixels: format, size, camera, time and place, and any words.

The invariant: no pixel is ever decoded, so a picture costs what its file weighs, not what it shows.
"""

import io
import struct
from collections.abc import Iterable
from typing import Any, NamedTuple

from PIL import Image, UnidentifiedImageError

from recollect_files.documents.extracted import DocumentRefused, ExtractedText, known_values, shortened, tidy
from recollect_files.documents.formats.exif import Shot, read_exif
from recollect_files.documents.formats.png import read_png
from recollect_files.documents.formats.xmp import read_xmp

_SIZE = b"ispe\0\0\0\0"
_EXIF_MARKS = (b"Exif\0\0MM\0*", b"Exif\0\0II*\0")
_EXIF_PREFIX = len(b"Exif\0\0")
_MOST_EXIF_BYTES = 2**20
_MOST_SIZES = 10_000


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
