"""Backups of an open store, stores made from backups, and imports of what `export` wrote, with the usual report."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from recollect.api.composition import assemble, originals_root, scratch_folder
from recollect.encryption import FileKey
from recollect.engine.base.context import Engine
from recollect.engine.carry import backup as backing
from recollect.engine.carry import folders
from recollect.engine.carry.archive import is_archive
from recollect.engine.carry.backup import BackupRequest
from recollect.engine.forgetting.replay import replay
from recollect.errors import BackupDamaged, InvalidInput, NotFound
from recollect.model.backups import Backup, ImportListener, ImportProgress, ImportReport, Restored, Skipped
from recollect.ports import Clock
from recollect.settings import Settings
from recollect.settings.database import SCHEME
from recollect.storage import open_restorer, open_store
from recollect.storage.base import StepListener, Store
from recollect.text.terms import ANALYSER

if TYPE_CHECKING:
    from recollect.api.memory import Memory
    from recollect.api.user import UserMemory

OWN: Final = "recollect"


def back_up(
    engine: Engine,
    folder: str | PathLike[str],
    *,
    keep: int | None,
    encrypt_to: Sequence[str],
    passphrase: str,
    tell: StepListener | None,
) -> Backup:
    """Write a backup."""
    target, scratch = folders.folder_named(folder), scratch_folder(engine.settings)
    return backing.back_up(engine, BackupRequest(target, scratch, keep, encrypt_to, passphrase), tell or _silent)


def check(backup: str | PathLike[str]) -> Backup:
    """Compare every file of a backup, or of the newest in a folder, with its hash. Raises BackupDamaged."""
    return backing.check(folders.folder_named(backup))


def restore(
    backup: str | PathLike[str],
    settings: Settings,
    clock: Clock,
    *,
    key: FileKey,
    forgotten_since: str | PathLike[str] | None,
    tell: StepListener | None,
) -> Restored:
    """Restore a backup, then open the store, which brings it up to this version, and let it check itself."""
    plan = backing.RestorePlan(
        backup=folders.folder_named(backup),
        restorer=open_restorer(settings),
        originals=originals_root(settings),
        scratch=scratch_folder(settings),
        key=key,
    )
    with _before(settings, clock, forgotten_since, plan.backup) as before:
        restored = backing.restore(plan, tell or _silent)
        engine = assemble(replace(settings, embedding=replace(settings.embedding, worker=False)), clock)
        try:
            problems = engine.store.check()
            forgotten = replay(engine, before, restored.backup.created_at) if before is not None else 0
        finally:
            engine.store.close()
    if problems:
        said = "; ".join(problem.advice for problem in problems)
        raise BackupDamaged(f"{restored.location} was restored as the backup has it, but is not sound: {said}")
    note = f"{forgotten} item(s) that were forgotten after the backup were forgotten again"
    return replace(restored, notes=(*restored.notes, note)) if before is not None else restored


@contextmanager
def _before(
    settings: Settings, clock: Clock, database: str | PathLike[str] | None, backup: Path
) -> Iterator[Store | None]:
    """Open the store of before the restoring, which must be the one that the backup is of."""
    if database is None:
        yield None
        return
    found = replace(settings, database=fspath(database))
    if not found.database.startswith(SCHEME) and not Path(found.database).exists():
        raise NotFound(f"{found.database} is not there, so it cannot tell what was forgotten.")
    with closing(open_store(found, clock, analyser=ANALYSER, create=False)) as store:
        if f"{store.identity():08x}" != backing.find(backup).database.store:
            raise InvalidInput(f"{store.location()} is not the store that the backup is of.")
        yield store


def is_own_export(path: str | PathLike[str]) -> bool:
    """Tell whether a file is an export of Recollect."""
    return is_archive(Path(path).expanduser())


def import_own(
    into: "Memory | UserMemory",
    path: str | PathLike[str],
    *,
    dry_run: bool = False,
    tell: ImportListener | None = None,
    **options: Any,  # noqa: ANN401 - those of the verb
) -> ImportReport:
    """Bring what `export` wrote into one user's memory, or each user's under the name they had.

    `options` are those of `import_archive`.
    """
    told = None if tell is None else lambda what, done, total: tell(ImportProgress(what, done, total))
    found = into.import_archive(path, dry_run=dry_run, tell=told, **options)
    skipped = tuple(Skipped(what, reason, amount) for (what, reason), amount in sorted(found.skipped.items()))
    brought = {what: amount for what, amount in found.brought.items() if amount}
    return ImportReport(OWN, fspath(path), brought, skipped, tuple(found.examples), dry_run)


def _silent(doing: str, done: int, total: int) -> None:
    """Report nothing."""
