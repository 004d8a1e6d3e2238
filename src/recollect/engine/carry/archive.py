"""An archive that is open, in a folder or in a zip file: its manifest, and the one verifier of what lies in it.

An export and a backup have the same `manifest.json`: what lies in the archive, and the size and hash of every file; no
content of memories. An export is a zip file with the rows of users, a backup a folder with a copy of a database. An
archive is one if its manifest can be read, so it is written last.

The invariant: nothing of an archive is used before all of it was verified, nothing but a file of its manifest is
opened, a zip file is never unpacked onto the disk, and no more than one line or one original of it is in memory.
"""

import json
import lzma
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, cast

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
from recollect.errors import BackupDamaged, InvalidDocument, InvalidInput, NotFound, RecollectError
from recollect.model.memories import Space
from recollect.storage.base.tables import MEMORIES, SEARCH_LOG, TRANSFERRED, Row, TransferTable

FILE: Final = "manifest.json"
FORMAT: Final = "recollect-archive"
VERSION: Final = 5
ORIGINALS: Final = "originals/"
_OF_EXPORTS: Final = "recollect-export"  # to version 4
_OF_BACKUPS: Final = 1  # how backups of before version 5 call their format
_NAME: Final = "%Y%m%dT%H%M%SZ"
_STORE_NUMBER: Final = re.compile(r"[0-9a-f]{1,16}")
_LONGEST_NAME: Final = 256
_MOST_DIMENSIONS: Final = 16_000  # that pgvector takes
_PIECE: Final = 2**20
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


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """A file of an archive, by its name in it. `lines` are those of a file with rows."""

    name: str
    bytes: int
    sha256: str
    lines: int = 0


@dataclass(frozen=True, slots=True)
class DatabaseCopy:
    """The database that a backup holds: which file it is, of what, and with how many rows in each table."""

    file: str
    created_at: str
    made_by: str
    backend: str
    schema_version: int
    store: str
    tables: Mapping[str, int]

    @property
    def moment(self) -> datetime:
        """When the copy began."""
        return datetime.fromisoformat(self.created_at)

    @property
    def folder(self) -> str:
        """The name of the backup's folder."""
        return self.moment.astimezone(UTC).strftime(_NAME)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive says of itself. With a `database` it is a backup, otherwise it holds rows of `users`.

    `originals` counts the documents and media that it should have. `space` is that of the vectors, `passages` the
    version of the passages that long texts have vectors of; 0 where some have none. `encrypted_to` are the public keys
    that its files are encrypted to, each by itself; none where they are not.
    """

    members: tuple[ArchivedFile, ...]
    originals: int = 0
    users: tuple[str, ...] = ()
    space: Space | None = None
    passages: int = 0
    encrypted_to: tuple[str, ...] = ()
    database: DatabaseCopy | None = None
    version: int = VERSION

    @property
    def hashes(self) -> dict[str, str]:
        """The hash of each file."""
        return {member.name: member.sha256 for member in self.members}

    @property
    def missing(self) -> int:
        """How many originals were gone when it was made."""
        return self.originals - sum(member.name.startswith(ORIGINALS) for member in self.members)

    def encode(self) -> bytes:
        """Write it, with a checksum of its own. Equal ones give equal bytes."""
        content = {**asdict(self), "format": FORMAT}
        said = {**content, "checksum": _checksum(content)}
        return json.dumps(said, ensure_ascii=False, sort_keys=True, indent=1).encode() + b"\n"


def measure(name: str, file: IO[bytes], most: int | None = None) -> ArchivedFile:
    """Read a file to its end, or until it has more bytes than it should."""
    digest, size, lines = sha256(), 0, 0
    while (most is None or size <= most) and (data := file.read(_PIECE)):
        digest.update(data)
        size += len(data)
        lines += data.count(b"\n") if name.endswith(".jsonl") else 0
    return ArchivedFile(name, size, digest.hexdigest(), lines)


def _checksum(content: Mapping[str, Any]) -> str:
    return sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_manifest(data: bytes, where: str, refusal: type[RecollectError]) -> Manifest:
    """Read a manifest, also one of before. Raises what it is told to, and says what is wrong with which."""
    try:
        return _checked_manifest(json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise refusal(f"{FILE} in {where} cannot be used: {error}.") from error


def _checked_manifest(content: dict[str, Any]) -> Manifest:
    said, format_, version = content.pop("checksum", ""), content["format"], content.get("version")
    if format_ not in (FORMAT, _OF_EXPORTS, _OF_BACKUPS):
        raise ValueError("it is of no archive of Recollect")
    if format_ != _OF_BACKUPS and version not in range(1, VERSION + 1):
        raise ValueError(
            f"it has version {str(version)[:20]} of the format, this program reads up to {VERSION}: upgrade Recollect"
        )
    if format_ != _OF_EXPORTS and said != _checksum(content):
        raise ValueError("it was changed, and its checksum does not fit")
    del content["format"]
    content = {_OF_EXPORTS: _of_export, _OF_BACKUPS: _of_backup}.get(format_, dict)(content)
    copy = None if content["database"] is None else _made(DatabaseCopy, content["database"])
    space = None if content["space"] is None else read_space(content["space"])
    members = tuple(_made(ArchivedFile, one) for one in content["members"])
    users, keys = tuple(content["users"]), tuple(content["encrypted_to"])
    if not all(isinstance(text, str) for text in (*users, *keys)):
        raise TypeError("users and keys are texts")
    made = {"members": members, "users": users, "encrypted_to": keys, "space": space, "database": copy}
    manifest: Manifest = _made(Manifest, {**content, **made})
    if copy and not (
        _STORE_NUMBER.fullmatch(copy.store) and copy.file in manifest.hashes and isinstance(copy.tables, dict)
    ):
        raise ValueError("it names a store or a database in a way that none is called")
    return manifest


def _made(kind: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a value class, and one of its values
    """Make a value, whose plain fields are of the types that they should be. Raises TypeError."""
    for one in fields(kind):
        if one.type in (int, str, bool) and type(values[one.name]) is not one.type:
            raise TypeError(f"{one.name} is {ascii(values[one.name])[:60]}")
    return kind(**values)


def read_space(values: Mapping[str, Any]) -> Space:
    """Read the space of vectors. Raises ValueError, KeyError or TypeError."""
    space: Space = _made(Space, values)
    if not 0 < space.dimensions <= _MOST_DIMENSIONS or any(len(str(one)) > _LONGEST_NAME for one in values.values()):
        raise ValueError("it has no space that vectors could be of")
    return space


def _of_export(content: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the manifest of an export said to version 4, whose space stood in a file of its own."""
    kept = sum(one["name"].startswith(ORIGINALS) for one in content["members"])
    return {
        **asdict(Manifest(())),
        **{name: content[name] for name in ("version", "users", "members")},
        "passages": content.get("passages", 0),
        "originals": kept + len(content.get("missing_originals", ())),
    }


