"""The zip file of an export, written piece by piece: the same content gives the same bytes."""

import hashlib
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, cast

from recollect.engine.carry.lines import MemberEntry

_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)  # no time of day, so that the same rows give the same bytes
_OWNER_ONLY: Final = 0o600 << 16
_UNIX: Final = 3
_PIECE: Final = 256 * 1024


@dataclass(slots=True)
class ExportCounts:
    """What an archive holds so far."""

    rows: Counter[str] = field(default_factory=Counter)
    users: dict[str, None] = field(default_factory=dict)
    missing_originals: list[str] = field(default_factory=list)


class _Sink:
    """A file that is only written: it hands on what it was given."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> int:
        """Take some bytes."""
        self._pieces.append(bytes(data))
        self._size += len(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing."""

    def taken(self, least: int = 1) -> Iterator[bytes]:
        """Give what was written, once it is worth it."""
        if self._size >= least:
            data, self._pieces, self._size = b"".join(self._pieces), [], 0
            yield data


class ArchiveWriter:
    """The files of an archive, one after the other."""

    def __init__(self) -> None:
        self.sink = _Sink()
        self.members: list[MemberEntry] = []
        self.bundle = zipfile.ZipFile(cast("Any", self.sink), "w", zipfile.ZIP_DEFLATED)

    def finish(self) -> Iterator[bytes]:
        """Write the list of files."""
        self.bundle.close()
        yield from self.sink.taken()

    def add(self, name: str, lines: Iterable[bytes], *, packed: bool = True) -> Iterator[bytes]:
        """Write a file of the archive."""
        info = zipfile.ZipInfo(name, _EARLIEST)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        info.external_attr, info.create_system = _OWNER_ONLY, _UNIX
        digest, size, amount = hashlib.sha256(), 0, 0
        with self.bundle.open(info, "w", force_zip64=True) as member:
            for data in _gathered(lines):
                digest.update(data)
                member.write(data)
                size, amount = size + len(data), amount + (data.count(b"\n") if packed else 0)
                yield from self.sink.taken(_PIECE)
        self.members.append(MemberEntry(name, size, amount, digest.hexdigest()))


def _gathered(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join lines into pieces that are worth a call."""
    waiting: list[bytes] = []
    size = 0
    for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= _PIECE:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)
