"""Reads a message: who wrote it to whom and when, what it says, and what the files say that came with it.

The invariant: parts and their nesting are counted before they are read; what cannot be decoded is replaced, not raised.
A file that cannot be read costs the message nothing: its name stays, and a note says why.
"""

import time
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import NamedTuple

from recollect_files.documents.decode_text import decode_as, decode_plain, decode_web
from recollect_files.documents.extracted import DocumentRefused, ExtractedText, known_values, one_line, shortened, tidy
from recollect_files.documents.formats.web import read_page

_MOST_PARTS = 1_000
_DEEPEST = 20
_MOST_HEADER = 4_000
_MOST_FILES = 50  # that are read
_MOST_OF_A_FILE_BYTES = 8 * 2**20
_FILES_S = 20.0  # for all files; the message itself must not run out of time because of them
_TOLD = ("From", "To", "Cc", "Date", "Message-ID", "In-Reply-To")
_SHOWN = ("Subject", "From", "To", "Cc", "Date")


class MailSection(NamedTuple):
    """Something that a message says, and the heading it belongs under: empty for the message itself."""

    heading: str
    text: str


class _MailReader:
    def __init__(self) -> None:
        self.attachments: list[str] = []
        self.notes: list[str] = []
        self._parts = 0
        self._files = 0
        self._late = time.monotonic() + _FILES_S

    def read(self, message: Message, depth: int, heading: str = "") -> Iterator[MailSection]:
        """Give what a part says, and the parts in it, in their order."""
        self._count(depth)
        content = message.get_content_type()
        if content == "message/rfc822":
            for inner in _inside(message):
                yield from self._forwarded(inner, depth)
        elif content == "multipart/alternative":
            yield from self._alternative(message, depth, heading)
        elif message.is_multipart():
            for part in _inside(message):
                yield from self.read(part, depth + 1, heading)
        else:
            yield from self._leaf(message, content, depth, heading)

    def _count(self, depth: int) -> None:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise DocumentRefused(f"The message has more than {_MOST_PARTS:,} parts, which none that people send has.")
        if depth > _DEEPEST:
            raise DocumentRefused(
                f"The message has parts nested more than {_DEEPEST} deep, which none that people send has."
            )

    def _forwarded(self, inner: Message, depth: int) -> Iterator[MailSection]:
        heading = f"Forwarded message {_value(inner, 'Subject')}".strip()
        yield MailSection(heading, f"Forwarded message:\n{_top(inner)}")
        yield from self.read(inner, depth + 1, heading)

    def _alternative(self, message: Message, depth: int, heading: str) -> Iterator[MailSection]:
        """Give what the plain text among the alternatives says, or else the first that says anything; and all files."""
        ways = _inside(message)
        ways.sort(key=lambda part: part.get_content_type() != "text/plain")
        told = False
        for way in ways:
            said = [section for section in self.read(way, depth + 1, heading) if section.text.strip()]
            yield from (section for section in said if not told or section.heading != heading)
            told = told or any(section.heading == heading for section in said)

    def _leaf(self, message: Message, content: str, depth: int, heading: str) -> Iterator[MailSection]:
        name = _header(message.get_filename() or "")
        if name or message.get_content_disposition() == "attachment":
            name = name or content
            self.attachments.append(name)
            yield from self._file(message, name, depth)
            return
        data = message.get_payload(decode=True) if content in ("text/plain", "text/html") else None
        if isinstance(data, bytes):
            charset = message.get_content_charset() or ""
            yield MailSection(heading, _html(data, charset) if content == "text/html" else _plain(data, charset))

    def _file(self, message: Message, name: str, depth: int) -> Iterator[MailSection]:
        """Read a file that came with the message."""
        data = message.get_payload(decode=True)
        if not isinstance(data, bytes) or not data:
            return
        kind = _kind(name, data, message.get_content_type())
        if kind in ("", "image"):
            return
        reason = self._refusal(data)
        if kind == "email" and not reason:
            yield from self._forwarded(message_from_bytes(data), depth + 1)
            return
        try:
            pages = () if reason else _pages(data, kind, message.get_content_charset() or "")
        except DocumentRefused as refused:
            pages, reason = (), str(refused)
        except (MemoryError, RecursionError):
            pages, reason = (), "It takes too much memory."
        except Exception as error:  # noqa: BLE001 -- bytes of strangers may raise anything, and the message is fine
            pages, reason = (), f"It is damaged ({type(error).__name__})."
        if reason:
            self.notes.append(f"{name} was not read. {reason}")
        yield from _sections(name, pages)

    def _refusal(self, data: bytes) -> str:
        """Say why a file is not read; nothing if it may be."""
        if len(data) > _MOST_OF_A_FILE_BYTES:
            return f"It has more than {_MOST_OF_A_FILE_BYTES >> 20} MiB; add it by itself."
        self._files += 1
        if self._files > _MOST_FILES or time.monotonic() > self._late:
            return "The message has too many files, or too long ones; add it by itself."
        return ""


