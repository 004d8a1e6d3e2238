"""An archive that is open, in a folder or in a zip file, and the one verifier of what lies in it.

The invariant: nothing of an archive is used before all of it was verified, nothing but a file of its manifest is
opened, a zip file is never unpacked onto the disk, and no more than one line or one original of it is in memory.
"""

import lzma
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Final, cast

from recollect import encryption
from recollect.engine.base.scopes import owner_of
from recollect.engine.carry.lines import (
    SECRETS,
    SPACES,
    VECTORS,
    ArchivedVector,
    decode,
    decode_row,
    decode_secret,
    decode_vector,
    member_of,
)
from recollect.engine.carry.manifest import FILE, ORIGINALS, VERSION, ArchivedFile, Manifest, measure, read_space
from recollect.engine.carry.manifest import decode as decode_manifest
from recollect.errors import BackupDamaged, InvalidDocument, InvalidInput, NotFound
from recollect.storage.base.tables import MEMORIES, SEARCH_LOG, TRANSFERRED, Row, TransferTable

_SUPERSEDED_BY: Final = MEMORIES.names.index("superseded_by")
_TABLES: Final = {member_of(table): table for table in TRANSFERRED}
_ADDED: Final = frozenset({member_of(SEARCH_LOG)})  # what older archives may lack
_ORIGINAL: Final = re.compile(rf"{ORIGINALS}([0-9a-f]{{64}})")
_LONGEST_LINE: Final = 64 * 2**20
_LARGEST_MANIFEST: Final = 64 * 2**20
_LARGEST_ORIGINAL: Final = 2**30
_MOST_FROM_ONE_BYTE: Final = 500
_SMALL: Final = 16 * 2**20
_MOST_SHOWN: Final = 5
_ENCRYPTED: Final = 1
# What reading a zip raises whose bytes are not as they should be.
_DAMAGED: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError, RuntimeError,
    LookupError, ValueError, OverflowError,
)  # fmt: skip


class BackupFolder:
    """A backup: an archive whose files lie in a folder."""

    refusal: Final = BackupDamaged
    advice: Final = "Use another backup."

    def __init__(self, path: Path) -> None:
        """Read its manifest. Raises NotFound, or BackupDamaged."""
        try:
            data = (path / FILE).read_bytes()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise NotFound(f"{path} is not a backup: it has no {FILE}.") from error
        except OSError as error:
            raise BackupDamaged(f"{path / FILE} cannot be read ({error.strerror}).") from error
        manifest = decode_manifest(data, str(path), BackupDamaged)
        if manifest.database is None:
            raise BackupDamaged(f"{path} holds an export, not a backup: `recollect import` reads it as one file.")
        self.path, self.manifest, self.database = path, manifest, manifest.database

    def oddities(self) -> Iterator[str]:
        """Name files that do not lie within the folder."""
        within = self.path.resolve()
        for name in self.manifest.hashes:
            path = self.path / name
            if ".." in path.parts or path.is_symlink() or not path.resolve().is_relative_to(within):
                yield f"{name} lies outside"

    def open(self, name: str) -> BinaryIO:
        """Open a file of it."""
        return (self.path / name).open("rb")


class ExportFile:
    """An export: an archive whose files lie in a zip file."""

    refusal: Final = InvalidDocument
    advice: Final = "Nothing was brought."

    def __init__(self, path: Path, bundle: zipfile.ZipFile) -> None:
        """Read its manifest. Raises InvalidDocument."""
        self.path, self._bundle = path, bundle
        try:
            info = bundle.getinfo(FILE)
        except KeyError as error:
            raise InvalidDocument(f"{path} has no {FILE}: it is no export of Recollect.") from error
        if info.file_size > _LARGEST_MANIFEST:
            raise InvalidDocument(f"{path} has a manifest of {info.file_size:,} bytes. It was not opened.")
        self.manifest = decode_manifest(bundle.read(info), str(path), InvalidDocument)
        if self.manifest.version < VERSION and SPACES in self.manifest.hashes:
            space = next((read_space(decode(line, where)) for where, line in self.lines(SPACES)), None)
            self.manifest = replace(self.manifest, space=space)

    def oddities(self) -> Iterator[str]:
        """Name files that no export has, that the manifest leaves out, or that are larger than they may become."""
        manifest, older = self.manifest, self.manifest.version < VERSION
        needed = {*_TABLES, SECRETS} - (_ADDED if older else frozenset())
        known = {*_TABLES, SECRETS, VECTORS, *((SPACES,) if older else ())}
        for member in manifest.members:
            original = _ORIGINAL.fullmatch(member.name)
            if member.name not in known and not (original and original[1] == member.sha256):
                yield f"{member.name!r} is in no export"
        infos = self._bundle.infolist()
        names = Counter(info.filename for info in infos)
        promised = {FILE, *manifest.hashes}
        yield from (f"{name} is missing" for name in sorted((promised | needed) - names.keys()))
        yield from (f"{name!r} is not in its manifest" for name in sorted((names.keys() | needed) - promised))
        yield from (f"{name!r} is there twice" for name, amount in names.items() if amount > 1)
        for info in infos:
            swollen = info.file_size > _SMALL and info.file_size > _MOST_FROM_ONE_BYTE * max(1, info.compress_size)
            large = info.filename.startswith(ORIGINALS) and info.file_size > _LARGEST_ORIGINAL
            if info.flag_bits & _ENCRYPTED or swollen or large:
                yield f"{info.filename} would become {info.file_size:,} bytes and was not opened"

    def open(self, name: str) -> BinaryIO:
        """Open a file of it."""
        return cast("BinaryIO", self._bundle.open(name))

    def lines(self, name: str) -> Iterator[tuple[str, bytes]]:
        """Give the lines of a file, each with its place in words."""
        with closing(self.open(name)) as stream:
            number = 0
            while line := stream.readline(_LONGEST_LINE):
                number += 1
                where = f"line {number} of {name}"
                if not line.endswith(b"\n"):
                    raise InvalidDocument(f"{where} is cut off, or too long.")
                yield where, line


