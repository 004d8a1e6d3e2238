"""Backups of an open store, and stores made from backups."""

from collections.abc import Sequence
from os import PathLike

from recollect import encryption
from recollect.api.composition import originals_root, scratch_folder
from recollect.encryption import FileKey
from recollect.engine.backup import folders, write
from recollect.engine.backup import restore as restoring
from recollect.engine.backup.write import BackupRequest
from recollect.engine.base.context import Engine
from recollect.errors import BackupDamaged, InvalidInput
from recollect.model.backups import Backup, Restored
from recollect.ports import BackupProgress, Clock
from recollect.settings import Settings
from recollect.storage import open_restorer, open_store
from recollect.text.terms import ANALYSER


def back_up(
    engine: Engine,
    folder: str | PathLike[str],
    *,
    keep: int | None,
    encrypt_to: Sequence[str],
    passphrase: str,
    tell: BackupProgress | None,
) -> Backup:
    """Write a backup."""
    target, scratch = folders.folder_named(folder), scratch_folder(engine.settings)
    return write.back_up(engine, BackupRequest(target, scratch, keep, encrypt_to, passphrase), tell or _silent)


def check(backup: str | PathLike[str]) -> Backup:
    """Compare every file of a backup, or of the newest in a folder, with its hash. Raises BackupDamaged."""
    return restoring.check(folders.folder_named(backup))


def restore(
    backup: str | PathLike[str],
    settings: Settings,
    clock: Clock,
    *,
    identity: str | PathLike[str] | None,
    passphrase: str,
    tell: BackupProgress | None,
) -> Restored:
    """Restore a backup, then open the store, which brings it up to this version, and let it check itself."""
    plan = restoring.RestorePlan(
        backup=folders.folder_named(backup),
        restorer=open_restorer(settings),
        originals=originals_root(settings),
        scratch=scratch_folder(settings),
        key=_key(identity, passphrase),
    )
    restored = restoring.restore(plan, tell or _silent)
    store = open_store(settings, clock, analyser=ANALYSER)
    try:
        problems = store.check()
    finally:
        store.close()
    if problems:
        said = "; ".join(problem.advice for problem in problems)
        raise BackupDamaged(f"{restored.location} was restored as the backup has it, but is not sound: {said}")
    return restored


def _key(identity: str | PathLike[str] | None, passphrase: str) -> FileKey:
    if identity is not None and passphrase:
        raise InvalidInput("Give the file of a key or a passphrase, not both.")
    return encryption.key_of(identity) if identity is not None else encryption.key_with(passphrase)


def _silent(doing: str, done: int, total: int) -> None:
    """Report nothing."""
