"""Backups in a folder: found, due, written, checked, and restored to where nothing is yet.

A backup is the database as it was at one moment, and every original of its rows. An original is kept before its row is
written, and discarded after its row is gone. So the originals of a copy are there when the copy is, unless something
was forgotten meanwhile; then the copy is made again. What is restored is verified before and after, and there only when
it is whole.
"""

import hmac
import io
import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from recollect import encryption
from recollect._version import __version__
from recollect.encryption import FileKey, FileLock
from recollect.engine.base.context import Engine
from recollect.engine.carry import folders
from recollect.engine.carry.archive import (
    FILE,
    ORIGINALS,
    ArchivedFile,
    BackupFolder,
    DatabaseCopy,
    Manifest,
    measure,
    verify,
)
from recollect.errors import BackupDamaged, InvalidInput, NotFound, StoreReadOnly
from recollect.model.backups import Backup, BackupState, DatabaseFacts, Restored
from recollect.model.receipts import OlderBackup
from recollect.private_folders import make_private, settle
from recollect.storage.base import DatabaseRestorer, StepListener

NAMES: Final = f"originals.json{encryption.SUFFIX}"  # which original is which file of an encrypted backup
_TRIES: Final = 5
_LATE: Final = 2  # intervals after which a backup is overdue
_ORIGINAL_NAME: Final = re.compile(r"[0-9a-f]{16}/[0-9a-f]{2}/[0-9a-f]{64}")


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


def back_up(engine: Engine, request: BackupRequest, tell: StepListener) -> Backup:
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
    tell: StepListener
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
            copy.chmod(0o600)  # for its owner only, and durable
            with copy.open("rb+") as file:
                os.fsync(file.fileno())
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


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """Where a backup comes from and goes to.

    `originals` is the folder of all stores' originals, None when none are kept; `scratch` one on the disk of the new
    database.
    """

    backup: Path
    restorer: DatabaseRestorer
    originals: Path | None
    scratch: Path
    key: FileKey


def find(folder: Path) -> BackupFolder:
    """Give a backup, or the newest one in a folder of backups. Raises NotFound."""
    newest = None if (folder / FILE).exists() else next(backups_in(folder), None)
    return newest or BackupFolder(folder)


def check(folder: Path) -> Backup:
    """Compare every file of a backup with its hash. Raises BackupDamaged."""
    found = find(folder)
    verify(found)
    return described(found)


def restore(plan: RestorePlan, tell: StepListener) -> Restored:
    """Verify a backup, and put its originals and then its database in place."""
    found = find(plan.backup)
    if found.database.backend != plan.restorer.backend:
        raise InvalidInput(
            f"{found.path} holds a {found.database.backend} database; the place to restore to is "
            f"{plan.restorer.backend}. To move between the two, restore to the same kind and use `recollect export` "
            "and `recollect import`."
        )
    originals = plan.originals / found.database.store if plan.originals else None
    plan.restorer.insist_empty()
    if originals is not None and originals.is_dir() and any(originals.iterdir()):
        raise InvalidInput(f"{originals} holds originals already. A backup is restored to where nothing is: move it.")
    tell("Verifying the backup", 0, 1)
    verify(found)
    tell("Verifying the backup", 1, 1)
    with folders.explained("Restoring"):
        make_private(plan.scratch)
        notes = _put_in_place(plan, found, originals, tell)
    location = plan.restorer.location()
    return Restored(described(found), location, str(originals) if originals else "", tuple(notes))


def _put_in_place(plan: RestorePlan, found: BackupFolder, originals: Path | None, tell: StepListener) -> list[str]:
    manifest, notes = found.manifest, []
    with folders.workspace(plan.scratch) as work:
        copy = work / "database"
        _bring(found, found.database.file, copy, plan.key)
        if originals is not None:
            _restore_originals(found, originals, plan.key, tell)
        elif manifest.originals:
            notes.append("the originals of documents stay in the backup: files.originals is off")
        with ExitStack() as undo:
            if originals is not None:
                undo.callback(shutil.rmtree, originals, ignore_errors=True)
            plan.restorer.restore(str(copy), found.database.tables, tell)
            settle(plan.scratch)
            undo.pop_all()
    if manifest.missing:
        notes.append(f"{manifest.missing} original(s) were missing already when the backup was made")
    return notes


def _bring(found: BackupFolder, name: str, target: Path, key: FileKey) -> None:
    """Copy a file out of the backup, decrypted if need be."""
    source = found.path / name
    if not found.manifest.encrypted_to:
        folders.copy_file(source, target)
        return
    with source.open("rb") as reading, folders.new_file(target) as writing:
        encryption.decrypt(reading, writing, key)


def _restore_originals(found: BackupFolder, originals: Path, key: FileKey, tell: StepListener) -> None:
    """Bring all originals aside, and give their folder its name when it has all of them."""
    manifest, names = found.manifest, _original_names(found, key)
    if not all(map(_ORIGINAL_NAME.fullmatch, names.values())):
        raise BackupDamaged("The backup names an original in a way that no original is called.")
    if len(names) != manifest.originals - manifest.missing or not names.keys() <= manifest.hashes.keys():
        raise BackupDamaged(
            f"The backup has {len(names)} originals instead of {manifest.originals - manifest.missing}."
        )
    if not names:
        return
    make_private(originals.parent)
    with folders.workspace(originals.parent) as work:
        for number, (path, name) in enumerate(sorted(names.items()), 1):
            target = work / name
            _bring(found, path, target, key)
            if folders.sha256_of(target) != target.name:
                raise BackupDamaged(f"The original {name} is not what was kept: its SHA-256 is another.")
            tell("Restoring originals", number, len(names))
        folders.settle_tree(work)
        with suppress(OSError):
            originals.rmdir()  # an empty one
        work.rename(originals)
        settle(originals.parent)


def _original_names(found: BackupFolder, key: FileKey) -> dict[str, str]:
    """Say which file of the backup is which original."""
    if not found.manifest.encrypted_to:
        stored = [name for name in found.manifest.hashes if name.startswith(ORIGINALS)]
        return {name: name.removeprefix(ORIGINALS) for name in stored}
    plain = io.BytesIO()
    with (found.path / NAMES).open("rb") as file:
        encryption.decrypt(file, plain, key)
    names: dict[str, str] = json.loads(plain.getvalue())
    return names
