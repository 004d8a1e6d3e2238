"""Brings a whole folder of OpenClaw: notes and logs as synced files, and from its index what is nowhere else."""

from os import PathLike
from pathlib import Path
from typing import Final

from recollect.api.user import UserMemory
from recollect.errors import InvalidDocument
from recollect.model.backups import ImportListener, ImportReport
from recollect.model.literals import Trust
from recollect_connect.importing.deliver import THE_STORE, ImportCounts, ImportRun, importing, searched_space
from recollect_connect.importing.openclaw import sessions, tables
from recollect_connect.importing.openclaw.find_stores import (
    FORMAT,
    LOGS,
    NOT_MEMORY,
    NOTES,
    TRACES,
    OpenClawStores,
    agent_of,
    find,
    newest_first,
)
from recollect_connect.importing.openclaw.index import Index, IndexPlaces
from recollect_connect.importing.openclaw.sessions import CapturedSessions

__all__ = ["import_openclaw"]

CAPTURED: Final = "the plugin has captured all that was said"
NO_INDEX: Final = "it holds neither an index of memory nor sessions"
NO_DATABASE: Final = "it cannot be read as a SQLite database"


def import_openclaw(
    me: UserMemory, path: str | PathLike[str], *, dry_run: bool = False, tell: ImportListener | None = None
) -> ImportReport:
    """Bring what OpenClaw remembers: `path` is its folder (`~/.openclaw`), a workspace, or a copy of either.

    `MEMORY.md`, `USER.md`, the notes beneath `memory/` and the logs of sessions are synced where they lie. Of the index
    of each agent only the chunks of files are brought that are gone from the disk, with their lines, and with their
    vectors when these are of the space that is searched here; sessions that are kept in a database become
    conversations. Doing so again adds only what is new. Nothing beneath `path` is changed. Raises InvalidDocument when
    nothing of OpenClaw is there.
    """
    tally = ImportCounts()
    delivery = ImportRun(importing(me), tally, dry_run, tell, Trust.FILE)
    found = find(path)
    for what, reason, place in found.left_out:
        tally.skip(what, reason, example=place)
    for workspace in found.workspaces:
        others = delivery.folder(workspace, "memory", NOTES) - found.counted_in(workspace)
        tally.skip("files", NOT_MEMORY, max(0, others))
    captured = CapturedSessions(delivery.me, FORMAT)
    for folder in found.session_folders:
        whole = captured.whole_logs(folder, sessions.read_log)
        tally.skip("session logs", CAPTURED, len(whole))
        delivery.folder(folder, "sessions", LOGS, [*TRACES, *(f"/{name}" for name in whole)])
    for done, database in enumerate(newest_first(found.databases), start=1):
        _bring_database(delivery, database, found)
        delivery.progress("databases", done, len(found.databases))
    return tally.report(FORMAT, str(found.root), dry_run=dry_run)


def _bring_database(delivery: ImportRun, path: Path, found: OpenClawStores) -> None:
    agent = agent_of(path)
    shown = path.relative_to(found.root).as_posix()
    own = delivery.me.files.store_files()
    if tables.is_one_of(path, own):
        delivery.tally.skip("databases", THE_STORE, example=shown)
        return
    try:
        with tables.opened(path) as connection:
            known: frozenset[str] = frozenset()
            if tables.has_sessions(connection):
                known = sessions.bring(delivery, connection, found, agent)
            indexes = list(tables.generations(connection))
            for names in indexes:
                places = IndexPlaces(found, agent, known, own)
                Index(delivery, connection, names, places, searched_space(delivery.me)).bring()
            if not indexes and not known:
                delivery.tally.skip("databases", NO_INDEX, example=shown)
    except InvalidDocument as error:
        delivery.tally.skip("databases", NO_DATABASE, example=f"{shown} ({error})")
