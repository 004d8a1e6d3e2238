"""The end of a session: a summary of it as a memory, for those who want one."""

from recollect.engine.base.context import Engine
from recollect.engine.conversations import compact
from recollect.engine.memories import remember
from recollect.model.memories import NewMemory, Remembered, Scope
from recollect.ports import Derivation, StoreWriter
from recollect.text.summary.format import as_memory


def end(engine: Engine, scope: Scope, session: str) -> Remembered | None:
    """Keep a summary of what was said in a session; None when there was nothing. Ending it again changes nothing."""
    told = compact.whole(engine, scope, session)
    if told is None:
        return None
    points, sources, ended_at, trust = told
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
        for known in writer.get(writer.of_session(session)):
            if known.type == "session_summary" and known.occurred_at == ended_at and known.superseded_by is None:
                return Remembered("duplicate", known.id, known.id)
        kept = remember.decide(writer, engine, prepared)
        if kept.action == "created":
            made = [Derivation("memory", kept.id, "message", source) for source in sources]
            writer.derive(made, prepared.draft.record.created_at)
        return kept

    kept = engine.write(scope, work)
    return Remembered(kept.action, kept.id, kept.existing_id, degraded)
