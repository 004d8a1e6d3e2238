"""Writes an archive, piece by piece: from one snapshot, and without ever holding more than a few rows."""

import base64
import hashlib
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Final, NamedTuple, cast

from recollect.engine.base.context import Engine
from recollect.engine.transfer.archive_format import (
    MANIFEST,
    ORIGINALS,
    SECRETS,
    SPACES,
    USER,
    VECTORS,
    Manifest,
    MemberEntry,
    encode,
    encode_row,
    member_of,
)
from recollect.errors import NotFound
from recollect.model.literals import VECTOR_KINDS
from recollect.model.memories import Scope
from recollect.ports.transfer import FILES, TOMBSTONES, TRANSFERRED, Row, TransferReader, TransferTable

_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)  # no time of day, so that the same rows give the same bytes
_OWNER_ONLY: Final = 0o600 << 16
_UNIX: Final = 3
_PIECE: Final = 256 * 1024
_ORIGINAL: Final = FILES.names.index("original")


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


class _ArchiveWriter:
    """The files of an archive, one after the other."""

    def __init__(self) -> None:
        self.sink = _Sink()
        self.members: list[MemberEntry] = []
        self.bundle = zipfile.ZipFile(cast("Any", self.sink), "w", zipfile.ZIP_DEFLATED)

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


class ExportOptions(NamedTuple):
    """Whose memory is exported, all users' or one's, and with what."""

    scope: Scope | None = None
    vectors: bool = False
    tombstones: bool = True


def export(engine: Engine, options: ExportOptions, counts: ExportCounts) -> Iterator[bytes]:
    """Give the bytes of an archive, and count what is in it."""
    with engine.store.snapshot(options.scope) as reader:
        yield from _Export(engine, reader, options, counts).archive()


class _Export:
    """An export under way."""

    def __init__(self, engine: Engine, reader: TransferReader, options: ExportOptions, counts: ExportCounts) -> None:
        self._engine = engine
        self._reader = reader
        self._options = options
        self._scopes = reader.users() if options.scope is None else [options.scope]
        self._counts = counts
        self._originals: dict[str, str] = {}
        self._secrets: set[str] = set()
        if options.scope is not None:
            counts.users[options.scope.user_id] = None

    def archive(self) -> Iterator[bytes]:
        """Give the bytes of the archive."""
        out, (_, vectors, tombstones) = _ArchiveWriter(), self._options
        for table in TRANSFERRED:
            wanted = tombstones or table is not TOMBSTONES
            yield from out.add(member_of(table), self._lines(table) if wanted else ())
        yield from out.add(SECRETS, self._secret_lines())
        if vectors:
            yield from out.add(SPACES, self._space_lines())
            yield from out.add(VECTORS, self._vector_lines())
        for digest, name in sorted(self._originals.items()):
            try:
                data = self._engine.documents.original(name)
            except NotFound:
                self._counts.missing_originals.append(digest)
                continue
            self._counts.rows["originals"] += 1
            yield from out.add(f"{ORIGINALS}{digest}", (data,), packed=False)
        users = sorted(self._counts.users)
        manifest = Manifest(tuple(users), vectors, tuple(out.members), tuple(self._counts.missing_originals))
        yield from out.add(MANIFEST, (manifest.encode(),))
        out.bundle.close()
        yield from out.sink.taken()

    def _lines(self, table: TransferTable) -> Iterator[bytes]:
        for scope in self._scopes:
            for row in self._reader.rows(scope, table):
                self._counts.rows[table.name] += 1
                self._counts.users[scope.user_id] = None
                yield encode_row(scope.user_id, table, self._outgoing(table, row))

    def _outgoing(self, table: TransferTable, row: Row) -> Row:
        if table is TOMBSTONES:
            self._secrets.add(row[0].partition(":")[0])
        return outgoing(row, self._originals) if table is FILES else row

    def _secret_lines(self) -> Iterator[bytes]:
        for name, secret in sorted(self._reader.secrets().items()):
            if name in self._secrets:
                yield encode({"name": name, "secret": secret.hex()})

    def _space_lines(self) -> Iterator[bytes]:
        space = self._reader.active_space()
        if space is not None:
            yield encode(asdict(space))

    def _vector_lines(self) -> Iterator[bytes]:
        space = self._reader.active_space()
        for scope in self._scopes if space is not None else ():
            for kind in VECTOR_KINDS:
                for item_id, vector in self._reader.vectors(scope, kind, cast("Any", space)):
                    self._counts.rows["vectors"] += 1
                    packed = base64.b64encode(vector.astype("<f4").tobytes()).decode()
                    yield encode({USER: scope.user_id, "kind": kind, "id": item_id, "vector": packed})


def outgoing(row: Row, originals: dict[str, str] | None = None) -> Row:
    """Give the row of a file with the hash of its original instead of the name that this store has for it."""
    position = _ORIGINAL
    name = row[position]
    if not name:
        return row
    digest = name.rpartition("/")[2]
    if originals is not None:
        originals.setdefault(digest, name)
    return (*row[:position], digest, *row[position + 1 :])
