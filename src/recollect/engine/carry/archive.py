"""Opens an archive and checks all of it before anything is used: names, sizes, hashes, and every line.

The invariant: nothing is unpacked onto the disk, and no more than one line or one original is in memory.
"""

import base64
import binascii
import hashlib
import lzma
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, cast

import numpy as np

from recollect import encryption, ids
from recollect.engine.base.scopes import owner_of
from recollect.engine.carry.lines import (
    MANIFEST,
    ORIGINALS,
    SECRETS,
    SPACES,
    USER,
    VECTORS,
    VERSION,
    ArchiveManifest,
    MemberEntry,
    decode,
    decode_row,
    member_of,
    read_manifest,
)
from recollect.errors import InvalidDocument, InvalidInput
from recollect.model.literals import VECTOR_KINDS, VectorKind
from recollect.model.memories import Space, Vector
from recollect.ports.transfer import MEMORIES, SEARCH_LOG, TRANSFERRED, Row, TransferTable
from recollect.text.passages import MOST_PASSAGES

_SUPERSEDED_BY: Final = MEMORIES.names.index("superseded_by")
_TABLES: Final = {member_of(table): table for table in TRANSFERRED}
_NEWER: Final = frozenset({member_of(SEARCH_LOG)})  # what only the newest version has
_ORIGINAL: Final = re.compile(rf"{ORIGINALS}[0-9a-f]{{64}}")
_SECRET_NAME: Final = re.compile(r"[0-9a-f]{16}")
_LONGEST_LINE: Final = 64 * 2**20
_LARGEST_MANIFEST: Final = 64 * 2**20
_LARGEST_ORIGINAL: Final = 2**30
_MOST_FROM_ONE_BYTE: Final = 500
_SMALL: Final = 16 * 2**20
_PIECE: Final = 2**20
# What reading a zip raises whose bytes are not as they should be.
_DAMAGED: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError, RuntimeError,
    LookupError, ValueError, OverflowError,
)  # fmt: skip
_MOST_DIMENSIONS: Final = 16_000  # that pgvector takes
_LONGEST_NAME: Final = 256
_UNIT: Final = (0.98, 1.02)  # the square of a length, as it was rounded
_ENCRYPTED: Final = 1


class ArchivedVector(NamedTuple):
    """A vector, and of which item it is: of its whole text (part 0), or of a passage of it."""

    user: str
    kind: VectorKind
    id: str
    part: int
    vector: Vector