def verify(archive: BackupFolder | ExportFile) -> None:
    """Compare every file with what the manifest says of it. Raises what says which differ, and how."""
    flaws = [*archive.oddities()]
    flaws = flaws or [words for member in archive.manifest.members if (words := _difference(archive, member))]
    if flaws:
        more = f", and {len(flaws) - _MOST_SHOWN:,} more" if len(flaws) > _MOST_SHOWN else ""
        said = ", ".join(flaws[:_MOST_SHOWN]) + more
        raise archive.refusal(f"{archive.path} is not what was written: {said}. {archive.advice}")


def _difference(archive: BackupFolder | ExportFile, member: ArchivedFile) -> str:
    try:
        with archive.open(member.name) as file:
            found = measure(member.name, file, member.bytes)
    except FileNotFoundError:
        return f"{member.name} is missing"
    except OSError as error:
        return f"{member.name} cannot be read ({error.strerror or error})"
    if found.bytes != member.bytes:
        least = "more than " if found.bytes > member.bytes else ""
        has = member.bytes if least else found.bytes
        return f"{member.name} has {least}{has:,} bytes instead of {member.bytes:,}"
    if found.lines != member.lines:
        return f"{member.name} has {found.lines:,} lines instead of {member.lines:,}"
    return "" if found.sha256 == member.sha256 else f"{member.name} has another SHA-256"


def is_archive(path: Path) -> bool:
    """Tell whether a file is an export of ours, by its manifest; an encrypted file can be nothing else."""
    try:
        with path.open("rb") as source:
            if encryption.is_encrypted(source):
                return True
            with zipfile.ZipFile(source) as bundle, bundle.open(FILE) as member:
                return b'"recollect-' in member.read(_SMALL)
    except (OSError, *_DAMAGED):
        return False


@dataclass(frozen=True, slots=True)
class Archive:
    """An export that is open and was verified. `lines` counts the rows of each user and table."""

    path: Path
    manifest: Manifest
    lines: Mapping[tuple[str, str], int]
    _file: ExportFile

    def rows(self, table: TransferTable) -> Iterator[tuple[str, Row]]:
        """Give the rows of a table with their users."""
        name = member_of(table)
        for where, line in self._file.lines(name) if name in self.manifest.hashes else ():
            yield decode_row(line, table, where)

    def original(self, digest: str) -> bytes | None:
        """Give the bytes of a document, if they are in the archive."""
        try:
            with self._file.open(f"{ORIGINALS}{digest}") as stream:
                return stream.read()
        except KeyError:
            return None

    def secrets(self) -> dict[str, bytes]:
        """Give what the tombstones are keyed with."""
        return dict(decode_secret(line, where) for where, line in self._file.lines(SECRETS))

    def vectors(self) -> Iterator[ArchivedVector]:
        """Give all vectors."""
        if (space := self.manifest.space) is not None:
            yield from (decode_vector(line, where, space) for where, line in self._file.lines(VECTORS))


@contextmanager
def open_archive(path: Path, source: BinaryIO) -> Iterator[Archive]:
    """Verify an export that is open, and give what is in it. Raises InvalidDocument, which names the path."""
    with ExitStack() as stack:
        try:
            file = ExportFile(path, stack.enter_context(zipfile.ZipFile(source)))
            verify(file)
            archive = Archive(path, file.manifest, _check_lines(file, file.manifest), file)
        except InvalidInput:
            raise
        except _DAMAGED as error:
            raise InvalidDocument(f"{path} is a damaged archive ({error}). Nothing was brought.") from error
        except OSError as error:
            raise InvalidDocument(f"{path} cannot be read: {error.strerror or error}.") from error
        yield archive


def _check_lines(file: ExportFile, manifest: Manifest) -> Mapping[tuple[str, str], int]:
    """Check every line of every file; gives how many rows each user has in each table."""
    for user in manifest.users:
        try:
            owner_of(user)
        except InvalidInput as error:
            raise InvalidDocument(f"{file.path}: {error}") from error
    users, counts = frozenset(manifest.users), Counter[tuple[str, str]]()
    for name in manifest.hashes:
        if name in _TABLES:
            _check_table(file, _TABLES[name], users, counts)
    for where, line in file.lines(SECRETS):
        decode_secret(line, where)
    for where, line in file.lines(VECTORS) if VECTORS in manifest.hashes else ():
        if manifest.space is None or decode_vector(line, where, manifest.space).user not in users:
            raise InvalidDocument(f"{where} belongs to no space, or to no user.")
    return counts


def _check_table(
    file: ExportFile, table: TransferTable, users: frozenset[str], counts: Counter[tuple[str, str]]
) -> None:
    """Check each row, and that none comes twice."""
    before, later = None, dict[tuple[str, str], str]()
    for where, line in file.lines(member_of(table)):
        user, row = decode_row(line, table, where)
        place = (user, table.key_of(row))
        if user not in users or (before is not None and place <= before):
            raise InvalidDocument(f"{where} is out of order, or of a user the manifest leaves out.")
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
