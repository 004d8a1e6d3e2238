"""What a repaired file says about its repair, for `status`, `doctor` and the log."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import apsw

from recollect.model.repairs import Repaired, TableSalvage
from recollect.storage.sqlite.codec import from_micros, to_micros
from recollect.storage.sqlite.repair.mending import query
from recollect.storage.sqlite.repair.swap import REPAIRED_AT, RepairFiles

_PAGES: Final = "repair:pages"
_DAMAGED_PAGES: Final = "repair:damaged_pages"
_SAVED: Final = "repair:saved:"
_LOST: Final = "repair:lost:"
_GUESSED: Final = "repair:guessed:"
_WHOLE: Final = "Nothing was lost: all rows could be read."


def save_marks(target: apsw.Connection, repaired: Repaired, source: Mapping[str, int]) -> None:
    """Note in the new file what was done, for `status` and `doctor`."""
    marks = {REPAIRED_AT: to_micros(repaired.repaired_at), _PAGES: repaired.pages, **source}
    marks[_DAMAGED_PAGES] = repaired.damaged_pages
    for table in repaired.tables:
        marks[f"{_SAVED}{table.table}"] = table.saved
        marks[f"{_GUESSED if table.estimated else _LOST}{table.table}"] = table.lost
    with target:
        target.execute(query("drop_old_marks"))
        target.executemany(query("save_mark"), [{"name": name, "value": value} for name, value in marks.items()])


def read_marks(connection: apsw.Connection) -> dict[str, int]:
    """Read what the last repair has noted."""
    return {str(name): int(str(value)) for name, value in connection.execute(query("repair_marks"))}


def last_repair(connection: apsw.Connection, path: Path) -> Repaired | None:
    """Give the last repair of a file whose damaged predecessor is still kept beside it."""
    kept = RepairFiles(Path(os.path.realpath(path))).kept()
    marks = read_marks(connection) if kept else {}
    if REPAIRED_AT not in marks:
        return None
    names = [name.removeprefix(_SAVED) for name in marks if name.startswith(_SAVED)]
    tables = (
        TableSalvage(
            name,
            marks[f"{_SAVED}{name}"],
            marks.get(f"{_LOST}{name}", 0) or marks.get(f"{_GUESSED}{name}", 0),
            f"{_GUESSED}{name}" in marks,
        )
        for name in names
    )
    return Repaired(
        location=str(path),
        damaged_file=str(kept[-1]),
        repaired_at=from_micros(marks[REPAIRED_AT]),
        reason="",
        pages=marks.get(_PAGES, 0),
        damaged_pages=marks.get(_DAMAGED_PAGES, 0),
        tables=tuple(tables),
    )


def describe(repaired: Repaired) -> str:
    """Say in a few sentences what was saved, what was lost, and what to do."""
    counts = (
        f"{table.table} {table.saved:,} saved, {'about ' if table.estimated else ''}{table.lost:,} lost"
        for table in repaired.tables
        if table.lost
    )
    lost = "; ".join(counts)
    outcome = f"Lost rows: {lost}. A backup may have them (`recollect restore`)." if lost else _WHOLE
    return (
        f"{repaired.location} was damaged and was repaired on {repaired.repaired_at:%Y-%m-%d %H:%M} UTC. {outcome} The "
        f"damaged file is kept as {repaired.damaged_file}. It still holds all that it held, also what is forgotten "
        "from now on: delete it, and its -wal file, when you no longer need it."
    )
