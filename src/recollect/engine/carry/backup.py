"""Backups in a folder: found, due, and written: the database as it was at one moment, and every original of its rows.

An original is kept before its row is written, and discarded after its row is gone. So the originals of a copy are there
when the copy is, unless something was forgotten meanwhile; then the copy is made again.
"""

import hmac
import io
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from recollect import encryption
from recollect._version import __version__
from recollect.encryption import FileLock
from recollect.engine.base.context import Engine
from recollect.engine.carry import folders
from recollect.engine.carry.archive import BackupFolder
from recollect.engine.carry.manifest import FILE, ORIGINALS, ArchivedFile, DatabaseCopy, Manifest, measure
from recollect.errors import BackupDamaged, InvalidInput, NotFound, StoreReadOnly
from recollect.model.backups import Backup, BackupState, DatabaseFacts
from recollect.model.receipts import OlderBackup
from recollect.private_folders import make_private
from recollect.storage.base import BackupProgress

NAMES: Final = f"originals.json{encryption.SUFFIX}"  # which original is which file of an encrypted backup
_TRIES: Final = 5
_LATE: Final = 2  # intervals after which a backup is overdue


def described(backup: BackupFolder) -> Backup:
    """Describe a backup to a caller."""
    manifest, database = backup.manifest, backup.database
    return Backup(
        folder=str(backup.path),
        created_at=database.moment,
        version=database.made_by,
        backend=database.backend,
        schema_version=database.schema_version,
        users=database.tables["users"],
        tables=database.tables,
        originals=manifest.originals - manifest.missing,
        size_bytes=sum(member.bytes for member in manifest.members),
        encrypted=bool(manifest.encrypted_to),
        missing=manifest.missing,
    )


def backups_in(folder: Path, store: int | None = None) -> Iterator[BackupFolder]:
    """Give the backups in a folder, of one store or of all, newest first by their names. Damaged ones are left out."""
    for path in sorted(_candidates(folder), reverse=True):
        with suppress(NotFound, BackupDamaged):
            backup = BackupFolder(path)
            if store in (None, int(backup.database.store, 16)):
                yield backup


