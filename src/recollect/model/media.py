"""Media of memories and messages: pictures, sounds, films and documents. Frozen values without I/O."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import Any, Final, Literal, TypeAlias, get_args

from recollect.errors import InvalidInput
from recollect.model.places import check_coordinates

MediaKind = Literal["image", "audio", "video", "document"]
MEDIA_KINDS: Final[tuple[MediaKind, ...]] = get_args(MediaKind)
MOST_MEDIA: Final = 20
LONGEST_URL: Final = 2_048
LONGEST_TRANSCRIPT: Final = 100_000
LONGEST_CAPTION: Final = 4_000
DIGEST: Final = re.compile(r"[0-9a-f]{64}")

# The texts by which media are found, with the most characters of each.
TEXT_LIMITS: Final[Mapping[str, int]] = {
    "caption": LONGEST_CAPTION,
    "alt": LONGEST_CAPTION,
    "transcript": LONGEST_TRANSCRIPT,
    "exif": LONGEST_CAPTION,
}
_MIME: Final = re.compile(r"[a-z]+/[a-z0-9][a-z0-9.+-]{0,100}")
_UNSEEN: Final = re.compile(r"[\s\x00-\x20\x7f-\x9f\\]")
_WEB: Final = re.compile(r"https?://(?:\[[0-9a-f:.]+\]|[^/?#@:\[\]]+)(?::[0-9]{1,5})?(?:[/?#].*)?", re.IGNORECASE)
_WITH_USER: Final = re.compile(r"https?://[^/?#]*@", re.IGNORECASE)
_NUMBERS: Final = ("size", "duration_s", "width", "height")


@dataclass(frozen=True, slots=True)
class Media:
    """A picture, sound, film or document of a memory or message.

    It has a `url`, which is shown and never fetched, or an `original`: the SHA-256 of bytes that `me.media.add` stored.
    It is found by its `caption`, `alt`, `transcript` and `exif`, the words that a photo carries. `lat` and `lng` say
    where a photo was taken, if it says so.
    """

    kind: MediaKind
    url: str = ""
    original: str = ""
    mime: str = ""
    size: int | None = None
    duration_s: float | None = None
    width: int | None = None
    height: int | None = None
    caption: str = ""
    alt: str = ""
    transcript: str = ""
    exif: str = ""
    lat: float | None = None
    lng: float | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts by which it is found, each once."""
        return tuple(dict.fromkeys(text for name in TEXT_LIMITS if (text := getattr(self, name))))

    @property
    def name(self) -> str:
        """What tells it from other media: its original, or its URL."""
        return self.original or self.url

    def stored(self) -> dict[str, Any]:
        """Give it as JSON, without what is not known."""
        return {name: value for name in _FIELDS if (value := getattr(self, name)) not in ("", None)}


# The usual endings of the names of media, the commonest of a type first.
_ENDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "image/png": ("png",),
    "image/jpeg": ("jpg", "jpeg"),
    "image/gif": ("gif",),
    "image/webp": ("webp",),
    "image/avif": ("avif",),
    "image/heic": ("heic", "heif"),
    "image/bmp": ("bmp",),
    "image/tiff": ("tif", "tiff"),
    "image/svg+xml": ("svg",),
    "audio/mpeg": ("mp3",),
    "audio/ogg": ("ogg", "oga", "opus"),
    "audio/flac": ("flac",),
    "audio/wav": ("wav",),
    "audio/mp4": ("m4a",),
    "audio/aac": ("aac",),
    "video/mp4": ("mp4", "m4v"),
    "video/webm": ("webm",),
    "video/ogg": ("ogv",),
    "video/quicktime": ("mov",),
    "video/x-matroska": ("mkv",),
    "application/pdf": ("pdf",),
}
_BY_ENDING: Final = {ending: mime for mime, endings in _ENDINGS.items() for ending in endings}
_PATH_END: Final = re.compile(r"[?#].*", re.DOTALL)


def ending_of(mime: str) -> str:
    """Give the usual ending of a name, with its dot; nothing for an unknown type."""
    return f".{_ENDINGS[mime][0]}" if mime in _ENDINGS else ""


