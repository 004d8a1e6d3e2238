"""The order of hits: after a reranker, with repetitions folded into the best, near ones spread out on request (MMR).

The reranker alone puts paraphrases lower than vectors do, so its score is mixed with the fused one.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import log
from typing import TypeVar

FUSED_WEIGHT = 8.0  # of the logarithm of the fused score
CLEAR_LEAD = 0.4  # how far below the first the second score lies, as a share of the first
_LEAST_SCORE = 1e-6
T = TypeVar("T", bound=Hashable)

_ALIKE = 0.9  # share of common words from which two texts may state the same


def order(scores: Sequence[float], fused: Sequence[float]) -> list[int]:
    """Give the places (from 0) of the scored hits, the best first. `scores` are logits; the other may be longer."""
    prior = [log(max(_LEAST_SCORE, before)) for before in fused[: len(scores)]]
    return sorted(range(len(scores)), key=lambda place: -scores[place] - FUSED_WEIGHT * prior[place])


def leads_clearly(first: float, second: float) -> bool:
    """Tell whether the first hit is so far ahead that reading the others would hardly change it."""
    return second < (1 - CLEAR_LEAD) * first


def overlap(words: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Give the Jaccard similarity of two texts' words."""
    together = len(words | other)
    return len(words & other) / together if together else 0.0


def fold(
    ranked: Iterable[T],
    sayings: Mapping[T, Hashable],
    words: Mapping[T, AbstractSet[str]],
    same: Callable[[T, T], bool],
) -> dict[T, list[T]]:
    """Give the best of each group of repetitions, in order, with those that repeat it.

    Repetitions are equal sayings; or nearly the same words, if `same` says that they state the same. Only for those are
    `words` asked for.
    """
    kept: dict[T, list[T]] = {}
    by_saying: dict[Hashable, T] = {}
    for row in ranked:
        best = by_saying.get(sayings[row])
        if best is None:
            best = next((other for other in kept if same(row, other) and _alike(words[row], words[other])), None)
        if best is None:
            kept[row] = []
            by_saying[sayings[row]] = row
        else:
            kept[best].append(row)
    return kept


def _alike(words: AbstractSet[str], other: AbstractSet[str]) -> bool:
    return overlap(words, other) >= _ALIKE


def spread(scores: Mapping[T, float], words: Mapping[T, AbstractSet[str]], balance: float) -> list[T]:
    """Order rows by relevance and by how little they repeat those before them (maximal marginal relevance).

    `balance` is the share of relevance: 1 leaves the order as it is.
    """
    most = max(scores.values(), default=0.0) or 1.0
    waiting = dict.fromkeys(sorted(scores, key=lambda row: -scores[row]), 0.0)  # with the likeness to those chosen
    chosen: list[T] = []
    while waiting:
        row = max(waiting, key=lambda item: balance * scores[item] / most - (1 - balance) * waiting[item])
        del waiting[row]
        chosen.append(row)
        for other, likeness in waiting.items():
            waiting[other] = max(likeness, overlap(words[row], words[other]))
    return chosen
