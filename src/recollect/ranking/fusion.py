"""One relevance out of two channels: how near a row's meaning is to the question, and how many of its words it holds.

The invariant: a relevance is in [0, 1] and is the sum of weight times score over the parts shown. The weights are the
same for all rows of a question. Raising the cosine of a row never lowers its place, nor does raising its text score, as
long as words are believed as much as before.

Three ways to fuse:

    weighted   Words are believed as far as the best row by words holds the question, and by how rare what it holds
               is. Of the vectors it counts how far a row is behind the nearest one.
    rrf        Reciprocal ranks, weighted: only the order within each channel counts.
    fixed      0.7 of the cosine and 0.3 of the best text score, whatever the question.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from recollect.model.calibration import ANSWER_WEIGHTS, probability
from recollect.model.literals import Fusion
from recollect.model.search import ChannelPart
from recollect.ranking.bm25 import TextScores

VECTOR = "vector"
TEXT = "text"

# Where the encoder that everything here was tuned with puts what has nothing to do with each other.
USUAL = 0.01

_FIXED_VECTOR = 0.7

# How far words are believed: the more, the more of the question the best row by words holds, and the rarer the words.
_HALF_A_PROOF = 0.7  # of the rarest word: the BM25 score that is half of what words can prove
_BESIDE_LETTERS = 0.36  # of what words prove, the rest letters say, too


def nearness(cosine: float, unrelated: float | None) -> float:
    """Rescale a cosine to a space as wide as usual, in [0, 1]: some models put everything close together."""
    if unrelated is not None and unrelated > USUAL:
        cosine = 1.0 - (1.0 - cosine) * (1.0 - USUAL) / (1.0 - unrelated)
    return min(1.0, max(0.0, cosine))


@dataclass(frozen=True, slots=True)
class FusionRecipe:
    """How channels are fused. Of the two weights only the proportion matters; 0 mutes a channel.

    `unrelated` is the usual cosine of what has nothing to do with each other, if it is higher than usual. With
    `letters`, letters are counted afterwards, and the words of a sentence are believed less.
    """

    vector: float = 0.45
    text: float = 0.55
    method: Fusion = "weighted"
    rrf_k: float = 10.0
    unrelated: float = USUAL
    letters: bool = False


DEFAULT = FusionRecipe()


@dataclass(frozen=True)
class Channel:
    """What one channel says about each row: the figure it found, and that as a score in [0, 1]."""

    weight: float
    raws: dict[str, float]
    scores: dict[str, float]

    @cached_property
    def ascending(self) -> Sequence[float]:
        """The figures in order, for ranks. Ask for ranks when all rows are there."""
        return sorted(self.raws.values())

    def rank(self, row: str) -> int | None:
        """Say how many rows are better, plus one; rows that are equally good share a rank."""
        raw = self.raws.get(row)
        return None if raw is None else 1 + len(self.raws) - bisect_right(self.ascending, raw)

    def part(self, row: str, scale: float = 1.0) -> ChannelPart:
        """Say what the channel adds to a row, on a smaller scale."""
        return ChannelPart(self.rank(row), self.raws.get(row, 0.0), self.scores.get(row, 0.0), self.weight * scale)


@dataclass(frozen=True, slots=True)
class Fused:
    """The relevance of every row that a channel found, and the channels it comes from."""

    relevance: dict[str, float] = field(default_factory=dict)
    channels: Mapping[str, Channel] = field(default_factory=dict)
    rrf_k: float | None = None
    unrelated: float = USUAL
    nearest: float | None = None  # the highest nearness, by which others are measured

    def add_cosines(self, cosines: Mapping[str, float]) -> None:
        """Let the vector channel say something about further rows, of which nothing was known."""
        channel = self.channels[VECTOR]
        scores = _cosine_scores(cosines, self.unrelated, self.nearest)
        if self.rrf_k is not None:
            every = Channel(channel.weight, {**channel.raws, **cosines}, {})
            scores = {row: _by_rank(every, row, self.rrf_k) for row in cosines}
        channel.raws.update(cosines)
        for row, score in scores.items():
            channel.scores[row] = score
            self.relevance[row] = channel.weight * score

    def similarity(self, row: str) -> float | None:
        """Give the cosine of a row, cut to [0, 1]; None when the vector channel did not see the row."""
        channel = self.channels.get(VECTOR)
        cosine = channel.raws.get(row) if channel else None
        return None if cosine is None else nearness(cosine, None)

    def nearness(self, row: str) -> float | None:
        """Give the same as it would be in a space as wide as usual."""
        cosine = self.similarity(row)
        return None if cosine is None else nearness(cosine, self.unrelated)

    def answerable(self, row: str) -> float:
        """Estimate how likely a row is an answer. Ranks say nothing about that: there the cosine decides."""
        near = self.nearness(row)
        relevance = self.relevance.get(row, 0.0)
        return answerable(relevance if self.rrf_k is None or near is None else min(relevance, near), near)

    def parts(self, row: str, scale: float = 1.0) -> dict[str, ChannelPart]:
        """Say what each channel adds to a row."""
        return {name: channel.part(row, scale) for name, channel in self.channels.items()}


def fuse(
    cosines: dict[str, float], texts: TextScores | None, recipe: FusionRecipe = DEFAULT, waiting: Iterable[str] = ()
) -> Fused:
    """Fuse the channels. One that found nothing leaves its weight to the other; a row it lacks scores zero.

    Rows that are `waiting` for a vector do not: their meaning is taken to be as near as their words suggest.
    """
    cosines = cosines if recipe.vector > 0 else {}
    nearest = nearness(max(cosines.values()), recipe.unrelated) if cosines and recipe.method == "weighted" else None
    channels = _channels(cosines, texts if recipe.text > 0 else None, recipe, nearest)
    if len(channels) > 1 and texts is not None:
        channels[VECTOR].scores.update(_suggested(waiting, texts, channels[VECTOR].scores))
    relevance: dict[str, float] = {}
    for channel in channels.values():
        weight = channel.weight
        for row, score in channel.scores.items():
            relevance[row] = relevance.get(row, 0.0) + weight * score
    rrf_k = recipe.rrf_k if recipe.method == "rrf" and len(channels) > 1 else None
    return Fused(relevance, channels, rrf_k, recipe.unrelated, nearest)


def _channels(
    cosines: dict[str, float], texts: TextScores | None, recipe: FusionRecipe, nearest: float | None
) -> dict[str, Channel]:
    bm25 = texts.scores if texts else {}
    if not bm25 or texts is None:
        return {VECTOR: Channel(1.0, cosines, _cosine_scores(cosines, recipe.unrelated, nearest))} if cosines else {}
    if not cosines:
        return {TEXT: Channel(1.0, bm25, _text_scores(bm25, texts.coverage))}
    if recipe.method == "rrf":
        weight = recipe.vector / (recipe.vector + recipe.text)
        return {VECTOR: _ranks(cosines, weight, recipe.rrf_k), TEXT: _ranks(bm25, 1 - weight, recipe.rrf_k)}
    share = 1 - _FIXED_VECTOR
    if nearest is not None:
        beside_letters = _BESIDE_LETTERS if recipe.letters and not texts.has_code else 1.0
        share = recipe.text / (recipe.text + recipe.vector) * belief(texts) * beside_letters
    return {
        VECTOR: Channel(1.0 - share, cosines, _cosine_scores(cosines, recipe.unrelated, nearest)),
        TEXT: Channel(share, bm25, _text_scores(bm25, 1.0)),
    }


def belief(texts: TextScores) -> float:
    """Say how far words may be believed beside the vectors, in [0, 1]. A code such as `vtx-4471-c` is never chance."""
    score = max(texts.scores.values(), default=0.0)
    if score <= 0.0 or texts.has_code:
        return float(texts.has_code)
    return float(min(1.0, texts.fullest) ** 0.5) * score / (score + _HALF_A_PROOF * texts.rarest)


def _suggested(waiting: Iterable[str], texts: TextScores, meant: Mapping[str, float]) -> dict[str, float]:
    """Measure rows without a vector by the best row by words that has one; if there is none, by the question."""
    bm25 = texts.scores
    peers = [(score, row) for row, score in bm25.items() if row in meant]
    if not peers:
        alone = _text_scores(bm25, texts.coverage)
        return {row: alone[row] for row in waiting}
    score, peer = max(peers)
    return {row: meant[peer] * min(1.0, bm25[row] / (score or 1.0)) for row in waiting}


def _ranks(raws: dict[str, float], weight: float, k: float) -> Channel:
    plain = Channel(weight, raws, {})
    return replace(plain, scores={row: _by_rank(plain, row, k) for row in raws})


def _by_rank(channel: Channel, row: str, k: float) -> float:
    """Score a row by its place, so that the first has 1."""
    return (k + 1) / (k + (channel.rank(row) or 1))


def _cosine_scores(cosines: Mapping[str, float], unrelated: float, nearest: float | None = None) -> dict[str, float]:
    """Score rows by their nearness; measured by the `nearest`, half as near is a quarter of its score."""
    if unrelated > USUAL:
        near = {row: nearness(cosine, unrelated) for row, cosine in cosines.items()}
    else:
        near = {row: cosine if 0.0 <= cosine <= 1.0 else nearness(cosine, None) for row, cosine in cosines.items()}
    if not nearest:
        return near
    return {row: min(1.0, score * (score / nearest)) for row, score in near.items()}


def _text_scores(bm25: Mapping[str, float], most: float) -> dict[str, float]:
    """Measure against the best row; alone, text says how much of the question that row holds."""
    best = max(bm25.values()) or 1.0
    return {row: score / best * most for row, score in bm25.items()}


def answerable(relevance: float, cosine: float | None) -> float:
    """Say how likely a row answers the question, in [0, 1]; without a cosine its relevance stands in for that, too."""
    if relevance <= 0.0:
        return 0.0
    near = relevance if cosine is None else cosine
    features = {"relevance": min(1.0, relevance), "cosine": min(1.0, max(0.0, near))}
    return probability(ANSWER_WEIGHTS, features)
