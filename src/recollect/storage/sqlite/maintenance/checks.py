"""What `doctor` looks for in a file."""

import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from recollect.model.stats import Problem
from recollect.storage.base.spaces import list_spaces
from recollect.storage.base.statements import load_checks
from recollect.storage.sqlite.connection import PAGE_BYTES, REPAIR, file_layer
from recollect.storage.sqlite.maintenance.scrub import samples
from recollect.storage.sqlite.page_checksums import sound_pages
from recollect.storage.sqlite.session import SqliteSession

_BLOCK = 512 * PAGE_BYTES
_MOST_NAMED = 5
_SAMPLES = "The planner's statistics hold words of users, forgotten ones too. `recollect maintain` removes them."


def damage(path: Path) -> Problem | None:
    """Say which pages are not what was written; None when the checksums of all that is in the file itself fit."""
    file = apsw.VFSFile(file_layer(), os.fspath(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        size, damaged = file.xFileSize(), list[int]()
        for start in range(0, size - size % PAGE_BYTES, _BLOCK):
            content = file.xRead(min(_BLOCK, size - size % PAGE_BYTES - start), start)
            sound = sound_pages(content, PAGE_BYTES)
            damaged += [start // PAGE_BYTES + 1 + page for page, is_sound in enumerate(sound) if not is_sound]
    finally:
        file.xClose()
    if not damaged or len(damaged) == size // PAGE_BYTES:  # with pages of another size none would fit
        return None
    named = ", ".join(map(str, damaged[:_MOST_NAMED])) + (" …" if len(damaged) > _MOST_NAMED else "")
    found = f"{len(damaged):,} of the {size // PAGE_BYTES:,} pages of {path} (number {named})"
    return Problem("damage", len(damaged), f"{found} differ from the checksum that was written with them. {REPAIR}")


def contradictions(connection: apsw.Connection) -> Iterator[Problem]:
    """Let SQLite check its pages, then look for rows without their other halves."""
    verdicts = [row[0] for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    if verdicts:
        yield Problem("integrity_check", len(verdicts), f"The file is damaged. {REPAIR} SQLite says: {verdicts[0]}")
    kinds = {row.number: row.kind for row in list_spaces(SqliteSession(connection))}
    for check in load_checks("sqlite", kinds):
        ((amount,),) = connection.execute(check.sql).fetchall()
        if amount:
            yield Problem(check.name, int(amount), check.advice)
    if kept := samples(connection):
        yield Problem("samples_of_keys", kept, _SAMPLES)
