"""Reads the cells of a b-tree page and the records in them, as the file format of SQLite has them."""

import struct
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

RecordValues: TypeAlias = tuple[Any, ...]
FetchPage = Callable[[int], bytes | None]

INDEX_INNER: Final = 0x02
TABLE_INNER: Final = 0x05
INDEX_LEAF: Final = 0x0A
TABLE_LEAF: Final = 0x0D
INNER: Final = (INDEX_INNER, TABLE_INNER)
FILE_HEADER_BYTES: Final = 100
_INTEGER_BYTES: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_LONGEST: Final = 2**30
_REAL: Final = 7
_BLOB: Final = 12  # this and all even ones above; texts have odd ones
_MORE: Final = 0x80


class Unreadable(ValueError):
    """A cell is not what SQLite writes, or a page it needs is damaged."""


class Cell(NamedTuple):
    """What a cell holds: its left child (0 in a leaf), its row number (0 in an index), and its record."""

    child: int
    rowid: int
    record: RecordValues


class PageLayout(NamedTuple):
    """How large pages are, and how much of each a b-tree may use."""

    page_bytes: int
    usable: int

    def local(self, payload: int, *, table_leaf: bool) -> int:
        """Say how many bytes of a payload stand on the page itself."""
        most = self.usable - 35 if table_leaf else (self.usable - 12) * 64 // 255 - 23
        if payload <= most:
            return payload
        least = (self.usable - 12) * 32 // 255 - 23
        kept = least + (payload - least) % (self.usable - 4)
        return kept if kept <= most else least


def cell_count(page: bytes, number: int) -> int:
    """Say how many cells a b-tree page has."""
    start = FILE_HEADER_BYTES if number == 1 else 0
    return int.from_bytes(page[start + 3 : start + 5], "big")


def cell_offsets(page: bytes, number: int) -> Iterator[int]:
    """Give the places of the cells of a page."""
    start = FILE_HEADER_BYTES if number == 1 else 0
    first = start + (12 if page[start] in INNER else 8)
    amount = cell_count(page, number)
    if first + 2 * amount > len(page):
        return
    yield from struct.unpack_from(f">{amount}H", page, first)


def children(page: bytes, number: int) -> Iterator[int]:
    """Give the children of an inner page."""
    for offset in cell_offsets(page, number):
        yield int.from_bytes(page[offset : offset + 4], "big")
    start = FILE_HEADER_BYTES if number == 1 else 0
    yield int.from_bytes(page[start + 8 : start + 12], "big")


def read_cell(page: bytes, kind: int, offset: int, layout: PageLayout, fetch: FetchPage) -> Cell:
    """Read a cell with its record. Raises Unreadable. An inner page of a table has no records."""
    child, rowid = 0, 0
    if kind == INDEX_INNER:
        child = int.from_bytes(page[offset : offset + 4], "big")
        offset += 4
    size, offset = _varint(page, offset)
    if kind == TABLE_LEAF:
        rowid, offset = _varint(page, offset)
        rowid = rowid - 2**64 if rowid >= 2**63 else rowid
    if not 0 < size <= _LONGEST:
        raise Unreadable("the size of a record")
    local = layout.local(size, table_leaf=kind == TABLE_LEAF)
    if offset + local > layout.usable:
        raise Unreadable("a record reaches beyond its page")
    payload = page[offset : offset + local]
    if local < size:
        following = int.from_bytes(page[offset + local : offset + local + 4], "big")
        payload += _overflow(following, size - local, layout, fetch)
    return Cell(child, rowid, decode(payload))


def _overflow(number: int, missing: int, layout: PageLayout, fetch: FetchPage) -> bytes:
    parts = []
    while missing > 0:
        page = fetch(number) if number else None
        if page is None:
            raise Unreadable("a page of a long record is damaged")
        part = page[4 : 4 + min(missing, layout.usable - 4)]
        parts.append(part)
        missing -= len(part)
        number = int.from_bytes(page[:4], "big")
    if number:
        raise Unreadable("a long record goes on behind its end")
    return b"".join(parts)


def decode(payload: bytes) -> RecordValues:
    """Read a record. Raises Unreadable."""
    end, position = _varint(payload, 0)
    if not 0 < end <= len(payload):
        raise Unreadable("the header of a record")
    values, place = [], end
    while position < end:
        kind = payload[position]
        position += 1
        if kind >= _MORE:
            kind, position = _varint(payload, position - 1)
        value, place = _value(payload, kind, place)
        values.append(value)
    if place != len(payload) or position != end:
        raise Unreadable("the length of a record")
    return tuple(values)


def _value(payload: bytes, kind: int, place: int) -> tuple[Any, int]:
    if kind >= _BLOB:
        end = place + (kind - _BLOB) // 2
        if end > len(payload):
            raise Unreadable("a value reaches beyond its record")
        content = payload[place:end]
        if kind % 2 == 0:
            return content, end
        try:
            return content.decode(), end
        except UnicodeDecodeError:
            raise Unreadable("a text that is not UTF-8") from None
    if kind == _REAL:
        return _real(payload, place), place + 8
    if kind in _INTEGER_BYTES:
        end = place + _INTEGER_BYTES[kind]
        return int.from_bytes(payload[place:end], "big", signed=True), end
    if kind in (8, 9):
        return kind - 8, place
    if kind == 0:
        return None, place
    raise Unreadable("the type of a value")


def _real(payload: bytes, place: int) -> float:
    if place + 8 > len(payload):
        raise Unreadable("a value reaches beyond its record")
    number: float = struct.unpack_from(">d", payload, place)[0]
    return number


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    try:
        for number in range(8):
            byte = data[position + number]
            value = value << 7 | byte & 0x7F
            if byte < _MORE:
                return value, position + number + 1
        return value << 8 | data[position + 8], position + 9
    except IndexError:
        raise Unreadable("a number reaches beyond its page") from None
