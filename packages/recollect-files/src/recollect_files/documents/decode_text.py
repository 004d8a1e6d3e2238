"""Turns bytes into text, the same way for every plain file.

The invariant: it never fails; bytes that are no text become U+FFFD and are noted, as is an encoding that was guessed.
"""

import codecs
import re

from recollect_files.documents.extracted import tidy

INVALID = "invalid UTF-8"
GUESSED = "read as {}"

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
# Those that plain files were written in before UTF-8. Among all that there are, a short note would fit too many.
_LEGACY = ("cp1250", "iso8859_2", "cp1251", "koi8_r", "cp1252")
_SAMPLE = 512  # bytes of lines with a character beyond ASCII
_LATIN = ("cp1250", "iso8859_2", "cp1252")
_MOSTLY_LETTERS = 0.8  # of the characters beyond ASCII
_IN_A_WORD = re.compile(rb"[A-Za-z][\x80-\xff]|[\x80-\xff][A-Za-z]|[\x80-\xff]{4}")
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
    """Decode a plain file: by its byte order mark, as UTF-8, or by a guess at an older encoding.

    Lines end with line feeds, and NULs become U+FFFD.
    """
    encoding, skipped = marked_encoding(data)
    text, notes = _decoded(data[skipped:], encoding or "utf-8")
    if notes and not encoding and (older := _legacy_encoding(data, text)):
        text, notes = data.decode(older, "replace"), (GUESSED.format(older),)
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


def _legacy_encoding(data: bytes, as_utf8: str) -> str:
    """Guess the encoding of a text that is not UTF-8; '' for one that is but for some broken bytes, and for no text."""
    broken = as_utf8.count("\ufffd")
    fine = sum(character > "\x7f" for character in as_utf8) - broken
    if fine >= broken or b"\0" in data or not _IN_A_WORD.search(data):
        return ""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - few files need it, and each reader would wait for it

    part = b"\n".join(line for line in data.splitlines() if not line.isascii())[: _SAMPLE + 1]
    if len(part) > _SAMPLE and b"\n" in part:
        part = part.rpartition(b"\n")[0]  # whole lines are guessed better
    best = from_bytes(part, cp_isolation=list(_LEGACY)).best()
    if best is None or best.encoding not in _LEGACY:
        return ""
    # Where one Latin encoding has letters, another has signs.
    guesses = [best.encoding, *(_LATIN if best.encoding in _LATIN else ())]
    encoding = max(guesses, key=lambda name: _letters(part, name))
    return encoding if _letters(part, encoding) >= _MOSTLY_LETTERS else ""


def _letters(data: bytes, encoding: str) -> float:
    """Give the share of letters among the characters beyond ASCII."""
    beyond = [character for character in data.decode(encoding, "replace") if character > "\x7f"]
    return sum(character.isalpha() for character in beyond) / len(beyond)


def _declared(head: bytes) -> str:
    found = _XML_CHARSET.search(head) or _META_CHARSET.search(head)
    return found[1].decode("ascii") if found else ""


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
