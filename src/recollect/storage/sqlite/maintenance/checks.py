"""What `doctor` looks for in a file."""

from collections.abc import Iterator

import apsw

from recollect.model.stats import Problem
from recollect.storage.spaces import list_spaces
from recollect.storage.sqlite.connection import REPAIR
from recollect.storage.sqlite.maintenance.scrub import samples
from recollect.storage.sqlite.session import SqliteSession
from recollect.storage.statements import load_checks

_SAMPLES = "The planner's statistics hold words of users, forgotten ones too. `recollect maintain` removes them."


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