def is_archive(path: Path) -> bool:
    """Tell whether a file is one of our archives, by its manifest; an encrypted file can be nothing else."""
    try:
        with path.open("rb") as source:
            if encryption.is_encrypted(source):
                return True
            with zipfile.ZipFile(source) as bundle, bundle.open(MANIFEST) as member:
                return b'"recollect-export"' in member.read(_PIECE)
    except (OSError, *_DAMAGED):
        return False


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive that is open and was checked. `lines` counts the rows of each user and table."""

    path: Path
    manifest: ArchiveManifest
    lines: Mapping[tuple[str, str], int]
    _bundle: zipfile.ZipFile

    def rows(self, table: TransferTable) -> Iterator[tuple[str, Row]]:
        """Give the rows of a table with their users."""
        name = member_of(table)
        if name in _NEWER and self.manifest.version < VERSION:
            return
        for number, line in _lines(self._bundle, name):
            yield decode_row(line, table, f"line {number} of {name}")

    def original(self, digest: str) -> bytes | None:
        """Give the bytes of a document, if they are in the archive."""
        try:
            return self._bundle.read(f"{ORIGINALS}{digest}")
        except KeyError:
            return None

    def secrets(self) -> dict[str, bytes]:
        """Give what the tombstones are keyed with."""
        return {name: secret for line in _lines(self._bundle, SECRETS) for name, secret in (_secret(*line),)}

    def space(self) -> Space | None:
        """Give the space of the vectors."""
        return next((_space(*line) for line in _lines(self._bundle, SPACES)), None) if self.manifest.vectors else None

    def vectors(self) -> Iterator[ArchivedVector]:
        """Give all vectors."""
        space = self.space()
        if space is not None:
            yield from (_vector(*line, space) for line in _lines(self._bundle, VECTORS))


@contextmanager
def open_archive(path: Path, source: BinaryIO) -> Iterator[Archive]:
    """Check an archive that is open, and give what is in it. Raises InvalidDocument, which names the path."""
    with ExitStack() as stack:
        try:
            bundle = stack.enter_context(zipfile.ZipFile(source))
            manifest = _manifest(bundle, path)
            archive = Archive(path, manifest, _check(bundle, manifest, path), bundle)
        except InvalidInput:
            raise
        except _DAMAGED as error:
            raise InvalidDocument(f"{path} is a damaged archive ({error}). Nothing was brought.") from error
        except OSError as error:
            raise InvalidDocument(f"{path} cannot be read: {error.strerror or error}.") from error
        yield archive


def _manifest(bundle: zipfile.ZipFile, path: Path) -> ArchiveManifest:
    try:
        info = bundle.getinfo(MANIFEST)
    except KeyError as error:
        raise InvalidDocument(f"{path} has no {MANIFEST}: it is no export of Recollect.") from error
    if info.file_size > _LARGEST_MANIFEST:
        raise InvalidDocument(f"{path} has a manifest of {info.file_size:,} bytes. It was not opened.")
    return read_manifest(bundle.read(info), str(path))


def _check(bundle: zipfile.ZipFile, manifest: ArchiveManifest, path: Path) -> Mapping[tuple[str, str], int]:
    """Check all members; gives how many rows each user has in each table."""
    found = {info.filename: info for info in bundle.infolist()}
    promised = {one.name: one for one in manifest.members}
    tables = _TABLES.keys() - (_NEWER if manifest.version < VERSION else ())
    needed = {*tables, SECRETS, *((SPACES, VECTORS) if manifest.vectors else ())}
    odd = {name for name in promised if name not in needed and not _ORIGINAL.fullmatch(name)}
    if odd or needed - promised.keys() or found.keys() != {*promised, MANIFEST} or len(found) != len(bundle.infolist()):
        strange = sorted(odd | needed - promised.keys() | (found.keys() ^ {*promised, MANIFEST}))
        raise InvalidDocument(f"{path} holds other files than its manifest says: {', '.join(strange)[:200]!r}.")
    for name, info in found.items():
        swollen = info.file_size > _SMALL and info.file_size > _MOST_FROM_ONE_BYTE * max(1, info.compress_size)
        large = name.startswith(ORIGINALS) and info.file_size > _LARGEST_ORIGINAL
        if info.flag_bits & _ENCRYPTED or swollen or large:
            raise InvalidDocument(f"{name} in {path} would become {info.file_size:,} bytes. It was not opened.")
    users = frozenset(manifest.users)
    for user in users:
        try:
            owner_of(user)
        except InvalidInput as error:
            raise InvalidDocument(f"{path}: {error}") from error
    counts: Counter[tuple[str, str]] = Counter()
    for member in manifest.members:
        _check_member(bundle, member, path)
        _check_lines(bundle, member.name, users, counts)
    return counts


def _check_member(bundle: zipfile.ZipFile, member: MemberEntry, path: Path) -> None:
    digest, size, lines = hashlib.sha256(), 0, 0
    with bundle.open(member.name) as stream:
        while data := stream.read(_PIECE):
            digest.update(data)
            size, lines = size + len(data), lines + data.count(b"\n")
            if size > member.bytes:
                break
    same = size == member.bytes and digest.hexdigest() == member.sha256
    if member.name.startswith(ORIGINALS):
        same = same and member.name == f"{ORIGINALS}{member.sha256}"
    elif lines != member.lines:
        same = False
    if not same:
        raise InvalidDocument(
            f"{member.name} in {path} is not what the manifest says: it is damaged or was changed. Nothing was brought."
        )


def _check_lines(bundle: zipfile.ZipFile, name: str, users: frozenset[str], counts: Counter[tuple[str, str]]) -> None:
    if name in _TABLES:
        _check_table(bundle, name, users, counts)
        return
    space = next((_space(*line) for line in _lines(bundle, SPACES)), None) if name == VECTORS else None
    for number, line in _lines(bundle, name) if not name.startswith(ORIGINALS) else ():
        if name == SECRETS:
            _secret(number, line)
        elif name == SPACES:
            _space(number, line)
        elif space is None or _vector(number, line, space).user not in users:
            raise InvalidDocument(f"Line {number} of {name} belongs to no space, or to no user.")


def _check_table(bundle: zipfile.ZipFile, name: str, users: frozenset[str], counts: Counter[tuple[str, str]]) -> None:
    """Check each row, and that none comes twice."""
    table, before = _TABLES[name], None
    later: dict[tuple[str, str], str] = {}
    for number, line in _lines(bundle, name):
        user, row = decode_row(line, table, f"line {number} of {name}")
        place = (user, table.key_of(row))
        if user not in users or (before is not None and place <= before):
            raise InvalidDocument(f"Line {number} of {name} is out of order, or of a user the manifest leaves out.")
        before = place
        counts[user, table.name] += 1
        if table is MEMORIES and row[_SUPERSEDED_BY] is not None:
            later[user, row[0]] = row[_SUPERSEDED_BY]
    _refuse_circles(later)


def _refuse_circles(later: Mapping[tuple[str, str], str]) -> None:
    """Check that versions lead to a newest one: of a circle none would ever be shown."""
    sound: set[tuple[str, str]] = set()
    for first in later:
        way: dict[tuple[str, str], None] = {}
        place = first
        while place in later and place not in sound:
            if place in way:
                raise InvalidDocument(f"memories.jsonl: {first[1]} is superseded in a circle, so that none holds.")
            way[place] = None
            place = (place[0], later[place])
        sound.update(way)


def _lines(bundle: zipfile.ZipFile, name: str) -> Iterator[tuple[int, bytes]]:
    with closing(cast("BinaryIO", bundle.open(name))) as stream:
        number = 0
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            if not line.endswith(b"\n"):
                raise InvalidDocument(f"Line {number} of {name} is cut off, or too long.")
            yield number, line


def _secret(number: int, line: bytes) -> tuple[str, bytes]:
    values = decode(line, f"line {number} of {SECRETS}")
    name, secret = values.get("name"), values.get("secret")
    if not isinstance(name, str) or not _SECRET_NAME.fullmatch(name) or not isinstance(secret, str):
        raise InvalidDocument(f"Line {number} of {SECRETS} is no secret.")
    try:
        return name, bytes.fromhex(secret)
    except ValueError as error:
        raise InvalidDocument(f"Line {number} of {SECRETS} is no secret.") from error


def _space(number: int, line: bytes) -> Space:
    values = decode(line, f"line {number} of {SPACES}")
    kinds = {"dimensions": int, "normalised": bool}
    sound = values.keys() == {field.name for field in fields(Space)} and all(
        type(value) is kinds.get(name, str) and len(str(value)) <= _LONGEST_NAME for name, value in values.items()
    )
    if not sound or not 0 < values["dimensions"] <= _MOST_DIMENSIONS:
        raise InvalidDocument(f"Line {number} of {SPACES} is no embedding space.")
    return Space(**values)


def _vector(number: int, line: bytes, space: Space) -> ArchivedVector:
    values = decode(line, f"line {number} of {VECTORS}")
    user, kind, item_id, packed = (values.get(name) for name in (USER, "kind", "id", "vector"))
    part = values.get("part", 0)  # archives of the first version have none
    try:
        vector = np.frombuffer(base64.b64decode(cast("str", packed), validate=True), "<f4")
    except (binascii.Error, TypeError, ValueError) as error:
        raise InvalidDocument(f"Line {number} of {VECTORS} is no vector.") from error
    named = isinstance(user, str) and kind in VECTOR_KINDS and isinstance(item_id, str) and ids.canonical(item_id)
    numbered = type(part) is int and 0 <= part <= MOST_PASSAGES
    square = float(np.square(vector, dtype=np.float64).sum())  # NaN and infinity pass no comparison
    if not named or not numbered or len(vector) != space.dimensions or not _UNIT[0] < square < _UNIT[1]:
        raise InvalidDocument(f"Line {number} of {VECTORS} is no vector.")
    return ArchivedVector(cast("str", user), cast("VectorKind", kind), cast("str", item_id), part, vector)
