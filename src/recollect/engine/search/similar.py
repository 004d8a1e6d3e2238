"""Memories that are like a memory: the nearest ones to its stored vector, without a model."""

from dataclasses import replace

from recollect.engine.base.context import VECTOR, Engine
from recollect.engine.search import hits
from recollect.errors import NotFound
from recollect.model.filters import Filters
from recollect.model.memories import Scope
from recollect.model.scopes import shared_name
from recollect.model.search import ChannelPart, Recall, ScoreParts
from recollect.ranking.fusion import nearness
from recollect.storage.base import StoreReader


def similar(engine: Engine, scope: Scope, memory_id: str, limit: int) -> Recall:
    """Give the current memories nearest to a memory, nearest first. Raises NotFound.

    While the memory has no vector in the space that is searched, there are no hits, and `vector` is degraded.
    """
    filters = Filters(now=engine.clock.now())

    def find(reader: StoreReader) -> Recall:
        if not reader.get([memory_id]):
            raise NotFound(f"No memory {memory_id}. See what there is with `list`.")
        space = reader.searched_space()
        vector = None if space is None else reader.stored_vectors(space, [memory_id]).get(memory_id)
        if space is None or vector is None:
            return Recall((), (VECTOR,))
        near = [row for row in reader.nearest(space, vector, filters, limit + 1) if row.id != memory_id][:limit]
        records = {record.id: record for record in reader.get([row.id for row in near])}
        unrelated = reader.unrelated(space)
        found = []
        for rank, row in enumerate(near, start=1):
            score = nearness(row.cosine, unrelated)
            parts = ScoreParts({VECTOR: ChannelPart(rank, row.cosine, score, 1.0)}, score, {})
            hit = hits.of_item(records[row.id], score, nearness(row.cosine, None), parts)
            found.append(replace(hit, scope=shared_name(scope.user_id)))
        return Recall(tuple(found), answerable=found[0].score if found else 0.0)

    return engine.store.read(scope, find)