def _of_backup(content: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the manifest of a backup said before version 5."""
    copied = ("created_at", "backend", "schema_version", "store", "tables")
    return {
        **asdict(Manifest(())),
        **{name: content[name] for name in ("originals", "encrypted_to")},
        "version": VERSION - 1,
        "members": [
            {"name": one["path"], "bytes": one["size"], "sha256": one["sha256"], "lines": 0} for one in content["files"]
        ],
        "database": {name: content[name] for name in copied}
        | {"file": content["database"], "made_by": content["version"]},
    }


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
        manifest = read_manifest(data, str(path), BackupDamaged)
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
    """An export: an archive whose files lie in a zip file. `counts` are the rows of users and tables, once checked."""

    refusal: Final = InvalidDocument
    advice: Final = "Nothing was brought."

    def __init__(self, path: Path, bundle: zipfile.ZipFile) -> None:
        """Read its manifest. Raises InvalidDocument."""
        self.path, self._bundle = path, bundle
        self.counts: Mapping[tuple[str, str], int] = {}
        try:
            info = bundle.getinfo(FILE)
        except KeyError as error:
            raise InvalidDocument(f"{path} has no {FILE}: it is no export of Recollect.") from error
        if info.file_size > _LARGEST_MANIFEST:
            raise InvalidDocument(f"{path} has a manifest of {info.file_size:,} bytes. It was not opened.")
        self.manifest = read_manifest(bundle.read(info), str(path), InvalidDocument)
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

    def rows(self, table: TransferTable) -> Iterator[tuple[str, Row]]:
        """Give the rows of a table with their users."""
        name = member_of(table)
        for where, line in self.lines(name) if name in self.manifest.hashes else ():
            yield decode_row(line, table, where)

    def original(self, digest: str) -> bytes | None:
        """Give the bytes of a document, if they are in the archive."""
        try:
            with self.open(f"{ORIGINALS}{digest}") as stream:
                return stream.read()
        except KeyError:
            return None

    def secrets(self) -> dict[str, bytes]:
        """Give what the tombstones are keyed with."""
        return dict(decode_secret(line, where) for where, line in self.lines(SECRETS))

    def vectors(self) -> Iterator[ArchivedVector]:
        """Give all vectors."""
        if (space := self.manifest.space) is not None:
            yield from (decode_vector(line, where, space) for where, line in self.lines(VECTORS))


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


@contextmanager
def open_archive(path: Path, source: BinaryIO) -> Iterator[ExportFile]:
    """Verify an export that is open, and give what is in it. Raises InvalidDocument, which names the path."""
    with ExitStack() as stack:
        try:
            file = ExportFile(path, stack.enter_context(zipfile.ZipFile(source)))
            verify(file)
            file.counts = _check_lines(file, file.manifest)
        except InvalidInput:
            raise
        except _DAMAGED as error:
            raise InvalidDocument(f"{path} is a damaged archive ({error}). Nothing was brought.") from error
        except OSError as error:
            raise InvalidDocument(f"{path} cannot be read: {error.strerror or error}.") from error
        yield file


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
