"""What is added to the relevance of rows: by what stands around a message, by letters, and by what rows have in common.

The invariant: scores are added to, never texts, and in proportion: one constant brings all rows back to the scale on
which they came, so that items of all kinds stay comparable and the best relevance stays what it was. A row to which
nothing is added keeps its place.

The turns next to a message speak for it, and the best turns of its conversation. A short turn ("yes, on Friday") means
little without what it answers; a long text stands for itself. So the smoothing fades with the length of what is usually
said in that role in that conversation; and the turn before counts for more with a turn that is short itself, or answers
a question. A group of letters counts by how few of the rows hold it. What a row shares with
those about other people is in [0, 1], and depends on which rows are about whom, never on their order. What all rows
about a person resemble each other in, such as the name, does not count.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import compress
from math import log
from typing import NamedTuple

import numpy as np

from recollect.model.memories import Vector
from recollect.model.messages import MessagePosition

REACH = 2  # turns to each side
_NEXT = 0.3
_NEXT_BUT_ONE = 0.1
_ALL_NEIGHBOURS = 2 * (_NEXT + _NEXT_BUT_ONE)
_REPLY = 0.6  # more of the turn before, for a short answer to a question
_CONVERSATION = 0.3
_BEST_TURNS = 3  # what answers a question in parts is said in several turns

_SHORT = 80  # tokens of a turn that needs its surroundings half as much as a shorter one
_TERSE = 18  # the same of one turn that leans on the turn before it: a dozen words
_NOTHING = 8  # of one that says nothing unless it answers: "oh, that's nice"
_STEEPNESS = 6
_ANSWERING = 0.25  # how much of a reply is the answer to a question, beside being short
LETTERS_WEIGHT = 0.7  # of a text with all of the question's letters, beside the nearest text by meaning
IN_COMMON_WEIGHT = 3.0  # of a row that has its like about the others, beside the best relevance

_TO_THE_POINT = 0.6  # the power of the other row's relevance, as a share of the best one
_LEAST_SHARE = 1e-3
_FEWEST = 3  # rows about a person that show what all of them resemble each other in


class ContextScores(NamedTuple):
    """What the surroundings of a message add: the scores of its neighbours and of its conversation, and how much.

    `reply` says how much the message leans on the turn before it.
    """

    neighbours: float
    conversation: float
    need: float
    reply: float


@dataclass(frozen=True, slots=True)
class Smoothed:
    """The smoothed relevance of every message, and what is around each. `scale` brings sums back to scores."""

    relevance: Mapping[str, float] = field(default_factory=dict)
    around: Mapping[str, ContextScores] = field(default_factory=dict)
    scale: float = 1.0

    def weights(self, row: str) -> tuple[float, float]:
        """Give the weights of the neighbours and of the conversation in the score."""
        need = self.around[row].need * self.scale
        return need * (_ALL_NEIGHBOURS + _REPLY * self.around[row].reply), need * _CONVERSATION


def needs_context(tokens: float) -> float:
    """Say how much a text of this length depends on what stands around it."""
    return 1.0 / (1.0 + (tokens / _SHORT) ** _STEEPNESS)


def _leans_back(tokens: int, *, answers: bool) -> float:
    """Say how much a turn means only together with the turn before it."""
    if tokens <= _NOTHING and not answers:
        return 0.0
    return _ANSWERING * answers + (1.0 - _ANSWERING) / (1.0 + (tokens / _TERSE) ** _STEEPNESS)


def smooth(
    scores: Mapping[str, float], spots: Sequence[MessagePosition], lent: Mapping[str, float] | None = None
) -> Smoothed:
    """Smooth the scores of messages over their surroundings. A spot without a score has none of its own.

    `lent` is what each counts for with those around it, if that is not its score.
    """
    lent = scores if lent is None else lent
    talks: defaultdict[str, dict[int, float]] = defaultdict(dict)
    asked = {(spot.conversation, spot.sequence) for spot in spots if spot.asks}
    lengths: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for spot in spots:
        talk, score = talks[spot.conversation], lent.get(spot.id, 0.0)
        talk[spot.sequence] = max(score, talk.get(spot.sequence, 0.0))  # a host may number two messages alike
        lengths[spot.conversation, spot.role].append(spot.tokens)
    best = {name: sum(nlargest(_BEST_TURNS, turns.values())) / _BEST_TURNS for name, turns in talks.items()}
    needs = {key: needs_context(sum(usual) / len(usual)) for key, usual in lengths.items()}
    around: dict[str, ContextScores] = {}
    totals: dict[str, float] = {}
    for spot in spots:
        name, place = spot.conversation, spot.sequence
        turn = talks[name].get
        reply = _leans_back(spot.tokens, answers=(name, place - 1) in asked)
        before = turn(place - 1, 0.0)
        near = _NEXT * (before + turn(place + 1, 0.0)) + _REPLY * reply * before
        near += _NEXT_BUT_ONE * (turn(place - 2, 0.0) + turn(place + 2, 0.0))
        need = needs[name, spot.role]
        around[spot.id] = ContextScores(near / (_ALL_NEIGHBOURS + _REPLY * reply), best[name], need, reply)
        totals[spot.id] = scores.get(spot.id, 0.0) + need * (near + _CONVERSATION * best[name])
    highest = max(totals.values(), default=0.0)
    scale = max(scores.get(row, 0.0) for row in totals) / highest if highest else 1.0
    return Smoothed({row: total * scale for row, total in totals.items()}, around, scale)


class AddedPart(NamedTuple):
    """What one part adds: its weight times the share of each row; rows without a share have none."""

    weight: float
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Additions:
    """The relevance of rows with all that was added. `scale` brings sums back to scores; weights are on that scale."""

    relevance: Mapping[str, float]
    scale: float = 1.0
    parts: Mapping[str, AddedPart] = field(default_factory=dict)

    def plus(self, name: str, shares: Mapping[str, float], weight: float) -> "Additions":
        """Add a part. A share is from 0 to 1; the weight is that of a row with all of it."""
        totals = {row: relevance + weight * shares.get(row, 0.0) for row, relevance in self.relevance.items()}
        highest = max(totals.values(), default=0.0)
        scale = max(self.relevance.values()) / highest if highest > 0.0 else 1.0
        parts = {known: part._replace(weight=part.weight * scale) for known, part in self.parts.items()}
        parts[name] = AddedPart(weight * scale, shares)
        return replace(
            self,
            relevance={row: total * scale for row, total in totals.items()},
            scale=self.scale * scale,
            parts=parts,
        )


def shared_letters(groups: Sequence[str], texts: Mapping[str, str]) -> dict[str, float]:
    """Give the share of the groups that each text holds, weighted by how rare they are among these texts."""
    held = {row: [group in text for group in groups] for row, text in texts.items()}
    amount = len(texts)
    rarities = [
        log(1.0 + (amount - count + 0.5) / (count + 0.5)) for count in map(sum, zip(*held.values(), strict=True))
    ]
    most = sum(rarities) or 1.0
    return {row: sum(compress(rarities, flags)) / most for row, flags in held.items()}


def shares_in_common(
    vectors: Mapping[str, Vector], parties: Sequence[AbstractSet[str]], relevance: Mapping[str, float]
) -> dict[str, float]:
    """Give what each row shares with the others' rows: of the most similar one the likeness, the less it has to do
    with the question the less. A row about all of them shares everything, and of several people the least counts.

    `parties` holds the rows about each person; rows without a vector are left out. Nothing when a person has none.
    """
    groups = [sorted(party & vectors.keys()) for party in parties]
    if not all(groups):
        return {}
    best = max(relevance.values(), default=0.0) or 1.0
    matrices = [_without_mean(np.stack([vectors[row] for row in group])) for group in groups]
    points = [
        np.array([max(_LEAST_SHARE, relevance.get(row, 0.0) / best) for row in group], np.float32) ** _TO_THE_POINT
        for group in groups
    ]
    found: dict[str, float] = {}
    for number, (group, matrix) in enumerate(zip(groups, matrices, strict=True)):
        least = np.ones(len(group), np.float32)
        for other, (of_other, to_the_point) in enumerate(zip(matrices, points, strict=True)):
            if other != number:
                least = np.minimum(least, (np.fmax(0.0, matrix @ of_other.T) * to_the_point).max(axis=1))
        for row, share in zip(group, least.tolist(), strict=True):
            found[row] = max(found.get(row, 0.0), share)
    return {row: 1.0 if all(row in party for party in parties) else share for row, share in found.items()}


def _without_mean(matrix: Vector) -> Vector:
    """Take away what the rows have in common, unless there are too few to tell."""
    if len(matrix) < _FEWEST:
        return matrix
    apart: Vector = matrix - matrix.mean(axis=0)
    apart /= np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), _LEAST_SHARE)
    return apart
