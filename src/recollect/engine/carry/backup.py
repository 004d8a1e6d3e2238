"""Writes a backup: the database as it was at one moment, and every original that its rows refer to.

An original is kept before its row is written, and discarded after its row is gone. So the originals of a copy are there
when the copy is, unless something was forgotten meanwhile; then the copy is made again.
"""

import hmac
import io
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from recollect import encryption
from recollect._version import __version__
from recollect.encryption import FileLock
from recollect.engine.base.context import Engine
from recollect.engine.carry import folders, manifest
from recollect.engine.carry.manifest import ORIGINALS, BackupFile, BackupManifest, FoundBackup
from recollect.errors import InvalidInput, NotFound, StoreReadOnly
from recollect.model.backups import Backup, DatabaseFacts
from recollect.ports import BackupProgress
from recollect.private_folders import make_private

NAMES: Final = f"originals.json{encryption.SUFFIX}"  # which original is which file of an encrypted backup
_TRIES = 5


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
        if self.encrypt_to and self.passphrase:
            raise InvalidInput("A backup is encrypted to keys or with a passphrase, not both.")


def back_up(engine: Engine, request: BackupRequest, tell: BackupProgress) -> Backup:
    """Write a backup, verify it, and let go of older ones."""
    with suppress(StoreReadOnly):
        engine.store.identity()  # chosen now, if the store has none yet
    with folders.explained("Writing the backup"):
        make_private(request.folder)
        previous = manifest.newest(request.folder)
        lock = _lock(request, previous)
        scratch = request.folder if lock is None else request.scratch
        with folders.workspace(request.folder) as work, folders.workspace(scratch) as plain:
            writing = _Writing(engine, work, plain, lock, *_reusable(previous, lock), tell)
            written = writing.run()
            folder = folders.publish(work, request.folder, written.name)
        removed = _prune(request.folder, int(written.store, 16), request.keep)
    found = FoundBackup(folder, written).described()
    return replace(found, reused=len(writing.reused), removed=tuple(map(str, removed)))


def _lock(request: BackupRequest, previous: FoundBackup | None) -> FileLock | None:
    if request.encrypt_to:
        return encryption.lock_to(request.encrypt_to)
    if not request.passphrase:
        return None
    if previous is None or not previous.manifest.encrypted_to:
        return encryption.lock_with(request.passphrase)
    with (previous.folder / previous.manifest.database).open("rb") as file:
        return encryption.lock_with(request.passphrase, like=file)


def _reusable(previous: FoundBackup | None, lock: FileLock | None) -> tuple[Path, Mapping[str, str]]:
    """Give the backup whose originals can be linked to, one that the same keys open, and the hashes of its files."""
    keys = lock.public_keys if lock else ()
    if previous is None or previous.manifest.encrypted_to != keys:
        return Path(), {}
    return previous.folder, previous.manifest.hashes


def _prune(folder: Path, store: int, keep: int | None) -> list[Path]:
    """Remove the oldest backups of a store. What only they held is gone from the disk then."""
    if keep is None:
        return []
    doomed = [found.folder for found in manifest.list_backups(folder, store)[:-keep]]
    for path in doomed:
        folders.remove(path)
    return doomed


@dataclass(slots=True)
class _Writing:
    """A backup while it is written: `work` becomes the backup, `plain` holds the copy until it is encrypted."""

    engine: Engine
    work: Path
    plain: Path
    lock: FileLock | None
    previous: Path
    hashes: Mapping[str, str]  # of the files of the backup before that can be taken over
    tell: BackupProgress
    stored: dict[str, str] = field(default_factory=dict)  # the path of each original in the backup
    reused: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)

    def run(self) -> BackupManifest:
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
        database = self._put_database(copy)
        listed = BackupManifest(
            created_at=began.isoformat(),
            version=__version__,
            backend=backend,
            schema_version=facts.schema_version,
            store=f"{facts.identity:08x}",
            users=facts.users,
            tables=dict(facts.tables),
            originals=len(facts.originals),
            missing=len(self.missing),
            database=database,
            encrypted_to=self.lock.public_keys if self.lock else (),
        )
        listed = replace(listed, files=self._hashed())
        manifest.write(self.work, listed)
        folders.settle_tree(self.work)
        return listed

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
        path = f"{ORIGINALS}/{name}"
        if self.lock:
            hidden = hmac.digest(facts.names_key, name.encode(), "sha256").hex()
            path = f"{ORIGINALS}/{hidden[:2]}/{hidden}{encryption.SUFFIX}"
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
        if path not in self.hashes:
            return False
        target = self.work / path
        with suppress(OSError):
            folders.link_or_copy(self.previous / path, target)
            if folders.sha256_of(target) == self.hashes[path]:
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

    def _hashed(self) -> tuple[BackupFile, ...]:
        """Read every file back from the disk."""
        paths = sorted(path for path in self.work.rglob("*") if path.is_file())
        files = []
        for number, path in enumerate(paths, 1):
            name = path.relative_to(self.work).as_posix()
            files.append(BackupFile(name, path.stat().st_size, folders.sha256_of(path)))
            self.tell("Verifying", number, len(paths))
        return tuple(files)
