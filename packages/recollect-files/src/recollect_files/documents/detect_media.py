"""Says what media are by how they begin: never by a name or by what a sender says they are."""

from recollect.errors import InvalidDocument
from recollect.model.media import MediaKind
from recollect_files.documents.detect_kind import HEAD_BYTES, detect

DetectedMedia = tuple[MediaKind, str]

_ANYTHING: DetectedMedia = ("document", "application/octet-stream")
_BEGINNINGS: tuple[tuple[bytes, DetectedMedia], ...] = (
    (b"ID3", ("audio", "audio/mpeg")),
    (b"fLaC", ("audio", "audio/flac")),
    *((begin, ("audio", "audio/mpeg")) for begin in (b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xfa")),
    *((begin, ("audio", "audio/aac")) for begin in (b"\xff\xf1", b"\xff\xf9")),
)
_SOUNDS = frozenset({b"M4A ", b"M4B ", b"M4P "})
_PICTURES = frozenset(
    {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1", b"avif", b"avis"}
)  # which `detect` knows


def detect_media(data: bytes) -> DetectedMedia:
    """Give the kind and the media type of bytes."""
    head = data[:HEAD_BYTES]
    for begin, found in _BEGINNINGS:
        if head.startswith(begin):
            return found
    container = _container(head)
    if container is not None:
        return container
    try:
        kind, mime = detect("", head)
    except InvalidDocument:
        return _ANYTHING
    return ("image" if kind == "image" else "document"), mime


def _container(head: bytes) -> DetectedMedia | None:
    """Recognise formats in which several kinds of media can be."""
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return "audio", "audio/wav"
    if head[:4] == b"OggS":
        return ("video", "video/ogg") if b"theora" in head else ("audio", "audio/ogg")
    if head[:4] == b"\x1aE\xdf\xa3":
        return ("video", "video/webm") if b"webm" in head[:64] else ("video", "video/x-matroska")
    if head[4:8] == b"ftyp" and head[8:12] not in _PICTURES:
        brand = head[8:12]
        return ("audio", "audio/mp4") if brand in _SOUNDS else ("video", _film(brand))
    return None


def _film(brand: bytes) -> str:
    return "video/quicktime" if brand == b"qt  " else "video/mp4"
