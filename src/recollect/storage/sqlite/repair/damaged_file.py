"""The pages of a file that may be damaged, with its log and the records in them, read while no process has it open.

SQLite's own file layer reads and locks it. A file opened by Python would drop the locks of this process when it is
closed; and the lock keeps other processes from opening the file until it is replaced.

Each frame of the log has the sum of all frames up to it. Where one is damaged, the next is still verified by the sum
that the damaged one states, so damage costs a frame or two and not all that was written after it. SQLite itself stops
at the first frame that does not fit, because that is what a power failure leaves.
"""

import os
import struct
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, NamedTuple, Self, TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

from recollect.errors import StoreUnavailable
from recollect.storage.sqlite.connection import CHECKSUM_BYTES, chained_sum, file_layer, load_checksums, sound_pages

_HEADER_BYTES: Final = 32
_FRAME_HEADER_BYTES: Final = 24
_MAGIC: Final = 0x377F0682  # the last bit says in which order the bytes of a word are summed

ReadAt = Callable[[int, int], bytes]  # so many bytes at an offset


@dataclass(frozen=True, slots=True)
class LogContent:
    """Where the log has the newest version of each page, and what is wrong with it.

    `pages` is the size of the database after the last commit, 0 without one. `unknown` are pages whose newest version
    is damaged. `damaged`: something that was committed before the last transaction is damaged. SQLite would pass over
    it and all that follows without an error.
    """

    page_bytes: int = 0
    pages: int = 0
    offsets: dict[int, int] = field(default_factory=dict)
    unknown: frozenset[int] = frozenset()
    damaged: bool = False


class _Frame(NamedTuple):
    page: int
    commit: int
    sound: bool


def read_log(read: ReadAt, size: int) -> LogContent:
    """Read the log; an empty or foreign one has nothing."""
    if size < _HEADER_BYTES + _FRAME_HEADER_BYTES:
        return LogContent()
    header = read(_HEADER_BYTES, 0)
    magic, page_bytes = int.from_bytes(header[:4], "big"), int.from_bytes(header[8:12], "big")
    big_endian = bool(magic & 1)
    if magic & ~1 != _MAGIC or page_bytes not in {2**power for power in range(9, 17)}:
        return LogContent()
    if _sums(header[24:32]) != chained_sum((0, 0), header[:24], big_endian=big_endian):
        return LogContent()
    frames = _frames(read, size, header, page_bytes, big_endian=big_endian)
    return _content(frames, page_bytes)


