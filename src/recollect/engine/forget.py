"""Forgetting: exactly what was asked for, with everything that hangs on it, and gone from the files too."""

from collections.abc import Sequence

from recollect.engine.context import Engine
from recollect.ports import Reader, Writer
from recollect.types import Forgotten, Hit, Scope


def forget_id(engine: Engine, scope: Scope, memory_id: str, *, dry_run: bool) -> Forgotten:
    """Forget a memory with its history; an old version is forgotten alone."""
    if dry_run:
        return _receipt(engine.store.read(scope, lambda reader: _doomed(reader, memory_id)), dry_run=True)

    def work(writer: Writer) -> Sequence[str]:
        doomed = _doomed(writer, memory_id)
        for record in writer.get([memory_id]):
            if record.superseded_by is not None:  # a link is taken out: keep the chain of versions whole
                writer.relink(memory_id, record.superseded_by)
        writer.delete(doomed)
        return doomed

    return _finished(engine, engine.store.write(scope, work))


def forget_everything(engine: Engine, scope: Scope, *, dry_run: bool) -> Forgotten:
    """Forget all that a user has."""
    if dry_run:
        return _receipt(engine.store.read(scope, lambda reader: reader.everything()), dry_run=True)

    def work(writer: Writer) -> Sequence[str]:
        doomed = writer.everything()
        writer.delete(doomed)
        return doomed

    return _finished(engine, engine.store.write(scope, work))


def clear_match(hits: Sequence[Hit], min_score: float, margin: float) -> Hit | None:
    """Say which hit is meant beyond doubt: good in itself, and well ahead of the next."""
    if not hits or hits[0].score < min_score:
        return None
    if len(hits) > 1 and hits[0].score - hits[1].score < margin:
        return None
    return hits[0]


def _doomed(rows: Reader | Writer, memory_id: str) -> Sequence[str]:
    """A live memory takes its versions along, itself first; a version goes alone."""
    family = rows.chain(memory_id)
    asked = next((record for record in family if record.id == memory_id), None)
    if asked is None:
        return ()
    if asked.superseded_by is not None:
        return (memory_id,)
    return (memory_id, *(record.id for record in family if record.id != memory_id))


def _finished(engine: Engine, ids: Sequence[str]) -> Forgotten:
    if ids:
        engine.store.scrub()
    return _receipt(ids, dry_run=False)


def _receipt(ids: Sequence[str], *, dry_run: bool) -> Forgotten:
    return Forgotten("deleted" if ids else "not_found", tuple(ids), dry_run=dry_run)
