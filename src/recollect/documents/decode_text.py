"""Turns bytes into text, the same way for every plain file.

The invariant: it never fails; bytes that are no text become U+FFFD and are noted.
"""

import codecs
import re

from recollect.documents.extracted import tidy

INVALID = "invalid UTF-8"

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ALL_MARKS = tuple(mark for mark, _ in _MARKS)
_LOOKED_AT = 4_096
_META_CHARSET = re.compile(
    rb"""<meta\b[^>]{0,500}?\bcharset\s{0,10}=\s{0,10}["']?\s{0,10}([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE
)
_XML_CHARSET = re.compile(rb"""^\s{0,100}<\?xml\b[^>]{0,200}?\bencoding\s{0,10}=\s{0,10}["']([A-Za-z0-9._:-]{1,40})""")
# What browsers take these names for.
_MEANT = {"iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252", "utf-16": "utf-8"}
# Python knows these as encodings, but no document is written in them, and some are slow.
_NO_CHARSETS = {
    "idna",
    "punycode",
    "unicode_escape",
    "unicode-escape",
    "raw_unicode_escape",
    "raw-unicode-escape",
    "undefined",
}


def marked_encoding(data: bytes) -> tuple[str, int]:
    """Give the encoding that a byte order mark tells and the mark's length, or nothing and 0."""
    if not data.startswith(_ALL_MARKS):
        return "", 0
    return next((name, len(mark)) for mark, name in _MARKS if data.startswith(mark))


def decode_plain(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Decode a plain file: by its byte order mark, or as UTF-8. Lines end with line feeds, and NULs become U+FFFD."""
    encoding, skipped = marked_encoding(data)
    text, notes = _decoded(data[skipped:], encoding or "utf-8")
    return text.replace("\r\n", "\n").replace("\0", "\ufffd"), notes


def decode_web(data: bytes, told: str = "") -> str:
    """Decode a web page: by its byte order mark, by `told`, by what it says itself, as UTF-8, or as browsers do."""
    encoding, skipped = marked_encoding(data)
    encoding = encoding or told or _declared(data[:_LOOKED_AT])
    if not encoding:
        encoding = "utf-8" if _is_utf8(data) else "cp1252"
    return tidy(decode_as(data[skipped:], encoding))


def decode_as(data: bytes, encoding: str) -> str:
    """Decode by the name of an encoding that a stranger chose; as UTF-8 when it is none."""
    name = encoding.strip("\"' ").lower()
    try:
        return data.decode("utf-8" if name in _NO_CHARSETS else _MEANT.get(name, name), "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")


def _decoded(data: bytes, encoding: str) -> tuple[str, tuple[str, ...]]:
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError:
        return data.decode(encoding, "replace"), (INVALID,)


def _declared(head: bytes) -> str:
    found = _XML_CHARSET.search(head) or _META_CHARSET.search(head)
    return found[1].decode("ascii") if found else ""


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
