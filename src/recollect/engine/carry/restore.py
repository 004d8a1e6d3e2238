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
from recollect.engine.carry import folders
from recollect.engine.carry.archive import BackupFolder, verify
from recollect.engine.carry.backup import NAMES, backups_in, described
from recollect.engine.carry.manifest import FILE, ORIGINALS
from recollect.errors import BackupDamaged, InvalidInput
from recollect.model.backups import Backup, Restored
from recollect.private_folders import make_private, settle
from recollect.storage.base import BackupProgress, DatabaseRestorer

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


def find(folder: Path) -> BackupFolder:
    """Give a backup, or the newest one in a folder of backups. Raises NotFound."""
    newest = None if (folder / FILE).exists() else next(backups_in(folder), None)
    return newest or BackupFolder(folder)


def check(folder: Path) -> Backup:
    """Compare every file of a backup with its hash. Raises BackupDamaged."""
    found = find(folder)
    verify(found)
    return described(found)


def restore(plan: RestorePlan, tell: BackupProgress) -> Restored:
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


def _put_in_place(plan: RestorePlan, found: BackupFolder, originals: Path | None, tell: BackupProgress) -> list[str]:
    manifest, notes = found.manifest, []
    with folders.workspace(plan.scratch) as work:
        copy = work / "database"
        _bring(found, found.database.file, copy, plan.key)
        if originals is not None:
            _restore_originals(found, originals, plan.key, tell)
        elif manifest.originals:
            notes.append("the originals of documents stay in the backup: files.originals is off")
        try:
            plan.restorer.restore(str(copy), found.database.tables, tell)
            settle(plan.scratch)
        except BaseException:
            if originals is not None:
                shutil.rmtree(originals, ignore_errors=True)
            raise
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


def _restore_originals(found: BackupFolder, originals: Path, key: FileKey, tell: BackupProgress) -> None:
    """Bring all originals aside, and give their folder its name when it has all of them."""
    manifest, names = found.manifest, _names(found, key)
    if not all(map(_ORIGINAL.fullmatch, names.values())):
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


def _names(found: BackupFolder, key: FileKey) -> dict[str, str]:
    """Say which file of the backup is which original."""
    if not found.manifest.encrypted_to:
        stored = [name for name in found.manifest.hashes if name.startswith(ORIGINALS)]
        return {name: name.removeprefix(ORIGINALS) for name in stored}
    plain = BytesIO()
    with (found.path / NAMES).open("rb") as file:
        encryption.decrypt(file, plain, key)
    names: dict[str, str] = json.loads(plain.getvalue())
    return names
