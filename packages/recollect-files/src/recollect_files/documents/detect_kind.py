"""Says what a file is by how it begins, and only then by its name; of media never by a name.

The invariant: it looks at the beginning alone, never at the disk, so that it can be asked about every file of a folder.
"""

import codecs
import re

from recollect.errors import InvalidDocument
from recollect.model.literals import FileKind
from recollect.model.media import MediaKind
from recollect_files.documents.decode_text import marked_encoding

MARKDOWN = frozenset({"md", "markdown", "mdx", "mdown", "mkd", "qmd"})
TEXT = frozenset({"txt", "text", "rst", "org", "adoc", "asciidoc", "log", "tex", "srt", "vtt", "ics", "vcf", "textile"})
DELIMITED = frozenset({"csv", "tsv", "tab"})
SESSIONS = frozenset({"jsonl", "ndjson"})
HTML = frozenset({"html", "htm", "xhtml"})
MAIL = frozenset({"eml", "mht", "mhtml"})
WORD = frozenset({"docx", "docm", "dotx", "dotm"})
CODE = frozenset({
    "py", "pyi", "js", "mjs", "cjs", "jsx", "ts", "tsx", "java", "kt", "kts", "scala", "groovy", "c", "h", "cc",
    "cpp", "cxx", "hpp", "hh", "m", "mm", "cs", "fs", "vb", "go", "rs", "swift", "rb", "php", "pl", "pm", "lua",
    "r", "jl", "hs", "ml", "mli", "ex", "exs", "erl", "clj", "cljs", "lisp", "el", "scm", "dart", "zig", "nim", "d",
    "pas", "f90", "asm", "s", "sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "sql", "graphql", "proto", "thrift",
    "css", "scss", "sass", "less", "vue", "svelte", "json", "json5", "jsonc", "yaml", "yml", "toml", "ini", "cfg",
    "conf", "properties", "env", "xml", "xsd", "xsl", "gradle", "cmake", "mk", "tf", "hcl", "nix", "dockerfile",
    "makefile", "diff", "patch", "ipynb",
})  # fmt: skip

MIME_OF = {
    "tsv": "text/tab-separated-values",
    "tab": "text/tab-separated-values",
    "py": "text/x-python",
    "js": "text/javascript",
    "mjs": "text/javascript",
    "css": "text/css",
    "json": "application/json",
    "ipynb": "application/json",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
    "sql": "application/sql",
    "jsonl": "application/x-ndjson",
    "ndjson": "application/x-ndjson",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "rst": "text/x-rst",
}

_WHOLE_NAMES = frozenset({"makefile", "dockerfile"})

Detected = tuple[FileKind, str]

READABLE = "Readable are Markdown, text, code, CSV, HTML, PDF, DOCX, e-mail (.eml), images and session logs (.jsonl)."
HEAD_BYTES = 8_192

_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\v\f\r\x1b") + b"\x7f"
# A text that has a few strange bytes is still one when its name says so.
_FEW = 8
_SAMPLE_BYTES = 2_048
_SHARE_OF_NAMED, _SHARE = 20, 50

