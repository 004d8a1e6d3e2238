"""The pages of a file that may be damaged, with its log, read while no process has it open.

SQLite's own file layer reads and locks it. A file opened by Python would drop the locks of this process when it is
closed; and the lock keeps other processes from opening the file until it is replaced.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final, Self

import apsw
import numpy as np
from numpy.typing import NDArray

from recollect.errors import StoreUnavailable
from recollect.storage.sqlite.connection import file_layer, load_checksums
from recollect.storage.sqlite.page_checksums import CHECKSUM_BYTES, sound_pages
from recollect.storage.sqlite.repair.log_frames import LogContent, read_log
from recollect.storage.sqlite.repair.records import FILE_HEADER_BYTES, PageLayout

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
        try:
            file._lock(wait_s)
            yield file
        finally:
            file.close()

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
        """Let other processes open the file."""
        for file in (self._log_file, self._file):
            if file is not None:
                with suppress(apsw.Error):
                    file.xClose()

    @property
    def size_bytes(self) -> int:
        """The size of the file without its log."""
        return self._file.xFileSize()

    def read_log(self) -> LogContent:
        """Read the log beside the file."""
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
                self._note(number, self._read_logged(offset))
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

    def _note(self, number: int, page: bytes) -> None:
        self.sound[number] = any(page)
        self.kinds[number] = page[FILE_HEADER_BYTES if number == 1 else 0]

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
