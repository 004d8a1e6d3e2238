"""`manifest.json` of a backup: what it holds and the hash of every file, never content.

A folder is a backup if its manifest can be read. The folder gets its name only when everything in it is on the disk.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from recollect.engine.carry import folders
from recollect.errors import BackupDamaged, NotFound
from recollect.model.backups import Backup

FORMAT: Final = 1
FILE: Final = "manifest.json"
ORIGINALS: Final = "originals"
_NAME = "%Y%m%dT%H%M%SZ"
_STORE = re.compile(r"[0-9a-f]{1,16}")
_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A file of a backup, by its path in it."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """What a backup says of itself. `encrypted_to` are the public keys, none for a backup that is not encrypted.

    `originals` counts the documents it should have, `missing` those that could not be found.
    """

    created_at: str
    version: str
    backend: str
    schema_version: int
    store: str
    users: int
    tables: Mapping[str, int]
    originals: int
    missing: int
    database: str
    encrypted_to: tuple[str, ...] = ()
    files: tuple[BackupFile, ...] = field(default=(), repr=False)
    format: int = FORMAT

    @property
    def moment(self) -> datetime:
        """When the copy of the database began."""
        return datetime.fromisoformat(self.created_at)

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.moment.astimezone(UTC).strftime(_NAME)

    @property
    def hashes(self) -> dict[str, str]:
        """The hash of each file, by its path."""
        return {file.path: file.sha256 for file in self.files}


@dataclass(frozen=True, slots=True)
class FoundBackup:
    """A backup in a folder."""

    folder: Path
    manifest: BackupManifest

    def described(self) -> Backup:
        """Describe it to a caller."""
        manifest = self.manifest
        return Backup(
            folder=str(self.folder),
            created_at=manifest.moment,
            version=manifest.version,
            backend=manifest.backend,
            schema_version=manifest.schema_version,
            users=manifest.users,
            tables=manifest.tables,
            originals=manifest.originals - manifest.missing,
            size_bytes=sum(file.size for file in manifest.files),
            encrypted=bool(manifest.encrypted_to),
            missing=manifest.missing,
        )


def write(folder: Path, manifest: BackupManifest) -> None:
    """Write the manifest, with a checksum of its own."""
    content = asdict(manifest)
    with folders.new_file(folder / FILE) as file:
        file.write(json.dumps({**content, "checksum": _checksum(content)}, indent=1, sort_keys=True).encode() + b"\n")


def _checksum(content: Mapping[str, Any]) -> str:
    return sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read(folder: Path) -> BackupManifest:
    """Read the manifest of a backup. Raises NotFound, or BackupDamaged."""
    path = folder / FILE
    try:
        content = json.loads(path.read_bytes())
        said = content.pop("checksum")
        format_ = int(content["format"])
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(f"{folder} is not a backup: it has no {FILE}.") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupDamaged(f"{path} cannot be read ({type(error).__name__}: {error}).") from error
    if format_ > FORMAT:
        raise BackupDamaged(f"{folder} has format {format_}; this version of recollect knows {FORMAT}. Upgrade it.")
    if said != _checksum(content):
        raise BackupDamaged(f"{path} was changed: its checksum does not fit.")
    try:
        files = tuple(BackupFile(**file) for file in content.pop("files"))
        keys = tuple(content.pop("encrypted_to"))
        manifest = BackupManifest(**content, encrypted_to=keys, files=files)
    except (KeyError, TypeError) as error:
        raise BackupDamaged(f"{path} lacks something: {error}.") from error
    if not _STORE.fullmatch(manifest.store) or manifest.database not in manifest.hashes:
        raise BackupDamaged(f"{path} names a store or a database in a way that none is called.")
    return manifest


def list_backups(folder: Path, store: int | None = None) -> list[FoundBackup]:
    """Give the whole backups in a folder, oldest first; those of one store, or of all. Damaged ones are left out."""
    found = []
    for path in _candidates(folder):
        try:
            manifest = read(path)
        except (NotFound, BackupDamaged):
            continue
        if store in (None, int(manifest.store, 16)):
            found.append(FoundBackup(path, manifest))
    return sorted(found, key=lambda backup: (backup.manifest.moment, backup.folder.name))


def newest(folder: Path, store: int | None = None) -> FoundBackup | None:
    """Give the newest whole backup in a folder, of one store or of all, by the names of the folders."""
    for path in sorted(_candidates(folder), reverse=True):
        try:
            manifest = read(path)
        except (NotFound, BackupDamaged):
            continue
        if store in (None, int(manifest.store, 16)):
            return FoundBackup(path, manifest)
    return None


def count(folder: Path) -> int:
    """Count the backups in a folder."""
    return sum((path / FILE).is_file() for path in _candidates(folder))


def _candidates(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []


def insist_whole(folder: Path, manifest: BackupManifest) -> None:
    """Compare every file with its hash. Raises BackupDamaged and says what differs."""
    differences = [words for file in manifest.files if (words := _difference(folder, file))]
    if differences:
        raise BackupDamaged(f"{folder} is not what was written: {enumerated(differences)}. Use another backup.")


def _difference(folder: Path, file: BackupFile) -> str:
    path = folder / file.path
    if ".." in path.parts or path.is_symlink() or not path.resolve().is_relative_to(folder.resolve()):
        return f"{file.path} lies outside"
    try:
        size = path.stat().st_size
        if size != file.size:
            return f"{file.path} has {size:,} bytes instead of {file.size:,}"
        return "" if folders.sha256_of(path) == file.sha256 else f"{file.path} has another SHA-256"
    except FileNotFoundError:
        return f"{file.path} is missing"
    except OSError as error:
        return f"{file.path} cannot be read ({error.strerror})"


def enumerated(words: Sequence[str]) -> str:
    """Name a few, and say how many more there are."""
    more = f", and {len(words) - _MOST_SHOWN:,} more" if len(words) > _MOST_SHOWN else ""
    return ", ".join(words[:_MOST_SHOWN]) + more
