"""Restores a backup to where nothing is yet: verified before, verified after, and there only when it is whole."""

import json
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

from recollect import encryption
from recollect.encryption import FileKey
from recollect.engine.carry import folders, manifest
from recollect.engine.carry.backup import NAMES
from recollect.engine.carry.manifest import ORIGINALS, BackupManifest, FoundBackup
from recollect.errors import BackupDamaged, InvalidInput
from recollect.model.backups import Backup, Restored
from recollect.ports import BackupProgress, DatabaseRestorer
from recollect.private_folders import make_private, settle

_ORIGINAL: Final = re.compile(r"[0-9a-f]{16}/[0-9a-f]{2}/[0-9a-f]{64}")


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


def find(folder: Path) -> FoundBackup:
    """Give a backup, or the newest one in a folder of backups. Raises NotFound."""
    if not (folder / manifest.FILE).exists():
        newest = manifest.newest(folder)
        if newest is not None:
            return newest
    return FoundBackup(folder, manifest.read(folder))


def check(folder: Path) -> Backup:
    """Compare every file of a backup with its hash. Raises BackupDamaged."""
    found = find(folder)
    manifest.insist_whole(found.folder, found.manifest)
    return found.described()


def restore(plan: RestorePlan, tell: BackupProgress) -> Restored:
    """Verify a backup, and put its originals and then its database in place."""
    found = find(plan.backup)
    listed = found.manifest
    if listed.backend != plan.restorer.backend:
        raise InvalidInput(
            f"{found.folder} holds a {listed.backend} database; the place to restore to is {plan.restorer.backend}. "
            "To move between the two, restore to the same kind and use `recollect export` and `recollect import`."
        )
    originals = plan.originals / listed.store if plan.originals else None
    plan.restorer.insist_empty()
    if originals is not None and originals.is_dir() and any(originals.iterdir()):
        raise InvalidInput(f"{originals} holds originals already. A backup is restored to where nothing is: move it.")
    tell("Verifying the backup", 0, 1)
    manifest.insist_whole(found.folder, listed)
    tell("Verifying the backup", 1, 1)
    with folders.explained("Restoring"):
        make_private(plan.scratch)
        notes = _put_in_place(plan, found, originals, tell)
    location = plan.restorer.location()
    return Restored(found.described(), location, str(originals) if originals else "", tuple(notes))


def _put_in_place(plan: RestorePlan, found: FoundBackup, originals: Path | None, tell: BackupProgress) -> list[str]:
    listed, notes = found.manifest, []
    with folders.workspace(plan.scratch) as work:
        copy = work / "database"
        _bring(found.folder / listed.database, copy, listed, plan.key)
        if originals is None:
            if listed.originals:
                notes.append("the originals of documents stay in the backup: files.originals is off")
        else:
            _restore_originals(plan, found, originals, tell)
        try:
            plan.restorer.restore(str(copy), listed.tables, tell)
            settle(plan.scratch)
        except BaseException:
            if originals is not None:
                shutil.rmtree(originals, ignore_errors=True)
            raise
    if listed.missing:
        notes.append(f"{listed.missing} original(s) were missing already when the backup was made")
    return notes


def _bring(source: Path, target: Path, listed: BackupManifest, key: FileKey) -> None:
    """Copy a file out of the backup, decrypted if need be."""
    if not listed.encrypted_to:
        folders.copy_file(source, target)
        return
    with source.open("rb") as reading, folders.new_file(target) as writing:
        encryption.decrypt(reading, writing, key)


def _restore_originals(plan: RestorePlan, found: FoundBackup, originals: Path, tell: BackupProgress) -> None:
    """Bring all originals aside, and give their folder its name when it has all of them."""
    listed = found.manifest
    names = _names(found, plan.key)
    if not all(map(_ORIGINAL.fullmatch, names.values())):
        raise BackupDamaged("The backup names an original in a way that no original is called.")
    if not names:
        return
    make_private(originals.parent)
    with folders.workspace(originals.parent) as work:
        for number, (path, name) in enumerate(sorted(names.items()), 1):
            target = work / name
            _bring(found.folder / path, target, listed, plan.key)
            if folders.sha256_of(target) != target.name:
                raise BackupDamaged(f"The original {name} is not what was kept: its SHA-256 is another.")
            tell("Restoring originals", number, len(names))
        if len(names) != listed.originals - listed.missing:
            raise BackupDamaged(
                f"The backup has {len(names)} originals instead of {listed.originals - listed.missing}."
            )
        folders.settle_tree(work)
        with suppress(OSError):
            originals.rmdir()  # an empty one
        work.rename(originals)
        settle(originals.parent)


def _names(found: FoundBackup, key: FileKey) -> dict[str, str]:
    """Say which file of the backup is which original."""
    listed = found.manifest
    if not listed.encrypted_to:
        stored = [file.path for file in listed.files if file.path.startswith(f"{ORIGINALS}/")]
        return {path: path.removeprefix(f"{ORIGINALS}/") for path in stored}
    plain = BytesIO()
    with (found.folder / NAMES).open("rb") as file:
        encryption.decrypt(file, plain, key)
    names: dict[str, str] = json.loads(plain.getvalue())
    return names