def _kind(name: str, data: bytes, content: str) -> str:
    """Say what a file is; nothing if it cannot be read."""
    from recollect.errors import InvalidDocument  # noqa: PLC0415
    from recollect_files.documents.detect_kind import HEAD_BYTES, detect  # noqa: PLC0415 -- few messages bring files

    try:
        kind = detect(name, data[:HEAD_BYTES])[0]
    except InvalidDocument:
        return ""
    return "html" if content == "text/html" and kind == "text" else kind


def _pages(data: bytes, kind: str, charset: str) -> tuple[str, ...]:
    """Read a file: the pages of a PDF, one text of anything else. Raises what its reader raises."""
    if kind == "html":
        return (_html(data, charset),)
    if kind == "pdf":
        pages: ExtractedText = import_module("recollect_files.documents.formats.pdf").read_pdf(data)
        return pages.parts
    if kind == "docx":
        words: ExtractedText = import_module("recollect_files.documents.formats.word").read_docx(data)
        return words.parts
    return (_plain(data, charset) if charset else tidy(decode_plain(data)[0]),)


def _sections(name: str, pages: tuple[str, ...]) -> Iterator[MailSection]:
    for number, page in enumerate(pages, 1):
        if page.strip():
            where = f", page {number}" if len(pages) > 1 else ""
            yield MailSection(f"Attachment {name}{where}", f"Attachment {name}{where}:\n\n{page}")


def read_mail(data: bytes) -> ExtractedText:
    """Read a message. Raises Refused."""
    message = message_from_bytes(data)
    reader = _MailReader()
    merged = _merged((MailSection("", _top(message)), *reader.read(message, 0)))
    parts, notes = shortened(section.text for section in merged)
    metadata = {"title": _value(message, "Subject"), "attachments": reader.attachments}
    metadata |= {name.lower().replace("-", "_"): _value(message, name) for name in _TOLD}
    return ExtractedText(
        parts,
        known_values(metadata.items()),
        (*reader.notes, *notes),
        dated_at=_date(message),
        headings=tuple(section.heading for section in merged),
    )


def _merged(sections: Iterable[MailSection]) -> list[MailSection]:
    """Join what follows each other under one heading. All but the first begin with an empty line."""
    merged: list[MailSection] = []
    for heading, text in sections:
        said = text.strip("\n")
        if not said.strip():
            continue
        if merged and merged[-1].heading == heading:
            merged[-1] = MailSection(heading, f"{merged[-1].text}\n\n{said}")
        else:
            merged.append(MailSection(heading, f"\n{said}" if merged else said))
    return merged


def _inside(message: Message) -> list[Message]:
    payload = message.get_payload()
    return [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []


def _plain(data: bytes, charset: str) -> str:
    return tidy(decode_as(data, charset)) if charset else decode_web(data)


def _html(data: bytes, charset: str) -> str:
    return read_page(decode_web(data, charset)).parts[0]


def _top(message: Message) -> str:
    told = ((name, _value(message, name)) for name in _SHOWN)
    return "\n".join(f"{name}: {value}" for name, value in told if value)


def _value(message: Message, name: str) -> str:
    return _header(message.get(name, ""))


def _header(raw: object) -> str:
    """Decode a header; an unknown encoding is read as UTF-8."""
    text = str(raw)[:_MOST_HEADER]
    try:
        found = decode_header(text)
    except ValueError:
        return one_line(text)
    return one_line("".join(_word(word, charset) for word, charset in found))


def _word(word: bytes | str, charset: str | None) -> str:
    if isinstance(word, str):
        return word
    return decode_as(word, charset or "utf-8")


def _date(message: Message) -> str:
    try:
        return parsedate_to_datetime(_value(message, "Date")).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