_IMAGES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"II+\0", "image/tiff"),
    (b"MM\0+", "image/tiff"),
    (b"\0\0\1\0", "image/x-icon"),
)
_IMAGE_BEGINNINGS = tuple(begin for begin, _ in _IMAGES)
_BRANDS = {
    **dict.fromkeys((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"), "image/heic"),
    **dict.fromkeys((b"avif", b"avis"), "image/avif"),
}
_NAMED: tuple[tuple[bytes, str], ...] = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or an encrypted Microsoft Office file; save it as DOCX or PDF"),
    (b"{\\rtf", "a Rich Text file (RTF); save it as DOCX or PDF"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!\x1a\x07", "a RAR archive; unpack it first"),
    (b"\xfd7zXZ\0", "an xz archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive; unpack it first"),
    (b"\x7fELF", "a program (ELF)"),
    (b"MZ", "a Windows program"),
    (b"\xcf\xfa\xed\xfe", "a program (Mach-O)"),
    (b"\xca\xfe\xba\xbe", "a program (Mach-O or Java)"),
    (b"\0asm", "a program (WebAssembly)"),
    (b"OggS", "a sound or a film (Ogg)"),
    (b"ID3", "a sound (MP3)"),
    (b"fLaC", "a sound (FLAC)"),
    (b"\x1aE\xdf\xa3", "a film (Matroska or WebM)"),
    (b"%!PS", "PostScript; save it as PDF"),
)

_NEVER_TEXT = (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"{\\rtf", b"SQLite format 3\0")

_PROLOGUE = re.compile(
    rb"\s+|<\?[^>]*>|<!--(?:[^-]|-(?!->))*-->|<!doctype\s+svg\b[^>\[]*(?:\[[^\]]*\]\s*)?>", re.IGNORECASE
)
_HTML = re.compile(rb"<!doctype\s+html\b|<html\b|<head\b|<body\b", re.IGNORECASE)
_TAG = re.compile(rb"<[a-z!/]", re.IGNORECASE)
_SVG = re.compile(rb"<(?:\w{1,20}:)?svg\b", re.IGNORECASE)
_HEADER = re.compile(rb"([A-Za-z][A-Za-z0-9-]{0,60}):[ \t\r\n]")
_MAIL_SIGNS = {b"received", b"message-id", b"mime-version", b"return-path", b"delivered-to", b"dkim-signature"}
_MAIL_HEADERS = _MAIL_SIGNS | {b"from", b"to", b"subject", b"date", b"cc", b"reply-to", b"content-type", b"sender"}
_TURN = re.compile(rb"""^\s*\{.*"(?:role|message|type|session_?[iI]d)"\s*:""")
_MARKDOWN = re.compile(rb"^(?:#{1,6} \S|```|- \[[ x]\] )", re.MULTILINE)

TEXT_ENDINGS = MARKDOWN | TEXT | CODE | DELIMITED | SESSIONS | HTML | MAIL
_BY_NAME: tuple[tuple[FileKind, frozenset[str]], ...] = (("markdown", MARKDOWN), ("csv", DELIMITED), ("code", CODE))
_USUAL_MIME: dict[FileKind, str] = {"markdown": "text/markdown", "csv": "text/csv", "code": "text/plain"}


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


def ending_of(name: str) -> str:
    """Give the ending of a name in lower case and without its dot; `Makefile` and `Dockerfile` are endings, too."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1].lower()
    if last in _WHOLE_NAMES:
        return last
    return last.rpartition(".")[2] if "." in last.lstrip(".") else ""


def detect(name: str, head: bytes) -> Detected:
    """Give the kind and the mime type of a file by its beginning, of which 8 KiB are enough, and by its name.

    Raises InvalidDocument for kinds that cannot be read.
    """
    head, ending = head[:HEAD_BYTES], ending_of(name)
    found = _image(head) or _container(name, ending, head)
    if found:
        return found
    if _is_binary(ending, head) or head.startswith(_NEVER_TEXT):
        raise _unreadable(name, head)
    return _marked_up(ending, head) or _plain(ending, head)


def _image(head: bytes) -> Detected | None:
    if head.startswith(_IMAGE_BEGINNINGS):
        return "image", next(mime for begin, mime in _IMAGES if head.startswith(begin))
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image", "image/webp"
    if head[4:8] == b"ftyp" and head[8:12] in _BRANDS:
        return "image", _BRANDS[head[8:12]]
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0":
        return "image", "image/bmp"
    return None


def _container(name: str, ending: str, head: bytes) -> Detected | None:
    """Recognise PDF and what is a zip archive."""
    mark = head.find(b"%PDF-", 0, 1_024)
    if mark >= 0 and (not head[:mark].strip() or _is_binary(ending, head)):
        return "pdf", "application/pdf"
    if head[:4] not in (b"PK\x03\x04", b"PK\x05\x06"):
        return None
    for folder, what in ((b"xl/", "a spreadsheet; save it as CSV"), (b"ppt/", "a presentation; save it as PDF")):
        if folder in head and b"word/" not in head:
            raise InvalidDocument(f"{name!r} is {what}. {READABLE}")
    if b"word/" in head or ending in WORD:
        return "docx", _DOCX
    raise InvalidDocument(f"{name!r} is a zip archive; unpack it and add the files in it. {READABLE}")


def _is_binary(ending: str, head: bytes) -> bool:
    if marked_encoding(head)[0]:
        return False
    sample = head[:_SAMPLE_BYTES]
    strange = len(sample) - len(sample.translate(None, _CONTROL))
    if ending in TEXT_ENDINGS:
        return strange + head.count(0, _SAMPLE_BYTES) > max(_FEW, len(sample) // _SHARE_OF_NAMED)
    return b"\0" in head or strange * _SHARE > len(sample)


def _unreadable(name: str, head: bytes) -> InvalidDocument:
    what = next((what for begin, what in _NAMED if head.startswith(begin)), "")
    if not what:
        what = "a film" if head[4:8] == b"ftyp" else f"binary: it begins with the bytes {head[:8].hex(' ')}"
    return InvalidDocument(f"{name!r} is {what}. {READABLE}")


def _marked_up(ending: str, head: bytes) -> Detected | None:
    """Recognise what is text, but says by its beginning that it is more than that."""
    start = _begin(head)
    if _SVG.match(start):
        return "image", "image/svg+xml"
    if _HTML.match(start) or (ending in HTML and _TAG.search(head)):
        return "html", "text/html"
    if _is_mail(head, named=ending in MAIL):
        return "email", "message/rfc822"
    if ending in SESSIONS and _TURN.match(head.split(b"\n", 1)[0]):
        return "session", "application/x-ndjson"
    return None


def _plain(ending: str, head: bytes) -> Detected:
    for kind, endings in _BY_NAME:
        if ending in endings:
            return kind, MIME_OF.get(ending, _USUAL_MIME[kind])
    if head.startswith(b"#!"):
        return "code", "text/plain"
    if not ending and len(_MARKDOWN.findall(head)) > 1:
        return "markdown", "text/markdown"
    return "text", MIME_OF.get(ending, "text/plain")


def _begin(head: bytes) -> bytes:
    """Give what follows byte order mark, blanks, comments and declarations, as far as it is one byte per character."""
    encoding, skipped = marked_encoding(head)
    rest = head[skipped:]
    if encoding.startswith(("utf-16", "utf-32")):
        rest = rest.decode(encoding, "ignore").encode("utf-8", "ignore")
    at = 0
    while found := _PROLOGUE.match(rest, at):
        at = found.end()
    return rest[at:]


def _is_mail(head: bytes, *, named: bool) -> bool:
    """Say whether it begins with the headers of a message; without the name for it, with some that only mail has."""
    head = head.removeprefix(codecs.BOM_UTF8)
    if not _HEADER.match(head):
        return False
    seen: set[bytes] = set()
    for line in head.split(b"\n"):
        if line[:1] in (b" ", b"\t") and seen:
            continue
        found = _HEADER.match(line + b"\n")
        if not found:
            break
        seen.add(found[1].lower())
    if named:
        return not seen.isdisjoint(_MAIL_HEADERS)
    return not seen.isdisjoint(_MAIL_SIGNS) and not seen.isdisjoint({b"from", b"sender", b"return-path"})


def detect_media(data: bytes) -> DetectedMedia:
    """Give the kind and the media type of bytes."""
    head = data[:HEAD_BYTES]
    for begin, found in _BEGINNINGS:
        if head.startswith(begin):
            return found
    container = _media_container(head)
    if container is not None:
        return container
    try:
        kind, mime = detect("", head)
    except InvalidDocument:
        return _ANYTHING
    return ("image" if kind == "image" else "document"), mime


def _media_container(head: bytes) -> DetectedMedia | None:
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
