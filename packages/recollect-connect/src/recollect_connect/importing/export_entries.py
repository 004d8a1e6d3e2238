"""Reads JSON of any length piece by piece: the elements of a list, or the members of an object, one at a time.

An export may be larger than the memory. The invariant: what is held is one element and a buffer; an element that is too
long or nested too deep is refused before it is parsed, so that no file can exhaust the memory or the stack.
"""

import codecs
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple, NoReturn
from zipfile import BadZipFile

from recollect.errors import InvalidDocument

LONGEST_ELEMENT: Final = 64 * 2**20  # characters; a conversation of that length is no conversation
DEEPEST: Final = 200
_CHUNK: Final = 2**20
_MOST_CHARACTERS: Final = 8 * 2**30

_BLANK: Final = re.compile(r"[ \t\r\n]*+")
_AFTER_SCALAR: Final = re.compile(r"[ \t\r\n,\]}]")
_INSIDE_STRING: Final = re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL)
# Whole strings, and all that is neither string nor bracket.
_BETWEEN_BRACKETS: Final = re.compile(r'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)


class ExportEntry(NamedTuple):
    """A part of a document: an element of the list that it is, or of the list under a key, or what else is there.

    `key` is empty when the document is a list itself.
    """

    key: str
    value: Any
    listed: bool


def entries(stream: BinaryIO, name: str) -> Iterator[ExportEntry]:
    """Give the parts of a JSON document in order; the empty list has none. Raises InvalidDocument."""
    return _guarded(_parts(stream, name), name)


def documents(stream: BinaryIO, name: str) -> Iterator[ExportEntry]:
    """Give JSON documents that stand one after the other, such as one a line. Raises InvalidDocument."""
    return _guarded(_each(stream, name), name)


def _guarded(found: Iterator[ExportEntry], name: str) -> Iterator[ExportEntry]:
    try:
        yield from found
    except UnicodeDecodeError as error:
        raise InvalidDocument(f"{name} is not UTF-8: {error.reason} at byte {error.start} of a part of it.") from error
    except (BadZipFile, zlib.error, EOFError, OSError) as error:
        raise InvalidDocument(f"{name} is damaged, or cannot be read: {error}. Download it again.") from error


def _each(stream: BinaryIO, name: str) -> Iterator[ExportEntry]:
    scanner = _Scanner(stream, name)
    while scanner.peek():
        yield ExportEntry("", scanner.value(), listed=True)


def _parts(stream: BinaryIO, name: str) -> Iterator[ExportEntry]:
    scanner = _Scanner(stream, name)
    match scanner.peek():
        case "[":
            yield from _elements(scanner, "")
        case "{":
            yield from _members(scanner)
        case "":
            raise InvalidDocument(f"{name} is empty. An export is a JSON list or object.")
        case found:
            raise InvalidDocument(f"{name} is not JSON of an export: it begins with {found!r}, not with [ or {{.")
    if scanner.peek():
        scanner.fail(f"there is more after its end, which begins with {scanner.peek()!r}")


def _members(scanner: "_Scanner") -> Iterator[ExportEntry]:
    for first in scanner.separated("{", "}"):
        if first != '"':
            scanner.fail(f"a key was expected and {first!r} found")
        key = str(scanner.value())
        scanner.take(":")
        if scanner.peek() == "[":
            yield from _elements(scanner, key)
        else:
            yield ExportEntry(key, scanner.value(), listed=False)


def _elements(scanner: "_Scanner", key: str) -> Iterator[ExportEntry]:
    for _ in scanner.separated("[", "]"):
        yield ExportEntry(key, scanner.value(), listed=True)


class _Scanner:
    """Goes through a text that arrives in pieces, and finds where values end."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._name = name
        self._buffer = ""
        self._at = 0
        self._gone = 0  # characters that are no longer in the buffer

    def fail(self, what: str) -> NoReturn:
        """Say what is wrong, and where."""
        raise InvalidDocument(f"{self._name} is not valid JSON: around character {self._gone + self._at:,} {what}.")

    def peek(self) -> str:
        """Give the next character that is not blank; empty at the end."""
        while True:
            blank = _BLANK.match(self._buffer, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._fill():
                return ""

    def take(self, wanted: str) -> None:
        """Go past a character that must come next."""
        found = self.peek()
        if found != wanted:
            self.fail(f"{wanted!r} was expected and {found or 'the end'!r} found")
        self._at += 1

    def separated(self, opening: str, closing: str) -> Iterator[str]:
        """Go through what stands between brackets with commas; gives the first character of each, to be read."""
        self.take(opening)
        if self.peek() == closing:
            self._at += 1
            return
        while True:
            yield self.peek()
            if self.peek() == closing:
                self._at += 1
                return
            self.take(",")

    def value(self) -> Any:  # noqa: ANN401 - JSON
        """Read the value that comes next."""
        first = self.peek()
        length = self._length_of_string(1) if first == '"' else self._length(first)
        written = self._buffer[self._at : self._at + length]
        try:
            value = json.loads(written)
        except (ValueError, RecursionError) as error:
            self.fail(f"a value cannot be read ({error})")
        self._at += length
        return value

    def _length(self, first: str) -> int:
        if first in "[{" and first:
            return self._length_between_brackets()
        length = 0
        while (found := _AFTER_SCALAR.search(self._buffer, self._at + length)) is None:
            length = len(self._buffer) - self._at
            if not self._fill():
                return length
        return found.start() - self._at

    def _length_between_brackets(self) -> int:
        length = depth = 0
        while True:
            between = _BETWEEN_BRACKETS.match(self._buffer, self._at + length)
            length = (between.end() if between else self._at + length) - self._at
            char = self._buffer[self._at + length : self._at + length + 1]
            if not char:
                self._need_more()
            elif char == '"':  # a string that is not here to its end yet
                length = self._length_of_string(length + 1)
            else:
                length += 1
                depth += 1 if char in "[{" else -1
                if depth > DEEPEST:
                    self.fail(f"values are nested more than {DEEPEST} deep, which no export is")
                if depth == 0:
                    return length

    def _length_of_string(self, length: int) -> int:
        while True:
            inside = _INSIDE_STRING.match(self._buffer, self._at + length)
            length = (inside.end() if inside else self._at + length) - self._at
            if self._buffer[self._at + length : self._at + length + 1] == '"':
                return length + 1
            self._need_more()

    def _need_more(self) -> None:
        if not self._fill():
            self.fail("it ends in the middle of a value; perhaps only a part of it was downloaded")

    def _fill(self) -> bool:
        waiting = len(self._buffer) - self._at
        if waiting > LONGEST_ELEMENT:
            self.fail(f"a value is longer than {LONGEST_ELEMENT:,} characters, which no export has")
        more = ""
        while not more:
            data = self._stream.read(max(_CHUNK, waiting))
            more = self._decoder.decode(data, final=not data)
            if not data:
                return False
        if self._gone > _MOST_CHARACTERS:
            self.fail(f"it goes on and on; an export has at most {_MOST_CHARACTERS:,} characters")
        self._gone += self._at
        self._buffer = self._buffer[self._at :] + more
        self._at = 0
        return True
