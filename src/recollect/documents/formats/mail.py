"""Reads a message: who wrote it to whom and when, what it says, and which files came with it.

The invariant: parts and their nesting are counted before they are read; what cannot be decoded is replaced, not raised.
"""

from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime

from recollect.documents.decode_text import decode_as, decode_web
from recollect.documents.extracted import DocumentRefused, ExtractedText, known_values, one_line, shortened, tidy
from recollect.documents.formats.web import read_page

_MOST_PARTS = 1_000
_DEEPEST = 20
_MOST_HEADER = 4_000
_MOST_OF_A_FILE_BYTES = 256 * 1024
_TOLD = ("From", "To", "Cc", "Date", "Message-ID", "In-Reply-To")
_SHOWN = ("Subject", "From", "To", "Cc", "Date")


class _MailReader:
    def __init__(self) -> None:
        self.attachments: list[str] = []
        self._parts = 0

    def read(self, message: Message, depth: int) -> Iterator[str]:
        """Give what a part says, and the parts in it, in their order."""
        self._count(depth)
        content = message.get_content_type()
        if content == "message/rfc822":
            yield from self._forwarded(message, depth)
        elif content == "multipart/alternative":
            yield from self._alternative(message, depth)
        elif message.is_multipart():
            for part in _inside(message):
                yield from self.read(part, depth + 1)
        else:
            yield from self._leaf(message, content)

    def _count(self, depth: int) -> None:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise DocumentRefused(f"The message has more than {_MOST_PARTS:,} parts, which none that people send has.")
        if depth > _DEEPEST:
            raise DocumentRefused(
                f"The message has parts nested more than {_DEEPEST} deep, which none that people send has."
            )

    def _forwarded(self, message: Message, depth: int) -> Iterator[str]:
        for inner in _inside(message):
            yield f"Forwarded message:\n{_top(inner)}"
            yield from self.read(inner, depth + 1)

    def _alternative(self, message: Message, depth: int) -> Iterator[str]:
        """Give what the plain text among the alternatives says, or else the first that says anything."""
        ways = _inside(message)
        ways.sort(key=lambda part: part.get_content_type() != "text/plain")
        for way in ways:
            said = [part for part in self.read(way, depth + 1) if part.strip()]
            if said:
                yield from said
                return

    def _leaf(self, message: Message, content: str) -> Iterator[str]:
        name = _header(message.get_filename() or "")
        attached = bool(name) or message.get_content_disposition() == "attachment"
        if attached:
            self.attachments.append(name or content)
        if content not in ("text/plain", "text/html"):
            return
        data = message.get_payload(decode=True)
        if not isinstance(data, bytes) or (attached and len(data) > _MOST_OF_A_FILE_BYTES):
            return
        charset = message.get_content_charset() or ""
        said = _html(data, charset) if content == "text/html" else _plain(data, charset)
        if attached and said.strip():
            yield f"Attachment {name or content}:"
        yield said


def read_mail(data: bytes) -> ExtractedText:
    """Read a message. Raises Refused."""
    message = message_from_bytes(data)
    reader = _MailReader()
    said = [_top(message), *reader.read(message, 0)]
    parts, notes = shortened(part.strip("\n") for part in said)
    metadata = {"title": _value(message, "Subject"), "attachments": reader.attachments}
    metadata |= {name.lower().replace("-", "_"): _value(message, name) for name in _TOLD}
    return ExtractedText(
        ("\n\n".join(part for part in parts if part.strip()),),
        known_values(metadata.items()),
        notes,
        dated_at=_date(message),
    )


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
