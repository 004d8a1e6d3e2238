"""Reads EXIF: which camera, when, where, and the words that people or programs wrote into it."""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from PIL.Image import Exif

_DETAILS, _PLACE = 0x8769, 0x8825
_DESCRIPTION, _MAKE, _MODEL, _CHANGED, _ARTIST, _COPYRIGHT = 0x010E, 0x010F, 0x0110, 0x0132, 0x013B, 0x8298
_TAKEN, _OFFSET, _COMMENT, _LENS = 0x9003, 0x9011, 0x9286, 0xA434
_WINDOWS_WORDS = (0x9C9B, 0x9C9C, 0x9C9E, 0x9C9F)  # title, comment, keywords, subject
_ENCODINGS = {b"ASCII\0\0\0": "ascii", b"UNICODE\0": "utf-16", b"JIS\0\0\0\0\0": "iso2022_jp", b"\0" * 8: "utf-8"}
_POLE, _DATE_LINE = 90, 180


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
