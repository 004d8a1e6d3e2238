"""Lets saved rows fit each other, and makes again what is made from rows: counts, terms, codes, jobs for vectors."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple

import apsw

from recollect.model.literals import ITEM_KINDS, VectorKind
from recollect.storage.base.spaces import SpaceRow
from recollect.storage.base.statements import load_own
from recollect.storage.base.tables import ANALYSER, IDENTITY, PASSAGES, UNKNOWN, of_kind
from recollect.storage.sqlite.maintenance.scrub import refresh_statistics
from recollect.storage.sqlite.session import SqliteSession

_STEPS = (
    "add_conversations",
    "raise_sequences",
    "drop_lost_derivations",
    "unfold_messages",
    "drop_lost_chunks",
    "reread_files",
    "drop_lost_places",
    "drop_lost_cache",
)
_NO_IDENTITY = (
    "the number of this store was lost, so it has a new one: originals of documents stay in the folder of the old one"
)
_NO_ANALYSER = "how the index of words was made is not known; `recollect maintain` makes it anew"


@cache
def _queries() -> Mapping[str, str]:
    return load_own("sqlite", "repair.sql")


def query(name: str, *, kind: VectorKind | None = None, space: int | None = None) -> str:
    """Give a query of a repair with its gaps filled."""
    sql = _queries()[name] if space is None else _queries()[name].replace("{space}", str(space))
    return sql if kind is None else of_kind(sql, kind)


class Mended(NamedTuple):
    """How many vectors have to be made again, and what else a user should know."""

    owed_vectors: int
    notes: tuple[str, ...]


def mend(target: apsw.Connection, spaces: Sequence[SpaceRow], now: datetime) -> Mended:
    """Mend a file whose rows were saved."""
    with target:
        target.execute(query("drop_lost_versions"))
        while target.changes():
            target.execute(query("drop_lost_versions"))
        for step in _STEPS:
            target.execute(query(step))
        for space in spaces:
            target.execute(query("drop_lost_vectors", kind=space.kind, space=space.number))
            target.execute(query("drop_lost_passages", space=space.number))
            target.execute(query("drop_lost_codes", space=space.number))
        target.execute(query("drop_lost_jobs"))
        for step in (
            "add_users",
            "raise_item_number",
            "raise_space_number",
            "recount_users",
            "drop_media",
            "add_media",
        ):
            target.execute(query(step))
        owed = _owe_vectors(target, spaces, now)
    for kind in ITEM_KINDS:
        with target:
            target.execute(query("rebuild_terms", kind=kind))
    refresh_statistics(target)
    return Mended(owed, tuple(_losses(target)))


def _owe_vectors(target: apsw.Connection, spaces: Sequence[SpaceRow], now: datetime) -> int:
    session, owed = SqliteSession(target), 0
    for space in spaces:
        last = target.execute(query("last_number", kind=space.kind)).fetchall()[0][0]
        values = {"item_kind": space.kind, "now": now, "after": 0, "last": last}
        owed += session.changed("owe_jobs", values, kind=space.kind, space=space.number)
    return owed


def _losses(target: apsw.Connection) -> Iterator[str]:
    """Name what a store cannot do without, if it was lost."""
    if not target.execute(query("has_mark"), {"name": ANALYSER}).fetchall():
        target.execute(query("save_mark"), {"name": ANALYSER, "value": UNKNOWN})
        target.execute(query("save_mark"), {"name": PASSAGES, "value": UNKNOWN})
        yield _NO_ANALYSER
    if (
        target.execute(query("any_original")).fetchall()
        and not target.execute(query("has_mark"), {"name": IDENTITY}).fetchall()
    ):
        yield _NO_IDENTITY
