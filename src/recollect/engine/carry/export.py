"""Writes an archive, piece by piece: from one snapshot, and without ever holding more than a few rows."""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final, NamedTuple, cast

from recollect.engine.base.context import Engine
from recollect.engine.carry.archive_writer import ArchiveWriter, ExportCounts
from recollect.engine.carry.lines import (
    MANIFEST,
    MEDIA,
    ORIGINALS,
    SECRETS,
    SPACES,
    USER,
    VECTORS,
    ArchiveManifest,
    encode,
    encode_row,
    member_of,
)
from recollect.engine.carry.readable import ReadableExport
from recollect.errors import NotFound
from recollect.model.literals import VECTOR_KINDS
from recollect.model.media import original_name
from recollect.model.memories import Scope
from recollect.ports.transfer import (
    FILES,
    MEMORIES,
    MESSAGES,
    TOMBSTONES,
    TRANSFERRED,
    Row,
    TransferReader,
    TransferTable,
)

_ORIGINAL: Final = FILES.names.index("original")
_LOCAL: Final = slice(FILES.names.index("mtime_ns"), FILES.names.index("inode") + 1)


class ExportOptions(NamedTuple):
    """Whose memory is exported, all users' or one's, and with what.

    `readable` is for people. With public keys of age, or with a passphrase, the file is encrypted.
    """

    scope: Scope | None = None
    vectors: bool = False
    tombstones: bool = True
    readable: bool = False
    encrypt_to: Sequence[str] = ()
    passphrase: str = ""


def export(engine: Engine, options: ExportOptions, counts: ExportCounts) -> Iterator[bytes]:
    """Give the bytes of an archive, and count what is in it."""
    engine.search.notes.flush()
    with engine.store.snapshot(options.scope) as reader:
        if options.readable:
            yield from ReadableExport(engine, reader, options.scope, counts).archive()
        else:
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
        out, vectors, tombstones = ArchiveWriter(), self._options.vectors, self._options.tombstones
        for table in TRANSFERRED:
            wanted = tombstones or table is not TOMBSTONES
            yield from out.add(member_of(table), self._lines(table) if wanted else ())
        yield from out.add(SECRETS, self._secret_lines())
        if vectors:
            yield from out.add(SPACES, self._space_lines())
            yield from out.add(VECTORS, self._vector_lines())
        for digest, name in sorted(self._originals.items()):
            try:
                data = self._engine.originals.original(name)
            except NotFound:
                self._counts.missing_originals.append(digest)
                continue
            self._counts.rows["originals"] += 1
            yield from out.add(f"{ORIGINALS}{digest}", (data,), packed=False)
        users = sorted(self._counts.users)
        missing, passages = tuple(self._counts.missing_originals), self._engine.store.passages()
        manifest = ArchiveManifest(tuple(users), vectors, tuple(out.members), missing, passages)
        yield from out.add(MANIFEST, (manifest.encode(),))
        yield from out.finish()

    def _lines(self, table: TransferTable) -> Iterator[bytes]:
        for scope in self._scopes:
            for row in self._reader.rows(scope, table):
                self._counts.rows[table.name] += 1
                self._counts.users[scope.user_id] = None
                yield encode_row(scope.user_id, table, self._outgoing(scope.user_id, table, row))

    def _outgoing(self, user_id: str, table: TransferTable, row: Row) -> Row:
        if table is TOMBSTONES:
            self._secrets.add(row[0].partition(":")[0])
        if table in (MEMORIES, MESSAGES):
            self._originals |= {
                media["original"]: original_name(user_id, media["original"])
                for media in row[table.names.index(MEDIA)]
                if "original" in media
            }
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
                for item_id, part, vector in self._reader.vectors(scope, kind, cast("Any", space)):
                    self._counts.rows["vectors"] += 1
                    packed = base64.b64encode(vector.astype("<f4").tobytes()).decode()
                    yield encode({USER: scope.user_id, "kind": kind, "id": item_id, "part": part, "vector": packed})


def outgoing(row: Row, originals: dict[str, str] | None = None) -> Row:
    """Give the row of a file without what only this machine knows, and with the hash of its original for its name."""
    row = (*row[: _LOCAL.start], *[0] * (_LOCAL.stop - _LOCAL.start), *row[_LOCAL.stop :])
    position = _ORIGINAL
    name = row[position]
    if not name:
        return row
    digest = name.rpartition("/")[2]
    if originals is not None:
        originals.setdefault(digest, name)
    return (*row[:position], digest, *row[position + 1 :])
