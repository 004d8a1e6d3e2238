"""One relevance out of two channels: how near a row's meaning is to the question, and how many of its words it holds.

The invariant: a relevance is in [0, 1], is the sum of weight times score over the parts shown, and means the same for
every question: the best of nothing but poor hits stays low. The weights are the same for all rows of a question, so
raising one signal of a row never lowers its place.

Text is believed as far as it is certain. When question and memory share hardly a word, what they do share is chance and
the vectors decide; when the words are there, half and half finds more than either channel alone.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nsmallest

from recollect.rank.bm25 import TextScores
from recollect.types import ChannelPart


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each channel counts against the other when both are sure. Only the proportion matters; 0 mutes one."""

    vector: float = 0.45
    text: float = 0.55


DEFAULT_WEIGHTS = Weights()


@dataclass(frozen=True)
class _Channel:
    weight: float
    raws: Mapping[str, float]
    scores: Mapping[str, float]

    @cached_property
    def ascending(self) -> Sequence[float]:
        return sorted(self.raws.values())

    def part(self, row: str) -> ChannelPart:
        """Say what the channel adds to a row; rows that are equally good share a rank."""
        raw = self.raws.get(row)
        if raw is None:
            return ChannelPart(None, 0.0, 0.0, self.weight)
        rank = 1 + len(self.raws) - bisect_right(self.ascending, raw)
        return ChannelPart(rank, raw, self.scores[row], self.weight)


@dataclass(frozen=True, slots=True)
class Fused:
    """A row's relevance and how it came about. `similarity` is None when the vector channel did not see the row."""

    id: str
    relevance: float
    similarity: float | None
    channels: Mapping[str, _Channel] = field(repr=False, compare=False)

    @property
    def parts(self) -> Mapping[str, ChannelPart]:
        """What each channel adds; made when asked for, because most candidates are dropped before they are shown."""
        return {name: channel.part(self.id) for name, channel in self.channels.items()}


def fuse(
    cosines: Mapping[str, float],
    texts: TextScores | None,
    weights: Weights = DEFAULT_WEIGHTS,
    limit: int | None = None,
) -> list[Fused]:
    """Rank the rows that either channel found, the best first, equals by id; all of them without a limit.

    A channel that failed or found nothing leaves its weight to the other. A row that one channel did not return scores
    zero there.
    """
    channels = _channels(cosines if weights.vector > 0 else {}, texts if weights.text > 0 else None, weights)
    losses: dict[str, float] = {}  # negative relevance, so that the best sorts first and equals by id
    for channel in channels.values():
        weight = channel.weight
        for row, score in channel.scores.items():
            losses[row] = losses.get(row, 0.0) - weight * score
    best_first = nsmallest(len(losses) if limit is None else limit, zip(losses.values(), losses, strict=True))
    return [Fused(row, -loss, _share(cosines[row]) if row in cosines else None, channels) for loss, row in best_first]


def _channels(cosines: Mapping[str, float], texts: TextScores | None, weights: Weights) -> Mapping[str, _Channel]:
    bm25 = texts.scores if texts else {}
    certainty = texts.certainty if texts else 0.0
    share = weights.text / (weights.text + weights.vector) * certainty if cosines else 1.0
    channels: dict[str, _Channel] = {}
    if cosines:
        scores = {row: cosine if 0.0 <= cosine <= 1.0 else _share(cosine) for row, cosine in cosines.items()}
        channels["vector"] = _Channel(1.0 - share if bm25 else 1.0, cosines, scores)
    if bm25:
        best = max(bm25.values()) or 1.0
        scores = {row: certainty * (score / best) for row, score in bm25.items()}
        channels["text"] = _Channel(share, bm25, scores)
    return channels


def _share(cosine: float) -> float:
    return min(1.0, max(0.0, cosine))
