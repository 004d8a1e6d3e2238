"""The verbs of a user that compare memories with each other."""

from recollect.api.scoped import Scoped, canonical, check_between, check_limit
from recollect.engine.memories import repetition
from recollect.engine.search import browsing, clusters
from recollect.model.insights import MOST_CLUSTERS, MOST_EXAMPLES, Clusters
from recollect.model.memories import MemoryRecord
from recollect.model.search import Recall


class UserSimilarity(Scoped):
    """What is like a memory, groups of similar ones, and merging those that say the same."""

    def similar(self, id: str, *, limit: int = 5) -> Recall:
        """Find the current memories nearest in meaning to a memory, nearest first. Raises NotFound.

        They are compared by their stored vectors, without a model; the score is how near they are. While the memory
        has no vector there are no hits, and `degraded` names `vector`.
        """
        return browsing.similar(self._reading, self._scope, canonical(id), check_limit(limit))

    def clusters(self, *, limit: int = 20, examples: int = 5) -> Clusters:
        """Find groups of similar memories, the largest first, and memories that say the same.

        At most `limit` groups (up to 200) and pairs, with as many `examples` (up to 100) of each group. Memories are
        compared by their stored vectors and their words, without a model, the newest 100,000 of them; that of so many
        takes up to a minute, gives way to searches meanwhile, and is used again for ten minutes.
        """
        check_between("limit", limit, MOST_CLUSTERS)
        check_between("examples", examples, MOST_EXAMPLES)
        return clusters.clusters(self._reading, self._scope, limit=limit, examples=examples)

    def merge(self, id: str, *, into: str) -> MemoryRecord:
        """Merge a memory into another that says the same, and return that one, which stays as it is.

        Nothing is deleted: the merged memory is no longer found, and is in the `history` of the other. A memory cannot
        be merged into one that is trusted less. Raises NotFound and InvalidMemory.
        """
        return repetition.merge(self._engine, self._scope, canonical(id), canonical(into))
