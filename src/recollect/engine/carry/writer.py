"""Writes the zip file of an export, file by file, and counts what is in it: the same content gives the same bytes."""

import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import BinaryIO, Final

from recollect.engine.base.context import Engine
from recollect.engine.carry.manifest import ArchivedFile
from recollect.errors import NotFound

_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)  # no time of day, so that the same rows give the same bytes
_OWNER_ONLY: Final = 0o600 << 16
_UNIX: Final = 3
_PIECE: Final = 256 * 1024


class ExportWriter:
    """The files of an export so far, of whom they are, and the digests of the originals that were gone."""

    def __init__(self, engine: Engine, target: BinaryIO) -> None:
        self.members: list[ArchivedFile] = []
        self.rows: Counter[str] = Counter()
        self.users: dict[str, None] = {}
        self.missing: list[str] = []
        self._engine = engine
        self._bundle = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED)

    def close(self) -> None:
        """Write the list of files."""
        self._bundle.close()

    def add(self, name: str, lines: Iterable[bytes], *, packed: bool = True) -> None:
        """Write a file."""
        info = zipfile.ZipInfo(name, _EARLIEST)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        info.external_attr, info.create_system = _OWNER_ONLY, _UNIX
        digest, size, amount = sha256(), 0, 0
        with self._bundle.open(info, "w", force_zip64=True) as member:
            for data in _gathered(lines):
                digest.update(data)
                member.write(data)
                size, amount = size + len(data), amount + (data.count(b"\n") if packed else 0)
                self._engine.priority.give_way()
        self.members.append(ArchivedFile(name, size, digest.hexdigest(), amount))

    def add_original(self, name: str, stored: str, digest: str) -> None:
        """Write the original of a document or a medium, or note that it is gone."""
        try:
            data = self._engine.originals.original(stored)
        except NotFound:
            self.missing.append(digest)
            return
        self.rows["originals"] += 1
        self.add(name, (data,), packed=False)


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
