"""Looking for rows without a vector reads every row once, however small the store was when it was last analysed."""

from pathlib import Path

import pytest
from benchmarks.lifelike import sentences, vectors
from benchmarks.stores import open_memory

from recollect import NewMemory
from recollect.model.literals import VectorKind
from recollect.storage.base.session import Values
from recollect.storage.sqlite.session import SqliteSession, statement


def test_a_slice_has_an_end_after_a_small_store_has_grown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[str] = []

    def changed(
        session: SqliteSession,
        name: str,
        values: Values | None = None,
        *,
        kind: VectorKind | None = None,
        space: int | None = None,
    ) -> int:
        if name == "owe_jobs" and kind == "memory":
            explained = session.connection.execute(f"EXPLAIN QUERY PLAN {statement(name, kind, space)}", values)
            plans.append(" | ".join(str(row[3]) for row in explained))
        return run(session, name, values, kind=kind, space=space)

    run = SqliteSession.changed
    items = [NewMemory(text, vector=row) for text, row in zip(sentences(500), vectors(500), strict=True)]
    with open_memory(str(tmp_path / "memory.db")) as memory:
        memory.user("me").remember_many(items[:5])
        memory.maintain()
        memory.user("me").remember_many(items[5:])
        monkeypatch.setattr(SqliteSession, "changed", changed)
        memory.maintain()
    assert plans
    assert [plan.count("(rowid>? AND rowid<?)") for plan in plans] == [2] * len(plans)
