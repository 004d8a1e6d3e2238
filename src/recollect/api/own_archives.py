"""Imports what `export` wrote, with the report that all imports give."""

from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

from recollect.api.memory import Memory
from recollect.api.user import UserMemory
from recollect.engine.carry.archive import is_archive
from recollect.model.backups import ImportListener, ImportProgress, ImportReport, Skipped

OWN: Final = "recollect"


def is_own_export(path: str | PathLike[str]) -> bool:
    """Tell whether a file is an export of Recollect."""
    return is_archive(Path(path).expanduser())


def import_own(
    into: Memory | UserMemory,
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
