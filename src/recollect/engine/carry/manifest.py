"""`manifest.json` of an archive: what lies in it, and the size and hash of every file; no content of memories.

An export and a backup have the same one: an export is a zip file with the rows of users, a backup a folder with a copy
of a database. An archive is one if its manifest can be read, so it is written last.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from hashlib import sha256
from typing import IO, Any, Final

from recollect.errors import RecollectError
from recollect.model.memories import Space

FILE: Final = "manifest.json"
FORMAT: Final = "recollect-archive"
VERSION: Final = 5
ORIGINALS: Final = "originals/"
_OF_EXPORTS: Final = "recollect-export"  # to version 4
_OF_BACKUPS: Final = 1  # how backups of before version 5 call their format
_NAME: Final = "%Y%m%dT%H%M%SZ"
_STORE: Final = re.compile(r"[0-9a-f]{1,16}")
_LONGEST_NAME: Final = 256
_MOST_DIMENSIONS: Final = 16_000  # that pgvector takes
_PIECE: Final = 2**20


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


def decode(data: bytes, where: str, refusal: type[RecollectError]) -> Manifest:
    """Read a manifest, also one of before. Raises what it is told to, and says what is wrong with which."""
    try:
        return _decoded(json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise refusal(f"{FILE} in {where} cannot be used: {error}.") from error


def _decoded(content: dict[str, Any]) -> Manifest:
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
    if copy and not (_STORE.fullmatch(copy.store) and copy.file in manifest.hashes and isinstance(copy.tables, dict)):
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