def _frames(read: ReadAt, size: int, header: bytes, page_bytes: int, *, big_endian: bool) -> list[_Frame]:
    """Verify all frames. Those of an earlier use of the log have other salts."""
    frame_bytes = _FRAME_HEADER_BYTES + page_bytes
    before, salts, frames = _sums(header[24:32]), header[16:24], []
    for number in range((size - _HEADER_BYTES) // frame_bytes):
        frame = read(frame_bytes, _HEADER_BYTES + number * frame_bytes)
        head, content = frame[:_FRAME_HEADER_BYTES], frame[_FRAME_HEADER_BYTES:]
        stated = _sums(head[16:24])
        sums = chained_sum(before, head[:8], big_endian=big_endian)
        sound = head[8:16] == salts and chained_sum(sums, content, big_endian=big_endian) == stated
        page, commit = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big")
        frames.append(_Frame(page, commit, sound))
        before = stated
    return frames


def _content(frames: list[_Frame], page_bytes: int) -> LogContent:
    """Lay the committed frames over each other."""
    commits = [number for number, frame in enumerate(frames) if frame.sound and frame.commit]
    bad = [number for number, frame in enumerate(frames) if not frame.sound]
    last = commits[-2] if len(commits) > 1 else -1
    if commits and any(last < number < commits[-1] for number in bad):
        commits.pop()  # the last transaction is torn: that is what a power failure leaves
    if not commits:
        return LogContent(page_bytes)
    offsets, unknown = {}, set()
    damaged = False
    for number, frame in enumerate(frames[: commits[-1] + 1]):
        damaged = damaged or not frame.sound
        if frame.sound:
            offsets[frame.page] = _HEADER_BYTES + number * (_FRAME_HEADER_BYTES + page_bytes) + _FRAME_HEADER_BYTES
            unknown.discard(frame.page)
        else:
            offsets.pop(frame.page, None)
            unknown.add(frame.page)
    return LogContent(page_bytes, frames[commits[-1]].commit, offsets, frozenset(unknown), damaged)


def _sums(stated: bytes) -> tuple[int, int]:
    return int.from_bytes(stated[:4], "big"), int.from_bytes(stated[4:8], "big")


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
    start = FILE_HEADER_BYTES if number == 1 else 0
    return int.from_bytes(page[start + 3 : start + 5], "big")


def cell_offsets(page: bytes, number: int) -> Iterator[int]:
    start = FILE_HEADER_BYTES if number == 1 else 0
    first = start + (12 if page[start] in INNER else 8)
    amount = cell_count(page, number)
    if first + 2 * amount > len(page):
        return
    yield from struct.unpack_from(f">{amount}H", page, first)


def children(page: bytes, number: int) -> Iterator[int]:
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
        if place + 8 > len(payload):
            raise Unreadable("a value reaches beyond its record")
        return struct.unpack_from(">d", payload, place)[0], place + 8
    if kind in _INTEGER_BYTES:
        end = place + _INTEGER_BYTES[kind]
        return int.from_bytes(payload[place:end], "big", signed=True), end
    if kind in (8, 9):
        return kind - 8, place
    if kind == 0:
        return None, place
    raise Unreadable("the type of a value")


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


MAGIC: Final = b"SQLite format 3\0"
_STEP_PAGES: Final = 256
_SIZES: Final = (8192, 4096, 16384, 32768, 65536, 2048, 1024, 512)
_LOCK_BYTE: Final = 2**30  # the page with this byte is never used
_LEVELS: Final = (apsw.SQLITE_LOCK_SHARED, apsw.SQLITE_LOCK_RESERVED, apsw.SQLITE_LOCK_EXCLUSIVE)
_PAUSE_S: Final = 0.02


class DamagedFile:
    """A file under an exclusive lock.

    `sound` says of each page whether it can be trusted, `kinds` gives the first byte of each, from page 1 on (page 0 is
    none). A page of zeros is not sound: what was freed is overwritten with zeros, and nothing else is written that way.
    """

    def __init__(self, path: Path) -> None:
        load_checksums()
        self.path = path
        flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE
        self._file = apsw.VFSFile(file_layer(), os.fspath(path), [flags, 0])
        self._log_file: apsw.VFSFile | None = None
        self.log = LogContent()
        self.has_checksums = False
        self.pages = 0
        self.layout = PageLayout(_SIZES[0], _SIZES[0])
        self.sound: NDArray[np.bool_] = np.zeros(1, np.bool_)
        self.kinds: NDArray[np.uint8] = np.zeros(1, np.uint8)

    @classmethod
    @contextmanager
    def locked(cls, path: Path, wait_s: float) -> Iterator[Self]:
        """Hold the file as the only process that has it open. Raises StoreUnavailable."""
        file = cls(path)
        with closing(file):
            file._lock(wait_s)
            yield file

    def _lock(self, wait_s: float) -> None:
        deadline = monotonic() + wait_s
        while not self.try_lock():
            if monotonic() >= deadline:
                raise StoreUnavailable(
                    f"{self.path} is damaged, and another process has it open, or another store of this one. Stop "
                    "them, and run `recollect repair`. Nothing was changed."
                )
            sleep(_PAUSE_S)

    def try_lock(self) -> bool:
        """Take the lock if no other connection holds one."""
        try:
            for level in _LEVELS:
                self._file.xLock(level)
        except apsw.BusyError:
            self._file.xUnlock(apsw.SQLITE_LOCK_NONE)
            return False
        return True

    def close(self) -> None:
        for file in (self._log_file, self._file):
            if file is not None:
                with suppress(apsw.Error):
                    file.xClose()

    @property
    def size_bytes(self) -> int:
        """The size of the file without its log."""
        return self._file.xFileSize()

    def read_log(self) -> LogContent:
        log = Path(f"{self.path}-wal")
        if log.is_file() and log.stat().st_size:
            flags = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_READONLY
            self._log_file = apsw.VFSFile(file_layer(), os.fspath(log), [flags, 0])
            self.log = read_log(self._log_file.xRead, self._log_file.xFileSize())
        return self.log

    def survey(self) -> None:
        """Look at all pages once."""
        self.read_log()
        page_bytes = self._page_bytes()
        in_file = self.size_bytes // page_bytes
        self.pages = self.log.pages or in_file
        self.sound = np.zeros(self.pages + 1, np.bool_)
        self.kinds = np.zeros(self.pages + 1, np.uint8)
        self.layout = PageLayout(page_bytes, page_bytes)
        self.has_checksums = self._survey_file(page_bytes, min(in_file, self.pages))
        for number in self.log.unknown:
            if number <= self.pages:
                self.sound[number] = False
        for number, offset in self.log.offsets.items():
            if number <= self.pages:
                page = self._read_logged(offset)
                self.sound[number] = any(page)
                self.kinds[number] = page[FILE_HEADER_BYTES if number == 1 else 0]
        self.layout = PageLayout(page_bytes, page_bytes - self._reserved())
        if _LOCK_BYTE // page_bytes + 1 <= self.pages:
            self.sound[_LOCK_BYTE // page_bytes + 1] = False
        header = self.header()
        if header is not None and (stated := int.from_bytes(header[28:32], "big")):
            self.sound[stated + 1 :] = False  # what stands behind the end belongs to no table

    def _survey_file(self, page_bytes: int, amount: int) -> bool:
        """Verify the pages of the file; says whether any has a checksum. Without checksums all count as sound."""
        fitting, filled = np.zeros(amount, np.bool_), np.zeros(amount, np.bool_)
        for first in range(0, amount, _STEP_PAGES):
            last = min(first + _STEP_PAGES, amount)
            content = self._file.xRead((last - first) * page_bytes, first * page_bytes)
            rows = np.frombuffer(content, np.uint8).reshape(-1, page_bytes)
            filled[first:last] = rows.any(axis=1)
            fitting[first:last] = sound_pages(content, page_bytes)
            self.kinds[first + 1 : last + 1] = rows[:, 0]
            if first == 0:
                self.kinds[1] = rows[0, FILE_HEADER_BYTES]
        checked = bool((fitting & filled).any())
        self.sound[1 : amount + 1] = filled & fitting if checked else filled
        return checked

    def _page_bytes(self) -> int:
        """Find out how large pages are: the log or the header says so, otherwise the checksums fit only one size."""
        if self.log.page_bytes:
            return self.log.page_bytes
        header = self._file.xRead(min(FILE_HEADER_BYTES, self.size_bytes), 0)
        stated = int.from_bytes(header[16:18], "big")
        sizes = ([65536 if stated == 1 else stated] if header.startswith(MAGIC) else []) + list(_SIZES)
        return next((size for size in sizes if size in _SIZES and self._fits(size)), sizes[0])

    def _fits(self, page_bytes: int) -> bool:
        amount = min(_STEP_PAGES, self.size_bytes // page_bytes)
        content = self._file.xRead(amount * page_bytes, 0)
        filled = np.frombuffer(content, np.uint8).reshape(-1, page_bytes).any(axis=1)
        return bool((sound_pages(content, page_bytes) & filled).any()) if amount else False

    def _reserved(self) -> int:
        if self.has_checksums:
            return CHECKSUM_BYTES
        header = self.page(1)
        return header[20] if header and header.startswith(MAGIC) and header[20] in (0, CHECKSUM_BYTES) else 0

    def page(self, number: int) -> bytes | None:
        """Read a page; None when it cannot be trusted."""
        if not 0 < number <= self.pages or not self.sound[number]:
            return None
        offset = self.log.offsets.get(number)
        if offset is not None:
            return self._read_logged(offset)
        return self._file.xRead(self.layout.page_bytes, (number - 1) * self.layout.page_bytes)

    def _read_logged(self, offset: int) -> bytes:
        assert self._log_file is not None  # noqa: S101 - for the type checker
        return self._log_file.xRead(self.layout.page_bytes, offset)

    def header(self) -> bytes | None:
        """Give the header of the file, if its page is sound."""
        page = self.page(1)
        return page[:FILE_HEADER_BYTES] if page is not None and page.startswith(MAGIC) else None

    def free_pages(self) -> set[int] | None:
        """Give the pages that hold nothing; None when the list of them cannot be read to its end."""
        header = self.header()
        if header is None:
            return None
        trunk, free = int.from_bytes(header[32:36], "big"), set[int]()
        while trunk:
            page = self.page(trunk)
            if page is None or trunk in free:
                return None
            amount = min(int.from_bytes(page[4:8], "big"), self.layout.usable // 4 - 2)
            free.add(trunk)
            free.update(np.frombuffer(page, ">u4", amount, 8).tolist())
            trunk = int.from_bytes(page[:4], "big")
        return free
