"""Reads the write-ahead log of a damaged file: which pages it holds as of the last commit, and whether it is whole.

Each frame has the sum of all frames up to it. Where a frame is damaged, the next one is still verified by the sum that
the damaged one states, so damage costs a frame or two and not all that was written after it. SQLite itself stops at the
first frame that does not fit, because that is what a power failure leaves.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from recollect.storage.sqlite.page_checksums import chained_sum

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
