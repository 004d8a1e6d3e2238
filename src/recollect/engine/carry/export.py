"""Writes an export to a file that is there whole or not at all: from one snapshot, and only a few rows at a time."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Final, NamedTuple

from recollect import encryption
from recollect.engine.base.context import Engine
from recollect.engine.carry.lines import (
    MEDIA,
    SECRETS,
    VECTORS,
    encode_row,
    encode_secret,
    encode_vector,
    member_of,
)
from recollect.engine.carry.manifest import FILE, ORIGINALS, Manifest
from recollect.engine.carry.readable import ReadableExport
from recollect.engine.carry.writer import ExportWriter
from recollect.errors import InvalidInput, StoreError
from recollect.model.literals import VECTOR_KINDS
from recollect.model.media import original_name
from recollect.model.memories import Scope, Space
from recollect.private_folders import settle
from recollect.storage.base import TransferReader
from recollect.storage.base.tables import FILES, MEMORIES, MESSAGES, TOMBSTONES, TRANSFERRED, Row, TransferTable

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


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export holds: how many of what, of whom, in how many bytes.

    `missing_originals` are the digests of documents whose copies were gone; their text is there all the same.
    """

    path: str
    users: tuple[str, ...]
    rows: Mapping[str, int] = field(default_factory=dict)
    bytes: int = 0
    missing_originals: tuple[str, ...] = ()


def save_export(
    engine: Engine, given: str | PathLike[str], options: ExportOptions, *, overwrite: bool = False
) -> ExportReport:
    """Write an archive of one user, or of all."""
    path = Path(given).expanduser()
    insist_not_own(engine, path)
    if path.is_dir() or (path.exists() and not overwrite):
        raise InvalidInput(f"{path} exists already. Choose another name, or say that it is to be overwritten.")
    lock = encryption.lock_for(options.encrypt_to, options.passphrase)
    try:
        descriptor, unfinished = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # only its owner reads it
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            with encryption.encrypting(file, lock) as target, closing(ExportWriter(engine, target)) as out:
                _write(engine, options, out)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        Path(unfinished).replace(path)
        settle(path.parent)
    except OSError as error:
        raise StoreError(f"{path} could not be written: {error.strerror or error}.") from error
    finally:
        Path(unfinished).unlink(missing_ok=True)
    return ExportReport(str(path), tuple(sorted(out.users)), dict(out.rows), size, tuple(out.missing))


def insist_not_own(engine: Engine, path: Path) -> None:
    """Refuse a file of the open store: opening it would drop SQLite's locks. Raises InvalidInput."""
    try:
        found = path.stat()
    except OSError:
        return
    if (found.st_dev, found.st_ino) in engine.store.own_files():
        raise InvalidInput(f"{path} is the store itself. Choose another file.")


def _write(engine: Engine, options: ExportOptions, out: ExportWriter) -> None:
    engine.search.notes.flush()
    with engine.store.snapshot(options.scope) as reader:
        scopes = reader.users() if options.scope is None else [options.scope]
        if options.readable:
            ReadableExport(engine, reader, out).write(scopes, apart=options.scope is None)
        else:
            _Export(engine, reader, out, scopes).write(options)


class _Export:
    """An export under way, the digests of its originals with their names here, and the secrets of its tombstones."""

    def __init__(self, engine: Engine, reader: TransferReader, out: ExportWriter, scopes: Sequence[Scope]) -> None:
        self._engine = engine
        self._reader = reader
        self._out = out
        self._scopes = scopes
        self._originals: dict[str, str] = {}
        self._secrets: set[str] = set()

    def write(self, options: ExportOptions) -> None:
        """Write all files."""
        out = self._out
        out.users.update(dict.fromkeys([options.scope.user_id] if options.scope else []))
        for table in TRANSFERRED:
            wanted = options.tombstones or table is not TOMBSTONES
            out.add(member_of(table), self._lines(table) if wanted else ())
        secrets = sorted(self._reader.secrets().items())
        out.add(SECRETS, (encode_secret(name, secret) for name, secret in secrets if name in self._secrets))
        space = self._reader.active_space() if options.vectors else None
        if options.vectors:
            out.add(VECTORS, self._vectors(space) if space else ())
        for digest, name in sorted(self._originals.items()):
            out.add_original(f"{ORIGINALS}{digest}", name, digest)
        users, passages = tuple(sorted(out.users)), self._engine.store.passages()
        manifest = Manifest(tuple(out.members), len(self._originals), users, space, passages)
        out.add(FILE, (manifest.encode(),))

    def _lines(self, table: TransferTable) -> Iterator[bytes]:
        for scope in self._scopes:
            for row in self._reader.rows(scope, table):
                self._out.rows[table.name] += 1
                self._out.users[scope.user_id] = None
                self._note(scope.user_id, table, row)
                yield encode_row(scope.user_id, table, outgoing(row) if table is FILES else row)

    def _note(self, user_id: str, table: TransferTable, row: Row) -> None:
        """Note what goes along with a row."""
        if table is TOMBSTONES:
            self._secrets.add(row[0].partition(":")[0])
        elif table is FILES and row[_ORIGINAL]:
            self._originals.setdefault(_digest(row), row[_ORIGINAL])
        elif table in (MEMORIES, MESSAGES):
            digests = [media["original"] for media in row[table.names.index(MEDIA)] if "original" in media]
            self._originals |= {digest: original_name(user_id, digest) for digest in digests}

    def _vectors(self, space: Space) -> Iterator[bytes]:
        for scope in self._scopes:
            for kind in VECTOR_KINDS:
                for item_id, part, vector in self._reader.vectors(scope, kind, space):
                    self._out.rows["vectors"] += 1
                    yield encode_vector(scope.user_id, kind, item_id, part, vector)


def outgoing(row: Row) -> Row:
    """Give the row of a file without what only this machine knows, and with the hash of its original for its name."""
    known = (*row[: _LOCAL.start], *[0] * (_LOCAL.stop - _LOCAL.start), *row[_LOCAL.stop :])
    return (*known[:_ORIGINAL], _digest(row), *known[_ORIGINAL + 1 :])


def _digest(row: Row) -> str:
    return str(row[_ORIGINAL].rpartition("/")[2])
