"""What stands around a message speaks for it: the turns next to it, and the best turns of its conversation.

The invariant: scores are smoothed, never texts, and in proportion: one constant brings all rows back to the scale on
which they came, so that messages and memories stay comparable. A row whose surroundings found nothing keeps its place.

A short turn ("yes, on Friday") means little without what it answers; a long text stands for itself. So the smoothing
fades with the length of what is usually said in that role in that conversation.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import NamedTuple

from recollect.model.messages import MessagePosition

REACH = 2  # turns to each side
_NEXT = 0.3
_NEXT_BUT_ONE = 0.1
_ALL_NEIGHBOURS = 2 * (_NEXT + _NEXT_BUT_ONE)
_CONVERSATION = 0.5
_BEST_TURNS = 3  # what answers a question in parts is said in several turns

_SHORT = 80  # tokens of a turn that needs its surroundings half as much as a shorter one
_STEEPNESS = 6


class ContextScores(NamedTuple):
    """What the surroundings of a message add: the scores of its neighbours and of its conversation, and how much."""

    neighbours: float
    conversation: float
    need: float


@dataclass(frozen=True, slots=True)
class Smoothed:
    """The smoothed relevance of every message, and what is around each. `scale` brings sums back to scores."""

    relevance: Mapping[str, float] = field(default_factory=dict)
    around: Mapping[str, ContextScores] = field(default_factory=dict)
    scale: float = 1.0

    def weights(self, row: str) -> tuple[float, float]:
        """Give the weights of the neighbours and of the conversation in the score."""
        need = self.around[row].need * self.scale
        return need * _ALL_NEIGHBOURS, need * _CONVERSATION


def needs_context(tokens: float) -> float:
    """Say how much a text of this length depends on what stands around it."""
    return 1.0 / (1.0 + (tokens / _SHORT) ** _STEEPNESS)


def smooth(
    scores: Mapping[str, float], spots: Sequence[MessagePosition], lent: Mapping[str, float] | None = None
) -> Smoothed:
    """Smooth the scores of messages over their surroundings. A spot without a score has none of its own.

    `lent` is what each counts for with those around it, if that is not its score.
    """
    lent = scores if lent is None else lent
    talks: defaultdict[str, dict[int, float]] = defaultdict(dict)
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
        near = _NEXT * (turn(place - 1, 0.0) + turn(place + 1, 0.0))
        near += _NEXT_BUT_ONE * (turn(place - 2, 0.0) + turn(place + 2, 0.0))
        need = needs[name, spot.role]
        around[spot.id] = ContextScores(near / _ALL_NEIGHBOURS, best[name], need)
        totals[spot.id] = scores.get(spot.id, 0.0) + need * (near + _CONVERSATION * best[name])
    highest = max(totals.values(), default=0.0)
    scale = max(scores.get(row, 0.0) for row in totals) / highest if highest else 1.0
    return Smoothed({row: total * scale for row, total in totals.items()}, around, scale)
