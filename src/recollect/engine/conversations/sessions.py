"""The end of a session: its summary as a memory."""

from dataclasses import replace

from recollect.engine.base.context import Engine
from recollect.engine.conversations import compact
from recollect.engine.memories import remember
from recollect.model.memories import NewMemory, Remembered, Scope
from recollect.storage.base import Derivation, StoreWriter
from recollect.text.summary.format import as_memory


def end(engine: Engine, scope: Scope, session: str) -> Remembered | None:
    """Store a summary of a session as a memory; None when it is empty. Idempotent."""
    digest = compact.whole(engine, scope, session)
    if digest is None:
        return None
    points, sources, ended_at, trust = digest
    memory = NewMemory(
        as_memory(points),
        type="session_summary",
        source="learned",
        trust=trust,
        session=session,
        occurred_at=ended_at,
        importance=0.5,
        metadata={"messages": len(sources)},
    )
    (prepared,), degraded = remember.prepare_many(engine, scope, [memory])

    def work(writer: StoreWriter) -> Remembered:
        for record in writer.get(writer.of_session(session)):
            if record.type == "session_summary" and record.occurred_at == ended_at and record.superseded_by is None:
                return Remembered("duplicate", record.id, record.id)
        remembered = remember.decide(writer, engine, prepared)
        if remembered.action == "created":
            derived = [Derivation("memory", remembered.id, "message", source) for source in sources]
            writer.derive(derived, prepared.draft.record.created_at)
        return remembered

    return replace(engine.write(scope, work), degraded=degraded)
