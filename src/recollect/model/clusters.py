"""Groups of similar memories, and memories that say the same."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from recollect.model.memories import MemoryRecord

MOST_CLUSTERS: Final = 200  # to show at a time
MOST_EXAMPLES: Final = 100  # of each


@dataclass(frozen=True, slots=True)
class Cluster:
    """A group of similar memories. `terms` are the words that tell it from others, `members` its most typical ones.

    `size` counts all of its memories. `x` and `y`, in [0, 1], are where to draw it: what is alike is near. `radius` is
    how large, so that an area stands for a number of memories and no two groups overlap.
    """

    terms: tuple[str, ...]
    size: int
    members: tuple[MemoryRecord, ...]
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two memories that say the same: `keep` is the one to keep, `repeat` the one that `merge` would supersede."""

    keep: MemoryRecord
    repeat: MemoryRecord
    similarity: float


@dataclass(frozen=True, slots=True)
class Clusters:
    """The result of `clusters`, the largest group first.

    `memories` were compared, `grouped` of them are in one of `total` groups. `found_at` is when: for a user with many
    memories a result is used again for some minutes. `degraded` names `vector` if memories have none yet.
    """

    clusters: tuple[Cluster, ...]
    duplicates: tuple[DuplicatePair, ...]
    memories: int
    grouped: int
    total: int
    found_at: datetime
    degraded: tuple[str, ...] = ()