def kind_by_name(url: str) -> MediaKind:
    """Tell what is at a URL by how its path ends; what is not known is a document."""
    mime = _BY_ENDING.get(_PATH_END.sub("", url).rpartition(".")[2].lower(), "")
    named = mime.partition("/")[0]
    return next((kind for kind in MEDIA_KINDS if kind == named), "document")


MediaLike: TypeAlias = Media | Mapping[str, Any]
_FIELDS: Final = tuple(field.name for field in fields(Media))


def read_media(stored: Sequence[Mapping[str, Any]]) -> tuple[Media, ...]:
    """Read media as they are stored."""
    return tuple(Media(**one) for one in stored)


def media_texts(media: Sequence[Media]) -> tuple[str, ...]:
    """Give the texts by which media are found, each once."""
    return tuple(dict.fromkeys(text for one in media for text in one.texts))


def described(media: Sequence[Media], longest: int = 200) -> str:
    """Give media as words beside a text: `[image: The velvet sofa]`."""
    return " ".join(f"[{': '.join((one.kind, *(text[:longest] for text in one.texts[:1])))}]" for one in media)


def media_names(media: Sequence[Media]) -> tuple[str, ...]:
    """Give what tells media from others."""
    return tuple(one.name for one in media)


def checked_media(given: object) -> Media:
    """Check media that come from outside. Raises ValueError, which says what is wrong."""
    if isinstance(given, Media):
        given = given.stored()
    if not isinstance(given, Mapping):
        raise ValueError(  # noqa: TRY004 - like all that is wrong with it
            f"A medium is a {type(given).__name__}; pass Media, or a mapping with a url or an original."
        )
    odd = [str(name) for name in given if name not in _FIELDS]
    if odd:
        raise ValueError(f"A medium has no {', '.join(odd)[:100]}. It has: {', '.join(_FIELDS)}.")
    known = {name: value for name, value in given.items() if value not in ("", None)}
    media = Media(**{"kind": "", **known})
    _check_source(media)
    for name, most in TEXT_LIMITS.items():
        text = getattr(media, name)
        if not isinstance(text, str) or len(text) > most:
            raise ValueError(f"The {name} of a medium is a text of at most {most:,} characters.")
    _check_numbers(media)
    return media


def _check_source(media: Media) -> None:
    if bool(media.url) == bool(media.original):
        raise ValueError("A medium has a url or an original, and not both.")
    if media.kind not in MEDIA_KINDS:
        raise ValueError(f"The kind of a medium is {str(media.kind)[:40]!r}; it is one of {', '.join(MEDIA_KINDS)}.")
    if media.original and not (isinstance(media.original, str) and DIGEST.fullmatch(media.original)):
        raise ValueError("The original of a medium is the SHA-256 that adding it gave, as 64 hex digits.")
    if media.url:  # addresses of the web alone: others could run a script, or point into this machine
        if not isinstance(media.url, str) or len(media.url) > LONGEST_URL or _UNSEEN.search(media.url):
            raise ValueError(f"The url of a medium is a text without blanks of at most {LONGEST_URL:,} characters.")
        if _WITH_USER.match(media.url):
            raise ValueError("The url of a medium holds a user or a password. Leave them out.")
        if not _WEB.fullmatch(media.url):
            raise ValueError(
                f"{media.url[:60]!r} is no address of the web. A url of a medium begins with https:// or http://."
            )
    if media.mime and not (isinstance(media.mime, str) and _MIME.fullmatch(media.mime)):
        raise ValueError(f"{str(media.mime)[:60]!r} is no media type such as image/png.")


def _check_numbers(media: Media) -> None:
    for name in _NUMBERS:
        number = getattr(media, name)
        if number is None:
            continue
        kinds = (int, float) if name == "duration_s" else (int,)
        if isinstance(number, bool) or not isinstance(number, kinds) or not 0 <= number < 2**53:
            raise ValueError(f"The {name} of a medium is a number, not below 0.")
    try:
        check_coordinates(media.lat, media.lng)
    except InvalidInput:
        raise ValueError("A medium has a lat and a lng, in degrees, or neither.") from None


def original_name(owner: str, digest: str) -> str:
    """Name the original of a user with these bytes: a folder of the user's, and the SHA-256."""
    return f"{original_folder(owner)}/{digest[:2]}/{digest}"


def original_folder(owner: str) -> str:
    """Name the folder of a user's originals."""
    return blake2b(owner.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