def _candidates(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []


def state(engine: Engine) -> BackupState | None:
    """Give the state of the backups that the settings ask for; None when they ask for none."""
    settings = engine.settings.backup
    if not settings.folder:
        return None
    folder = Path(settings.folder).expanduser().absolute()
    newest = next(backups_in(folder, engine.store.identity()), None)
    moment = newest.database.moment if newest else None
    late = moment is None or engine.clock.now() - moment > _LATE * timedelta(seconds=settings.every)
    return BackupState(str(folder), sum((path / FILE).is_file() for path in _candidates(folder)), moment, late)


def due_in(engine: Engine) -> timedelta:
    """Say how long it is until the next backup that the settings ask for; nothing when it is due."""
    now, found = engine.clock.now(), state(engine)
    newest: datetime | None = found.newest if found else None
    every = timedelta(seconds=engine.settings.backup.every)
    return max(timedelta(), newest + every - now) if newest and newest <= now else timedelta()


def advice(engine: Engine) -> str:
    """Say what to do about backups; empty when nothing is."""
    found = state(engine)
    if found is None or not found.overdue:
        return ""
    since = f"the newest is of {found.newest:%Y-%m-%d %H:%M} UTC" if found.newest else "there is none yet"
    return (
        f"A backup is overdue in {found.folder}: {since}. `recollect serve` writes them; its log says why one failed, "
        "and so does `recollect backup`."
    )


def older_than(engine: Engine, moment: datetime, folder: str | os.PathLike[str] | None) -> tuple[OlderBackup, ...]:
    """Name the backups of this store that were begun before a moment; without a folder, those of the settings."""
    place = (engine.settings.backup.folder or None) if folder is None else folder
    if place is None:
        return ()
    found = _oldest_first(Path(place).expanduser(), engine.store.identity())
    return tuple(OlderBackup(str(one.path), one.database.created_at) for one in found if one.database.moment <= moment)


def _oldest_first(folder: Path, store: int) -> list[BackupFolder]:
    return sorted(backups_in(folder, store), key=lambda backup: (backup.database.moment, backup.path.name))


@dataclass(frozen=True, slots=True)
class BackupRequest:
    """Where a backup goes to, how many to keep, and what it is encrypted with, if with anything.

    `scratch` is the folder in which a copy lies until it is encrypted: on the disk that holds the store anyway.
    """

    folder: Path
    scratch: Path
    keep: int | None = None
    encrypt_to: Sequence[str] = ()
    passphrase: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.keep is not None and self.keep < 1:
            raise InvalidInput(f"keep is {self.keep}; at least 1 backup is kept, the one being written.")


def back_up(engine: Engine, request: BackupRequest, tell: BackupProgress) -> Backup:
    """Write a backup, verify it, and let go of older ones."""
    with suppress(StoreReadOnly):
        engine.store.identity()  # chosen now, if the store has none yet
    with folders.explained("Writing the backup"):
        make_private(request.folder)
        previous = next(backups_in(request.folder), None)
        like = previous.path / previous.database.file if previous and previous.manifest.encrypted_to else None
        lock = encryption.lock_for(request.encrypt_to, request.passphrase, like=like)
        scratch = request.folder if lock is None else request.scratch
        if previous and previous.manifest.encrypted_to != (lock.public_keys if lock else ()):
            previous = None  # what other keys open is not taken over
        with folders.workspace(request.folder) as work, folders.workspace(scratch) as plain:
            writing = _Writing(engine, work, plain, lock, previous, tell)
            copied = writing.run()
            folder = folders.publish(work, request.folder, copied.folder)
        removed = [] if request.keep is None else _oldest_first(request.folder, int(copied.store, 16))[: -request.keep]
        for backup in removed:  # what only they held is gone from the disk then
            folders.remove(backup.path)
    gone = tuple(str(backup.path) for backup in removed)
    return replace(described(BackupFolder(folder)), reused=len(writing.reused), removed=gone)


@dataclass(slots=True)
class _Writing:
    """A backup while it is written: `work` becomes the backup, `plain` holds the copy until it is encrypted."""

    engine: Engine
    work: Path
    plain: Path
    lock: FileLock | None
    previous: BackupFolder | None  # one whose originals can be taken over
    tell: BackupProgress
    stored: dict[str, str] = field(default_factory=dict)  # the path of each original in the backup
    reused: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)

    def run(self) -> DatabaseCopy:
        """Write everything but the name of the folder."""
        backend = self.engine.store.backend
        copy = self.plain / ("database.sqlite" if backend == "sqlite" else "database.dump")
        for _ in range(_TRIES):
            copy.unlink(missing_ok=True)
            began = self.engine.clock.now()
            facts = self.engine.store.copy_database(str(copy), self.tell)
            self._take_originals(facts)
            if self.missing <= self.engine.store.known_originals(sorted(self.missing)):
                break  # what is missing was lost, not forgotten meanwhile
        database = DatabaseCopy(
            file=self._put_database(copy),
            created_at=began.isoformat(),
            made_by=__version__,
            backend=backend,
            schema_version=facts.schema_version,
            store=f"{facts.identity:08x}",
            tables=dict(facts.tables),
        )
        keys = self.lock.public_keys if self.lock else ()
        manifest = Manifest(self._members(), len(facts.originals), encrypted_to=keys, database=database)
        with folders.new_file(self.work / FILE) as file:
            file.write(manifest.encode())
        folders.settle_tree(self.work)
        return database

    def _take_originals(self, facts: DatabaseFacts) -> None:
        """Bring the originals of a copy into the backup, and no others."""
        for name in self.stored.keys() - set(facts.originals):
            (self.work / self.stored.pop(name)).unlink()
            self.reused.discard(name)
        self.missing.clear()
        for number, name in enumerate(facts.originals, 1):
            if name not in self.stored:
                self._take(name, facts)
            self.tell("Copying originals", number, len(facts.originals))

    def _take(self, name: str, facts: DatabaseFacts) -> None:
        path = f"{ORIGINALS}{name}"
        if self.lock:
            hidden = hmac.digest(facts.names_key, name.encode(), "sha256").hex()
            path = f"{ORIGINALS}{hidden[:2]}/{hidden}{encryption.SUFFIX}"
        if self._link(path):
            self.reused.add(name)
        else:
            try:
                data = self.engine.originals.original(name)
            except NotFound:
                self.missing.add(name)
                return
            self._write(self.work / path, io.BytesIO(data))
        self.stored[name] = path

    def _link(self, path: str) -> bool:
        """Take a file over from the backup before, if it is there and still what was written."""
        if self.previous is None or path not in self.previous.manifest.hashes:
            return False
        target = self.work / path
        with suppress(OSError):
            folders.link_or_copy(self.previous.path / path, target)
            if folders.sha256_of(target) == self.previous.manifest.hashes[path]:
                return True
        target.unlink(missing_ok=True)
        return False

    def _write(self, target: Path, source: io.IOBase) -> None:
        with folders.new_file(target) as file:
            if self.lock:
                encryption.encrypt(source, file, self.lock)  # type: ignore[arg-type]
            else:
                file.write(source.read())

    def _put_database(self, copy: Path) -> str:
        """Move the copy into the backup, or encrypt it there."""
        if self.lock is None:
            folders.settle_file(copy)
            os.rename(copy, self.work / copy.name)  # noqa: PTH104 - in one folder, so never a copy
            return copy.name
        name = f"{copy.name}{encryption.SUFFIX}"
        self.tell("Encrypting the database", 0, 1)
        with copy.open("rb") as source:
            self._write(self.work / name, source)
        names = {path: original for original, path in self.stored.items()}
        self._write(self.work / NAMES, io.BytesIO(json.dumps(names).encode()))
        self.tell("Encrypting the database", 1, 1)
        return name

    def _members(self) -> tuple[ArchivedFile, ...]:
        """Read every file back from the disk."""
        paths = sorted(path for path in self.work.rglob("*") if path.is_file())
        members = []
        for number, path in enumerate(paths, 1):
            with path.open("rb") as file:
                members.append(measure(path.relative_to(self.work).as_posix(), file))
            self.tell("Verifying", number, len(paths))
        return tuple(members)
