"""Hits that say different things: repetitions folded into the best of them, and near ones spread out on request."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

_ALIKE = 0.9  # share of common words from which two texts may state the same


def overlap(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Say how much of all their words two texts have in common."""
    together = len(one | other)
    return len(one & other) / together if together else 0.0


def fold(
    ranked: Iterable[T],
    sayings: Mapping[T, Hashable],
    words: Mapping[T, AbstractSet[str]],
    same: Callable[[T, T], bool],
) -> dict[T, list[T]]:
    """Give the best of each group of repetitions, in order, with those that repeat it.

    Repetitions are equal sayings; or nearly the same words, if `same` says that they state the same.
    """
    kept: dict[T, list[T]] = {}
    by_saying: dict[Hashable, T] = {}
    for row in ranked:
        best = by_saying.get(sayings[row])
        if best is None:
            alike = (one for one in kept if _alike(words[row], words[one]) and same(row, one))
            best = next(alike, None)
        if best is None:
            kept[row] = []
            by_saying[sayings[row]] = row
        else:
            kept[best].append(row)
    return kept


def _alike(one: AbstractSet[str], other: AbstractSet[str]) -> bool:
    smaller, larger = sorted((len(one), len(other)))
    return smaller >= _ALIKE * larger and overlap(one, other) >= _ALIKE


def spread(scores: Mapping[T, float], words: Mapping[T, AbstractSet[str]], balance: float) -> list[T]:
    """Order rows by relevance and by how little they repeat those before them (maximal marginal relevance).

    `balance` is the share of relevance: 1 leaves the order as it is.
    """
    most = max(scores.values(), default=0.0) or 1.0
    waiting = dict.fromkeys(sorted(scores, key=lambda row: -scores[row]), 0.0)  # with the likeness to those chosen
    chosen: list[T] = []
    while waiting:
        row = max(waiting, key=lambda one: balance * scores[one] / most - (1 - balance) * waiting[one])
        del waiting[row]
        chosen.append(row)
        for other, likeness in waiting.items():
            waiting[other] = max(likeness, overlap(words[row], words[other]))
    return chosen
